package extract

import (
	"bytes"

	"dowse"
)

// kept gathers meta elements and images, which pages have many of and readers ask
// for seldom: as bytes in one piece, so that they cost one string in the end.
type kept struct {
	buf    []byte
	metas  []keptMeta
	images []dowse.Span
}

// A keptMeta is a meta element, in bytes of the buffer.
type keptMeta struct{ name, content dowse.Span }

const (
	maxMeta     = 64  // meta elements that are kept
	maxImages   = 200 // images that are kept
	maxMetaName = 64  // characters of the name of a meta element
)

// reset forgets all but the memory.
func (k *kept) reset() kept {
	return kept{buf: k.buf[:0], metas: k.metas[:0], images: k.images[:0]}
}

func (k *kept) add(b []byte) dowse.Span {
	start := len(k.buf)
	k.buf = append(k.buf, b...)
	return dowse.Span{Start: int32(start), End: int32(len(k.buf))}
}

// strings returns what was kept, as parts of one string.
func (k *kept) strings() (metas []dowse.Meta, images []string) {
	all := string(k.buf)
	if len(k.metas) > 0 {
		metas = make([]dowse.Meta, len(k.metas))
	}
	for i, m := range k.metas {
		metas[i] = dowse.Meta{Name: all[m.name.Start:m.name.End], Content: all[m.content.Start:m.content.End]}
	}
	if len(k.images) > 0 {
		images = make([]string, len(k.images))
	}
	for i, s := range k.images {
		images[i] = all[s.Start:s.End]
	}
	return metas, images
}

// keepMeta keeps a meta element that says something of the page under a name.
func (p *pass) keepMeta(e *element) {
	name := e.attr.property
	if name == nil {
		name = e.attr.name
	}
	name = p.fieldBytes(name, maxMetaName)
	if len(name) == 0 || len(p.kept.metas) >= maxMeta || isLayout(name) {
		return
	}
	at := p.kept.add(name)
	lower(p.kept.buf[at.Start:])
	p.kept.metas = append(p.kept.metas, keptMeta{at, p.kept.add(p.fieldBytes(e.attr.content, p.opt.Field))})
}

// lower makes the letters of ASCII small.
func lower(b []byte) {
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
}

// isLayout reports whether a meta element says how the page is shown, or whose
// tools look at it, and nothing of what is in it.
func isLayout(name []byte) bool {
	for _, n := range []string{"viewport", "theme-color", "color-scheme", "format-detection", "referrer", "handheldfriendly", "mobileoptimized"} {
		if eq(name, n) {
			return true
		}
	}
	return hasPrefix(name, "msapplication-") || hasPrefix(name, "apple-") || bytes.HasSuffix(name, []byte("-verification"))
}

func hasPrefix(b []byte, word string) bool { return len(b) > len(word) && eq(b[:len(word)], word) }

// keepImage keeps the source of an image as it is written, but for what can't be
// shown; of one that is inside the page only that it is.
func (p *pass) keepImage(src []byte) {
	src = bytes.TrimSpace(src)
	if len(src) == 0 || len(p.kept.images) >= maxImages {
		return
	}
	if hasPrefix(src, "data:") {
		src = src[:len("data:")]
	}
	if len(src) > p.opt.Href {
		return
	}
	if src = p.fieldBytes(src, p.opt.Href); len(src) > 0 {
		p.kept.images = append(p.kept.images, p.kept.add(src))
	}
}
