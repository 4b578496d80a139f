package collection

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"dowse"
	"dowse/internal/frontier"
)

// ErrForgotten is returned for a label of a URL that was taken down, since
// labels.jsonl would contain the URL again.
var ErrForgotten = errors.New("it was taken down, so nothing is kept of it, and no label either; leave it out")

// parsePrint decodes a fingerprint from crawl.yaml: 32 hexadecimal digits.
func parsePrint(s string) (p frontier.Fingerprint, ok bool) {
	if len(s) != hex.EncodedLen(len(p)) {
		return p, false
	}
	_, err := hex.Decode(p[:], []byte(s))
	return p, err == nil
}

// printText encodes a fingerprint for crawl.yaml.
func printText(p frontier.Fingerprint) string { return hex.EncodeToString(p[:]) }

// forgottenPrints returns the fingerprints for crawl.yaml: those that are there,
// and those of all tombstones. With them a takedown remains in force when the
// journal is lost and the collection is salvaged.
func (t *takedown) forgottenPrints() ([]string, error) {
	stones, err := t.c.Journal.Tombstones()
	if err != nil {
		return nil, err
	}
	prints := slices.Clone(t.c.Settings.Forgotten)
	for _, e := range stones {
		if e.Print != (frontier.Fingerprint{}) {
			prints = append(prints, printText(e.Print))
		}
	}
	slices.Sort(prints)
	prints = slices.Compact(prints)
	if len(prints) > maxForgotten {
		t.out.Notes = append(t.out.Notes, fmt.Sprintf("%d URLs were taken down, and crawl.yaml holds the fingerprints of %d; of the others only the journal knows", len(prints), maxForgotten))
		prints = prints[:maxForgotten]
	}
	return prints, nil
}

// IsForgotten reports whether a URL was taken down.
func (c *Collection) IsForgotten(u dowse.URL) bool {
	id, ok := c.Crawl.Frontier().Find(u)
	return ok && c.Crawl.ReasonFor(id) == dowse.SkipForgotten
}

// notForgotten returns an ErrForgotten if one of some URLs was taken down. It
// reads crawl.yaml again, because that may have happened after the caller
// looked.
func notForgotten(dir string, urls []dowse.URL) error {
	if len(urls) == 0 {
		return nil
	}
	s, err := ReadSettings(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // labels for a collection that is being made
	}
	if err != nil {
		return err
	}
	gone := map[string]bool{}
	for _, print := range s.Forgotten {
		gone[print] = true
	}
	for _, u := range urls {
		if len(gone) > 0 && gone[printText(frontier.FingerprintOf(u, s.Key))] {
			return fmt.Errorf("%s: %w", u, ErrForgotten)
		}
	}
	return nil
}

// Forgotten returns the fingerprints of the URLs that were taken down, according
// to the settings. Those that can't be decoded are counted in Notes.
func (w *Wreck) Forgotten() (list []frontier.Fingerprint) {
	bad := 0
	for _, s := range w.Settings.Forgotten {
		if p, ok := parsePrint(s); ok {
			list = append(list, p)
		} else {
			bad++
		}
	}
	if bad > 0 {
		w.Notes = append(w.Notes, fmt.Sprintf("%s: %d fingerprints of URLs that were taken down can't be read: take these down again", settingsName, bad))
	}
	return list
}
