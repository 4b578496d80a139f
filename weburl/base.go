package weburl

import (
	"fmt"
	"strings"
	"sync"

	whatwg "github.com/nlnwa/whatwg-url/url"

	"dowse"
)

// A Base is the URL against which the hrefs of a page are resolved. It does not
// change and may be used from many goroutines.
type Base struct {
	full func() *whatwg.Url // as the standard has it, session ids and all
	url  dowse.URL          // canonical

	// Prefixes of canonical URLs, for plain hrefs.
	scheme string // http:
	origin string // http://host
	page   string // http://host/a/b, without the query
	folder string // http://host/a/; "" where its canonical form is another
}

// NewBase returns the base that raw, an absolute http(s) URL, makes.
func NewBase(raw string) (*Base, error) {
	s, err := written(raw)
	if err == nil && schemeOf(s) == "" {
		err = ErrNoScheme
	}
	if err != nil {
		return nil, fmt.Errorf("weburl: base %s: %w", quote(raw), err)
	}
	if u, ok := plainAbsolute(s); ok && string(u) == s {
		return plainBase(u), nil
	}
	return newBase(raw, s, nil)
}

// plainBase returns the base that a plain URL makes. Few pages have an href for
// which it must be parsed.
func plainBase(u dowse.URL) *Base {
	b := &Base{url: u, scheme: Scheme(u) + ":", origin: Origin(u)}
	b.page, _, _ = strings.Cut(string(u), "?")
	b.folder = b.page[:strings.LastIndexByte(b.page, '/')+1]
	b.full = sync.OnceValue(func() *whatwg.Url {
		full, err := parser.BasicParser(string(u), nil, nil, whatwg.NoState)
		if err != nil {
			return nil
		}
		return full
	})
	return b
}

// Rebase returns the base that a page declares with <base href>. Where it can't
// be one, the page's own URL stays the base, says the HTML standard.
func (b *Base) Rebase(href string) (*Base, error) {
	s, err := written(href)
	if err != nil {
		return nil, fmt.Errorf("weburl: base %s: %w", quote(href), err)
	}
	return newBase(href, s, b.full())
}

func newBase(raw, s string, above *whatwg.Url) (*Base, error) {
	full, err := parser.BasicParser(s, above, nil, whatwg.NoState)
	if err != nil {
		return nil, fmt.Errorf("weburl: base %s: %w", quote(raw), ErrHost)
	}
	u, err := canonical(full.Href(true))
	if err != nil {
		return nil, fmt.Errorf("weburl: base %s: %w", quote(raw), err)
	}
	b := &Base{full: func() *whatwg.Url { return full }, url: u, scheme: Scheme(u) + ":", origin: Origin(u)}
	b.page, _, _ = strings.Cut(string(u), "?")
	folder := full.Pathname()
	folder = folder[:strings.LastIndexByte(folder, '/')+1]
	if string(appendPath(nil, folder)) == folder {
		b.folder = b.origin + folder
	}
	return b, nil
}

// URL returns the base itself in canonical form.
func (b *Base) URL() dowse.URL { return b.url }

// Resolve returns the canonical URL that an href on the page leads to, or which
// of this package's errors stands against it. The URL shares no memory with href.
func (b *Base) Resolve(href string) (dowse.URL, error) {
	s := trimSpace(href)
	if u, ok := b.plain(s); ok && len(u) <= maxPlain {
		return u, nil
	}
	return b.unusual(s)
}

// unusual resolves any href.
func (b *Base) unusual(href string) (dowse.URL, error) {
	s, err := written(href)
	if err != nil {
		return "", err
	}
	full, err := parser.BasicParser(s, b.full(), nil, whatwg.NoState)
	if err != nil {
		return "", ErrHost
	}
	return canonical(full.Href(true))
}

// plain resolves the hrefs of which nothing but the prefix can differ from the
// canonical URL.
func (b *Base) plain(s string) (dowse.URL, bool) {
	switch {
	case s == "" || s[0] == '#':
		return b.url, true
	case len(s) > maxPlain:
		return "", false
	case s[0] == '/':
		return b.plainSlash(s)
	case s[0] == '?':
		end, ok := plainQuery(s, 0)
		return join(b.page, s, end, ok)
	case strings.HasPrefix(s, "http"):
		if u, ok := b.plainHere(s); ok {
			return u, true
		}
		if u, ok := plainAbsolute(s); ok {
			return u, true
		}
	}
	return b.plainRelative(s)
}

// plainSlash resolves /path and //host/path.
func (b *Base) plainSlash(s string) (dowse.URL, bool) {
	if !strings.HasPrefix(s, "//") {
		end, ok := plainPath(s, 1)
		return join(b.origin, s, end, ok)
	}
	end, bare, ok := plainAuthority(b.scheme[:len(b.scheme)-1], s)
	if bare {
		return dowse.URL(b.scheme + s[:end] + "/"), ok
	}
	return join(b.scheme, s, end, ok)
}

// plainHere resolves an absolute URL on the page's own host, of any spelling
// that the page's own URL has.
func (b *Base) plainHere(s string) (dowse.URL, bool) {
	n := len(b.origin)
	if len(s) <= n || s[n] != '/' || s[:n] != b.origin {
		return "", false
	}
	end, ok := plainPath(s, n+1)
	return join("", s, end, ok)
}

// plainRelative resolves what begins with a segment of a path.
func (b *Base) plainRelative(s string) (dowse.URL, bool) {
	if b.folder == "" || schemeOf(s) != "" {
		return "", false
	}
	folder := b.folder
	for {
		if strings.HasPrefix(s, "../") {
			folder, s = b.parent(folder), s[3:]
		} else if strings.HasPrefix(s, "./") {
			s = s[2:]
		} else {
			break
		}
	}
	end, ok := plainPath(s, 0)
	return join(folder, s, end, ok)
}

// parent returns the folder above, which for the topmost is itself.
func (b *Base) parent(folder string) string {
	if len(folder) == len(b.origin)+1 {
		return folder
	}
	return folder[:strings.LastIndexByte(folder[:len(folder)-1], '/')+1]
}

// join makes the URL of a prefix and what of s is plain.
func join(prefix, s string, end int, ok bool) (dowse.URL, bool) {
	if !ok {
		return "", false
	}
	if prefix == "" {
		return dowse.URL(strings.Clone(s[:end])), true
	}
	return dowse.URL(prefix + s[:end]), true
}
