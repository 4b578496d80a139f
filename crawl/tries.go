package crawl

import (
	"maps"

	"dowse"
	"dowse/internal/frontier"
)

// tries counts the failed visits to URLs that wait again.
type tries struct {
	failed map[frontier.ID]uint8 // tries that count against the URL, and excuses
	cut    map[frontier.ID]int64 // bytes after which a page broke off; not kept in snapshots
	broke  map[frontier.ID]uint8 // visits that failed, see noteBreak

	recovered bool // a URL that broke was answered later, see hosts.noteOutcome; not kept in snapshots
}

// newTries returns tries in which no URL has failed.
func newTries() tries {
	return tries{failed: map[frontier.ID]uint8{}, cut: map[frontier.ID]int64{}, broke: map[frontier.ID]uint8{}}
}

// tries.failed holds two numbers for a URL. The low four bits count failed tries. The high
// four bits count how often those were taken back because they happened in an outage. That
// has an end, too: a few URLs that break the connection on several hosts look like an outage
// each time that they are tried.
const (
	maxTries   = 15
	excuse     = maxTries + 1 // one of the high bits' units
	maxExcuses = 8
)

// count returns the failed tries that count against a URL.
func (t *tries) count(id frontier.ID) int { return int(t.failed[id] & maxTries) }

// forget makes a URL count as one that never failed.
func (t *tries) forget(id frontier.ID) {
	delete(t.failed, id)
	delete(t.cut, id)
	delete(t.broke, id)
}

// forgiveAll takes back the failed tries of all URLs, and their excuses: a new run begins.
// The URLs that failed come after all others of their hosts in that run. Otherwise a few of
// them that rank first would begin each run, and could end it, too.
func (t *tries) forgiveAll() {
	clear(t.failed)
	for id := range t.broke {
		t.broke[id] = stepBackAfter
	}
}

// forgive takes back the failed tries of the URLs for which it was so, and counts an excuse
// for each.
func (t *tries) forgive(is func(frontier.ID) bool) {
	for id, n := range t.failed {
		if is(id) && n/excuse < maxExcuses {
			t.failed[id] = (n/excuse + 1) * excuse
		}
	}
	maps.DeleteFunc(t.broke, func(id frontier.ID, _ uint8) bool { return is(id) })
}

// takeBack takes back up to most of the tries of one URL, which counts as an excuse. It
// reports false if the URL had too many of these.
func (t *tries) takeBack(id frontier.ID, most uint8) bool {
	n := t.failed[id]
	if n/excuse >= maxExcuses {
		return false
	}
	if n > 0 {
		t.failed[id] = n + excuse - min(n&maxTries, most)
	}
	return true
}

// noteCut remembers where a page broke off that waits again.
func (t *tries) noteCut(id frontier.ID, p *dowse.Page) {
	delete(t.cut, id)
	if brokeOff(p) && p.Fetch.Bytes > 0 {
		t.cut[id] = p.Fetch.Bytes
	}
}

// noteBreak counts a failed visit to a URL that waits again. Unlike a try, it counts
// whichever of URL and host is to blame. It orders the leads of a host and decides nothing
// else.
func (t *tries) noteBreak(id frontier.ID) {
	if t.broke[id] < stepBackAfter {
		t.broke[id]++
	}
}
