package collection

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"dowse"
	"dowse/archive"
	"dowse/crawl"
	"dowse/frontier"
	"dowse/weburl"
)

// Forgotten tells what a takedown did.
type Forgotten struct {
	URL     dowse.URL   `json:"url"`
	Copies  []dowse.URL `json:"copies,omitempty"` // pages kept only as a reference to it: they went with it
	Records int         `json:"records"`          // erased from the archive
	Entries int         `json:"entries"`          // of the journal that lost words
	Labels  int         `json:"labels,omitempty"` // lines of labels.jsonl that said something of it
	Already bool        `json:"already"`          // it had been taken down before
	// SameAs are pages that stay, and whose text is that of the URL, exactly or nearly:
	// a person may want to take them down, too.
	SameAs []dowse.URL `json:"same_as,omitempty"`
}

// Forget takes a page down, at the wish of its owner: what the archive holds of it
// is erased, title, reasons and fragments of its text go from journal, lists, index and
// examples, what people and outside judges said of it from their files, and an entry of
// the journal says when and why. The URL itself stays known to the journal, so that it is
// not fetched again, and where a person wrote it: in the topic, among the seeds. Pages
// whose answer was kept as a reference to this one go with it.
//
// The collection must be open for writing and loaded, no crawl may run, and no
// archive.Writer may be open. Forget may be called again, and after a crash must
// be: it does what is left to do.
func (c *Collection) Forget(u dowse.URL, why string, at time.Time) (*Forgotten, error) {
	if c.readOnly {
		return nil, errors.New("collection: forget: opened only to read")
	}
	id, ok := c.Crawl.Frontier().Find(u)
	if !ok {
		return nil, fmt.Errorf("collection: forget %s: %w", u, ErrUnknown)
	}
	t := &takedown{c: c, at: at, ids: map[frontier.ID]bool{}, out: &Forgotten{URL: u, Already: c.forgotten(id)}}
	if err := t.run(id, why); err != nil {
		return t.out, fmt.Errorf("collection: forget %s: %w", u, err)
	}
	return t.out, nil
}

// A takedown is one URL, or several with one text, on their way out.
type takedown struct {
	c   *Collection
	at  time.Time
	ids map[frontier.ID]bool
	out *Forgotten
}

// run writes first that the pages are forgotten, then erases. So what a crash
// leaves undone is known to be undone.
func (t *takedown) run(id frontier.ID, why string) error {
	t.ids[id] = true
	records, err := t.survey()
	if err != nil {
		return err
	}
	for id := range t.ids {
		if !t.c.forgotten(id) {
			t.c.Crawl.Forget(&crawl.Entry{At: t.at, ID: id, Text: why})
		}
	}
	if err := t.c.Journal.Sync(); err != nil {
		return err
	}
	if err := t.erase(records); err != nil {
		return err
	}
	if err := t.sameText(); err != nil {
		return err
	}
	if t.out.Entries, err = t.c.Journal.Redact(t.redact); err != nil {
		return err
	}
	if err := t.lines(); err != nil {
		return err
	}
	return t.renew()
}

// survey finds the records to erase: all captures of the URL and all revisits that
// refer to one of them. Pages of which only such a revisit is kept are added to the
// takedown, and so on.
func (t *takedown) survey() (map[string][]int64, error) {
	files, err := archive.Files(t.c.ArchiveDir())
	if err != nil {
		return nil, err
	}
	for {
		before := len(t.ids)
		records := map[string][]int64{}
		for _, path := range files {
			if err := t.surveyFile(path, records); err != nil {
				return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
			}
		}
		if len(t.ids) == before {
			return records, nil
		}
	}
}

func (t *takedown) surveyFile(path string, records map[string][]int64) error {
	return eachRecord(path, func(r *archive.Record) error {
		if r.Type() == "warcinfo" || r.Target() == "" {
			return nil
		}
		own, first := t.has(r.Target()), ""
		if r.Type() == "revisit" {
			first = r.Header.Value("WARC-Refers-To-Target-URI")
		}
		copied := first != "" && t.has(first)
		if own || copied {
			records[path] = append(records[path], r.Offset)
		}
		if copied && !own {
			return t.addCopy(r.Target())
		}
		if id, ok := t.find(first); own && first != "" && !copied && ok {
			t.addSame(id)
		}
		return nil
	})
}

// has reports whether a URL, as a record has it, is one of the takedown's.
func (t *takedown) has(written string) bool {
	id, ok := t.find(written)
	return ok && t.ids[id]
}

// find looks a URL up as a record has it, which may be another spelling.
func (t *takedown) find(written string) (frontier.ID, bool) {
	f := t.c.Crawl.Frontier()
	if id, ok := f.Find(dowse.URL(written)); ok {
		return id, true
	}
	u, err := weburl.Parse(written)
	if err != nil {
		return 0, false
	}
	return f.Find(u)
}

// addCopy takes down a page that was kept as a reference. What is not a page, such
// as an error message, has no words in the books.
func (t *takedown) addCopy(written string) error {
	id, ok := t.find(written)
	if !ok || t.ids[id] {
		return nil
	}
	v, visited := t.c.Crawl.Frontier().Visit(id)
	if !visited {
		return nil
	}
	e, err := t.c.entry(v.Place)
	if err != nil || e.Page.Outcome != dowse.Fetched {
		return err
	}
	t.ids[id] = true
	t.out.Copies = append(t.out.Copies, t.c.URL(id))
	return nil
}

func (t *takedown) erase(records map[string][]int64) error {
	for path, offsets := range records {
		slices.Sort(offsets)
		n, err := archive.Erase(path, t.at, offsets...)
		t.out.Records += n
		if err != nil {
			return err
		}
	}
	t.c.originals = nil
	return nil
}

// redact takes the words of and about the pages out of an entry.
func (t *takedown) redact(e *crawl.Entry) bool {
	changed := false
	if (e.Kind == crawl.EntryPage || e.Kind == crawl.EntryRetry) && t.ids[e.ID] {
		changed = redactPage(e)
	}
	if e.Kind == crawl.EntryReasons && t.ids[e.ID] && len(e.Because) > 0 {
		e.Because, changed = nil, true
	}
	for i := range e.Rulings {
		if r := &e.Rulings[i]; t.ids[r.ID] && len(r.Verdict.Because) > 0 {
			r.Verdict.Because, changed = nil, true
		}
	}
	for i := range e.Links {
		if t.ids[e.ID] || t.ids[e.Links[i].ID] || t.ids[e.Links[i].Target] {
			changed = redactLink(&e.Found[i], &e.Links[i]) || changed
		}
	}
	return changed
}

// redactPage blanks what a page says and what is said of it. Numbers stay: the
// crawl can still be replayed.
func redactPage(e *crawl.Entry) bool {
	p := e.Page
	words := p.Title + p.Language + p.Detail + p.Cut + string(p.Canonical)
	had := words != "" || len(p.Types)+len(p.Licences)+len(p.Verdict.Because) > 0 || !p.Published.IsZero()
	p.Title, p.Language, p.Detail, p.Cut, p.Canonical = "", "", "", "", ""
	p.Types, p.Licences, p.Verdict.Because, p.Published = nil, nil, nil, time.Time{}
	return had
}

func redactLink(l *dowse.Link, d *crawl.Decision) bool {
	had := l.Anchor != "" || len(d.Because) > 0
	l.Anchor, d.Because = "", nil
	for i := range l.More {
		had = had || l.More[i].Anchor != ""
		l.More[i].Anchor = ""
	}
	return had
}

// sameText finds pages that stay and have the same text: near copies, and the page
// to whose answer this one's refers.
func (t *takedown) sameText() error {
	for e, err := range t.c.Journal.Scan(0, nil) {
		if err != nil {
			return err
		}
		if e.Kind != crawl.EntryPage || e.Page.Near == "" {
			continue
		}
		near, ok := t.c.Crawl.Frontier().Find(e.Page.Near)
		switch {
		case !ok:
		case t.ids[near] && !t.c.forgotten(e.ID):
			t.addSame(e.ID)
		case t.ids[e.ID] && !t.c.forgotten(near):
			t.addSame(near)
		}
	}
	return nil
}

func (t *takedown) addSame(id frontier.ID) {
	if u := t.c.URL(id); !slices.Contains(t.out.SameAs, u) {
		t.out.SameAs = append(t.out.SameAs, u)
	}
}

// renew makes again what is made from journal and archive, and saves the state. An
// older snapshot would bring back what was said of the pages.
func (t *takedown) renew() error {
	if err := t.c.files().Remove(summaryName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := t.c.Summarise(); err != nil {
		return err
	}
	if t.c.Crawl.MidRound() {
		return nil // no state can be saved now; the journal says it all
	}
	if err := t.c.Checkpoint(); err != nil {
		return err
	}
	for _, old := range t.c.snapshots()[1:] {
		if err := t.c.files().Sub("state").Remove(old); err != nil {
			return err
		}
	}
	return nil
}
