package crawler

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"dowse"
)

// labelled lists the URLs of a collection to which people gave a label, the last one
// that they gave. It is nil if nobody labelled anything.
func labelled(dir, label string) ([]dowse.URL, error) {
	f, err := os.Open(filepath.Join(dir, "labels.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("crawler: %w", err)
	}
	defer f.Close()
	last := map[dowse.URL]string{}
	var order []dowse.URL
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var l struct {
			URL   dowse.URL `json:"url"`
			Label string    `json:"label"`
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return nil, fmt.Errorf("crawler: %s/labels.jsonl:%d: %w", dir, n, err)
		}
		if _, ok := last[l.URL]; !ok {
			order = append(order, l.URL)
		}
		last[l.URL] = l.Label
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("crawler: %s/labels.jsonl: %w", dir, err)
	}
	urls := []dowse.URL{}
	for _, u := range order {
		if last[u] == label && u != "" {
			urls = append(urls, u)
		}
	}
	if len(order) == 0 {
		return nil, nil
	}
	return urls, nil
}
