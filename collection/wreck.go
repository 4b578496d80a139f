package collection

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"dowse/crawl"
	"dowse/internal/archive"
)

// VerifyWreck checks what can be read of a collection that can't be opened for the reason
// given: every entry of its journal and every record of its archive. It changes nothing.
func VerifyWreck(dir string, why error) (*Verification, error) {
	out := &Verification{Problems: []Problem{}}
	out.problem(dir, doSalvage, "%v", reason(why))
	left, err := crawl.ReadLeftovers(filepath.Join(dir, "state"), nil, func(*crawl.Entry) {})
	if err != nil {
		return out, fmt.Errorf("collection: verify %s: %w", dir, err)
	}
	out.Entries = left.Entries
	for _, where := range left.Where {
		out.problem("state", doSalvage, "%s", where)
	}
	out.More += left.Gaps - len(left.Where)
	files, err := archive.Files(filepath.Join(dir, "archive"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return out, fmt.Errorf("collection: verify %s: %w", dir, err)
	}
	out.Files = len(files)
	for _, path := range files {
		report, err := archive.Verify(path)
		if err != nil {
			out.problem("archive/"+filepath.Base(path), doSalvage, "%v", err)
			continue
		}
		out.Records += report.Records
		for _, p := range report.Problems {
			out.problem(fmt.Sprintf("archive/%s, offset %d", report.File, p.Offset), doSalvage, "%v", p.Err)
		}
	}
	return out, nil
}

// reason returns what is wrong, without what to do about it.
func reason(err error) error {
	var d *DamageError
	if errors.As(err, &d) {
		return d.Found
	}
	return err
}

// InfoOfWreck returns what is known of a collection that can't be opened:
// its settings and its size.
func InfoOfWreck(dir string) (*Overview, error) {
	w, err := OpenWreck(dir)
	if err != nil {
		return nil, err
	}
	s := &w.Settings
	o := &Overview{
		Dir: dir, Name: s.Name, Format: s.Dowse, Version: s.Version, Begun: s.Begun, Strategy: s.Strategy,
		Threshold: s.Threshold, Seeds: s.Seeds, Settings: settingsList(s.Settings), Topic: string(w.Topic), Notices: w.Notes,
	}
	return o, w.Collection().onDisk(o)
}
