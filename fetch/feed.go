package fetch

import (
	"bufio"
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/transform"

	"dowse/internal/extract"
)

// The media types of feeds, as other packages know them.
const (
	typeRSS      = "application/rss+xml"
	typeAtom     = "application/atom+xml"
	typeJSONFeed = "application/feed+json"
)

// Bounds of what is kept of one item, in bytes but for the links.
const (
	maxItemTitle = 2 << 10
	maxItemText  = 8 << 10
	maxItemLinks = 4 // in number
)

// maxJSONFeed bounds a JSON Feed, in bytes.
const maxJSONFeed = 10 << 20

// A rawItem is an item of a feed while it is being read.
type rawItem struct {
	links            []string // several only if an Atom entry has other forms of its page
	guid             string
	title, text, all []byte // all is the whole content, which replaces a missing text
}

// addLink adds a link, as long as there are few.
func (it *rawItem) addLink(ref string) {
	if ref != "" && len(it.links) < maxItemLinks {
		it.links = append(it.links, ref)
	}
}

// addItem appends an item, if it has a URL that is new; an RSS item without a link
// is represented by its guid if that is a URL. The item is empty afterwards. addItem returns errFull when there are
// enough items.
func (l *listing) addItem(raw *rawItem) error {
	it := *raw
	*raw = rawItem{}
	if len(it.links) == 0 {
		it.addLink(it.guid)
	}
	if len(it.text) == 0 {
		it.text = it.all
	}
	for _, ref := range it.links {
		if l.entries++; l.entries > maxSitemapEntries || len(l.items) >= maxItems {
			return errFull
		}
		if u, err := l.base.Resolve(ref); err == nil && !l.seen[u] {
			l.seen[u] = true
			l.items = append(l.items, extract.Item{URL: u, Title: valid(it.title), Text: valid(it.text)})
		}
	}
	return nil
}

// valid returns text that may be cut within a character.
func valid(text []byte) string { return strings.ToValidUTF8(strings.TrimSpace(string(text)), "") }

// isItem reports whether the current element, which has this name, is an item of a feed.
func (x *elements) isItem(name string) bool {
	return x.kind != "" && (name == "item" || name == "entry")
}

// A partOf is the part of an item that is being read: all text in an element, also that of elements within it.
type partOf struct {
	into  *[]byte // nil for none
	most  int
	depth int // of the element
}

// add appends text to the part.
func (p *partOf) add(text []byte) {
	if p.into != nil {
		*p.into = append(*p.into, text[:min(len(text), max(0, p.most-len(*p.into)))]...)
	}
}

// beginPart begins a part of an item if the element that was opened is one. Extensions of feeds have elements of the same
// names in namespaces of their own.
func (x *elements) beginPart(name xml.Name) {
	n := len(x.path)
	if x.part.into != nil || n < 2 || !x.isItem(x.path[n-2]) || !slices.Contains([]string{"", "atom", "content"}, name.Space) {
		return
	}
	switch name.Local {
	case "title":
		x.part = partOf{&x.item.title, maxItemTitle, n}
	case "description", "summary":
		x.part = partOf{&x.item.text, maxItemText, n}
	case "encoded", "content":
		x.part = partOf{&x.item.all, maxItemText, n}
	}
}

// endPart ends the part of an item if its element ends.
func (x *elements) endPart() {
	if x.part.depth == len(x.path) {
		x.part = partOf{}
	}
}

// entryLink sets the link of an Atom entry to its page, which has rel
// "alternate" or none.
func (it *rawItem) entryLink(attrs []xml.Attr) {
	href, rel := "", "alternate"
	for _, a := range attrs {
		switch a.Name.Local {
		case "href":
			href = a.Value
		case "rel":
			rel = a.Value
		}
	}
	if rel == "alternate" {
		it.addLink(strings.TrimSpace(href))
	}
}

// A jsonItem is an item of a JSON Feed (version 1.1), as far as it is read.
type jsonItem struct {
	ID       string `json:"id"`
	URL      string `json:"url"`
	External string `json:"external_url"`
	Title    string `json:"title"`
	Summary  string `json:"summary"`
	Text     string `json:"content_text"`
	HTML     string `json:"content_html"`
}

// readJSON reads a JSON Feed, item by item. Only the version shows that an object is one.
func (l *listing) readJSON(in io.Reader) error {
	d := json.NewDecoder(io.LimitReader(in, maxJSONFeed)) // it holds a whole value
	if _, err := d.Token(); err != nil {                  // the brace
		return notJSON(err)
	}
	defer func() {
		if l.kind == "" {
			l.items = nil
		}
	}()
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return notJSON(err)
		}
		var version string
		var skipped json.RawMessage
		switch key {
		case "version":
			err = d.Decode(&version)
		case "items":
			if err := l.readJSONItems(d); err != nil {
				return err
			}
		default:
			err = d.Decode(&skipped)
		}
		if err != nil {
			return notJSON(err)
		}
		if strings.Contains(version, "jsonfeed.org/version/") {
			l.kind = typeJSONFeed
		}
	}
	if l.kind == "" {
		return fmt.Errorf("%w: it is JSON", errSitemap)
	}
	return nil
}

// readJSONItems reads the list of items of a JSON Feed.
func (l *listing) readJSONItems(d *json.Decoder) error {
	if t, err := d.Token(); err != nil || t != json.Delim('[') {
		return notJSON(err)
	}
	for d.More() {
		var x jsonItem
		if err := d.Decode(&x); err != nil && !isTypeError(err) {
			return notJSON(err)
		}
		text := x.Summary
		for _, other := range []string{x.Text, x.HTML} {
			if text == "" {
				text = other
			}
		}
		it := rawItem{guid: absolute(x.ID), title: cutBytes(x.Title, maxItemTitle), text: cutBytes(text, maxItemText)}
		if it.addLink(x.URL); x.URL == "" {
			it.addLink(x.External)
		}
		if err := l.addItem(&it); err != nil {
			return err
		}
	}
	_, err := d.Token() // the bracket
	return err
}

// isTypeError reports whether a value has another type than the format wants; what follows it can be read.
func isTypeError(err error) bool {
	var wrong *json.UnmarshalTypeError
	return errors.As(err, &wrong)
}

// cutBytes returns the first bytes of a text.
func cutBytes(s string, most int) []byte { return []byte(s[:min(len(s), most)]) }

// notJSON returns the error for a file that is not the JSON of a feed; nil stands for a value of a wrong kind.
func notJSON(err error) error {
	if err == nil {
		err = errors.New("a value of another kind was expected")
	}
	return fmt.Errorf("%w: %w", errSitemap, err)
}

// escape begins a shift to another set of characters in iso-2022-jp.
const escape = 0x1b

// An xmlMender makes text XML that many servers send as XML: control characters, which XML forbids, become spaces, and in
// UTF-8 bytes that are none are taken for windows-1252.
type xmlMender struct {
	transform.NopResetter
	utf8 bool // the text is UTF-8, as far as it says
}

// mendXML returns the text of an XML file, mended.
func mendXML(in *bufio.Reader) io.Reader {
	head, _ := in.Peek(256)
	declaration, _, _ := bytes.Cut(bytes.ToLower(head), []byte("?>"))
	_, encoding, declared := bytes.Cut(declaration, []byte("encoding="))
	isUTF8 := !declared || bytes.HasPrefix(bytes.TrimLeft(encoding, `"'`), []byte("utf-8"))
	return transform.NewReader(in, xmlMender{utf8: isUTF8})
}

// Transform implements [transform.Transformer].
func (m xmlMender) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		if nDst+utf8.UTFMax > len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		c := src[nSrc]
		if c < utf8.RuneSelf || !m.utf8 {
			if c < ' ' && c != '\t' && c != '\n' && c != '\r' && !(c == escape && !m.utf8) {
				c = ' '
			}
			dst[nDst] = c
			nDst, nSrc = nDst+1, nSrc+1
			continue
		}
		r, n := utf8.DecodeRune(src[nSrc:])
		switch {
		case r == utf8.RuneError && n == 1 && !atEOF && !utf8.FullRune(src[nSrc:]):
			return nDst, nSrc, transform.ErrShortSrc
		case r == utf8.RuneError && n == 1:
			r = charmap.Windows1252.DecodeByte(c)
		case r == 0xFFFE || r == 0xFFFF:
			r = utf8.RuneError
		}
		nDst += utf8.EncodeRune(dst[nDst:], r)
		nSrc += n
	}
	return nDst, nSrc, nil
}
