package requisite

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"

	"dowse"
	"dowse/weburl"
)

// A finder collects the URLs of requisites, each once.
type finder struct {
	base string
	most int
	seen map[dowse.URL]bool
	list []dowse.URL
}

// InHTML returns the URLs of what a browser loads to show an HTML page: images, style sheets,
// scripts, fonts and icons, in the order of the page, at most most of them. Images that scripts
// load later, as named in data-src and the like, are among them. Frames and media are not.
func InHTML(page []byte, u dowse.URL, most int) []dowse.URL {
	f := &finder{base: string(u), most: most, seen: map[dowse.URL]bool{u: true}}
	z := html.NewTokenizer(bytes.NewReader(page))
	z.SetMaxBuf(1 << 20)
	style := false
	for len(f.list) < most {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			return f.list
		case html.StartTagToken, html.SelfClosingTagToken:
			style = f.element(z) && kind == html.StartTagToken
		case html.TextToken:
			if style {
				f.css(string(z.Text()))
			}
		case html.EndTagToken:
			style = false
		}
	}
	return f.list
}

// element adds the requisites that an element names. It reports whether the element contains a
// style sheet.
func (f *finder) element(z *html.Tokenizer) (style bool) {
	tag, more := z.TagName()
	name := string(tag)
	attrs := map[string]string{}
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		if k := string(key); isRead(k) && len(attrs) < 32 {
			if _, twice := attrs[k]; !twice {
				attrs[k] = string(value)
			}
		}
	}
	f.css(attrs["style"])
	switch name {
	case "base":
		if href, ok := attrs["href"]; ok {
			if u, err := weburl.Href(href, f.base); err == nil {
				f.base = u
			}
		}
	case "img", "source", "image", "use", "input":
		for _, k := range []string{"src", "data-src", "data-original", "data-lazy-src", "href", "xlink:href"} {
			if name != "source" || k != "src" { // that of audio and video
				f.add(attrs[k])
			}
		}
		for _, k := range []string{"srcset", "data-srcset", "data-lazy-srcset"} {
			f.srcset(attrs[k])
		}
	case "script":
		f.add(attrs["src"])
	case "video":
		f.add(attrs["poster"])
	case "link":
		f.link(attrs)
	case "style":
		return true
	}
	f.add(attrs["background"])
	return false
}

// isRead reports whether an attribute can name a requisite.
func isRead(name string) bool {
	switch name {
	case "src", "srcset", "href", "xlink:href", "style", "poster", "background", "rel", "as", "imagesrcset",
		"data-src", "data-srcset", "data-original", "data-lazy-src", "data-lazy-srcset":
		return true
	}
	return false
}

// link adds what a link element names, if a browser loads it to show the page.
func (f *finder) link(attrs map[string]string) {
	for rel := range strings.FieldsSeq(strings.ToLower(attrs["rel"])) {
		switch rel {
		case "stylesheet", "icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon", "modulepreload":
			f.add(attrs["href"])
			return
		case "preload":
			switch strings.ToLower(attrs["as"]) {
			case "style", "script", "font", "image":
				f.add(attrs["href"])
				f.srcset(attrs["imagesrcset"])
			}
			return
		}
	}
}

// srcset adds all candidates of an image: which of them a browser loads depends on its screen.
func (f *finder) srcset(s string) {
	for len(s) > 0 && len(f.list) < f.most {
		s = strings.TrimLeft(s, " \t\r\n\f,")
		end := strings.IndexAny(s, " \t\r\n\f")
		if end < 0 {
			end = len(s)
		}
		u := s[:end]
		s = s[end:]
		if bare := strings.TrimRight(u, ","); bare != u {
			f.add(bare) // no descriptor follows
			continue
		}
		f.add(u)
		if comma := strings.IndexByte(s, ','); comma >= 0 {
			s = s[comma+1:]
		} else {
			s = ""
		}
	}
}

// add adds a URL as it is written on the page. It is kept as a browser asks for it, not in canonical
// form: replay software looks for that.
func (f *finder) add(written string) {
	written = strings.TrimSpace(written)
	if written == "" || written[0] == '#' || len(f.list) >= f.most || strings.HasPrefix(strings.ToLower(written), "data:") {
		return
	}
	href, err := weburl.Href(written, f.base)
	href, _, _ = strings.Cut(href, "#")
	if err != nil || !strings.HasPrefix(href, "http://") && !strings.HasPrefix(href, "https://") {
		return
	}
	u := dowse.URL(href)
	if f.seen[u] {
		return
	}
	f.seen[u] = true
	f.list = append(f.list, u)
}

// TDMRep returns the URL of the file in which the host of a page reserves text and data mining, "" for a
// URL without a host.
func TDMRep(u dowse.URL) dowse.URL {
	if weburl.Homepage(u) == "" {
		return ""
	}
	return weburl.Homepage(u) + ".well-known/tdmrep.json"
}
