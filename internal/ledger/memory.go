package ledger

import (
	"dowse"
	"dowse/internal/frontier"
)

// Memory is a log for a crawl that is never resumed, such as a simulation. It
// stores the strings of URLs and no entries; the crawl itself holds the rules of
// its hosts.
type Memory struct{ *frontier.Arena }

// NewMemory returns an empty Memory.
func NewMemory() Memory { return Memory{frontier.NewArena()} }

// Record stores nothing and returns 0.
func (Memory) Record(*Entry) uint64 { return 0 }

// RobotsAt returns nil: the crawl holds the rules itself.
func (Memory) RobotsAt(uint64) *dowse.Robots { return nil }
