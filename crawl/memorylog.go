package crawl

import (
	"dowse"
	"dowse/frontier"
)

// memoryLog keeps the strings of URLs and the robots.txt of hosts, and no entries:
// enough for a crawl that is not resumed.
type memoryLog struct {
	*frontier.Arena
	robots []*dowse.Robots
}

func newMemoryLog() *memoryLog { return &memoryLog{Arena: frontier.NewArena()} }

func (m *memoryLog) Record(e *Entry) uint64 {
	if e.Kind != EntryRobots {
		return 0
	}
	m.robots = append(m.robots, e.Robots)
	return uint64(len(m.robots) - 1)
}

func (m *memoryLog) RobotsAt(place uint64) *dowse.Robots { return m.robots[place] }
