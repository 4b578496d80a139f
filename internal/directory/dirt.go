package directory

import (
	"fmt"
	"strings"
)

// Dirt counts what a reading skipped. Entries of categories that were not asked
// for are not parsed completely, so their URLs and texts are not counted.
//
// A few are normal: the dumps have a handful per million entries. Many mean that
// the file is damaged or of another kind, so callers show the counts.
type Dirt struct {
	Entries int // entries with a valid path, for comparison
	Broken  int // lines or elements that cannot be parsed
	Long    int // lines or elements that are too long
	Paths   int // entries without a valid category
	URLs    int // entries without a valid http or https URL
	UTF8    int // texts with invalid UTF-8, which was replaced
}

// Any reports whether anything was skipped or replaced.
func (d Dirt) Any() bool { return d.Skipped()+d.UTF8 > 0 }

// Skipped returns the number of entries that were not read.
func (d Dirt) Skipped() int { return d.Broken + d.Long + d.Paths + d.URLs }

// most returns the larger number of each kind.
func (d Dirt) most(o Dirt) Dirt {
	return Dirt{
		Entries: max(d.Entries, o.Entries), Broken: max(d.Broken, o.Broken), Long: max(d.Long, o.Long),
		Paths: max(d.Paths, o.Paths), URLs: max(d.URLs, o.URLs), UTF8: max(d.UTF8, o.UTF8),
	}
}

func (d Dirt) String() string {
	var parts []string
	for _, c := range []struct {
		n    int
		what string
	}{
		{d.Broken, "broken"}, {d.Long, "too long"}, {d.Paths, "without a category"}, {d.URLs, "without a URL of the web"},
	} {
		if c.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	s := "nothing passed over"
	if len(parts) > 0 {
		s = "passed over: " + strings.Join(parts, ", ")
	}
	if d.UTF8 > 0 {
		s += fmt.Sprintf("; %d texts with bad UTF-8 mended", d.UTF8)
	}
	return s
}
