package judge

import (
	"dowse"
	"dowse/internal/text"
)

// A core rates vectors of one space. It does not change and may be used from many
// goroutines.
type core interface {
	rate(v text.Vector) float64
	// explain rates v and gives the reasons: those of terms to r, and what the core
	// starts from as a list, if it has such.
	explain(v text.Vector, r *pageReading) (relevance float64, scale string, base []dowse.Because)
}

// trained is what all judges over a space have in common.
type trained struct {
	kind      string
	threshold float64
	space     *space
	core      core
	names     []string // of the terms, as reasons show them
}

func newTrained(kind string, s *space, c core) *trained {
	t := &trained{kind: kind, threshold: Threshold, space: s, core: c}
	for _, w := range s.words.Terms() {
		t.names = append(t.names, quoted(w))
	}
	return t
}

// Kind names the judge.
func (t *trained) Kind() string { return t.kind }

// Threshold returns the relevance from which the judge calls a page relevant.
func (t *trained) Threshold() float64 { return t.threshold }

// Judge rates the page.
func (t *trained) Judge(p *dowse.Page) dowse.Verdict {
	v, _ := t.JudgeWindows(p, nil)
	return v
}

// JudgeWindows rates the page, and each window as a text of its own. Windows are
// cut to the page's words.
func (t *trained) JudgeWindows(p *dowse.Page, windows []dowse.Span) (dowse.Verdict, []float64) {
	r := t.space.open()
	defer t.space.release(r)
	t.space.read(r, p)
	var ratings []float64
	if len(windows) > 0 {
		ratings = make([]float64, len(windows))
	}
	for i, w := range windows {
		ratings[i] = t.core.rate(t.space.window(r, w))
		r.clear()
	}
	v := t.verdict(r, t.space.page(r, p))
	r.clear()
	return v, ratings
}

func (t *trained) verdict(r *pageReading, v text.Vector) dowse.Verdict {
	r.reasons.reset()
	relevance, scale, base := t.core.explain(v, r)
	return dowse.Verdict{
		Relevance: relevance,
		Scale:     scale,
		Because:   append(r.reasons.told(t.name, r.counts), base...),
		Judge:     t.kind + "/1",
	}
}

func (t *trained) name(term int32) string { return t.names[term] }

// A leaver can tell what its rating would be without each entry of v, the others
// standing: out has the length of v.
type leaver interface {
	core
	leaveOut(v text.Vector, out []float64)
}

// explainChanges gives as reasons what leaving each term out would change.
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

// numbers returns one of the reading's slices of numbers, with length n.
func (r *pageReading) numbers(which, n int) []float64 {
	if cap(r.left[which]) < n {
		r.left[which] = make([]float64, n)
	}
	return r.left[which][:n]
}
