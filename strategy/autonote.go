package strategy

import (
	"encoding/binary"
	"slices"

	"dowse/internal/wire"
)

// clues are what auto knows of a URL before its visit, from all links to it. They are
// stored in the note of the URL's lead, at most 137 bytes, and so live and die with the lead
// in the frontier.
type clues struct {
	links   int     // number of links to it, at most 255
	context float64 // best rating of the words around a link
	anchor  float64 // best rating of an anchor
	best    float64 // relevance of the most relevant linking page
	// Sums over the links to it: the relevance of the linking page, and the ratings of window and anchor.
	sum, contexts, ratings float64

	n        int // of pages
	pages    [autoPages]uint32
	sections [autoPages]uint8 // of the links on these pages
	na       int              // of anchors
	anchors  [autoAnchorWords]uint16
	nw       int // of around
	around   [autoWindowWords]uint16
}

// Limits of what is kept per URL. Most URLs have one link, and a note of about 50 bytes;
// those with many have the words of several.
const (
	autoPages       = 4
	autoAnchorWords = 10
	autoWindowWords = 40
	autoURLWords    = 12
)

const (
	cluesMark = 'a'
	cluesHead = 1 + 1 + 6*2 + 3 // mark, links, six ratings, three lengths
)

// per returns the mean over links of a sum.
func (k *clues) per(sum float64) float64 {
	if k.links == 0 {
		return 0
	}
	return sum / float64(k.links)
}

// add adds a link from a page of relevance r, with the judge's ratings of its window and
// anchor.
func (k *clues) add(r, context, anchor float64) {
	if k.links == 255 { // means stay what they are
		k.sum, k.contexts, k.ratings = k.sum-k.per(k.sum), k.contexts-k.per(k.contexts), k.ratings-k.per(k.ratings)
		k.links--
	}
	k.links++
	k.context, k.anchor, k.best = max(k.context, context), max(k.anchor, anchor), max(k.best, r)
	k.sum += r
	k.contexts += context
	k.ratings += anchor
}

// page records a linking page and the section of the link; the first four are kept.
func (k *clues) page(number uint32, section uint8) {
	if k.n < len(k.pages) && !slices.Contains(k.pages[:k.n], number) {
		k.pages[k.n], k.sections[k.n] = number, section
		k.n++
	}
}

// inAnchor records a word of an anchor; 0 is not a word.
func (k *clues) inAnchor(code uint16) {
	if code != 0 && k.na < len(k.anchors) && !slices.Contains(k.anchors[:k.na], code) {
		k.anchors[k.na] = code
		k.na++
	}
}

// inWindow records a word around a link; 0 is not a word.
func (k *clues) inWindow(code uint16) {
	if code != 0 && k.nw < len(k.around) && !slices.Contains(k.around[:k.nw], code) {
		k.around[k.nw] = code
		k.nw++
	}
}

// merge adds everything known of a URL that redirects to this one.
func (k *clues) merge(from *clues) {
	k.links += from.links
	k.sum, k.contexts, k.ratings = k.sum+from.sum, k.contexts+from.contexts, k.ratings+from.ratings
	if most := 255.0; k.links > 255 {
		share := most / float64(k.links)
		k.links, k.sum, k.contexts, k.ratings = 255, k.sum*share, k.contexts*share, k.ratings*share
	}
	k.context, k.anchor, k.best = max(k.context, from.context), max(k.anchor, from.anchor), max(k.best, from.best)
	for i, p := range from.pages[:from.n] {
		k.page(p, from.sections[i])
	}
	for _, c := range from.anchors[:from.na] {
		k.inAnchor(c)
	}
	for _, c := range from.around[:from.nw] {
		k.inWindow(c)
	}
}

// note encodes k, and rounds its ratings to what the note can hold. So a lead is rated
// the same now and after its note is read again by [cluesOf].
func (k *clues) note() string {
	var room [cluesHead + 5*autoPages + 2*(autoAnchorWords+autoWindowWords)]byte
	b := append(room[:0], cluesMark, byte(k.links))
	for _, x := range [...]*float64{&k.context, &k.anchor, &k.best} {
		b = binary.LittleEndian.AppendUint16(b, rounded(x, 1))
	}
	for _, x := range [...]*float64{&k.sum, &k.contexts, &k.ratings} {
		mean := k.per(*x)
		b = binary.LittleEndian.AppendUint16(b, rounded(&mean, 1))
		*x = mean * float64(k.links)
	}
	b = append(b, byte(k.n), byte(k.na), byte(k.nw))
	for i, p := range k.pages[:k.n] {
		b = binary.LittleEndian.AppendUint32(b, p)
		b = append(b, k.sections[i])
	}
	for _, c := range k.anchors[:k.na] {
		b = binary.LittleEndian.AppendUint16(b, c)
	}
	for _, c := range k.around[:k.nw] {
		b = binary.LittleEndian.AppendUint16(b, c)
	}
	return string(b)
}

// cluesOf decodes a note. ok is false for a note of another strategy, or a damaged one.
func cluesOf(note string) (k clues, ok bool) {
	r := wire.Reader[string]{Rest: note}
	if r.Byte() != cluesMark {
		return clues{}, false
	}
	k.links = int(r.Byte())
	k.context, k.anchor, k.best = ratingOf(&r), ratingOf(&r), ratingOf(&r)
	k.sum, k.contexts, k.ratings = ratingOf(&r)*float64(k.links), ratingOf(&r)*float64(k.links), ratingOf(&r)*float64(k.links)
	k.n, k.na, k.nw = int(r.Byte()), int(r.Byte()), int(r.Byte())
	if k.n > autoPages || k.na > autoAnchorWords || k.nw > autoWindowWords {
		return clues{}, false
	}
	for i := range k.n {
		k.pages[i], k.sections[i] = r.Uint32(), r.Byte()
	}
	for i := range k.na {
		k.anchors[i] = r.Uint16()
	}
	for i := range k.nw {
		k.around[i] = r.Uint16()
	}
	if r.Err != nil || r.Rest != "" {
		return clues{}, false
	}
	return k, true
}
