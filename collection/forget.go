package collection

import (
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
	"dowse/internal/frontier"
	"dowse/weburl"
)

// A Takedown says what is to be forgotten: URLs, all URLs of a host, or all that begin
// with a prefix.
type Takedown struct {
	URLs   []dowse.URL
	Host   string
	Prefix string
	Prints []frontier.Fingerprint // URLs of an earlier takedown, whose strings are gone
	Why    string
	At     time.Time
}

// Forgotten tells what a takedown did.
type Forgotten struct {
	URLs    []dowse.URL `json:"urls"`
	Already []dowse.URL `json:"already,omitempty"` // they had been taken down before
	Ended   []dowse.URL `json:"ended,omitempty"`   // of a takedown that had been broken off: this one began with ending it
	Copies  []dowse.URL `json:"copies,omitempty"`  // pages kept only as a reference to one of them: they went with it
	Records int         `json:"records"`           // erased from the archive
	Entries int         `json:"entries"`           // of the journal that lost words
	Leads   int         `json:"leads,omitempty"`   // URLs that were known only from the pages, and were never asked for
	Labels  int         `json:"labels,omitempty"`  // lines of labels.jsonl that said something of them
	Models  []string    `json:"models,omitempty"`  // files of models that lost words
	// SameAs are pages that stay, and whose text is that of one of the URLs, exactly or
	// nearly: a person may want to take them down, too.
	SameAs []dowse.URL `json:"same_as,omitempty"`
	Notes  []string    `json:"notes,omitempty"` // what a person should know
}

const pendingName = "state/forget.json"

// Forget takes pages down, at the wish of their owner. It works on the files of the
// collection in dir and needs neither its strategy nor its judge. No crawl may run there.
//
// What the archive holds of the pages is erased; the entries of their visits are blanked,
// and so are the strings of their URLs, of URLs that stood only on them, and what
// strategies wrote down after they had seen them. Words that stand on no other page go
// from models; labels, answers of an outside judge, examples, seeds and lists lose what
// they have of the pages. A tombstone in the journal keeps the fingerprint of each URL, so
// that it is never fetched again, and when and why it was taken down. Snapshots and lists
// are removed: they are made again when the collection is opened with its strategy.
//
// What is to be done is written down first. After a crash, or a full disk, the next
// Forget or the next opening to write does what is left to do.
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

func (c *Collection) forget(x Takedown) (*Forgotten, error) {
	t := &takedown{c: c, out: &Forgotten{URLs: []dowse.URL{}}}
	t.tellEnded()
	if err := t.plan(x); err != nil || len(t.Pages) == 0 {
		return t.out, err
	}
	if err := t.save(); err != nil {
		return t.out, err
	}
	return t.out, t.run()
}

// tellEnded takes over what the end of an earlier takedown did, for the person who gives the
// same command again.
func (t *takedown) tellEnded() {
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

// hasEnded reports whether a page that is meant is one of a takedown that was just ended.
func (t *takedown) hasEnded(meant func(u dowse.URL) bool) bool {
	return slices.ContainsFunc(t.out.Ended, meant)
}

// resumeTakedown ends a takedown that was broken off.
func (c *Collection) resumeTakedown() error {
	data, err := c.files().ReadFile(pendingName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	t := &takedown{c: c, out: &Forgotten{}}
	if err == nil {
		err = json.Unmarshal(data, &t.pending)
	}
	if err == nil {
		err = t.run()
	}
	if err != nil {
		return fmt.Errorf("collection: %s: a takedown was interrupted and can't be completed: %w", c.Dir, err)
	}
	c.notice("an interrupted takedown was completed: %d URLs", len(t.Pages))
	c.ended = t
	return nil
}

// pending is what a takedown has to do, as it is written down before it begins.
type pending struct {
	Why    string        `json:"why"`
	At     time.Time     `json:"at"`
	Pages  []pendingPage `json:"pages"`
	Leads  []frontier.ID `json:"leads,omitempty"` // known only from the pages
	Hosts  []string      `json:"hosts,omitempty"` // of which nothing else is known
	Bodies []dowse.Place `json:"bodies,omitempty"`
	From   uint64        `json:"from"` // place of the first visit to one of the pages; what strategies wrote down since is not kept
}

type pendingPage struct {
	ID    frontier.ID          `json:"id"`             // frontier.None for one that the crawl never saw
	URL   dowse.URL            `json:"url,omitempty"`  // "" for one of which only the fingerprint is known
	Print frontier.Fingerprint `json:"print,omitzero"` // of the URL if that is ""
}

// A takedown is pages on their way out.
type takedown struct {
	pending
	c    *Collection
	out  *Forgotten
	urls map[dowse.URL]bool
	ids  map[frontier.ID]bool // of the pages
	gone map[frontier.ID]bool // of the pages and of the leads
}

func (t *takedown) save() error {
	data, err := json.MarshalIndent(&t.pending, "", " ")
	if err != nil {
		return err
	}
	return writeWhole(t.c.Dir, pendingName, append(data, '\n'))
}

// run does what is to be done. Every step can be done again. Words of the pages are taken
// out of models before the archive, from which they are known, is erased.
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

func (t *takedown) steps() []func() error {
	return []func() error{
		t.trim, t.bury, t.dropSnapshots, t.models, t.erase, t.redact, t.settings, t.lines, t.dropViews, t.dropLeftovers,
	}
}

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

// trim cuts off what a crash tore, so that tombstones can be appended.
func (t *takedown) trim() error {
	cut, err := t.c.Journal.Trim()
	if cut > 0 {
		t.out.Notes = append(t.out.Notes, fmt.Sprintf("the end of the journal was torn: %d bytes cut off", cut))
	}
	return err
}

// bury writes the tombstones that are missing.
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
		if j.Bury(e, known); p.ID == frontier.None {
			known++
		}
	}
	for _, id := range t.Leads {
		if old[id] == nil {
			j.Bury(&crawl.Entry{At: t.At, ID: id}, known)
		}
	}
	return j.Sync()
}

// dropSnapshots removes the states that were saved: they know what strategies had learnt.
func (t *takedown) dropSnapshots() error {
	for _, name := range t.c.snapshots() {
		if err := t.c.files().Sub("state").Remove(name); err != nil {
			return err
		}
	}
	return nil
}

// erase erases the records of the pages, and what else is kept of hosts of which nothing
// is known any more.
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

// survey finds the records to erase: all captures of the pages, and all revisits that
// refer to one of them. copied is shown the URLs of the latter.
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

// has reports whether a URL, as a record or a person wrote it, is one of the pages, or of
// a host that goes with them.
func (t *takedown) has(written string) bool {
	u := canonical(written)
	return t.urls[dowse.URL(written)] || t.urls[u] || len(t.Hosts) > 0 && slices.Contains(t.Hosts, weburl.Host(u))
}

// canonical returns a URL in its canonical form, or as it is if it has none.
func canonical(written string) dowse.URL {
	if u, err := weburl.Parse(written); err == nil {
		return u
	}
	return dowse.URL(written)
}

func (t *takedown) redact() (err error) {
	t.out.Entries, err = t.c.Journal.Redact(crawl.Redaction{
		Edit: t.edit,
		Gone: func(id frontier.ID) bool { return t.gone[id] },
	})
	return err
}

// edit takes the words of and about the pages out of an entry.
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

// editURLs takes out the URLs themselves, where an entry has them as strings.
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

// home returns what the scope goes by for a seed: its host, or its directory.
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

// dropViews removes what is made from journal and archive.
func (t *takedown) dropViews() error {
	for _, name := range []string{summaryName, pagesName, extraName, logName, indexName, readmeName} {
		if err := t.c.files().Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// dropLeftovers removes files that were left by something that was broken off, and what was
// cut off the archive earlier: it may hold the pages.
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
