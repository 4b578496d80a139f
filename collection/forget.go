package collection

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/internal/archive"
	"dowse/internal/durable"
	"dowse/internal/frontier"
	"dowse/internal/plain"
	"dowse/weburl"
)

// A Takedown selects what is to be forgotten: single URLs, all URLs of a host,
// or all URLs with a prefix.
type Takedown struct {
	URLs   []dowse.URL
	Host   string
	Prefix string
	// Prints are fingerprints of URLs of an earlier takedown, whose strings are
	// no longer known.
	Prints []frontier.Fingerprint
	// Why and At are recorded in the tombstone of every URL.
	Why string
	At  time.Time
}

// Forgotten is the result of a takedown.
type Forgotten struct {
	URLs []dowse.URL `json:"urls"`
	// Already are URLs that had been taken down before. Whatever was left of
	// them is removed now.
	Already []dowse.URL `json:"already,omitempty"`
	// Ended are the URLs of an earlier, interrupted takedown that was completed
	// first.
	Ended []dowse.URL `json:"ended,omitempty"`
	// Copies are pages that were archived only as a reference to one of URLs.
	// They are taken down with it, since their body is the same.
	Copies []dowse.URL `json:"copies,omitempty"`
	// Records counts the records erased from the archive.
	Records int `json:"records"`
	// Entries counts the entries of the journal that were blanked, in whole or
	// in part.
	Entries int `json:"entries"`
	// Leads counts the URLs that were known only from links of these pages and
	// were never requested.
	Leads int `json:"leads,omitempty"`
	// Requisites counts the images, style sheets and the like that only these pages use, and that
	// were removed with them.
	Requisites int `json:"requisites,omitempty"`
	// Labels counts the lines of labels.jsonl about the pages.
	Labels int `json:"labels,omitempty"`
	// Models are the files of models that lost terms.
	Models []string `json:"models,omitempty"`
	// SameAs are pages that remain although their text equals that of one of the
	// URLs, exactly or nearly. A person may want to take them down, too.
	SameAs []dowse.URL `json:"same_as,omitempty"`
	// Notes are messages for a person.
	Notes []string `json:"notes,omitempty"`
}

// pendingName holds the plan of a takedown until it is complete.
const pendingName = "state/forget.json"

// Forget takes pages down at the wish of their owner. It works on the files of
// the collection in dir and needs neither its strategy nor its judge. The error
// is [ErrLocked] if a crawl runs there.
//
// The records of the pages are erased from the archive. The entries of their
// visits are blanked, and so are the strings of their URLs, of URLs that
// occurred only on them, and the reasons that strategies recorded after they had
// seen them. Words that occur on no other page are removed from models. Labels,
// answers of an outside judge, examples, seeds and lists lose what they hold
// about the pages. A tombstone in the journal keeps the fingerprint of each URL,
// so that it is never fetched again, with the time and the reason of the
// takedown. Snapshots and lists are removed; they are made again when the
// collection is opened with its strategy.
//
// The plan is written before the first change, and every step can be repeated.
// After a crash, or on a full disk, the next Forget or the next opening to write
// completes it.
func Forget(dir string, x Takedown) (*Forgotten, error) {
	c, err := Open(dir, nil, false)
	if err != nil {
		return nil, err
	}
	out, err := c.forget(x)
	if err = errors.Join(err, c.Close()); err != nil {
		return out, fmt.Errorf("collection: forget: %w", err)
	}
	return out, nil
}

// forget plans a takedown, saves the plan and runs it. Nothing is changed if no
// page matches.
func (c *Collection) forget(x Takedown) (*Forgotten, error) {
	t := &takedown{c: c, out: &Forgotten{URLs: []dowse.URL{}}}
	t.reportEnded()
	if err := t.plan(x); err != nil || len(t.Pages) == 0 {
		return t.out, err
	}
	if err := t.save(); err != nil {
		return t.out, err
	}
	return t.out, t.run()
}

// reportEnded adds the results of an interrupted takedown that the opening
// completed, for a person who gives the same command again.
func (t *takedown) reportEnded() {
	if t.c.ended == nil {
		return
	}
	for _, p := range t.c.ended.Pages {
		if p.URL != "" {
			t.out.Ended = append(t.out.Ended, p.URL)
		}
	}
	done := t.c.ended.out
	t.out.Records, t.out.Entries, t.out.Labels, t.out.Models = done.Records, done.Entries, done.Labels, done.Models
	t.out.Notes = append(t.out.Notes, done.Notes...)
}

// hasEnded reports whether a URL that is meant belongs to a takedown that was
// just completed.
func (t *takedown) hasEnded(meant func(u dowse.URL) bool) bool {
	return slices.ContainsFunc(t.out.Ended, meant)
}

// resumeTakedown completes an interrupted takedown, if there is one. Failing to
// do so prevents opening the collection to write: a crawl must not go on with
// pages that were to be removed.
func (c *Collection) resumeTakedown() error {
	data, err := c.files().ReadFile(pendingName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	t := &takedown{c: c, out: &Forgotten{}}
	if err == nil {
		if err := t.read(data); err != nil {
			return &DamageError{c.Dir, fmt.Errorf("%s: %w: %w; remove the file, then take the pages down again", pendingName, errTakedown, err)}
		}
		err = t.run()
	}
	if err != nil {
		return fmt.Errorf("collection: %s: a takedown was interrupted and can't be completed: %w", c.Dir, err)
	}
	c.notice("an interrupted takedown was completed: %s", plain.Some(len(t.Pages), "URL"))
	c.ended = t
	return nil
}

// errTakedown is the problem of a plan that can't be decoded.
var errTakedown = errors.New("not the plan of a takedown")

// read decodes the plan of a takedown. A plan that save can't have written is
// an error: completing what is left of a damaged plan would remove the plan,
// and the pages that it named would stay.
func (t *takedown) read(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&t.pending); err != nil {
		return err
	}
	if len(t.Pages) == 0 {
		return errors.New("it names no page")
	}
	return nil
}

// A pending is the plan of a takedown, as pendingName holds it.
type pending struct {
	Why   string        `json:"why"`
	At    time.Time     `json:"at"`
	Pages []pendingPage `json:"pages"`
	// Leads are URLs that are known only from the pages, Hosts hosts of which
	// nothing else is known. Both are removed with the pages.
	Leads []frontier.ID `json:"leads,omitempty"`
	Hosts []string      `json:"hosts,omitempty"`
	// Bodies are the archived answers of the pages, from which their words are
	// known.
	Bodies []dowse.Place `json:"bodies,omitempty"`
	// From is the journal offset of the first visit to one of the pages. Reasons
	// that strategies recorded since may contain words of them, and are not
	// kept.
	From uint64 `json:"from"`
}

// A pendingPage is one URL of a takedown.
type pendingPage struct {
	// ID is frontier.None for a URL that the crawl never saw.
	ID frontier.ID `json:"id"`
	// URL is "" if only the fingerprint is known, which is then in Print.
	URL   dowse.URL            `json:"url,omitempty"`
	Print frontier.Fingerprint `json:"print,omitzero"`
}

// A takedown is a plan together with the sets that its steps look URLs up in.
type takedown struct {
	pending
	c    *Collection
	out  *Forgotten
	urls map[dowse.URL]bool
	// buried are the URLs of the takedown that were taken down before.
	buried []pendingPage
	// ids are the pages; gone are the pages and the leads.
	ids  map[frontier.ID]bool
	gone map[frontier.ID]bool
}

// save writes the plan. From here on the takedown is completed even after a
// crash.
func (t *takedown) save() error {
	data, err := json.MarshalIndent(&t.pending, "", " ")
	if err != nil {
		return err
	}
	return writeWhole(t.c.Dir, pendingName, append(data, '\n'))
}

// run executes the plan and removes it last. Every step can be repeated, so
// after a crash all of them run again.
func (t *takedown) run() error {
	t.index()
	for _, step := range t.steps() {
		if err := step(); err != nil {
			return err
		}
	}
	if err := t.c.files().Remove(pendingName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// steps returns the steps in order. Tombstones come first, so that a crash never
// leaves a page erased and yet fetched again. Models come before the archive,
// because the words of the pages are known only from there. Views and leftovers
// come last, since earlier steps may leave some.
func (t *takedown) steps() []func() error {
	return []func() error{
		t.trim, t.bury, t.dropSnapshots, t.models, t.erase, t.requisites, t.redact, t.settings, t.lines, t.dropSearch, t.dropViews, t.dropLeftovers,
	}
}

// index rebuilds the sets of URLs and numbers from the plan.
func (t *takedown) index() {
	t.urls, t.ids, t.gone = map[dowse.URL]bool{}, map[frontier.ID]bool{}, map[frontier.ID]bool{}
	for _, p := range t.Pages {
		if p.URL == "" {
			continue
		}
		if t.urls[p.URL] = true; p.ID != frontier.None {
			t.ids[p.ID], t.gone[p.ID] = true, true
		}
	}
	for _, id := range t.Leads {
		t.gone[id] = true
	}
}

// trim cuts off a torn entry at the end of the journal, so that tombstones can
// be appended.
func (t *takedown) trim() error {
	cut, err := t.c.Journal.Trim()
	if cut > 0 {
		t.out.Notes = append(t.out.Notes, fmt.Sprintf("the end of the journal was torn: %d bytes cut off", cut))
	}
	return err
}

// bury appends the tombstones that are missing and syncs the journal. URLs that
// the crawl never saw get a number of their own. A host is named only if
// something else of it remains.
func (t *takedown) bury() error {
	j := t.c.Journal
	old, err := j.Tombstones()
	if err != nil {
		return err
	}
	known := frontier.ID(0)
	if err := j.EachName(func(frontier.ID, dowse.URL) { known++ }); err != nil {
		return err
	}
	buried := map[frontier.Fingerprint]bool{}
	for _, e := range old {
		buried[e.Print] = true
	}
	for _, p := range t.Pages {
		print := p.Print
		if p.URL != "" {
			print = frontier.FingerprintOf(p.URL, t.c.Settings.Key)
		}
		if buried[print] {
			continue
		}
		e := &crawl.Entry{At: t.At, ID: p.ID, Text: t.Why, Print: print}
		if host := weburl.Host(p.URL); !slices.Contains(t.Hosts, host) {
			e.Host = host
		}
		if j.RecordTombstone(e, known); p.ID == frontier.None {
			known++
		}
	}
	for _, id := range t.Leads {
		if old[id] == nil {
			j.RecordTombstone(&crawl.Entry{At: t.At, ID: id}, known)
		}
	}
	return j.Sync()
}

// dropSnapshots removes the saved states, which contain what strategies learnt
// from the pages.
func (t *takedown) dropSnapshots() error {
	for _, name := range t.c.snapshots() {
		if err := t.c.files().Sub("state").Remove(name); err != nil {
			return err
		}
	}
	return nil
}

// erase erases the records of the pages, and all records of hosts that are
// removed with them.
func (t *takedown) erase() error {
	records, err := t.survey(nil)
	if err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(records)) {
		offsets := records[path]
		slices.Sort(offsets)
		n, err := archive.Erase(path, t.At, offsets...)
		t.out.Records += n
		if err != nil {
			return err
		}
	}
	t.c.originals = nil
	return nil
}

// survey returns the records to erase, as offsets by file: all captures of the
// pages, and all revisits that refer to one of them. copied, if set, is called
// with the URL and the original URL of every revisit. A damaged file is an
// error: it could hide a record that must go.
func (t *takedown) survey(copied func(target, first string)) (map[string][]int64, error) {
	files, err := archive.Files(t.c.ArchiveDir())
	if err != nil {
		return nil, err
	}
	records := map[string][]int64{}
	for _, path := range files {
		err := eachRecord(path, func(r *archive.Record) error {
			if r.Type() == "warcinfo" || r.Target() == "" {
				return nil
			}
			own, first := t.has(r.Target()), ""
			if r.Type() == "revisit" {
				first = r.Header.Value("WARC-Refers-To-Target-URI")
			}
			if own || first != "" && t.has(first) {
				records[path] = append(records[path], r.Offset)
			}
			if first != "" && copied != nil {
				copied(r.Target(), first)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
		}
	}
	return records, nil
}

// has reports whether a URL, as a record or a person wrote it, is one of the
// pages or belongs to a host that is removed with them.
func (t *takedown) has(written string) bool {
	u := canonical(written)
	return t.urls[dowse.URL(written)] || t.urls[u] || len(t.Hosts) > 0 && slices.Contains(t.Hosts, weburl.Host(u))
}

// canonical returns the canonical form of a URL, or the text unchanged if it is
// not a URL.
func canonical(written string) dowse.URL {
	if u, err := weburl.Parse(written); err == nil {
		return u
	}
	return dowse.URL(written)
}

// redact blanks the entries of the journal and the strings of the URLs.
func (t *takedown) redact() (err error) {
	t.out.Entries, err = t.c.Journal.Redact(crawl.Redaction{
		Edit: t.edit,
		Gone: func(id frontier.ID) bool { return t.gone[id] },
	})
	return err
}

// edit removes from an entry the words of and about the pages, and reports
// whether it changed.
func (t *takedown) edit(e *crawl.Entry) bool {
	changed := false
	if (e.Kind == crawl.EntryPage || e.Kind == crawl.EntryRetry) && t.ids[e.ID] {
		changed = e.Blank()
	}
	if e.Place() >= t.From {
		changed = e.BlankReasons() || changed
	}
	rulings := len(e.Rulings)
	e.Rulings = slices.DeleteFunc(e.Rulings, func(r crawl.Ruling) bool { return t.ids[r.ID] })
	changed = changed || len(e.Rulings) < rulings
	if e.Host != "" && slices.Contains(t.Hosts, e.Host) {
		e.Host, changed = "", true
		if e.Robots != nil {
			e.Robots, e.Page.URL, e.Page.Detail = &dowse.Robots{At: e.Robots.At}, "", ""
		}
	}
	return t.editURLs(e) || changed
}

// editURLs removes the URLs themselves where an entry has them as strings, and
// reports whether the entry changed. A seed leaves the address that the scope
// depends on, since the scope of the remaining crawl must not change.
func (t *takedown) editURLs(e *crawl.Entry) (changed bool) {
	for i := 0; i < len(e.Seeds); i++ {
		if u := e.Seeds[i]; t.urls[u] {
			e.Seeds = slices.Delete(e.Seeds, i, i+1)
			if home := t.home(u); home != "" && len(home) < len(u) {
				e.Homes = append(e.Homes, home)
			} else if home == u {
				e.Homes = append(e.Homes, u)
			}
			i, changed = i-1, true
		}
	}
	e.Homes = slices.DeleteFunc(e.Homes, func(u dowse.URL) bool {
		gone := slices.Contains(t.Hosts, weburl.Host(u))
		changed = changed || gone
		return gone
	})
	if p := e.Page; p != nil {
		for _, u := range []*dowse.URL{&p.Canonical, &p.Near} {
			if *u != "" && t.urls[*u] {
				*u, changed = "", true
			}
		}
		had := len(p.Maps)
		p.Maps = slices.DeleteFunc(p.Maps, func(u dowse.URL) bool { return t.urls[u] })
		changed = changed || len(p.Maps) < had
	}
	return changed
}

// home returns the part of a seed that the scope depends on: its host, or its
// directory for a scope by prefix. It is "" if the host itself is removed.
func (t *takedown) home(u dowse.URL) dowse.URL {
	if slices.Contains(t.Hosts, weburl.Host(u)) {
		return ""
	}
	s := string(u)
	scheme := strings.Index(s, "://") + 3
	if t.c.Settings.Scope.Reach == string(crawl.ReachPrefix) {
		if i := strings.IndexByte(s, '?'); i >= 0 {
			s = s[:i]
		}
		return dowse.URL(s[:strings.LastIndexByte(s, '/')+1])
	}
	if i := strings.IndexByte(s[scheme:], '/'); i >= 0 {
		return dowse.URL(s[:scheme+i+1])
	}
	return u
}

// dropSearch removes the full-text index, which holds the words of all pages. It waits for a
// process that is just adding pages: that may have read them before their tombstones were written.
// Pages that are added later are read from the archive after they were erased there.
func (t *takedown) dropSearch() error {
	files := t.c.files()
	lock, err := files.Edit(searchLock)
	switch {
	case errors.Is(err, fs.ErrNotExist): // there never was an index, or it came from elsewhere
	case errors.Is(err, durable.ErrNotPlain):
		if err := files.RemoveAll(searchLock); err != nil {
			return err
		}
	case err != nil:
		return err
	default:
		defer lock.Close()
		if err := awaitLock(lock); err != nil {
			return err
		}
	}
	return files.RemoveAll(searchFolder)
}

// dropViews removes the files that are made from journal and archive.
func (t *takedown) dropViews() error {
	for _, name := range []string{summaryName, pagesName, extraName, logName, indexName, readmeName} {
		if err := t.c.files().Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// dropLeftovers removes temporary files of interrupted writes, and the saved
// records that were cut off the archive earlier: both may hold the pages.
func (t *takedown) dropLeftovers() error {
	if err := t.c.dropTails(0); err != nil {
		return err
	}
	for _, folder := range append([]string{"."}, folders...) {
		names, err := t.c.files().Sub(folder).Names("*.tmp")
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := t.c.files().Sub(folder).Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}
