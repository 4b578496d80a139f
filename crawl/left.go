package crawl

import (
	"maps"
	"slices"
	"time"

	"dowse"
	"dowse/internal/frontier"
	"dowse/internal/wire"
)

// What a crawl remembers of a URL takes memory for as long as it runs, so a crawl with little memory
// must not remember every link that it meets (Config.Ration). A link that is left out gets no
// number, no name and no place in the queue. How much memory there is, and so which links are left
// out, depends on the machine: it is an input. The journal has the links that were kept, and an
// entry with the number of the others (entryLeft). A replay needs no more, and a person can have
// the pages asked again later for the links that were left out.

// leftOut is what the journal shows of links that were left out for want of memory.
type leftOut struct {
	links int // over all pages
	pages set // with such links
	asked set // of them, those that are being asked again
}

func newLeftOut() leftOut { return leftOut{pages: set{}, asked: set{}} }

// note records that links of a page were left out.
func (l *leftOut) note(id frontier.ID, links int) {
	l.links += links
	l.pages[id] = true
}

// begin records that a page is asked again.
func (l *leftOut) begin(id frontier.ID) {
	if l.pages[id] {
		delete(l.pages, id)
		l.asked[id] = true
	}
}

// end records whether a page that was asked again came with its links. If it did not, they are still
// missing.
func (l *leftOut) end(id frontier.ID, came bool) {
	if l.asked[id] && !came {
		l.pages[id] = true
	}
	delete(l.asked, id)
}

func (l *leftOut) write(w *wire.Writer) {
	w.Uint(uint64(l.links))
	l.pages.write(w)
	l.asked.write(w)
}

func (l *leftOut) read(r *partReader) {
	l.links = int(r.Uint())
	l.pages.read(r)
	l.asked.read(r)
}

func (l *leftOut) check(urls frontier.ID, hosts frontier.HostID) error {
	if l.links < 0 {
		return wire.ErrDamaged
	}
	if err := l.pages.check(urls, hosts); err != nil {
		return err
	}
	return l.asked.check(urls, hosts)
}

// ration removes links to unknown URLs from a page while memory is scarce, the least promising
// ones first, and records how many. The only link of a redirect stays: there is one per visit, so it
// is no danger.
func (in *intake) ration(now time.Time, id frontier.ID, p *dowse.Page) {
	if in.cfg.Ration == nil || p.Outcome == dowse.Redirected || len(p.Links) == 0 {
		return
	}
	admits := in.cfg.Ration(len(p.Links))
	if admits == nil {
		return
	}
	var kept []dowse.Link // a clone of all links would take memory until the page is committed
	for _, l := range p.Links {
		if _, known := in.f.Find(l.URL); known || admits(promise(p, &l)) {
			kept = append(kept, l)
		}
	}
	left := len(p.Links) - len(kept)
	if p.Links = kept; left > 0 {
		in.f.left.note(id, left)
		in.rec.record(&Entry{Kind: entryLeft, At: now, ID: id, Queue: left})
	}
}

// promise estimates how likely a link leads to the topic, from 0 to 1, before it has a number by
// which the strategy could rate it: the mean of the relevance of its page and that of the words
// around it. Links of lists have neither.
func promise(p *dowse.Page, l *dowse.Link) float64 {
	relevance := p.Verdict.Relevance
	if relevance != relevance {
		relevance = 0
	}
	return (relevance + l.BestContext()) / 2
}

// owe has the pages asked again whose links were left out, in the order in which they were first
// seen, and returns how many there are. They are asked in this run, whatever is planned. A page
// that can't be asked stays marked.
func (p *picker) owe() int {
	p.again.owed = slices.Sorted(maps.Keys(p.f.left.pages))
	return len(p.again.owed)
}

// lookOwed bounds how many pages are looked at for one that can be asked now.
const lookOwed = 1024

// nextOwed returns the first page that is owed and can be asked now. Otherwise it lowers when to the
// time at which one can be.
func (k *pick) nextOwed(when *time.Time) (frontier.ID, bool) {
	for _, id := range k.again.owed[:min(lookOwed, len(k.again.owed))] {
		if k.mayCheck(id, when) {
			return id, true
		}
	}
	return frontier.None, false
}

// pay takes a page out of those that are owed.
func (r *revisits) pay(id frontier.ID) {
	if i := slices.Index(r.owed, id); i >= 0 {
		r.owed = slices.Delete(r.owed, i, i+1)
	}
}
