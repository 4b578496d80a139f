package logistic

import (
	"encoding/binary"
	"slices"

	"dowse/internal/wordnet"
)

// clues are what is known of a URL before its visit, from all links to it. They are stored
// in the note of the URL's lead, in one of two forms, and so live and die with the lead in
// the frontier.
type clues struct {
	links   int     // number of links to it, at most mostLinks
	context float64 // best rating of the words around a link
	anchor  float64 // best rating of an anchor
	best    float64 // relevance of the most relevant linking page
	// Sums over the links to it: the relevance of the linking page, and the ratings of window and anchor.
	sum, contexts, ratings float64

	n        int // of pages
	pages    [mostPages]uint32
	sections [mostPages]uint8  // of the links on these pages
	headings [mostPages]uint16 // codes of the headings of these sections; 0 for none
	na       int               // of anchors
	anchors  [mostAnchorWords]uint16
	nw       int // of around
	around   [mostWindowWords]uint16
	name     wordnet.Name // by which it was linked; 0 for none that is known
	// One bit per word of around, by its code: a word whose bit is not set is not among them.
	aroundBits uint64
}

// mostLinks is the largest number of links that is counted.
const mostLinks = 255

// A form is how clues are written into a note: its first byte, and the limits of what is
// kept. Most URLs have one link, and a note of about 50 bytes.
type form struct {
	mark                   byte
	pages, anchors, around int // limits, at most those of clues
	// full says that means of ratings and the sections of links are part of the note.
	full bool
	// structured says that the headings of sections are part of the note as well. Notes that
	// were written before they were have the mark plain.
	structured bool
	plain      byte
}

// The forms of the two strategies. Notes are at most 89 and 149 bytes long.
var (
	onlineForm = form{mark: 'o', pages: 3, anchors: 8, around: 24}
	autoForm   = form{mark: 'A', pages: mostPages, anchors: mostAnchorWords, around: mostWindowWords, full: true, structured: true, plain: 'a'}
)

// longestNote is the length of the longest note: mark, links, six ratings, three lengths,
// then pages with sections and headings, and words.
const longestNote = nameSize + 1 + 1 + 6*2 + 3 + 7*mostPages + 2*(mostAnchorWords+mostWindowWords)

// per returns the mean over links of a sum.
func (k *clues) per(sum float64) float64 {
	if k.links == 0 {
		return 0
	}
	return sum / float64(k.links)
}

// add adds a link from a page of relevance r, with the judge's ratings of its window and
// anchor. Beyond mostLinks, means stay means in a full form. In the other one the sum goes
// on, so that the mean of a page with very many links rises to 1; online has always rated
// such pages by it.
func (k *clues) add(r, context, anchor float64, f *form) {
	if k.links == mostLinks {
		if f.full {
			k.sum, k.contexts, k.ratings = k.sum-k.per(k.sum), k.contexts-k.per(k.contexts), k.ratings-k.per(k.ratings)
		}
		k.links--
	}
	k.links++
	k.context, k.anchor, k.best = max(k.context, context), max(k.anchor, anchor), max(k.best, r)
	k.sum += r
	k.contexts += context
	k.ratings += anchor
}

// nameSize is the number of bytes of a name at the end of a note that has one.
const nameSize = 4

// named records a name by which the URL is linked. The first one counts, but one whose words are all known
// counts more than one that was found by some of them.
func (k *clues) named(n wordnet.Name) {
	k.name = k.name.Better(n)
}

// page records a linking page, with the section of the link there and the code of the
// section's heading; the first ones are kept.
func (k *clues) page(number uint32, section uint8, heading uint16, f *form) {
	if k.n < f.pages && !slices.Contains(k.pages[:k.n], number) {
		k.pages[k.n], k.sections[k.n], k.headings[k.n] = number, section, heading
		k.n++
	}
}

// inAnchor records a word of an anchor; 0 is not a word.
func (k *clues) inAnchor(code uint16, f *form) {
	if code != 0 && k.na < f.anchors && !slices.Contains(k.anchors[:k.na], code) {
		k.anchors[k.na] = code
		k.na++
	}
}

// inWindow records a word around a link; 0 is not a word.
func (k *clues) inWindow(code uint16, f *form) {
	if code == 0 || k.nw >= f.around {
		return
	}
	bit := uint64(1) << (code & 63)
	if k.aroundBits&bit != 0 && slices.Contains(k.around[:k.nw], code) {
		return
	}
	k.aroundBits |= bit
	k.around[k.nw] = code
	k.nw++
}

// merge adds everything known of a URL that redirects to this one.
func (k *clues) merge(from *clues, f *form) {
	k.links += from.links
	k.sum, k.contexts, k.ratings = k.sum+from.sum, k.contexts+from.contexts, k.ratings+from.ratings
	if k.links > mostLinks {
		share := 1.0
		if f.full {
			share = mostLinks / float64(k.links)
		}
		k.links, k.sum, k.contexts, k.ratings = mostLinks, k.sum*share, k.contexts*share, k.ratings*share
	}
	k.context, k.anchor, k.best = max(k.context, from.context), max(k.anchor, from.anchor), max(k.best, from.best)
	for i, p := range from.pages[:from.n] {
		k.page(p, from.sections[i], from.headings[i], f)
	}
	k.named(from.name)
	for _, c := range from.anchors[:from.na] {
		k.inAnchor(c, f)
	}
	for _, c := range from.around[:from.nw] {
		k.inWindow(c, f)
	}
}

// note encodes k, and rounds its ratings to what the note can hold. So a lead is rated
// the same now and after its note is read again by [form.clues].
func (k *clues) note(f *form) string {
	var room [longestNote]byte
	b := append(room[:0], f.mark, byte(k.links))
	for _, x := range [...]*float64{&k.context, &k.anchor, &k.best} {
		b = binary.LittleEndian.AppendUint16(b, rounded(x))
	}
	sums := [...]*float64{&k.sum, &k.contexts, &k.ratings}
	for _, x := range sums[:f.sums()] {
		mean := k.per(*x)
		b = binary.LittleEndian.AppendUint16(b, rounded(&mean))
		*x = mean * float64(k.links)
	}
	b = append(b, byte(k.n), byte(k.na), byte(k.nw))
	for i, p := range k.pages[:k.n] {
		b = binary.LittleEndian.AppendUint32(b, p)
		if f.full {
			b = append(b, k.sections[i])
		}
		if f.structured {
			b = binary.LittleEndian.AppendUint16(b, k.headings[i])
		}
	}
	for _, c := range k.anchors[:k.na] {
		b = binary.LittleEndian.AppendUint16(b, c)
	}
	for _, c := range k.around[:k.nw] {
		b = binary.LittleEndian.AppendUint16(b, c)
	}
	if k.name != 0 {
		b = binary.LittleEndian.AppendUint32(b, uint32(k.name))
	}
	return string(b)
}

// sums returns how many of the sums of clues are part of a note.
func (f *form) sums() int {
	if f.full {
		return 3
	}
	return 1
}

const noteScale = 1<<16 - 1

// rounded rounds a rating in place to 16 bits and returns those.
func rounded(x *float64) uint16 {
	n := uint16(min(max(*x, 0), 1)*noteScale + 0.5)
	*x = float64(n) / noteScale
	return n
}

// clues decodes a note. ok is false for a note of another strategy, or a damaged one.
func (f *form) clues(note string) (k clues, ok bool) {
	ok = f.read(&k, note)
	return k, ok
}

// read decodes a note into k, whatever k was before. Where it reports false, because the note is of another strategy or
// damaged, k is empty.
func (f *form) read(k *clues, note string) (ok bool) {
	*k = clues{}
	sums := f.sums()
	head := 2 + 2*(3+sums)
	if len(note) < head+3 || note[0] != f.mark && (note[0] != f.plain || !f.structured) {
		return false
	}
	perPage := 4
	if f.full {
		perPage++
	}
	structured := f.structured && note[0] == f.mark
	if structured {
		perPage += 2
	}
	k.n, k.na, k.nw = int(note[head]), int(note[head+1]), int(note[head+2])
	size := head + 3 + k.n*perPage + 2*(k.na+k.nw)
	named := f.full && len(note) == size+nameSize
	if k.n > f.pages || k.na > f.anchors || k.nw > f.around || len(note) != size && !named {
		*k = clues{}
		return false
	}
	if named {
		k.name = wordnet.Name(uint16At(note, size)) | wordnet.Name(uint16At(note, size+2))<<16
	}
	k.links = int(note[1])
	k.context, k.anchor, k.best = ratingAt(note, 2), ratingAt(note, 4), ratingAt(note, 6)
	for i, x := range [...]*float64{&k.sum, &k.contexts, &k.ratings} {
		if i < sums {
			*x = ratingAt(note, 8+2*i) * float64(k.links)
		}
	}
	at := head + 3
	for i := range k.n {
		k.pages[i] = uint32(uint16At(note, at)) | uint32(uint16At(note, at+2))<<16
		if f.full {
			k.sections[i] = note[at+4]
		}
		if structured {
			k.headings[i] = uint16At(note, at+5)
		}
		at += perPage
	}
	for i := range k.na {
		k.anchors[i] = uint16At(note, at+2*i)
	}
	at += 2 * k.na
	for i := range k.nw {
		c := uint16At(note, at+2*i)
		k.around[i] = c
		k.aroundBits |= 1 << (c & 63)
	}
	return true
}

// uint16At returns the number in two bytes of a note.
func uint16At(note string, at int) uint16 { return uint16(note[at]) | uint16(note[at+1])<<8 }

// ratingAt returns the rating in two bytes of a note.
func ratingAt(note string, at int) float64 { return float64(uint16At(note, at)) / noteScale }
