package linkclass

import (
	"cmp"
	"slices"
	"strings"

	"dowse"
	"dowse/internal/linktext"
	"dowse/strategy/internal/lead"
)

// training is the phase before there is a model: links of the seed pages are visited,
// and all pages that arrive are kept. When enough outcomes are known, the kept pages
// are followed as if they arrived then.
type training struct {
	Over     bool
	Outcomes []bag
	Pages    []keptPage
	Links    int // of the pages
}

// keptPage and keptLink are what is needed of a page to follow it later. They are saved
// with the strategy; their fields are a file format.
type keptPage struct {
	URL       dowse.URL
	Note      string
	Outcome   dowse.Outcome
	Relevance float64
	Links     []keptLink
}

type keptLink struct {
	URL     dowse.URL
	Anchors []string
	Score   float64 // the judge's, of the best anchor
	Note    string  // of a seed
	Asked   bool    // it waits to be learnt from
}

// maxKeptLinks limits the memory of the training, which ends when there are more.
const maxKeptLinks = 50_000

// train keeps a page, and requests the links of a seed page.
func (b *LinkBayes) train(p *dowse.Page) (leads []dowse.Lead) {
	t := &b.state.Training
	if p.Again {
		return nil
	}
	known := standingOf(p.Lead.Note)
	asks := known.is(isSeed) && p.Outcome == dowse.Fetched
	switch {
	case lead.Redirects(p):
		leads = b.links.redirected(p)
	case asks:
		leads = b.ask(p)
	}
	t.keep(p, asks || lead.Redirects(p) && known.is(teaches))
	if len(t.Outcomes) >= cmp.Or(b.Train, 64) || t.Links > maxKeptLinks {
		leads = append(leads, b.endTraining()...)
	}
	return leads
}

// ask queues the links of a seed page to train with. The i-th link of each page has the
// same priority, so that seed pages take turns, and the order of a page's links jumps over
// the page, so that a menu at its top is not all that is learnt from.
func (b *LinkBayes) ask(p *dowse.Page) (leads []dowse.Lead) {
	because := []dowse.Because{{What: "a link of a seed, to learn from"}}
	n := len(p.Links)
	step := stride(n)
	for turn := range n {
		l := &p.Links[turn*step%n]
		known := standingOf(l.Target.Note)
		if lead.Settled(l) || known.flags != 0 {
			continue
		}
		known.teach(l.Anchor)
		leads = append(leads, dowse.Lead{
			URL: l.URL, Band: lessonBand, Priority: 1 / float64(turn+1), Merge: dowse.Max, Note: known.note(), Because: because,
		})
	}
	return leads
}

// stride returns a step that is coprime to n, near 5n/8: going by it modulo n visits each
// of n places once, far from the one before.
func stride(n int) int {
	for s := n * 5 / 8; s > 1; s-- {
		if coprime(s, n) {
			return s
		}
	}
	return 1
}

func coprime(a, b int) bool {
	for b != 0 {
		a, b = b, a%b
	}
	return a == 1
}

// keep keeps a page that is to be followed when there is a model. Asked is set if its links
// were queued to train with, and have to be taken back then.
func (t *training) keep(p *dowse.Page, asked bool) {
	if p.Outcome != dowse.Fetched && p.Outcome != dowse.Listed && !lead.Redirects(p) {
		return
	}
	k := keptPage{p.URL, p.Lead.Note, p.Outcome, p.Verdict.Relevance, make([]keptLink, 0, len(p.Links))}
	for i := range p.Links {
		if l := &p.Links[i]; !lead.Settled(l) {
			k.Links = append(k.Links, keptLinkOf(l, asked))
		}
	}
	t.Pages = append(t.Pages, k)
	t.Links += len(k.Links)
}

// keptLinkOf returns what is kept of a link. Strings are cloned, so that they do not keep
// the whole page in memory.
func keptLinkOf(l *dowse.Link, asked bool) keptLink {
	k := keptLink{URL: l.URL, Asked: asked, Score: max(l.AnchorScore, 0)}
	k.Anchors = append(k.Anchors, strings.Clone(linktext.Cut(l.Anchor, linktext.MaxBytes)))
	for i := range l.More {
		k.Score = max(k.Score, l.More[i].AnchorScore)
		k.Anchors = append(k.Anchors, strings.Clone(linktext.Cut(l.More[i].Anchor, linktext.MaxBytes)))
	}
	if known := standingOf(l.Target.Note); known.is(isSeed) {
		k.Note, k.Asked = l.Target.Note, false
	}
	return k
}

// endTraining ends the training: it makes the model, and returns the leads of all kept pages,
// without those to pages visited meanwhile.
func (b *LinkBayes) endTraining() (leads []dowse.Lead) {
	t := &b.state.Training
	b.learn(balanced(t.Outcomes))
	pages := t.Pages
	*t = training{Over: true}
	r := rehearsal{known: map[dowse.URL]dowse.Lead{}, visited: map[dowse.URL]bool{}}
	for i := range pages {
		leads = append(leads, r.released(&pages[i])...)
		list := b.links.follow(r.page(&pages[i]), b.admit)
		r.record(list)
		leads = append(leads, list...)
	}
	return slices.DeleteFunc(leads, func(l dowse.Lead) bool { return r.visited[l.URL] })
}

// A rehearsal follows kept pages at the end of the training. It knows of URLs what the
// crawl would know if the pages had been followed when they arrived.
type rehearsal struct {
	known   map[dowse.URL]dowse.Lead
	visited map[dowse.URL]bool
}

// released takes the links of a page out of the queue that were queued to train with. Those
// worth following are queued again when the page is followed.
func (r *rehearsal) released(p *keptPage) (leads []dowse.Lead) {
	note := (&standing{level: -1}).note()
	because := []dowse.Because{{What: "enough was learnt"}}
	for i := range p.Links {
		l := &p.Links[i]
		if _, ok := r.known[l.URL]; ok || !l.Asked {
			continue
		}
		lead := dowse.Lead{Kind: dowse.Hold, URL: l.URL, Band: scoredBand, Merge: dowse.Replace, Note: note, Because: because}
		r.known[l.URL] = lead
		leads = append(leads, lead)
	}
	return leads
}

// record merges leads into what is known, leads as a crawl would.
func (r *rehearsal) record(list []dowse.Lead) {
	for _, l := range list {
		old, ok := r.known[l.URL]
		if ok && old.Kind == l.Kind && (old.Band < l.Band || old.Band == l.Band && old.Priority > l.Priority) {
			l.Band, l.Priority = old.Band, old.Priority
		}
		r.known[l.URL] = l
	}
}

// page returns a kept page as it would come in now.
func (r *rehearsal) page(k *keptPage) *dowse.Page {
	p := &dowse.Page{URL: k.URL, Outcome: k.Outcome, Verdict: dowse.Verdict{Relevance: k.Relevance}}
	p.Lead.Note = k.Note
	if l, ok := r.known[k.URL]; ok {
		p.Lead = l
	}
	r.visited[k.URL] = true
	for i := range k.Links {
		p.Links = append(p.Links, r.link(&k.Links[i]))
	}
	return p
}

func (r *rehearsal) link(k *keptLink) dowse.Link {
	l := dowse.Link{URL: k.URL, Target: dowse.Target{Note: k.Note}}
	l.Anchor, l.AnchorScore = k.Anchors[0], k.Score
	for _, a := range k.Anchors[1:] {
		l.More = append(l.More, dowse.Mention{Anchor: a})
	}
	lead, ok := r.known[k.URL]
	l.Target.Note = cmp.Or(lead.Note, k.Note)
	switch {
	case r.visited[k.URL]:
		l.Target.State = dowse.Visited
	case ok && lead.Kind == dowse.Hold:
		l.Target.State = dowse.Held
	case ok || k.Note != "":
		l.Target.State = dowse.Waiting
	}
	return l
}
