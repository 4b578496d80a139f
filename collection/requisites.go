package collection

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"dowse"
	"dowse/internal/archive"
	"dowse/internal/extract"
	"dowse/internal/frontier"
	"dowse/internal/plain"
	"dowse/internal/requisite"
)

// withheldRequisites returns the places of the requisites that the archive must not have, and adds them to what is
// withheld: those whose own answers ask for what the export respects, and those that only withheld pages use.
// A note counts the former.
func (x *exporter) withheldRequisites() (left map[dowse.Place]bool, err error) {
	left = map[dowse.Place]bool{}
	if len(x.sel.respect) == 0 && len(x.withheld.urls) == 0 {
		return left, nil
	}
	unused, err := x.unusedRequisites()
	if err != nil {
		return nil, err
	}
	asked := 0
	for l, err := range requisite.Lines(x.c.Dir) {
		if err == nil {
			err = x.ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if l.File == "" {
			continue
		}
		at := dowse.Place{File: l.File, Offset: l.Offset}
		id, wish := x.wishOfRequisite(l)
		if wish {
			asked++
		}
		if wish || unused[at] {
			left[at] = true
			if x.withheld.files[l.File] = true; id != "" {
				x.withheld.ids[id] = true
			}
		}
	}
	if asked > 0 {
		x.notes = append(x.notes, fmt.Sprintf("%s of pages left out: their own answers ask for it", plain.Some(asked, "requisite")))
	}
	return left, nil
}

// unusedRequisites returns the places of the requisites that pages use of which the archive has none.
func (x *exporter) unusedRequisites() (map[dowse.Place]bool, error) {
	unused := map[dowse.Place]bool{}
	if len(x.withheld.urls) == 0 {
		return unused, nil
	}
	of, err := requisite.Places(x.c.Dir, x.isWithheld)
	if err != nil {
		return nil, err
	}
	for _, at := range of {
		unused[at] = true
	}
	used, err := requisite.Places(x.c.Dir, func(u dowse.URL) bool { return !x.isWithheld(u) })
	for _, at := range used {
		delete(unused, at)
	}
	return unused, err
}

// wishOfRequisite returns the ID of the record of a requisite, and whether its header asks for what the export
// respects. A record that can't be read asks for nothing: it is in no archive.
func (x *exporter) wishOfRequisite(l *requisite.Line) (id string, asks bool) {
	r, err := archive.At(filepath.Join(x.c.Dir, requisite.Folder, l.File), l.Offset)
	if err != nil {
		return "", false
	}
	defer r.Close()
	resp, err := r.Response()
	if err != nil {
		return r.ID(), false
	}
	_, noIndex, noArchive := extract.RobotsTag(resp.Header.Values("X-Robots-Tag"), x.c.addressed()...)
	reserved := reservedBy(resp.Header)
	for _, wish := range x.sel.respect {
		switch wish {
		case leftNoArchive:
			asks = asks || noArchive
		case leftNoIndex:
			asks = asks || noIndex
		default:
			asks = asks || slices.Contains(reserved, wish)
		}
	}
	return r.ID(), asks
}

// requisiteIndex is the index of the WARC files of requisites.
const requisiteIndex = requisite.Folder + "/index.cdxj"

// writeRequisiteIndex writes the index of the requisites, if there are any and it is not as old as
// they are.
func (c *Collection) writeRequisiteIndex() error {
	files, err := requisite.Files(c.Dir)
	if err != nil || len(files) == 0 {
		return err
	}
	if index, err := c.files().Stat(requisiteIndex); err == nil && !slices.ContainsFunc(files, func(path string) bool {
		info, err := c.files().Sub(requisite.Folder).Stat(filepath.Base(path))
		return err != nil || info.ModTime().After(index.ModTime())
	}) {
		return nil
	}
	return c.files().Replace(requisiteIndex, func(w io.Writer) error { return archive.IndexReadable(w, c.unreadRecord, files...) })
}

// requisites removes the requisites that only the pages of a takedown use. Their index is made again
// with the other views.
func (t *takedown) requisites() error {
	if _, err := requisite.Files(t.c.Dir); err != nil {
		return err
	}
	n, err := requisite.Forget(t.c.Dir, func(u dowse.URL) bool { return t.urls[u] || t.urls[canonical(string(u))] }, t.At)
	t.out.Requisites += n
	if err == nil && n > 0 {
		err = t.c.files().Remove(requisiteIndex)
	}
	if os.IsNotExist(err) {
		return nil
	}
	return err
}

// resolveRequisites adds the requisites that a takedown selects and the crawl does not know.
func (t *takedown) resolveRequisites(x Takedown, wanted map[dowse.URL]bool) error {
	for l, err := range requisite.Lines(t.c.Dir) {
		if err != nil {
			return err
		}
		u := canonical(string(l.URL))
		known := slices.ContainsFunc(t.Pages, func(p pendingPage) bool { return p.URL == u })
		if l.URL == "" || known || !wanted[u] && !x.covers(u) {
			continue
		}
		t.Pages = append(t.Pages, pendingPage{ID: frontier.None, URL: u})
		t.out.URLs = append(t.out.URLs, u)
		delete(wanted, u)
	}
	return nil
}

// requisites reads every record of the requisites, and looks up each line of their ledger.
func (v *verifier) requisites() error {
	files, err := requisite.Files(v.c.Dir)
	if err != nil {
		return err
	}
	for i, path := range files {
		report, err := archive.Verify(path)
		if err != nil {
			return err
		}
		for _, p := range report.Problems {
			if !v.growing(files, i, p.Offset) {
				v.out.problem(fmt.Sprintf("%s/%s, offset %d", requisite.Folder, report.File, p.Offset), doRestore, "%v", p.Err)
			}
		}
	}
	for l, err := range requisite.Lines(v.c.Dir) {
		if err == nil && l.File != "" {
			v.out.Requisites++
			err = holdsRequisite(v.c.Dir, l)
		}
		if err != nil {
			v.out.problem(requisite.Folder, doRestore, "%v", err)
		}
	}
	return nil
}

// holdsRequisite returns an error if the record that a line names is not there or is of another URL.
func holdsRequisite(dir string, l *requisite.Line) error {
	r, err := archive.At(filepath.Join(dir, requisite.Folder, l.File), l.Offset)
	if err != nil {
		return fmt.Errorf("%s: %w", l.URL, err)
	}
	defer r.Close()
	if r.Target() != string(l.URL) {
		return fmt.Errorf("%s: %w: %s", l.URL, errOtherURL, r.Target())
	}
	return nil
}

// requisiteFiles returns WARC files with the requisites of the pages that an archive has: all files
// for the whole collection, of which withhold leaves out records, otherwise a copy in dir of the
// requisites that the pages use.
func (x *exporter) requisiteFiles(dir string, chosen bool) ([]string, error) {
	files, err := requisite.Files(x.c.Dir)
	if err != nil || len(files) == 0 {
		return nil, err
	}
	left, err := x.withheldRequisites()
	if err != nil || !chosen {
		return files, err
	}
	places, err := requisite.Places(x.c.Dir, func(u dowse.URL) bool { return x.exported[u] })
	if err != nil {
		return nil, err
	}
	places = slices.DeleteFunc(places, func(p dowse.Place) bool { return left[p] })
	if len(places) == 0 {
		return nil, nil
	}
	path := filepath.Join(dir, x.c.Prefix()+"-requisites.warc.gz")
	return []string{path}, toFile(path, false, func(w io.Writer) error {
		_, err := archive.Copy(w, filepath.Join(x.c.Dir, requisite.Folder), places, x.archiveOptions(), func(dowse.Place, error) {})
		return err
	})
}
