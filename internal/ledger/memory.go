package ledger

import (
	"dowse"
	"dowse/internal/frontier"
)

// Memory keeps the strings of URLs and no entries: enough for a crawl that is not resumed,
// which holds the rules of its hosts itself.
type Memory struct{ *frontier.Arena }

// NewMemory returns an empty Memory.
func NewMemory() Memory { return Memory{frontier.NewArena()} }

// Record keeps nothing.
func (Memory) Record(*Entry) uint64 { return 0 }

// RobotsAt returns nil: the crawl holds the rules itself.
func (Memory) RobotsAt(uint64) *dowse.Robots { return nil }
