package weburl

import (
	"fmt"
	"strings"
	"sync"

	whatwg "github.com/nlnwa/whatwg-url/url"

	"dowse"
)

// A Base is the URL against which the hrefs of a page are resolved. It is never
// changed and safe for concurrent use. A page has hundreds of hrefs, most of
// them already canonical but for a prefix, so a Base keeps the prefixes that
// such hrefs need.
type Base struct {
	full func() *whatwg.Url // parsed by the standard, before anything is dropped
	url  dowse.URL          // canonical

	// Prefixes of canonical URLs, for plain hrefs (see plain.go).
	scheme string // http:
	origin string // http://host
	page   string // http://host/a/b, without the query
	folder string // http://host/a/; "" if its canonical form differs
}

// NewBase returns the base for raw, which must be an absolute http or https
// URL.
func NewBase(raw string) (*Base, error) {
	s, err := written(raw)
	if err == nil && schemeOf(s) == "" {
		err = ErrNoScheme
	}
	if err != nil {
		return nil, fmt.Errorf("weburl: base %s: %w", quote(raw), err)
	}
	// Only a URL that is canonical as written may skip the parser: "../" in an
	// href counts the segments of the URL as written, also those that the
	// canonical form drops.
	if u, ok := plainAbsolute(s); ok && string(u) == s {
		return plainBase(u), nil
	}
	return newBase(raw, s, nil)
}

// plainBase returns the base for a plain URL. The URL is parsed only when an
// href needs it, which few pages have.
func plainBase(u dowse.URL) *Base {
	b := &Base{url: u, scheme: Scheme(u) + ":", origin: origin(u)}
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

// Rebase returns the base that a page declares with <base href>. On an error
// the page's own URL stays the base, as the HTML standard asks.
func (b *Base) Rebase(href string) (*Base, error) {
	s, err := written(href)
	if err != nil {
		return nil, fmt.Errorf("weburl: base %s: %w", quote(href), err)
	}
	return newBase(href, s, b.full())
}

// newBase parses s, which is raw as cleaned by written, relative to above
// unless that is nil.
func newBase(raw, s string, above *whatwg.Url) (*Base, error) {
	full, err := parser.BasicParser(s, above, nil, whatwg.NoState)
	if err != nil {
		return nil, fmt.Errorf("weburl: base %s: %w", quote(raw), ErrHost)
	}
	u, err := canonical(full.Href(true))
	if err != nil {
		return nil, fmt.Errorf("weburl: base %s: %w", quote(raw), err)
	}
	b := &Base{full: func() *whatwg.Url { return full }, url: u, scheme: Scheme(u) + ":", origin: origin(u)}
	b.page, _, _ = strings.Cut(string(u), "?")
	// A folder that contains a session id, for example, is not canonical. Hrefs
	// relative to it are parsed, because "../" removes the session id and not
	// the folder above it.
	folder := full.Pathname()
	folder = folder[:strings.LastIndexByte(folder, '/')+1]
	if string(appendPath(nil, folder)) == folder {
		b.folder = b.origin + folder
	}
	return b, nil
}

// Resolve returns the canonical URL that an href on the page leads to, or one
// of this package's errors, possibly wrapped. The URL shares no memory with
// href.
func (b *Base) Resolve(href string) (dowse.URL, error) {
	s := trimSpace(href)
	if u, ok := b.plain(s); ok && len(u) <= maxPlain {
		return u, nil
	}
	return b.unusual(s)
}

// unusual resolves any href, by parsing.
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

// plain resolves an href that differs from its canonical URL in the prefix at
// most. ok is false if the href is not of that kind.
func (b *Base) plain(s string) (u dowse.URL, ok bool) {
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

// plainHere resolves an absolute URL on the page's own host, whose spelling is
// known to be canonical.
func (b *Base) plainHere(s string) (dowse.URL, bool) {
	n := len(b.origin)
	if len(s) <= n || s[n] != '/' || s[:n] != b.origin {
		return "", false
	}
	end, ok := plainPath(s, n+1)
	return join("", s, end, ok)
}

// plainRelative resolves an href that begins with a path segment, after any ../
// and ./.
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

// parent returns the folder above; the root is its own parent.
func (b *Base) parent(folder string) string {
	if len(folder) == len(b.origin)+1 {
		return folder
	}
	return folder[:strings.LastIndexByte(folder[:len(folder)-1], '/')+1]
}

// join returns the URL of prefix and s[:end] unless ok is false. It copies, so
// that the URL does not keep the page in memory.
func join(prefix, s string, end int, ok bool) (dowse.URL, bool) {
	if !ok {
		return "", false
	}
	if prefix == "" {
		return dowse.URL(strings.Clone(s[:end])), true
	}
	return dowse.URL(prefix + s[:end]), true
}
