package extract

import (
	"bytes"

	"dowse"
)

// kept collects meta elements and images, which are many and seldom used: as
// bytes in one buffer, so that in the end they cost one string.
//
// Sections are offsets and not slices while the page is read, because the buffer
// moves when it grows.
type kept struct {
	buf    []byte
	metas  []keptMeta
	images []dowse.Span
}

// A keptMeta is a meta element, as sections of the buffer.
type keptMeta struct{ name, content dowse.Span }

const (
	maxMeta     = 64  // meta elements per page
	maxImages   = 200 // images per page
	maxMetaName = 64  // characters of the name of a meta element
)

// reset returns k without content, with its buffers.
func (k *kept) reset() kept {
	return kept{buf: k.buf[:0], metas: k.metas[:0], images: k.images[:0]}
}

// add appends b to the buffer and returns where it is.
func (k *kept) add(b []byte) dowse.Span {
	start := len(k.buf)
	k.buf = append(k.buf, b...)
	return dowse.Span{Start: int32(start), End: int32(len(k.buf))}
}

// strings returns everything that was collected, as sections of one string.
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

// keepMeta stores a meta element with a name, its name in lower case. If it has
// both, the property is its name.
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

// lower converts ASCII letters to lower case, in place.
func lower(b []byte) {
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
}

// isLayout reports whether a meta element is about how the page is rendered, or
// for the tools of some company, and not about its content.
func isLayout(name []byte) bool {
	for _, n := range []string{"viewport", "theme-color", "color-scheme", "format-detection", "referrer", "handheldfriendly", "mobileoptimized"} {
		if eq(name, n) {
			return true
		}
	}
	return hasPrefix(name, "msapplication-") || hasPrefix(name, "apple-") || bytes.HasSuffix(name, []byte("-verification"))
}

// hasPrefix reports whether b begins with word, without regard to case, and is
// longer.
func hasPrefix(b []byte, word string) bool { return len(b) > len(word) && eq(b[:len(word)], word) }

// keepImage stores the source of an image as written, without characters that
// cannot be shown. Of an image inside the page ("data:") only the scheme is
// stored.
//
// Sources are not resolved, because nothing is fetched from them.
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
