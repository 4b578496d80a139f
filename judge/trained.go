package judge

import (
	"strings"

	"dowse"
	"dowse/internal/text"
)

// A core rates vectors of one space. It does not change and is safe for concurrent
// use. Keeping it apart from the space lets one reading of a page serve several models
// ([voteTrainer]).
type core interface {
	rate(v text.Vector) float64
	// explain rates v and returns the reasons: those of terms in r.reasons, and the value that
	// the core starts from (a bias) in base, if it has one.
	explain(v text.Vector, r *pageReading) (relevance float64, scale string, base []dowse.Because)
}

// trained is the common part of all judges over a space: it reads pages, cuts windows
// and collects reasons.
type trained struct {
	kind      string
	threshold float64
	space     *space
	core      core
	names     []string // by term: its name in reasons
}

func newTrained(kind string, s *space, c core) *trained {
	t := &trained{kind: kind, threshold: Threshold, space: s, core: c}
	for _, w := range s.words.Terms() {
		t.names = append(t.names, quoted(w))
	}
	return t
}

// Kind returns the registered name of the kind.
func (t *trained) Kind() string { return t.kind }

// Threshold returns the relevance from which the judge considers a page relevant.
func (t *trained) Threshold() float64 { return t.threshold }

// Judge returns the verdict on the page.
func (t *trained) Judge(p *dowse.Page) dowse.Verdict {
	v, _ := t.JudgeWindows(p, nil)
	return v
}

// JudgeWindows returns the verdict on the page, and the relevance of each window as a
// text of its own. The page is read once for all of them. Windows are cut to the
// page's words.
func (t *trained) JudgeWindows(p *dowse.Page, windows []dowse.Span) (dowse.Verdict, []float64) {
	r := t.space.open()
	defer t.space.release(r)
	t.space.read(r, p)
	s, logistic := t.core.(*regression)
	if logistic {
		s.touch(r.hits)
	}
	var ratings []float64
	if len(windows) > 0 {
		ratings = make([]float64, len(windows))
	}
	for i, w := range windows {
		if hits := r.within(w); logistic && len(hits) <= windowTerms {
			ratings[i] = s.rateFew(r, hits)
			continue
		}
		ratings[i] = t.core.rate(t.space.window(r, w))
		r.clear()
	}
	v := t.verdict(r, p, t.space.page(r, p))
	r.clear()
	return v, ratings
}

func (t *trained) verdict(r *pageReading, p *dowse.Page, v text.Vector) dowse.Verdict {
	r.reasons.reset()
	relevance, scale, base := t.core.explain(v, r)
	names := namer{trained: t, r: r, p: p}
	return dowse.Verdict{
		Relevance: relevance,
		Scale:     scale,
		Because:   append(r.reasons.list(names.name, r.counts), base...),
		Judge:     t.kind + "/1",
	}
}

// A namer names terms in the reasons for a page.
type namer struct {
	*trained
	r     *pageReading
	p     *dowse.Page
	heads []string // terms of title, description and keywords; nil if not yet read
}

// name returns those of the page's own words that the judge knows by the number. In a hashed space
// these may be others than that of the examples.
func (n *namer) name(term int32) string {
	if !n.space.mixes(term) {
		return n.names[term]
	}
	terms := n.space.onPage(term, n.r, n.p, n.headTerms)
	if len(terms) == 0 {
		return n.names[term]
	}
	for i, x := range terms {
		terms[i] = quoted(x)
	}
	return strings.Join(terms, shared)
}

func (n *namer) headTerms() []string {
	if n.heads == nil {
		for _, part := range heads(n.p) {
			n.heads = append(n.heads, n.space.analyzer.Terms(part)...)
		}
	}
	return n.heads
}

// shared is between the terms of a reason that names several: they share a weight, because a
// hashed judge has the same slot for them.
const shared = "/"

// A leaver is a core that can compute its ratings of v without each single entry,
// cheaper than by rating every shorter vector. out has the length of v.
type leaver interface {
	core
	leaveOut(v text.Vector, out []float64)
}

// explainChanges records for each term the relevance that is lost without it.
func explainChanges(c leaver, v text.Vector, r *pageReading) (float64, string, []dowse.Because) {
	relevance := c.rate(v)
	left := r.numbers(0, len(v))
	c.leaveOut(v, left)
	for i, e := range v {
		r.reasons.add(e.Term, relevance-left[i])
	}
	r.reasons.forget()
	return relevance, Change, nil
}

// numbers returns one of the reading's three number buffers with length n. Its
// contents are undefined.
func (r *pageReading) numbers(which, n int) []float64 {
	if cap(r.left[which]) < n {
		r.left[which] = make([]float64, n)
	}
	return r.left[which][:n]
}
