package crawl

import (
	"dowse"
	"dowse/internal/frontier"
)

// memoryLog keeps the strings of URLs and no entries: enough for a crawl that is
// not resumed, which holds the rules of its hosts itself.
type memoryLog struct{ *frontier.Arena }

func newMemoryLog() memoryLog { return memoryLog{frontier.NewArena()} }

func (memoryLog) Record(*Entry) uint64 { return 0 }

func (memoryLog) RobotsAt(uint64) *dowse.Robots { return nil }
