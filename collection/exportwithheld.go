package collection

import (
	"fmt"
	"path/filepath"
	"slices"

	"dowse"
	"dowse/crawl"
	"dowse/internal/archive"
	"dowse/internal/frontier"
	"dowse/internal/plain"
)

// withheld is what an archive must not have: all versions of some pages, and some versions of others.
type withheld struct {
	urls  map[dowse.URL]bool
	ids   map[string]bool // of the records of versions
	files map[string]bool // with such records
}

// add adds a page whose last answer is at a place.
func (h *withheld) add(u dowse.URL, at dowse.Place) {
	h.urls[u] = true
	h.files[at.File] = true
}

// findWithheld finds the pages that the archive must not have, by the selection of the
// export, and adds a note that counts them. Challenges, which hosts send in place of
// pages, are among them: no person was meant to see them. Of the other pages it finds the
// earlier versions whose owners asked for what the export respects.
func (x *exporter) findWithheld() error {
	x.withheld = withheld{map[dowse.URL]bool{}, map[string]bool{}, map[string]bool{}}
	err := x.pages(Filter{Since: x.opt.Since}, func(row *Row) error {
		if !x.admits(row) {
			x.withheld.add(row.URL, row.Fetch.Archive)
		} else if row.Fetch.At.After(x.latest) {
			x.latest = row.Fetch.At
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, m := range leftMeanings() {
		if n := x.left[m[0]]; n > 0 {
			x.notes = append(x.notes, fmt.Sprintf("%s left out: %s", plain.Some(n, "page"), m[1]))
		}
	}
	fr := x.c.Crawl.Frontier()
	for id := range frontier.ID(fr.Len()) {
		if fr.State(id) != dowse.Excluded || x.c.Crawl.ReasonFor(id) != dowse.SkipChallenge {
			continue
		}
		if v, ok := fr.Visit(id); ok {
			if e, err := x.c.entry(v.Place); err == nil && e.Page != nil {
				x.withheld.add(x.c.URL(id), e.Page.Fetch.Archive)
			}
		}
	}
	return x.findWithheldVersions()
}

// findWithheldVersions finds the earlier versions of pages that the archive must not have, and adds a note
// that counts them.
func (x *exporter) findWithheldVersions() error {
	if len(x.sel.respect) == 0 {
		return nil
	}
	n := 0
	for e, err := range x.c.Journal.Visits(0) {
		if x.ctx.Err() != nil {
			return x.ctx.Err()
		}
		if err != nil || e.Kind != crawl.EntryPage || e.Page.Outcome != dowse.Fetched || x.c.isPage(e) || x.c.forgotten(e.ID) || x.c.misnamed(e.ID) {
			continue // what can't be read is recorded when the pages are listed
		}
		x.c.nameEntry(e)
		at := e.Page.Fetch.Archive
		if at.File == "" || x.isWithheld(e.Page.URL) || x.wishOf(e.Page) == "" {
			continue
		}
		if r, err := x.c.record(at); err == nil {
			x.withheld.ids[r.ID()] = true
			x.withheld.files[at.File] = true
			r.Close()
			n++
		}
	}
	if n > 0 {
		x.notes = append(x.notes, fmt.Sprintf("%s of pages left out: their owners asked for it then", plain.Some(n, "earlier version")))
	}
	return nil
}

// wishOf returns the wish of its owner for which an earlier version of a page is left out, "" if there is none.
func (x *exporter) wishOf(p *dowse.Page) string {
	row := &Row{Page: p}
	if left := x.sel.refuses(row, 0); left == leftNoArchive || left == leftNoIndex {
		return left
	}
	if !slices.Contains(x.sel.respect, leftTDM) && !slices.Contains(x.sel.respect, leftAI) {
		return ""
	}
	c := &exportedPage{row: row}
	x.readDocument(c)
	return x.sel.reserves(c.row)
}

// isWithheld reports whether the archive must not have a page.
func (x *exporter) isWithheld(u dowse.URL) bool { return x.withheld.urls[u] }

// isWithheldAt reports whether the archive must not have the record at a place.
func (x *exporter) isWithheldAt(at dowse.Place) bool {
	r, err := x.c.record(at)
	if err != nil {
		return false
	}
	defer r.Close()
	return x.withheld.ids[r.ID()] || x.isWithheld(dowse.URL(r.Target()))
}

// firstWithheld returns the index of the first of some files that has a record which the archive must not
// have, their number if there is none. Records of later files can refer to it.
func (x *exporter) firstWithheld(files []string) int {
	i := slices.IndexFunc(files, func(path string) bool { return x.withheld.files[filepath.Base(path)] })
	if i < 0 {
		return len(files)
	}
	return i
}

// withhold returns the function that leaves out the records of a file that the archive must not have. A revisit
// that refers to such a record is left out, too, unless it is the last visit to a page that the archive has:
// this one gets the payload.
func (x *exporter) withhold(file string) func(p *archive.Part) (drop bool, original dowse.Place) {
	return func(p *archive.Part) (bool, dowse.Place) {
		target := p.Header.Value("WARC-Target-URI")
		if target == "" {
			return false, dowse.Place{}
		}
		of := bareID(p.Header.Value("WARC-Concurrent-To"))
		if x.isWithheld(dowse.URL(target)) || x.withheld.ids[p.ID()] || of != "" && x.withheld.ids[of] {
			return true, dowse.Place{}
		}
		refers := bareID(p.Header.Value("WARC-Refers-To"))
		if p.Type() != "revisit" || !x.withheld.ids[refers] && !x.isWithheld(dowse.URL(p.Header.Value("WARC-Refers-To-Target-URI"))) {
			return false, dowse.Place{}
		}
		at, ok := x.c.lastPlace(dowse.URL(target))
		if !ok || at.File != file || at.Offset != p.Offset {
			return true, dowse.Place{}
		}
		original, err := x.c.refersTo(at)
		return err != nil, original
	}
}
