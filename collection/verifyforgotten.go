package collection

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"dowse"
	"dowse/crawl"
	"dowse/internal/archive"
	"dowse/internal/frontier"
	"dowse/internal/requisite"
	"dowse/weburl"
)

// doForget is what to do about a page that a takedown did not remove completely.
const doForget = "take it down again"

// forgotten checks that nothing but its tombstone is left of each URL that was taken down:
// its string and the entries of its visits are blank, the archive has no record of it, and
// no file that names URLs names it.
func (v *verifier) forgotten() error {
	if _, err := v.c.files().Stat(pendingName); err == nil && !v.c.changing() {
		v.out.problem(pendingName, doPending, "a takedown was interrupted")
		return nil
	}
	stones, err := v.c.Journal.Tombstones()
	if err != nil || len(stones) == 0 {
		return err
	}
	v.out.Forgotten = len(stones)
	prints := map[frontier.Fingerprint]bool{}
	for _, e := range stones {
		prints[e.Print] = e.Print != frontier.Fingerprint{}
	}
	gone := func(u dowse.URL) bool { return u != "" && prints[frontier.FingerprintOf(u, v.c.Settings.Key)] }
	for _, check := range []func() error{
		func() error { return v.blankNames(stones) },
		func() error { return v.blankEntries(stones, gone) },
		func() error { return v.erased(gone) },
		func() error { return v.unnamed(gone) },
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (v *verifier) blankNames(stones map[frontier.ID]*crawl.Entry) error {
	return v.c.Journal.EachName(func(id frontier.ID, u dowse.URL) {
		if stones[id] != nil && u != "" {
			v.out.problem("state/journal", doForget, "URL %d was taken down, and its string is still there", id)
		}
	})
}

func (v *verifier) blankEntries(stones map[frontier.ID]*crawl.Entry, gone func(dowse.URL) bool) error {
	for e, err := range v.c.Journal.AsWritten(0) {
		if err != nil {
			return nil // reported by an earlier check
		}
		at := fmt.Sprintf("state/journal, offset %d", e.Place())
		if e.Page != nil && stones[e.ID] != nil && (e.Kind == crawl.EntryPage || e.Kind == crawl.EntryRetry) && !e.IsBlank() {
			v.out.problem(at, doForget, "the entry of a page that was taken down is not blank")
		}
		if slices.ContainsFunc(e.Rulings, func(r crawl.Ruling) bool { return stones[r.ID] != nil }) {
			v.out.problem(at, doForget, "a ruling on a page that was taken down")
		}
		named := slices.ContainsFunc(e.Seeds, gone)
		if e.Page != nil {
			named = named || gone(e.Page.Canonical) || gone(e.Page.Near)
		}
		if named {
			v.out.problem(at, doForget, "the entry names a URL that was taken down")
		}
	}
	return nil
}

// erased looks through the archive. Records that can't be read were reported by an earlier check.
func (v *verifier) erased(gone func(dowse.URL) bool) error {
	files, err := archive.Files(v.c.ArchiveDir())
	more, err2 := requisite.Files(v.c.Dir)
	if err = errors.Join(err, err2); err != nil {
		return err
	}
	for _, path := range append(files, more...) {
		_ = eachRecord(path, func(r *archive.Record) error {
			for _, u := range []string{r.Target(), r.Header.Value("WARC-Refers-To-Target-URI")} {
				if r.Type() != "warcinfo" && u != "" && (gone(dowse.URL(u)) || gone(canonical(u))) {
					v.out.problem(fmt.Sprintf("%s, offset %d", path, r.Offset), doForget, "a record of a page that was taken down")
				}
			}
			return nil
		})
	}
	return err
}

// unnamed looks through the files that have URLs, each in a field or a word of its own.
func (v *verifier) unnamed(gone func(dowse.URL) bool) error {
	names := []string{settingsName, "topic.yaml", LockName, labelsName, AnswersName, pagesName, extraName, logName, indexName, readmeName, requisiteIndex}
	for _, name := range names {
		data, err := v.c.readFile(name)
		if err != nil {
			return err
		}
		for line := range bytes.Lines(data) {
			if slices.ContainsFunc(urlsIn(line), gone) {
				v.out.problem(name, doForget, "it names a URL that was taken down")
				break
			}
		}
	}
	examples, err := v.c.Examples()
	for _, x := range examples {
		if gone(canonical(x.URL)) || gone(canonical(x.Source)) {
			v.out.problem(ExamplesName, doForget, "an example was taken down, and is still there")
		}
	}
	return err
}

// urlsIn returns what may be URLs in a line, in their canonical form.
func urlsIn(line []byte) (list []dowse.URL) {
	var fields map[string]any
	if json.Unmarshal(line, &fields) == nil {
		for _, f := range fields {
			if s, ok := f.(string); ok {
				list = append(list, canonical(s))
			}
		}
		return list
	}
	for _, word := range writtenURL.FindAll(line, -1) {
		if u, err := weburl.Parse(string(word)); err == nil {
			list = append(list, u)
		}
	}
	return list
}
