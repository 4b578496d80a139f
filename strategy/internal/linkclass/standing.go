package linkclass

import (
	"encoding/binary"
	"math"

	"dowse/internal/linktext"
	"dowse/internal/wire"
)

// A standing is what is known of a URL before its visit, from the pages that link to it. It
// is stored in the note of the URL's lead, so that no strategy needs a table of URLs and a
// restarted crawl has everything. The targets of a page with equal standing have equal
// notes, which the frontier stores once. A note is at most 156 bytes, and without
// an anchor to learn from at most 28.
type standing struct {
	flags    uint8
	level    int     // pages off topic in a row above it; -1 for a URL that was never let in
	relevant uint64  // linking pages that are relevant
	sum      float64 // of the relevance of all linking pages
	anchor   float64 // the best anchor's similarity
	words    string  // an anchor to learn from, for a URL that teaches
}

// The flags of a standing. The last two describe the encoding and are never set in a
// decoded standing.
const (
	isSeed  = 1 << iota
	teaches // how its visit ends is to be learnt from
	taught  // it was learnt from before its visit
	hasSum
	hasAnchor
)

const (
	maxLevels = 250 // in a note
	maxKept   = 128 // bytes of an anchor that is kept to learn from
)

func (s *standing) is(flag uint8) bool { return s.flags&flag != 0 }

// linked adds one more linking page.
func (s *standing) linked(relevance float64, relevant bool) {
	s.sum += relevance
	if relevant {
		s.relevant++
	}
}

// reach admits the URL at a level: the number of irrelevant pages in a row before it.
// The lowest level counts.
func (s *standing) reach(level int) {
	if s.level < 0 || level < s.level {
		s.level = level
	}
}

// teach marks the visit as one to learn from, with an anchor.
func (s *standing) teach(anchor string) {
	if !s.is(teaches) {
		s.flags |= teaches
		s.words = linktext.Cut(anchor, maxKept)
	}
}

// merge adds everything known of a URL that redirects here. A page that links to both
// counts twice.
func (s *standing) merge(from standing) {
	s.flags |= from.flags &^ (hasSum | hasAnchor)
	s.relevant += from.relevant
	s.sum += from.sum
	s.anchor = max(s.anchor, from.anchor)
	if s.words == "" {
		s.words = from.words
	}
	if from.level >= 0 {
		s.reach(from.level)
	}
}

// note encodes the standing. It is never empty.
func (s *standing) note() string {
	var room [2 + binary.MaxVarintLen64 + 16 + maxKept]byte
	flags := s.flags &^ (hasSum | hasAnchor)
	b := append(room[:0], flags, byte(min(s.level, maxLevels)+1))
	b = binary.AppendUvarint(b, s.relevant)
	if s.sum != 0 {
		b[0] |= hasSum
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(s.sum))
	}
	if s.anchor != 0 {
		b[0] |= hasAnchor
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(s.anchor))
	}
	return string(append(b, s.words...))
}

// standingOf decodes a note. An empty or foreign note gives the standing of an unknown
// URL.
func standingOf(note string) standing {
	r := wire.Reader[string]{Rest: note}
	s := standing{flags: r.Byte(), level: int(r.Byte()) - 1, relevant: r.Uint()}
	if s.is(hasSum) {
		s.sum = rating(&r)
	}
	if s.is(hasAnchor) {
		s.anchor = rating(&r)
	}
	if r.Err != nil {
		return standing{level: -1}
	}
	s.flags &^= hasSum | hasAnchor
	s.words = r.Rest
	return s
}

// rating reads a sum or a rating, which is neither negative nor infinite.
func rating(r *wire.Reader[string]) float64 {
	x := r.Float()
	if !(x >= 0) || math.IsInf(x, 1) {
		r.Fail()
		return 0
	}
	return x
}
