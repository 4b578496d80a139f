package crawl

import (
	"math/rand/v2"
	"time"

	"dowse"
	"dowse/internal/frontier"
)

const (
	holdFor   = 3   // delays that a better lead is waited for at most, see Politeness.Hold
	holdAmong = 8   // of the best hosts that are looked at
	rankTries = 256 // URLs that are drawn to find the rank of a lead
)

// preferTime is the Politeness.Prefer of a crawl that never waits for better leads.
const preferTime = "time"

// rankKey keeps the sample of rank apart from other things that are drawn.
const rankKey = 0x72616e6b

// holds reports whether to wait for a better lead than id, and until when; the zero time
// means until a visit comes back. A lead is visited if it is among the best share
// Politeness.Hold of those that wait, or if no better one can be visited soon.
//
// The rank of a lead, unlike its priority, means the same for every strategy: how far down
// in its order a crawl reaches just because the hosts of what is above are resting.
func (k *pick) holds(id frontier.ID) (until time.Time, ok bool) {
	polite := &k.cfg.Polite
	if polite.Prefer == preferTime || polite.Hold <= 0 || k.f.LastRegret() <= 0 || k.f.Late(k.f.Host(id)) {
		return time.Time{}, false
	}
	if until, ok = k.betterSoon(id); !ok || k.rank(id) <= polite.Hold {
		return time.Time{}, false
	}
	return until, true
}

// betterSoon reports whether a better lead than id waits for a host that is being visited,
// or that will be rested within a few delays, and when it will be. The zero time means when
// a visit comes back.
func (k *pick) betterSoon(id frontier.ID) (at time.Time, ok bool) {
	patience := k.now.Add(holdFor * k.cfg.Polite.Delay)
	for _, best := range k.f.Leaders(holdAmong) {
		if k.f.Band(best) != k.f.Band(id) || !k.isBetter(best, id) {
			return time.Time{}, false
		}
		h := k.f.Host(best)
		if k.f.Late(h) {
			continue // it would be waited for in vain
		}
		switch ready := k.f.Ready(h); {
		case k.f.Busy(h) > 0:
			if at, lasts := k.slowAt(h); !lasts {
				return at, true
			}
		case ready.After(k.now) && !ready.After(patience):
			return ready, true
		}
	}
	return time.Time{}, false
}

// slowAt returns when the visits that are under way to a host last for so long that the host is not waited for, and whether
// they do already; the zero time for never.
func (k *pick) slowAt(h frontier.HostID) (at time.Time, lasts bool) {
	if k.slow == 0 {
		return time.Time{}, false
	}
	since := k.flights.since(h)
	if since.IsZero() {
		return time.Time{}, false
	}
	at = since.Add(k.slow)
	return at, !at.After(k.now)
}

// rank returns the share of the waiting leads that are better than id, by a sample of
// them. The sample depends on the key of the crawl and on how many visits were made, so
// that a crawl that is resumed draws the same.
func (k *pick) rank(id frontier.ID) float64 {
	dice := rand.New(rand.NewPCG(k.cfg.Key^rankKey, uint64(k.stats.Picks)))
	better, drawn := 0, 0
	for range rankTries {
		other := frontier.ID(dice.IntN(k.f.Len()))
		if k.f.State(other) != dowse.Waiting {
			continue
		}
		drawn++
		if k.isBetter(other, id) {
			better++
		}
	}
	return float64(better) / float64(max(drawn, 1))
}

// isBetter reports whether a lead ranks above another for a reason, not by first sighting.
func (k *pick) isBetter(a, b frontier.ID) bool {
	x, y := k.f.Band(a), k.f.Band(b)
	return x < y || x == y && k.f.Priority(a) > k.f.Priority(b)
}

// A wait is how long a crawl has kept connections free for better leads, in this run. It is
// no part of the state: a replay does not wait.
type wait struct {
	since time.Time // when the crawl began to wait; zero if it does not
	first time.Time // when the first lead of the run was looked for
	total time.Duration
}

// note takes note of whether the crawl waits at now.
func (w *wait) note(now time.Time, waits bool) {
	if w.first.IsZero() {
		w.first = now
	}
	if !w.since.IsZero() {
		w.total += max(0, now.Sub(w.since))
	}
	w.since = time.Time{}
	if waits {
		w.since = now
	}
}

// share returns the share of the run's time, up to now, at which the crawl waited.
func (w *wait) share(now time.Time) float64 {
	ran := now.Sub(w.first)
	if w.first.IsZero() || ran <= 0 {
		return 0
	}
	return min(1, w.total.Seconds()/ran.Seconds())
}
