package crawler

import (
	"errors"
	"fmt"

	"dowse"
)

// A Wish is what a strategy wants the judge to rate in addition to the page.
// Live crawls and the lab both rate pages by it, so a strategy sees the same
// in both.
type Wish struct {
	// Window is the number of words around a link; 0 for none.
	Window int
	// Anchors asks for ratings of the anchor texts alone.
	Anchors bool
}

// WishOf returns what a strategy wants to be rated.
func WishOf(s dowse.Strategy) Wish {
	t := dowse.TraitsOf(s)
	return Wish{t.Window, t.Anchors}
}

// ErrWindows is returned when strategies of one crawl want different texts
// to be rated.
var ErrWindows = errors.New("the words around a link can be rated in one way only")

// and returns what both want. Windows of different sizes can't be combined,
// because a link has one rating of the words around it.
func (w Wish) and(o Wish) (Wish, error) {
	if w.Window != 0 && o.Window != 0 && w.Window != o.Window {
		return w, fmt.Errorf("crawler: %w: one strategy wants %d words, the other %d; give both the same (words=N)", ErrWindows, w.Window, o.Window)
	}
	return Wish{max(w.Window, o.Window), w.Anchors || o.Anchors}, nil
}

// Rate judges a page and, if wanted, the words around its links and their
// anchors.
func (w Wish) Rate(j dowse.Judge, p *dowse.Page) {
	w.window(&p.Document)
	wj, ok := j.(dowse.WindowJudge)
	if !ok || w.Window == 0 && !w.Anchors {
		p.Verdict = j.Judge(p)
		return
	}
	mentions := mentionsOf(p)
	windows := make([]dowse.Span, 0, 2*len(mentions))
	if w.Window > 0 {
		for _, m := range mentions {
			windows = append(windows, m.Window)
		}
	}
	if w.Anchors {
		for _, m := range mentions {
			windows = append(windows, m.At)
		}
	}
	var scores []float64
	p.Verdict, scores = wj.JudgeWindows(p, windows)
	for i, m := range mentions {
		if w.Window > 0 {
			m.Context = scores[i]
		}
		if w.Anchors {
			m.AnchorScore = scores[len(scores)-len(mentions)+i]
		}
	}
}

// window sets the words around each link, also if no judge rates them: a
// strategy may read them itself.
func (w Wish) window(d *dowse.Document) {
	if w.Window == 0 {
		return
	}
	for _, m := range mentionsIn(d.Links) {
		m.Window = dowse.Window(m.At, len(d.Words), w.Window)
	}
}

func mentionsOf(p *dowse.Page) []*dowse.Mention { return mentionsIn(p.Links) }

// mentionsIn returns pointers to all mentions of the links, in the order in
// which rulings and journals store their ratings: each link's first mention,
// then the others.
func mentionsIn(links []dowse.Link) []*dowse.Mention {
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
