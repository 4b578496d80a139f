package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/fetch"
	"dowse/internal/archive"
	"dowse/internal/extract"
	"dowse/internal/rawpage"
	"dowse/weburl"
)

// backlinks knows which pages link to a page. The web can only be read in the direction
// of its links, so all links of all sources are read once and stored by their target.
// Sources are a collection, a recorded web and files of links, which can be combined.
//
// Only URLs and the links between them are kept in memory, as numbers; the contents of
// pages are read on demand, for the few that become part of a T-Graph. It implements
// tgraph's source of back-links.
//
// A link to a URL that redirects is a link to the page at the end. alias holds the
// redirects, and via the same in the opposite direction.
type backlinks struct {
	number map[dowse.URL]int32
	urls   []dowse.URL
	from   [][]int32         // by target: the pages that link to it
	alias  map[int32]int32   // where redirects lead
	via    map[int32][]int32 // by target: what redirects to it in the end
	links  int

	col  *crawler.Crawler
	web  *archive.Web
	rows map[int32][]linkRow // of files, by page
}

// The limits of what is read into memory.
const (
	maxLinks    = 50_000_000
	maxPageBody = 10 << 20
)

// openBacklinks reads the links of all sources. A directory is a collection, a .tsv file
// holds links, and other files are archives, which are opened together as one web. The
// caller closes what is returned.
func openBacklinks(ctx context.Context, names []string) (b *backlinks, err error) {
	b = &backlinks{number: map[dowse.URL]int32{}, alias: map[int32]int32{}, rows: map[int32][]linkRow{}}
	var archives []string
	for _, name := range names {
		switch st, statErr := os.Stat(name); {
		case statErr != nil:
			err = usage("--from: %w", statErr)
		case st.IsDir():
			err = b.openCollection(name)
		case filepath.Ext(name) == ".tsv":
			err = b.openFile(name)
		default:
			archives = append(archives, name)
		}
		if err != nil {
			b.Close()
			return nil, err
		}
	}
	// Archives may be parts of one crawl, so they are opened together: a page of one may
	// link to a page of another.
	if len(archives) > 0 {
		if err := b.openWeb(ctx, archives); err != nil {
			b.Close()
			return nil, err
		}
	}
	b.settle()
	return b, nil
}

// settle records for each page which URLs redirect to it, directly or through others.
func (b *backlinks) settle() {
	b.via = map[int32][]int32{}
	for a := range b.alias {
		end := b.final(a)
		b.via[end] = append(b.via[end], a)
	}
}

// Close closes the collection and the archives.
func (b *backlinks) Close() {
	if b.col != nil {
		b.col.Close()
	}
	if b.web != nil {
		b.web.Close()
	}
}

// id returns the number of a URL and assigns one if it has none.
func (b *backlinks) id(u dowse.URL) int32 {
	id, ok := b.number[u]
	if !ok {
		id = int32(len(b.urls))
		b.number[u] = id
		b.urls, b.from = append(b.urls, u), append(b.from, nil)
	}
	return id
}

// add records a link. Links of a page to itself and immediate repetitions are dropped;
// too many links are an error, which bounds the memory.
func (b *backlinks) add(from, to dowse.URL) error {
	if from == to {
		return nil
	}
	if b.links++; b.links > maxLinks {
		return usage("--from: more than %s links", count(maxLinks))
	}
	f, t := b.id(from), b.id(to)
	if list := b.from[t]; len(list) == 0 || list[len(list)-1] != f {
		b.from[t] = append(list, f)
	}
	return nil
}

// final returns the page at which the redirects of a URL end, or the URL after 20 of
// them. The bound also ends circles.
func (b *backlinks) final(id int32) int32 {
	for range 20 {
		to, ok := b.alias[id]
		if !ok {
			break
		}
		id = to
	}
	return id
}

// Linking returns the pages that link to a page or to a URL that redirects to it, in the
// order in which they were first seen. The order makes the T-Graph the same at each
// build: numbers rise with the first sighting.
func (b *backlinks) Linking(to dowse.URL) (list []dowse.URL, err error) {
	id, ok := b.number[to]
	if !ok {
		return nil, nil
	}
	all := slices.Clone(b.from[id])
	for _, a := range b.via[id] {
		all = append(all, b.from[a]...)
	}
	slices.Sort(all) // in order of first sighting
	for _, f := range slices.Compact(all) {
		if f != id {
			list = append(list, b.urls[f])
		}
	}
	return list, nil
}

// Document returns the contents of a page, with its links replaced by the pages that
// they redirect to. It returns nil for a page that no source holds.
func (b *backlinks) Document(u dowse.URL) (*dowse.Document, error) {
	d, err := b.read(u)
	if d == nil || err != nil {
		return nil, err
	}
	for i := range d.Links {
		if id, ok := b.number[d.Links[i].URL]; ok {
			d.Links[i].URL = b.urls[b.final(id)]
		}
	}
	return d, nil
}

// read returns the contents of a page from the first source that has it. A collection
// comes first, since its pages are stored as they were judged.
func (b *backlinks) read(u dowse.URL) (*dowse.Document, error) {
	if b.col != nil {
		if d, err := b.ofCollection(u); d != nil || err != nil {
			return d, err
		}
	}
	if b.web != nil {
		if d, _, err := b.ofWeb(context.Background(), u); d != nil || err != nil {
			return d, err
		}
	}
	if id, ok := b.number[u]; ok && len(b.rows[id]) > 0 {
		return documentOf(b.rows[id]), nil
	}
	return nil, nil
}

// openCollection reads the links in a collection's journal, without opening any page.
// Pages that were settled without a visit and pages that were taken down are passed
// over; redirects come from the frontier, which has resolved them.
func (b *backlinks) openCollection(dir string) (err error) {
	if b.col != nil {
		return usage("--from: one collection, not several")
	}
	if b.col, err = view(dir); err != nil {
		return err
	}
	col := b.col.Collection
	for e, err := range col.Journal.Scan(0, nil) {
		if err != nil {
			return inCollection(err)
		}
		if e.Page == nil || e.Page.Outcome != dowse.Fetched || e.Idle {
			continue
		}
		from := col.URL(e.ID)
		for i := range e.Links {
			to := e.Links[i].Target
			if col.URL(to) == "" {
				continue // it was taken down
			}
			if end, ok := col.Crawl.Frontier().Alias(to); ok {
				b.alias[b.id(col.URL(to))] = b.id(col.URL(end))
			}
			if err := b.add(from, col.URL(to)); err != nil {
				return err
			}
		}
	}
	return nil
}

// ofCollection returns the contents of a page that the collection keeps, nil for one
// that was not fetched, not kept or taken down.
func (b *backlinks) ofCollection(u dowse.URL) (*dowse.Document, error) {
	col := b.col.Collection
	id, ok := col.Crawl.Frontier().Find(u)
	if !ok {
		return nil, nil
	}
	v, ok := col.Crawl.Frontier().Visit(id)
	if !ok {
		return nil, nil
	}
	e, err := col.Journal.Entry(v.Place, col.URL)
	if err != nil {
		return nil, inCollection(err)
	}
	if e.Page == nil || e.Page.Outcome != dowse.Fetched {
		return nil, nil
	}
	d, err := col.Document(e.Page)
	if errors.Is(err, collection.ErrErased) || errors.Is(err, collection.ErrNotKept) {
		return nil, nil
	}
	return d, err
}

// openWeb reads the links on all pages of a recorded web. Every page has to be extracted
// for that, which takes most of the time of tgraph build, so it can be interrupted.
// Damaged records are passed over: a few missing back-links do not spoil a T-Graph.
func (b *backlinks) openWeb(ctx context.Context, paths []string) (err error) {
	if b.web, err = archive.OpenWeb(paths...); err != nil {
		return usage("--from: %w", err)
	}
	for u := range b.web.URLs() {
		if err := ctx.Err(); err != nil {
			return &exitError{code: exitInterrupted}
		}
		d, to, err := b.ofWeb(ctx, u)
		if err != nil {
			continue // what is damaged has no links
		}
		if to != "" {
			b.alias[b.id(u)] = b.id(to)
		}
		if d == nil {
			continue
		}
		for i := range d.Links {
			if err := b.add(u, d.Links[i].URL); err != nil {
				return err
			}
		}
	}
	return nil
}

// ofWeb returns the contents of a recorded page, or the URL that it redirects to. Both
// are empty for other answers. The page is decoded and extracted as in a crawl, so that
// its links are those that a crawl would have found.
func (b *backlinks) ofWeb(ctx context.Context, u dowse.URL) (d *dowse.Document, to dowse.URL, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, string(u), nil)
	if err != nil {
		return nil, "", nil // no URL that can be asked for
	}
	resp, err := b.web.RoundTrip(req)
	if err != nil {
		return nil, "", fmt.Errorf("tgraph: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 == 3 {
		return nil, redirected(u, resp.Header.Get("Location")), nil
	}
	if resp.StatusCode/100 != 2 || !rawpage.IsHTML(resp.Header) {
		return nil, "", nil
	}
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxPageBody))
	if err != nil {
		return nil, "", fmt.Errorf("tgraph: %s: %w", u, err)
	}
	text, _ := extract.Decode(fetch.Decoded(resp.Header, raw, maxPageBody), resp.Header.Get("Content-Type"))
	return extract.HTML(text, u, extract.Options{}), "", nil
}

// redirected returns the target of a redirect, "" if it is not a URL that can be
// crawled.
func redirected(u dowse.URL, location string) dowse.URL {
	base, err := weburl.NewBase(string(u))
	if err != nil {
		return ""
	}
	to, _ := base.Resolve(location)
	return to
}

// A linkRow is one line of a .tsv file: a link with the text around it.
type linkRow struct {
	to              dowse.URL
	anchor, around  string
	main, sub, next string // headings above it
}

// openFile reads a .tsv file of links.
func (b *backlinks) openFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return usage("--from: %w", err)
	}
	defer f.Close()
	if err := b.readLinks(f); err != nil {
		return usage("--from %s: %w", name, err)
	}
	return nil
}

// readLinks reads links, one per line. Empty lines, comments and a heading are skipped.
// Lines with nothing but two URLs are stored as links only; anchors and texts are kept
// for the pages that have them.
func (b *backlinks) readLinks(r io.Reader) error {
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 1<<16)
	n := 0
	for sc.Scan() {
		n++
		line := strings.TrimSuffix(sc.Text(), "\r")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") || n == 1 && strings.HasPrefix(line, "from\tto") {
			continue
		}
		from, row, err := parseLink(line)
		if err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		if err := b.add(from, row.to); err != nil {
			return err
		}
		if row != (linkRow{to: row.to}) {
			id := b.id(from)
			b.rows[id] = append(b.rows[id], row)
		}
	}
	if err := sc.Err(); err != nil {
		return fmt.Errorf("line %d: %w", n+1, err)
	}
	return nil
}

// parseLink reads one line: the linking page, its target, and optionally the anchor, the
// text around it and up to three headings.
func parseLink(line string) (from dowse.URL, row linkRow, err error) {
	fields := strings.Split(line, "\t")
	if len(fields) < 2 || len(fields) > 7 {
		return "", row, errors.New("want a page and its target with a tab between, then anchor, text and up to three headings")
	}
	if from, err = weburl.Parse(fields[0]); err != nil {
		return "", row, fmt.Errorf("%q: %w", fields[0], err)
	}
	if row.to, err = weburl.Parse(fields[1]); err != nil {
		return "", row, fmt.Errorf("%q: %w", fields[1], err)
	}
	for i, into := range []*string{&row.anchor, &row.around, &row.main, &row.sub, &row.next} {
		if i+2 < len(fields) {
			*into = strings.TrimSpace(strings.ToValidUTF8(fields[i+2], "\ufffd"))
		}
	}
	return from, row, nil
}

// documentOf builds a page from the links that a file lists for it: each link with its
// text and headings becomes a block, so that strategies can read it like a fetched page.
// If the text does not contain the anchor, the anchor is put in front of it.
func documentOf(rows []linkRow) *dowse.Document {
	d := &dowse.Document{}
	var text strings.Builder
	heads := map[dowse.Heading]int32{}
	for _, r := range rows {
		line := r.around
		at := strings.Index(line, r.anchor)
		if at < 0 {
			line, at = r.anchor+" "+r.around, 0
		}
		start := int32(len(d.Words))
		from := text.Len()
		text.WriteString(line + "\n")
		d.Words = dowse.AppendWords(d.Words, text.String(), from)
		// The link is described by its words: those of the block, and those of its anchor
		// in it.
		before := int32(len(dowse.Words(line[:at])))
		m := dowse.Mention{Anchor: r.anchor, Block: dowse.Span{Start: start, End: int32(len(d.Words))}}
		m.At = dowse.Span{Start: start + before, End: start + before + int32(len(dowse.Words(r.anchor)))}
		for i, h := range []string{r.main, r.sub, r.next} {
			m.Above[i] = headingAt(d, heads, dowse.Heading{Level: i + 1, Text: h})
		}
		d.Links = append(d.Links, dowse.Link{URL: r.to, Mention: m})
	}
	d.Text = text.String()
	return d
}

// headingAt returns the index of a heading in the page and adds it if it is new; -1 for
// an empty one.
func headingAt(d *dowse.Document, known map[dowse.Heading]int32, h dowse.Heading) int32 {
	if h.Text == "" {
		return -1
	}
	i, ok := known[h]
	if !ok {
		i = int32(len(d.Headings))
		known[h] = i
		d.Headings = append(d.Headings, h)
	}
	return i
}
