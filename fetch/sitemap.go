package fetch

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"golang.org/x/net/html/charset"

	"dowse"
	"dowse/internal/extract"
	"dowse/weburl"
)

const (
	// maxSitemapURLs and maxSitemapBytes are the limits of the sitemaps
	// protocol.
	maxSitemapURLs  = 50_000
	maxSitemapBytes = 50 << 20
	// maxSitemapEntries and maxSitemapTokens bound the work on entries that are
	// not returned: those of other hosts, those that are not URLs, empty
	// elements.
	maxSitemapEntries = 4 * maxSitemapURLs
	maxSitemapTokens  = 40 * maxSitemapURLs
	// maxSitemapDepth bounds the nesting of elements; no sitemap or feed comes
	// near it.
	maxSitemapDepth = 64
	// maxSitemapToken bounds one tag, comment or run of text.
	maxSitemapToken = 1 << 20
	// maxItems is how many items of a feed are read. Feeds have the newest first, and rarely more than a hundred.
	maxItems = 500
)

// errSitemap is wrapped by every error that means that a file is not a sitemap
// at all.
var errSitemap = errors.New("not a sitemap or feed")

// parseSitemap reads a sitemap: XML, a sitemap index or plain text; or a feed: RSS, Atom or JSON Feed. Each can be
// gzip. Of a sitemap only URLs of base's own host are kept, each once, in the order of the file, at most
// 50,000; of a feed the first 500 items, wherever they are. If the file breaks off or is not well-formed, parseSitemap
// returns what came before the damage, with the error. A file that declares entities is refused,
// since they can expand without bound.
func parseSitemap(body []byte, base dowse.URL) (*listing, error) {
	b, err := weburl.NewBase(string(base))
	if err != nil {
		return &listing{}, fmt.Errorf("fetch: sitemap: %w", err)
	}
	l := &listing{base: b, host: weburl.Host(base), seen: map[dowse.URL]bool{}}
	if err := l.read(body); err != nil {
		return l, fmt.Errorf("fetch: sitemap %s: %w", base, err)
	}
	return l, nil
}

// A listing collects the URLs of one file. seen bounds it: every URL in pages
// and maps is in seen.
type listing struct {
	base        *weburl.Base
	host        string
	seen        map[dowse.URL]bool
	entries     int // examined so far, kept or not
	pages, maps []dowse.URL
	kind        string         // the media type of a feed, "" for a sitemap
	items       []extract.Item // of a feed
}

// errFull stops the reading of a file that lists more than it may. It is not an
// error for the caller.
var errFull = errors.New("full")

func (l *listing) read(body []byte) error {
	var src io.Reader = bytes.NewReader(body)
	if bytes.HasPrefix(body, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(src)
		if err != nil {
			return err
		}
		src = z
	}
	in := bufio.NewReader(io.LimitReader(src, maxSitemapBytes))
	err := l.readText(in)
	if errors.Is(err, errFull) || err == io.EOF {
		return nil
	}
	return err
}

// readText reads plain text or XML; the first character that is not white space
// decides.
func (l *listing) readText(in *bufio.Reader) error {
	in, err := utf8Reader(in)
	if err != nil {
		return err
	}
	for {
		c, err := in.ReadByte()
		if err != nil {
			return err
		}
		if c == '<' {
			in.UnreadByte()
			return l.readXML(in)
		}
		if c == '{' {
			in.UnreadByte()
			return l.readJSON(in)
		}
		if !isSpace(c) {
			in.UnreadByte()
			return l.readLines(in)
		}
	}
}

// utf8Reader skips a byte order mark, and converts UTF-16 if the mark announces
// it.
func utf8Reader(in *bufio.Reader) (*bufio.Reader, error) {
	head, _ := in.Peek(3)
	label := ""
	switch {
	case bytes.HasPrefix(head, []byte{0xEF, 0xBB, 0xBF}):
		in.Discard(3)
		return in, nil
	case bytes.HasPrefix(head, []byte{0xFE, 0xFF}):
		label = "utf-16be"
	case bytes.HasPrefix(head, []byte{0xFF, 0xFE}):
		label = "utf-16le"
	default:
		return in, nil
	}
	in.Discard(2)
	decoded, err := charset.NewReaderLabel(label, in)
	return bufio.NewReader(decoded), err
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// readLines reads one URL per line. A text without a single URL is not a
// sitemap.
func (l *listing) readLines(in *bufio.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 4096), maxSitemapToken)
	for lines.Scan() {
		if err := l.add(&l.pages, absolute(lines.Text())); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	if len(l.pages) == 0 {
		return errSitemap
	}
	return nil
}

// absolute returns s, trimmed, if it may be an absolute URL, else "".
func absolute(s string) string {
	s = strings.TrimSpace(s)
	if !strings.Contains(s[:min(len(s), len("https://"))], "://") {
		return ""
	}
	return s
}

// add appends the URL that raw means, if it is new and on the host. It returns
// errFull when the limits are reached.
func (l *listing) add(list *[]dowse.URL, raw string) error {
	if l.entries++; l.entries > maxSitemapEntries {
		return errFull
	}
	if raw == "" {
		return nil
	}
	u, err := l.base.Resolve(raw)
	if err != nil || weburl.Host(u) != l.host || l.seen[u] {
		return nil
	}
	if len(l.seen) >= maxSitemapURLs {
		return errFull
	}
	l.seen[u] = true
	*list = append(*list, u)
	return nil
}

// readXML streams through elements and keeps only the path to the current one
// and the text of a link, so memory does not grow with the file. It reads raw
// tokens, because the checks of [xml.Decoder.Token] would refuse the many
// sitemaps that are not well-formed.
func (l *listing) readXML(in *bufio.Reader) error {
	limit := &tokenLimit{src: mendXML(in), allowed: maxSitemapToken}
	d := xml.NewDecoder(limit)
	d.Strict = false
	d.CharsetReader = asUTF8
	x := &elements{listing: l}
	for range maxSitemapTokens {
		token, err := d.RawToken()
		if err != nil {
			return x.ended(err)
		}
		if err := x.token(token); err != nil {
			return err
		}
		limit.allowed = d.InputOffset() + maxSitemapToken
	}
	return errFull
}

// asUTF8 converts from the encoding that an XML declaration names. UTF-16 is
// ignored there, since utf8Reader has already converted it.
func asUTF8(label string, in io.Reader) (io.Reader, error) {
	if strings.HasPrefix(strings.ToLower(label), "utf-16") {
		return in, nil
	}
	return charset.NewReaderLabel(label, in)
}

// elements is the state of a walk through the XML of a sitemap or feed.
type elements struct {
	*listing
	path []string // local names of the open elements
	text []byte   // of the current element, if it is a link
	item rawItem  // the item of a feed that is being read
	part partOf   // the part of the item that is being read
}

func (x *elements) token(t xml.Token) error {
	switch t := t.(type) {
	case xml.Directive:
		if bytes.Contains(bytes.ToUpper(t), []byte("<!ENTITY")) {
			return fmt.Errorf("%w: it declares entities", errSitemap)
		}
	case xml.StartElement:
		return x.start(t)
	case xml.EndElement:
		return x.end(t.Name.Local)
	case xml.CharData:
		if x.wanted() {
			x.text = append(x.text, t...)
		}
		x.part.add(t)
	}
	return nil
}

// roots are the elements that a sitemap or feed may begin with, with the media type of a feed.
var roots = map[string]string{"urlset": "", "sitemapindex": "", "rss": typeRSS, "RDF": typeRSS, "feed": typeAtom}

func (x *elements) start(e xml.StartElement) error {
	name := e.Name.Local
	if len(x.path) == 0 {
		kind, ok := roots[name]
		if !ok {
			return fmt.Errorf("%w: it is <%s>", errSitemap, clean(name))
		}
		x.kind = kind
	}
	if len(x.path) >= maxSitemapDepth {
		return fmt.Errorf("%w: nested too deep", errSitemap)
	}
	x.path = append(x.path, name)
	x.text = x.text[:0]
	if x.isItem(name) {
		x.item = rawItem{}
	}
	x.beginPart(e.Name)
	if x.at("entry", "link") {
		x.item.entryLink(e.Attr)
	}
	return nil
}

// at reports whether the innermost elements have these names.
func (x *elements) at(parent, name string) bool {
	n := len(x.path)
	return n >= 2 && x.path[n-2] == parent && x.path[n-1] == name
}

// wanted reports whether the text of the current element is a URL to read.
func (x *elements) wanted() bool {
	return x.at("url", "loc") || x.at("sitemap", "loc") || x.at("sitemapindex", "sitemap") ||
		x.at("item", "link") || x.at("item", "guid")
}

func (x *elements) end(name string) error {
	if len(x.path) == 0 || x.path[len(x.path)-1] != name {
		return nil // an end without a beginning: the next one may fit
	}
	err := x.taken(strings.TrimSpace(string(x.text)))
	x.endPart()
	x.path = x.path[:len(x.path)-1]
	x.text = x.text[:0]
	return err
}

// taken handles the text of the element that ends.
func (x *elements) taken(text string) error {
	switch {
	case x.isItem(x.path[len(x.path)-1]):
		return x.addItem(&x.item)
	case text == "":
		return nil
	case x.at("url", "loc"):
		return x.add(&x.pages, text)
	case x.at("sitemap", "loc"), x.at("sitemapindex", "sitemap"):
		return x.add(&x.maps, text)
	case x.at("item", "link"):
		x.item.addLink(text)
	case x.at("item", "guid"):
		x.item.guid = absolute(text)
	}
	return nil
}

// ended returns io.ErrUnexpectedEOF if the file ended within an element, else
// err. An item that breaks off counts if its link was read.
func (x *elements) ended(err error) error {
	if full := x.addItem(&x.item); full != nil {
		return full
	}
	if err == io.EOF && len(x.path) > 0 {
		return io.ErrUnexpectedEOF
	}
	return err
}

// tokenLimit fails when a token is too long to be held in memory. The decoder
// has no such limit and would buffer a single text of any size.
type tokenLimit struct {
	src     io.Reader
	given   int64 // bytes read
	allowed int64 // how many bytes may be read until the current token must end
}

func (t *tokenLimit) Read(p []byte) (int, error) {
	if t.given > t.allowed {
		return 0, fmt.Errorf("%w: a part of it is over %d bytes", errSitemap, maxSitemapToken)
	}
	n, err := t.src.Read(p)
	t.given += int64(n)
	return n, err
}

// Sitemap requests a sitemap or feed: one request, no redirect followed. If the
// file can be read the outcome is Listed, with Links and Maps or, for a feed, Items, even if the file
// breaks off. The type of a feed is what it turns out to be: many servers declare text/xml.
func (c *Client) Sitemap(ctx context.Context, u dowse.URL) *Response {
	r := c.fetch(ctx, u, limits{wire: c.config.maxWire, decoded: c.config.MaxBody})
	if r.Outcome != dowse.Fetched {
		return r
	}
	l, err := parseSitemap(r.Body, u)
	if err != nil && len(l.pages)+len(l.maps)+len(l.items) == 0 {
		return r.skip(dowse.SkipTypeMIME, errors.Unwrap(err).Error())
	}
	r.Outcome, r.Links, r.Maps, r.Items = dowse.Listed, l.pages, l.maps, l.items
	r.Fetch.Type = cmp.Or(l.kind, r.Fetch.Type)
	if err != nil {
		r.Detail = clean(errors.Unwrap(err).Error())
		r.Fetch.Truncated = true
	}
	return r
}

// File requests a file of any type, such as an image: one request, no redirect followed.
func (c *Client) File(ctx context.Context, u dowse.URL) *Response {
	return c.fetch(ctx, u, limits{wire: c.config.maxWire, decoded: c.config.MaxBody})
}
