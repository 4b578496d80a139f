package crawler

import (
	"testing"
	"time"

	"dowse/crawl"
	"dowse/internal/durable"
	"dowse/settings"
)

// TestMeter passes a crawl to a meter second by second: its rates are those of the last 30 s,
// and the processors or the disk limit it if they are busy, whatever else would.
func TestMeter(t *testing.T) {
	for _, c := range []struct {
		name    string
		pages   func(second int) int // fetched until then
		cpu     float64              // processors that are busy
		queued  float64              // threads that wait for one
		commits float64              // share of the time
		rate    float64
		by      string
	}{
		{"steady", func(s int) int { return 4 * s }, 0.5, 0.2, 0.1, 4, "politeness"},
		{"stopped a minute ago", func(s int) int { return 4 * min(s, 60) }, 0, 0, 0, 0, "politeness"},
		{"quicker now", func(s int) int { return max(0, s-90) * 8 }, 0, 0, 0, 8, "politeness"},
		{"busy", func(s int) int { return s }, 1.95, 0, 0.1, 1, "CPU"},
		{"busy, so that commits wait", func(s int) int { return s }, 1.95, 0, 0.8, 1, "CPU"},
		{"other programs have the processors", func(s int) int { return s }, 0.4, 1.5, 0.1, 1, "CPU"},
		{"other programs have a processor", func(s int) int { return s }, 0.4, 0.8, 0.1, 1, "politeness"},
		{"slow disk", func(s int) int { return s }, 0.2, 0, 0.8, 1, "disk"},
	} {
		used, queued := time.Duration(0), time.Duration(0)
		m := &meter{cpu: func() time.Duration { return used }, queued: func() time.Duration { return queued }, processors: 2}
		var st crawl.Status
		for s := range 121 {
			st = crawl.Status{Fetched: c.pages(s), Bytes: int64(1000 * c.pages(s)), LimitedBy: "politeness"}
			m.measure(time.Unix(int64(s), 0), &st)
			if pause := m.pause(time.Unix(int64(s), 0)); (pause == time.Second) != (s < 10) {
				t.Errorf("%s: after %d s the next pulse comes in %v", c.name, s, pause)
			}
			used += time.Duration(c.cpu * float64(time.Second))
			queued += time.Duration(c.queued * float64(time.Second))
			m.committed(time.Duration(c.commits * float64(time.Second)))
		}
		if st.Rate != c.rate || st.BytesRate != 1000*c.rate || st.LimitedBy != c.by {
			t.Errorf("%s: %.2f pages/s, %.0f bytes/s, limited by %s; want %.2f, %s", c.name, st.Rate, st.BytesRate, st.LimitedBy, c.rate, c.by)
		}
		if m.polite != 120*time.Second || m.commits.n.Load() != 121 {
			t.Errorf("%s: waited %v, %d commits; want 2m0s, 121", c.name, m.polite, m.commits.n.Load())
		}
		if len(m.samples) > 32 {
			t.Errorf("%s: %d samples are kept", c.name, len(m.samples))
		}
	}
}

// TestFloor gives the floor of a disk: the one that was given, or 2 GB, and less on a small
// disk and for few pages.
func TestFloor(t *testing.T) {
	defer func(usual int64) { durable.UsualFloor = usual }(durable.UsualFloor)
	durable.UsualFloor = 2e9
	for _, c := range []struct {
		floor, size int64
		pages       int
		want        int64
	}{
		{0, 1e12, 0, 2e9}, {0, 5e9, 0, 5e8}, {3e9, 5e9, 0, 3e9}, {3e9, 5e9, 10, 3e9}, {-1, 1e12, 10, 0},
		{0, 1e12, 100, 1e8}, {0, 1e12, 800, 45e7}, {0, 1e12, 3900, 2e9}, {0, 1e12, 1 << 40, 2e9}, {0, 1e9, 800, 1e8},
	} {
		s := settings.Settings{Machine: settings.Machine{DiskFloor: c.floor}, Limits: settings.Limits{Pages: c.pages}}
		if got := floorOf(s, c.size); got != c.want {
			t.Errorf("floor %d on a disk of %d for %d pages: %d, want %d", c.floor, c.size, c.pages, got, c.want)
		}
	}
}

// TestViewsAreDue asks when views are written: after a minute, after 1,000 pages and five seconds, or after 4,000 pages, if there
// are new ones, and so rarely that it takes no more than a twentieth of the time.
func TestViewsAreDue(t *testing.T) {
	at := func(s int) time.Time { return time.Unix(int64(s), 0) }
	for _, c := range []struct {
		name    string
		took    time.Duration
		pages   int // since the last time
		seconds int // since then
		want    bool
	}{
		{"a minute", time.Second, 1, 60, true}, {"less", time.Second, 999, 59, false}, {"many pages", time.Second, 1000, 30, true},
		{"a fast crawl", time.Millisecond, 3999, 4, false}, {"its next pages", time.Millisecond, 4000, 4, true}, {"five seconds", time.Millisecond, 1000, 5, true},
		{"no page", time.Second, 0, 600, false}, {"costly", 10 * time.Second, 5000, 150, false}, {"costly, later", 10 * time.Second, 5000, 200, true},
	} {
		v := viewClock{last: at(1), pages: 7, took: c.took}
		if got := v.due(at(1+c.seconds), 7+c.pages); got != c.want {
			t.Errorf("%s: due is %v, want %v", c.name, got, c.want)
		}
	}
}
