// Package linkrating has a judge rate what strategies want rated: pages, the words
// around their links, and anchors.
//
// The one idea: live crawls, crawls that are restored from their journal and
// the lab rate pages by the same code, so that a strategy sees the same in all
// of them.
package linkrating

import (
	"errors"
	"fmt"
	"math"

	"dowse"
	"dowse/internal/repeats"
)

// A Wish is what a strategy wants the judge to rate in addition to the page.
type Wish struct {
	// Window is the number of words around a link; 0 for none.
	Window int
	// Anchors asks for ratings of the anchor texts alone.
	Anchors bool
	// Templates is what is done without the parts of a page that other pages of its host
	// have too.
	Templates repeats.Use
}

// WishOf returns what a strategy wants to be rated.
func WishOf(s dowse.Strategy) Wish {
	t := dowse.TraitsOf(s)
	return Wish{Window: t.Window, Anchors: t.Anchors}
}

// ErrWindows is returned when strategies of one crawl want different texts
// to be rated.
var ErrWindows = errors.New("the words around a link can be rated in one way only")

// And returns what both want. Windows of different sizes can't be combined,
// because a link has one rating of the words around it.
func (w Wish) And(o Wish) (Wish, error) {
	if w.Window != 0 && o.Window != 0 && w.Window != o.Window {
		return w, fmt.Errorf("%w: one strategy wants %d words, the other %d; give both the same (words=N)", ErrWindows, w.Window, o.Window)
	}
	return Wish{Window: max(w.Window, o.Window), Anchors: w.Anchors || o.Anchors, Templates: w.Templates}, nil
}

// Rate judges a page and, if wanted, the words around its links and their
// anchors. Of a feed only its items are rated, the words of each by themselves. Parts that other pages of the host have too are those of p.Repeated.
// A relevance outside of 0 to 1, which only a judge of a program's own can give, is bounded.
func (w Wish) Rate(j dowse.Judge, p *dowse.Page) {
	if p.Outcome == dowse.Listed {
		w.rateItems(j, p)
		return
	}
	if w.Templates.Links && len(p.Repeated) > 0 {
		repeats.Mark(p)
	}
	w.SetWindows(p)
	wj, ok := j.(dowse.WindowJudge)
	read := w.readBy(p)
	switch {
	case !ok || w.Window == 0 && !w.Anchors:
		p.Verdict = j.Judge(read)
	case read != p && !w.Templates.Links: // windows may reach into what the judge does not read
		w.rateLinks(wj, p, p)
		p.Verdict = j.Judge(read)
	default:
		w.rateLinks(wj, read, p)
	}
	bound(&p.Verdict)
}

// rateItems rates the items of a feed: the words of each by themselves, and their titles. A feed has no verdict.
func (w Wish) rateItems(j dowse.Judge, p *dowse.Page) {
	wj, ok := j.(dowse.WindowJudge)
	if !ok || w.Window == 0 && !w.Anchors {
		return
	}
	mentions := Mentions(p.Links)
	for _, m := range mentions {
		if m.Window = m.At; m.At.Start >= m.Block.Start && m.At.End <= m.Block.End {
			from := m.Block.Start
			own := dowse.Window(dowse.Span{Start: m.At.Start - from, End: m.At.End - from}, m.Block.Len(), w.Window)
			m.Window = dowse.Span{Start: own.Start + from, End: own.End + from}
		}
	}
	w.rateLinks(wj, p, p)
	p.Verdict = dowse.Verdict{}
}

// bound brings the relevance of a verdict into 0 to 1, and replaces what is no number by 0: NaN
// equals nothing, so that a replay of the journal would not find the same verdict.
func bound(v *dowse.Verdict) {
	v.Relevance = min(max(numberOf(v.Relevance), 0), 1)
	for i := range v.Because {
		v.Because[i].Weight = numberOf(v.Because[i].Weight)
	}
}

// numberOf returns x, or 0 if it is no number.
func numberOf(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return x
}

// readBy returns the page that the judge reads.
func (w Wish) readBy(p *dowse.Page) *dowse.Page {
	if w.Templates.Judge && len(p.Repeated) > 0 {
		return repeats.Without(p)
	}
	return p
}

// rateLinks judges a page and the words at its links, as far as they are wanted, and sets the
// ratings in p. The page that the judge reads is p or p without some of its text. A mention that
// is marked has no rating.
func (w Wish) rateLinks(j dowse.WindowJudge, read, p *dowse.Page) {
	mentions := Mentions(p.Links)
	places := mentions
	if read != p {
		places = Mentions(read.Links)
	}
	windows := make([]dowse.Span, 0, 2*len(mentions))
	if w.Window > 0 {
		for _, m := range places {
			windows = append(windows, m.Window)
		}
	}
	if w.Anchors {
		for _, m := range places {
			windows = append(windows, m.At)
		}
	}
	var scores []float64
	p.Verdict, scores = j.JudgeWindows(read, windows)
	if len(scores) != len(windows) {
		panic(fmt.Sprintf("%T.JudgeWindows returned %d relevances for %d windows", j, len(scores), len(windows)))
	}
	for i, m := range mentions {
		if w.Window > 0 {
			m.Context = scores[i]
		}
		if w.Anchors {
			m.AnchorScore = scores[len(scores)-len(mentions)+i]
		}
		if m.Repeated {
			m.Context, m.AnchorScore = math.NaN(), 0
		}
	}
}

// SetWindows sets the words around each link, also if no judge rates them: a
// strategy may read them itself.
func (w Wish) SetWindows(p *dowse.Page) {
	if w.Window == 0 {
		return
	}
	if w.Templates.Links && len(p.Repeated) > 0 {
		repeats.Windows(p, w.Window)
		return
	}
	for _, m := range Mentions(p.Links) {
		m.Window = dowse.Window(m.At, len(p.Words), w.Window)
	}
}

// Mentions returns pointers to all mentions of the links, in the order in
// which rulings and journals store their ratings: each link's first mention,
// then the others.
func Mentions(links []dowse.Link) []*dowse.Mention {
	list := make([]*dowse.Mention, 0, len(links)+8)
	for i := range links {
		l := &links[i]
		list = append(list, &l.Mention)
		for k := range l.More {
			list = append(list, &l.More[k])
		}
	}
	return list
}
