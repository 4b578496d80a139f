package strategy

import (
	"encoding/binary"
	"slices"

	"dowse/internal/wire"
)

// known is what online knows of a URL before its visit. It is stored in the note of
// the URL's lead, at most 89 bytes, and so lives and dies with the lead in the
// frontier.
type known struct {
	links   int     // number of links to it, at most 255
	context float64 // best rating of the words around a link
	anchor  float64 // best rating of an anchor
	best    float64 // relevance of the most relevant linking page
	sum     float64 // sum of the relevance of the linking pages

	n       int // of pages
	pages   [maxLinkingPages]uint32
	na      int // of anchors
	anchors [maxAnchorCodes]uint16
	nw      int // of around
	around  [maxAroundCodes]uint16
}

// Limits of what is kept per URL.
const (
	maxLinkingPages = 3
	maxAnchorCodes  = 8
	maxAroundCodes  = 24
	maxURLCodes     = 12

	knownHead = 1 + 1 + 4*2 + 3 // mark, links, four ratings, three lengths
	knownMark = 'o'
)

// mean returns the mean relevance of the linking pages.
func (k *known) mean() float64 {
	if k.links == 0 {
		return 0
	}
	return k.sum / float64(k.links)
}

// page records a linking page; the first three are kept.
func (k *known) page(number uint32) {
	if k.n < len(k.pages) && !slices.Contains(k.pages[:k.n], number) {
		k.pages[k.n] = number
		k.n++
	}
}

// inAnchor records a word of an anchor; 0 is not a word.
func (k *known) inAnchor(code uint16) {
	if code != 0 && k.na < len(k.anchors) && !slices.Contains(k.anchors[:k.na], code) {
		k.anchors[k.na] = code
		k.na++
	}
}

// inWindow records a word around a link; 0 is not a word.
func (k *known) inWindow(code uint16) {
	if code != 0 && k.nw < len(k.around) && !slices.Contains(k.around[:k.nw], code) {
		k.around[k.nw] = code
		k.nw++
	}
}

// merge adds everything known of a URL that redirects to this one.
func (k *known) merge(from *known) {
	k.links = min(k.links+from.links, 255)
	k.context, k.anchor = max(k.context, from.context), max(k.anchor, from.anchor)
	k.best, k.sum = max(k.best, from.best), k.sum+from.sum
	for _, p := range from.pages[:from.n] {
		k.page(p)
	}
	for _, c := range from.anchors[:from.na] {
		k.inAnchor(c)
	}
	for _, c := range from.around[:from.nw] {
		k.inWindow(c)
	}
}

// note encodes k, and rounds its ratings to what the note can hold. So a lead is rated
// the same now and after its note is read again by [knownOf].
func (k *known) note() string {
	var room [knownHead + 4*maxLinkingPages + 2*(maxAnchorCodes+maxAroundCodes)]byte
	b := append(room[:0], knownMark, byte(k.links))
	for _, x := range [...]*float64{&k.context, &k.anchor, &k.best} {
		b = binary.LittleEndian.AppendUint16(b, rounded(x, 1))
	}
	mean := k.mean()
	b = binary.LittleEndian.AppendUint16(b, rounded(&mean, 1))
	k.sum = mean * float64(k.links)
	b = append(b, byte(k.n), byte(k.na), byte(k.nw))
	for _, p := range k.pages[:k.n] {
		b = binary.LittleEndian.AppendUint32(b, p)
	}
	for _, c := range k.anchors[:k.na] {
		b = binary.LittleEndian.AppendUint16(b, c)
	}
	for _, c := range k.around[:k.nw] {
		b = binary.LittleEndian.AppendUint16(b, c)
	}
	return string(b)
}

const noteScale = 1<<16 - 1

// rounded rounds a rating in place to 16 bits and returns those.
func rounded(x *float64, most float64) uint16 {
	n := uint16(min(max(*x, 0), most)*noteScale + 0.5)
	*x = float64(n) / noteScale
	return n
}

// knownOf decodes a note. ok is false for a note of another strategy, or a damaged
// one.
func knownOf(note string) (k known, ok bool) {
	r := wire.Reader[string]{Rest: note}
	if r.Byte() != knownMark {
		return known{}, false
	}
	k.links = int(r.Byte())
	k.context, k.anchor, k.best, k.sum = ratingOf(&r), ratingOf(&r), ratingOf(&r), ratingOf(&r)*float64(k.links)
	k.n, k.na, k.nw = int(r.Byte()), int(r.Byte()), int(r.Byte())
	if k.n > maxLinkingPages || k.na > maxAnchorCodes || k.nw > maxAroundCodes {
		return known{}, false
	}
	for i := range k.n {
		k.pages[i] = r.Uint32()
	}
	for i := range k.na {
		k.anchors[i] = r.Uint16()
	}
	for i := range k.nw {
		k.around[i] = r.Uint16()
	}
	if r.Err != nil || r.Rest != "" {
		return known{}, false
	}
	return k, true
}

func ratingOf(r *wire.Reader[string]) float64 { return float64(r.Uint16()) / noteScale }
