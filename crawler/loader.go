package crawler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dowse"
	"dowse/collection"
	"dowse/internal/archive"
	"dowse/internal/directory"
	"dowse/internal/extract"
	"dowse/internal/rawpage"
	"dowse/judge"
	"dowse/topic"
	"dowse/weburl"
)

// The limits of what examples are read from.
const (
	maxExample = 16 << 20  // bytes of a page
	maxModel   = 256 << 20 // bytes of a model
	maxHops    = 5         // redirects of an example
	// maxEntries is how many entries of a category are used, and twice as
	// many others.
	maxEntries = 200
	// fetchEntries is how many entries are fetched if the directory has no
	// texts, and twice as many others.
	fetchEntries = 10
)

// A loader reads the examples of a topic: pages of the web through a
// [Fetcher], with its identity and politeness, and the others from files. It
// implements topic.Loader. Whatever it reads is bounded, since a topic file may
// come from a stranger and examples are held in memory.
type loader struct {
	Dir     string   // folder to which relative paths refer
	Fetcher *Fetcher // for URLs and sites
}

// Pages returns the pages of a source.
func (l *loader) Pages(ctx context.Context, s topic.Source) ([]*dowse.Page, []string, error) {
	switch {
	case s.URL != "":
		return l.urls(ctx, []string{s.URL})
	case s.Site != "":
		return l.site(ctx, s)
	case s.File != "":
		pages, err := l.files(s)
		return pages, nil, err
	case s.WARC != "":
		pages, err := l.warc(s)
		return pages, nil, err
	case s.Collection != "":
		return l.collection(s)
	}
	return nil, nil, errors.New("crawler: a source of no kind")
}

// path resolves a relative path against Dir.
func (l *loader) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(l.Dir, filepath.FromSlash(name))
}

// urls fetches pages, with one note per page that could not be fetched.
func (l *loader) urls(ctx context.Context, list []string) (pages []*dowse.Page, notes []string, err error) {
	for _, raw := range list {
		u, err := weburl.Parse(raw)
		if err != nil {
			return nil, notes, fmt.Errorf("crawler: %q: %w", raw, err)
		}
		p, note, err := l.fetch(ctx, u)
		if err != nil {
			return nil, notes, err
		}
		if p == nil {
			notes = append(notes, note)
			continue
		}
		pages = append(pages, p)
	}
	return pages, notes, nil
}

// fetch fetches one page and follows redirects. Without a page the note
// gives the reason.
func (l *loader) fetch(ctx context.Context, u dowse.URL) (p *dowse.Page, note string, err error) {
	hops, err := l.Fetcher.Follow(ctx, u, maxHops)
	if err != nil {
		return nil, "", err
	}
	p = hops[len(hops)-1].Page
	if p.Outcome == dowse.Fetched {
		return p, "", nil
	}
	return nil, fmt.Sprintf("%s: %s: %s", u, p.Outcome, strings.TrimSpace(string(p.Reason)+" "+p.Detail)), nil
}

// site fetches the first page of a host and then pages that it links to,
// breadth first. It makes at most twice as many requests as pages are
// wanted.
func (l *loader) site(ctx context.Context, s topic.Source) (pages []*dowse.Page, notes []string, err error) {
	raw := s.Site
	if !strings.Contains(raw, "://") {
		raw = "https://" + raw + "/"
	}
	first, err := weburl.Parse(raw)
	if err != nil {
		return nil, nil, fmt.Errorf("crawler: %q: %w", s.Site, err)
	}
	queue, seen := []dowse.URL{first}, map[dowse.URL]bool{first: true}
	for tries := 0; len(queue) > 0 && len(pages) < s.Most() && tries < 2*s.Most(); tries++ {
		u := queue[0]
		queue = queue[1:]
		p, note, err := l.fetch(ctx, u)
		if err != nil {
			return nil, notes, err
		}
		if p == nil {
			notes = append(notes, note)
			continue
		}
		pages = append(pages, p)
		for _, link := range p.Links {
			if weburl.Host(link.URL) == weburl.Host(first) && !seen[link.URL] && !link.NoFollow && !p.NoFollow {
				seen[link.URL] = true
				queue = append(queue, link.URL)
			}
		}
	}
	return pages, notes, nil
}

// files reads the files that match a pattern, in the order of their names.
// No match is an error.
func (l *loader) files(s topic.Source) (pages []*dowse.Page, err error) {
	names, err := filepath.Glob(l.path(s.File))
	if err != nil {
		return nil, fmt.Errorf("crawler: %s: %w", s.File, err)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no file matches (looked in %s)", cmp.Or(l.Dir, "."))
	}
	slices.Sort(names)
	for _, name := range names[:min(len(names), s.Most())] {
		p, err := filePage(name, l.named(name))
		if err != nil {
			return nil, err
		}
		pages = append(pages, p)
	}
	return pages, nil
}

// named returns the name of a file relative to the folder of the topic, with
// the scheme file.
func (l *loader) named(path string) string {
	if rel, err := filepath.Rel(cmp.Or(l.Dir, "."), path); err == nil {
		return "file:" + filepath.ToSlash(rel)
	}
	return "file:" + filepath.ToSlash(path)
}

// filePage reads a file as HTML, or as text if its suffix is .txt or .md. A
// page that declares its own URL gets that URL.
func filePage(path, name string) (*dowse.Page, error) {
	data, err := readBounded(path, maxExample)
	if err != nil {
		return nil, err
	}
	body, _ := extract.Decode(data, "")
	if ext := strings.ToLower(filepath.Ext(path)); ext == ".txt" || ext == ".md" {
		s := string(body)
		return &dowse.Page{URL: dowse.URL(name), Document: dowse.Document{Text: s, Words: dowse.Words(s)}}, nil
	}
	p := rawpage.HTML(name, data, "")
	if p.Canonical != "" {
		p.URL = p.Canonical
	}
	return p, nil
}

// readBounded reads a file of at most limit bytes; a longer one is an error.
func readBounded(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("crawler: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, fmt.Errorf("crawler: read %s: %w", path, err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("crawler: %s has more than %d MiB", path, limit>>20)
	}
	return data, nil
}

// warc reads the pages of a WARC file.
func (l *loader) warc(s topic.Source) (pages []*dowse.Page, err error) {
	f, err := os.Open(l.path(s.WARC))
	if err != nil {
		return nil, fmt.Errorf("crawler: %w", err)
	}
	defer f.Close()
	fits := func(*dowse.Page) bool { return true }
	if s.Match != "" {
		re, err := topic.Pattern(s.Match)
		if err != nil {
			return nil, err
		}
		fits = func(p *dowse.Page) bool { return re.MatchString(string(p.URL)) || re.MatchString(p.Title) }
	}
	for rec, err := range archive.Records(f) {
		if err != nil {
			return nil, fmt.Errorf("crawler: %s: %w", s.WARC, err)
		}
		raw, err := rawpage.FromRecord(rec)
		if err != nil {
			return nil, fmt.Errorf("crawler: %s: record at %d: %w", s.WARC, rec.Offset, err)
		}
		if raw == nil {
			continue
		}
		if p := raw.Page(); fits(p) {
			pages = append(pages, p)
		}
		if len(pages) == s.Most() {
			break
		}
	}
	return pages, nil
}

// collection returns the pages of a collection with a label or, if it has no
// labels, those of which its judge was sure.
func (l *loader) collection(s topic.Source) (pages []*dowse.Page, notes []string, err error) {
	c, err := View(l.path(s.Collection))
	if err != nil {
		return nil, nil, err
	}
	defer c.Close()
	urls, err := labelled(c.Collection.Dir, s.Label)
	if err != nil {
		return nil, nil, err
	}
	if urls == nil {
		notes = append(notes, fmt.Sprintf("collection %s has no labels: using the pages of which its judge was sure", s.Collection))
		if urls, err = surestPages(c.Collection, s.Label, s.Most()); err != nil {
			return nil, notes, err
		}
	}
	pages, missing, err := keptPages(c.Collection, urls[:min(len(urls), s.Most())])
	return pages, append(notes, missing...), err
}

// keptPages returns pages as the archive of a collection holds them, with
// one note per page that is missing.
func keptPages(col *collection.Collection, urls []dowse.URL) (pages []*dowse.Page, notes []string, err error) {
	for _, u := range urls {
		p, err := keptPage(col, u)
		if errors.Is(err, collection.ErrErased) || errors.Is(err, collection.ErrNotKept) || errors.Is(err, collection.ErrUnknown) {
			notes = append(notes, fmt.Sprintf("%s: %v", u, err))
			continue
		}
		if err != nil {
			return nil, notes, err
		}
		pages = append(pages, p)
	}
	return pages, notes, nil
}

// surestPages returns the pages of which the judge of a collection was most
// sure, the surest first.
func surestPages(col *collection.Collection, label string, limit int) (urls []dowse.URL, err error) {
	on := label == "on"
	type rated struct {
		url  dowse.URL
		sure float64
	}
	var list []rated
	for row, err := range col.Pages(collection.Filter{On: on, Off: !on}) {
		if err != nil {
			return nil, err
		}
		if row.Verdict() == label {
			list = append(list, rated{row.URL, row.Relevance()})
		}
	}
	slices.SortStableFunc(list, func(a, b rated) int {
		if on {
			return cmp.Compare(b.sure, a.sure)
		}
		return cmp.Compare(a.sure, b.sure)
	})
	for _, r := range list[:min(len(list), limit)] {
		urls = append(urls, r.url)
	}
	return urls, nil
}

// keptPage returns a page as the archive of a collection holds it.
func keptPage(col *collection.Collection, u dowse.URL) (*dowse.Page, error) {
	row, err := col.Row(u)
	if err != nil {
		return nil, err
	}
	p := &dowse.Page{URL: u, Fetch: dowse.Fetch{At: row.Fetch.At, Archive: row.Fetch.Archive}}
	doc, err := col.Document(p)
	if err != nil {
		return nil, err
	}
	p.Document = *doc
	return p, nil
}

// Category returns entries of a category and, as a contrast, others of the
// directory. The sample is the same for the same directory. If the directory
// has no titles, some of the pages are fetched.
func (l *loader) Category(ctx context.Context, c topic.Category) (in, out []*dowse.Page, err error) {
	d, err := directory.Open(l.path(c.Directory), directory.Options{})
	if err != nil {
		return nil, nil, err
	}
	where := directory.Category{Path: c.Path, Include: directory.Include(c.Include)}
	rng := rand.New(rand.NewPCG(1, 0)) // the same examples from the same directory
	entries, err := d.Sample(where, maxEntries, rng)
	if err != nil {
		return nil, nil, err
	}
	others, err := d.Contrast(where, directory.Contrast(c.Contrast), 2*len(entries), rng)
	if err != nil {
		return nil, nil, err
	}
	if in, err = l.entries(ctx, entries, fetchEntries); err != nil {
		return nil, nil, err
	}
	out, err = l.entries(ctx, others, 2*fetchEntries)
	return in, out, err
}

// entries converts entries into pages. At most fetch entries without a text
// are fetched.
func (l *loader) entries(ctx context.Context, list []directory.Entry, fetch int) (pages []*dowse.Page, err error) {
	for _, e := range list {
		if e.Title != "" || e.Description != "" {
			pages = append(pages, &dowse.Page{URL: e.URL, Document: dowse.Document{
				Title: e.Title, Text: e.Description, Words: dowse.Words(e.Description),
			}})
			continue
		}
		if fetch--; fetch < 0 {
			continue
		}
		p, _, err := l.fetch(ctx, e.URL)
		if err != nil {
			return nil, err
		}
		if p != nil {
			pages = append(pages, p)
		}
	}
	return pages, nil
}

// Model reads a model.
func (l *loader) Model(_ context.Context, file string) (judge.Model, error) {
	data, err := readBounded(l.path(file), maxModel)
	if err != nil {
		return nil, err
	}
	return judge.Load(data)
}
