package crawl

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"dowse"
	"dowse/internal/frontier"
	"dowse/internal/ledger"
)

// What Requeue accepts besides reasons and hosts.
const (
	RequeueFailed    = "failed"    // every URL that failed
	requeueUnreached = "unreached" // what waits for hosts that do not answer
)

// Requeue lets URLs wait again that failed or were left out: those that failed
// (RequeueFailed), those that failed or were left out for a reason, or those of a host
// that failed, whose port may be left out if no other host has its name. The hosts that they are on are asked as if they had never failed, and
// robots.txt that could not be read is asked for again. It returns how many URLs there
// are; for requeueUnreached, how many waited; for the reason memory, how many pages are asked again for
// links that were left out. What was taken down stays so. The error is
// ErrRequeue if what is none of these.
func (c *Crawl) Requeue(now time.Time, what string) (int, error) {
	if what == requeueUnreached {
		n := 0
		if u := c.Unreached(); u != nil {
			n = u.URLs
		}
		if c.hosts.anyFailed() {
			c.in.requeueOrphans()
			c.tick(now)
			c.forgive(now, time.Time{})
		}
		return n, nil
	}
	if what == string(dowse.SkipMemory) {
		return c.picker.owe(), nil
	}
	host, isHost := c.f.hostNamed(what)
	if what != RequeueFailed && !isHost && ledger.ReasonCode(dowse.Reason(what)) == 0 {
		return 0, fmt.Errorf("%q: %w", what, ErrRequeue)
	}
	n := c.requeue(now, what, func(id frontier.ID) bool {
		dead := c.f.State(id) == dowse.Dead
		switch {
		case what == RequeueFailed:
			return dead
		case isHost && c.f.Host(id) == host:
			return dead
		}
		return c.f.reason(id) == dowse.Reason(what)
	})
	return n, nil
}

// grantSuffix ends the text of an entry for which URLs that failed, or were left out as those
// of a trap, are let past the trap rules once, because a person asked for them. Journals of
// earlier versions have entries without it, whose URLs were checked again.
const grantSuffix = ", let past the trap rules once"

// isTrap reports whether a URL was left out because it looks like one of endlessly many.
func isTrap(why dowse.Reason) bool {
	return why == dowse.SkipTrapPattern || why == dowse.SkipTrapFarm
}

// ErrRequeue is returned for what is neither a host of the crawl, a reason, nor one of
// the words that Requeue accepts.
var ErrRequeue = errors.New("no such host or reason")

// RequeueSeeds lets seeds wait again that failed or were left out. It is for a crawl
// that has fetched nothing: the seeds are all there is.
func (c *Crawl) RequeueSeeds(now time.Time, seeds []dowse.URL) int {
	is := map[frontier.ID]bool{}
	for _, u := range seeds {
		if id, ok := c.f.Find(u); ok {
			is[id] = true
		}
	}
	return c.requeue(now, "seeds", func(id frontier.ID) bool { return is[id] })
}

// requeue lets all URLs wait again that are wanted and may. The text of the entry records
// whether some of them are let past the trap rules.
func (c *Crawl) requeue(now time.Time, what string, wanted func(frontier.ID) bool) int {
	c.in.requeueOrphans()
	c.tick(now)
	var list []frontier.ID
	for id := range frontier.ID(c.f.Len()) {
		if c.f.mayRequeue(id) && wanted(id) {
			list = append(list, id)
		}
	}
	if len(list) == 0 {
		return 0
	}
	grant := what != reopenedText && slices.ContainsFunc(list, c.f.isGrantable)
	if grant {
		what += grantSuffix
	}
	c.in.requeue(list, grant)
	c.chances.forget(list)
	c.rec.record(&Entry{Kind: EntryRequeue, At: now, Text: what, Round: list})
	return len(list)
}

// reopenedText marks the journal entries of URLs that their pattern no longer keeps out.
const reopenedText = "pattern open again"

// maxReopened is the number of times in a run that all known URLs are searched for those that
// may be visited after all.
const maxReopened = 16

// searchesReopened reports whether the known URLs may be searched for those that isReopened
// selects, and counts the search.
func (in *intake) searchesReopened() bool {
	in.reopened++
	return !in.rounds.isOpen() && in.reopened <= maxReopened
}

// isReopened reports whether a URL was left out because the budget of its pattern was used up,
// and may be visited after all. The visits that paid for more had not ended when it was left out.
func (in *intake) isReopened(id frontier.ID) bool {
	if in.f.State(id) != dowse.Excluded || in.f.reason(id) != dowse.SkipTrapPattern {
		return false
	}
	u := in.f.URL(id)
	depth, hops := in.f.Depth(id)
	return in.gate.Reopened(u) && in.refuses(u, id, int(depth), int(hops)) == ""
}
