package crawler

import "dowse"

// A Wish is what a strategy wants the judge to rate beside the page itself. Live
// crawls and the lab rate pages by it, so that a strategy sees the same in both.
type Wish struct {
	Window  int  // words around a link; 0 for none
	Anchors bool // anchors alone, too
}

// WishOf returns what a strategy wants to be rated.
func WishOf(s dowse.Strategy) (w Wish) {
	if x, ok := s.(dowse.Windower); ok {
		w.Window = x.Window()
	}
	if x, ok := s.(dowse.Anchorer); ok {
		w.Anchors = x.Anchors()
	}
	return w
}

// Rate lets the judge read a page, the words around its links and, if wanted, their
// anchors.
func (w Wish) Rate(j dowse.Judge, p *dowse.Page) {
	wj, ok := j.(dowse.WindowJudge)
	if !ok || w.Window == 0 {
		p.Verdict = j.Judge(p)
		return
	}
	mentions := mentionsOf(p)
	windows := make([]dowse.Span, len(mentions), 2*len(mentions))
	for i, m := range mentions {
		m.Window = dowse.Window(m.At, len(p.Words), w.Window)
		windows[i] = m.Window
	}
	if w.Anchors {
		for _, m := range mentions {
			windows = append(windows, m.At)
		}
	}
	var scores []float64
	p.Verdict, scores = wj.JudgeWindows(p, windows)
	for i, m := range mentions {
		m.Context = scores[i]
		if w.Anchors {
			m.AnchorScore = scores[len(mentions)+i]
		}
	}
}

func mentionsOf(p *dowse.Page) []*dowse.Mention {
	list := make([]*dowse.Mention, 0, len(p.Links)+8)
	for i := range p.Links {
		l := &p.Links[i]
		list = append(list, &l.Mention)
		for k := range l.More {
			list = append(list, &l.More[k])
		}
	}
	return list
}
