package crawl

import (
	"math/rand/v2"
	"slices"
	"time"

	"dowse"
	"dowse/internal/frontier"
)

// exploreTries bounds the search for a lead by chance: where few of the known URLs
// wait on hosts that are rested, the best lead is taken instead.
const exploreTries = 64

// chance returns the dice for the next pick. They depend on the key of the crawl and
// on how many visits were made, so that a crawl that is taken up throws the same.
func (c *Crawl) chance() *rand.Rand {
	return rand.New(rand.NewPCG(c.cfg.Key, uint64(c.stats.Picks+len(c.flights))))
}

// explores reports whether the pick to come is made by chance.
func (c *Crawl) explores(dice *rand.Rand) bool {
	return c.cfg.Explore > 0 && dice.Float64() < c.cfg.Explore
}

// stray returns a waiting lead by chance, each with the same, that fits.
func (c *Crawl) stray(dice *rand.Rand, fits func(frontier.ID) bool) (frontier.ID, bool) {
	for range exploreTries {
		if c.f.Len() == 0 {
			break
		}
		id := frontier.ID(dice.IntN(c.f.Len()))
		if c.f.State(id) == dowse.Waiting && fits(id) {
			return id, true
		}
	}
	return frontier.None, false
}

// nextLead takes out the best lead among the hosts that are rested or, for the share
// of picks that explore, any of their leads.
func (c *Crawl) nextLead(now time.Time, dice *rand.Rand) (id frontier.ID, stray bool, when time.Time, ok bool) {
	if c.explores(dice) {
		fits := func(id frontier.ID) bool {
			h := c.f.Host(id)
			return c.f.Rested(h, now) && (!c.f.Late(h) || c.lateRoom(true))
		}
		if id, ok = c.stray(dice, fits); ok {
			c.f.Take(id)
			c.f.Begin(c.f.Host(id))
			return id, true, time.Time{}, true
		}
	}
	id, when, ok = c.nextRested(now)
	return id, false, when, ok
}

// strays puts leads by chance into the places of a list, for the share that explores.
func (c *Crawl) strays(list []frontier.ID) []frontier.ID {
	if c.cfg.Explore <= 0 {
		return list
	}
	dice := c.chance()
	for i := range list {
		if !c.explores(dice) {
			continue
		}
		if id, ok := c.stray(dice, func(id frontier.ID) bool { return !slices.Contains(list, id) }); ok {
			list[i] = id
		}
	}
	return list
}
