package directory

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// A jsonEntry is one line of a JSON Lines directory. Other keys are ignored.
type jsonEntry struct {
	Path        string `json:"path"`
	URL         string `json:"url"`
	Title       string `json:"title"`
	Description string `json:"description"`
}

// scanJSONL reads one entry per line.
func scanJSONL(r io.Reader, s *sieve) error {
	in := newLines(r)
	var e jsonEntry
	var entry raw
	for {
		line, err := in.next(&s.dirt)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		line = bytes.TrimSpace(bytes.TrimPrefix(line, byteOrderMark))
		if len(line) == 0 {
			continue
		}
		e = jsonEntry{}
		if err := json.Unmarshal(line, &e); err != nil {
			s.dirt.Broken++
			continue
		}
		entry.clear()
		entry.path, entry.url = append(entry.path, e.Path...), append(entry.url, e.URL...)
		entry.title, entry.description = append(entry.title, e.Title...), append(entry.description, e.Description...)
		if !s.take(&entry) {
			return nil
		}
	}
}
