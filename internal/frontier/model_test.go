package frontier

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"dowse"
)

// A model is a frontier without any cleverness: plain records, sorted or searched
// from end to end for each answer. Its answers are those that a Frontier must give.
type model struct {
	conns    int
	revisits bool
	urls     []*modelURL
	hosts    []*modelHost
	lanes    map[string]time.Time // ready
	dropped  map[string]bool
	alias    map[ID]ID
	regret   float64
}

type modelURL struct {
	url      dowse.URL
	host     int
	state    dowse.State
	priority float64
	known    bool
	band     int8
	note     string
	group    string
	visit    *Visit
	depth    [2]uint8
	reason   uint8
}

type modelHost struct {
	name  string
	lane  string
	ready time.Time
	busy  int
	late  bool
}

func newModel(cfg Config) *model {
	return &model{
		conns:    max(1, cfg.HostConns),
		revisits: cfg.Revisits,
		lanes:    map[string]time.Time{},
		dropped:  map[string]bool{},
		alias:    map[ID]ID{},
	}
}

func (m *model) see(u dowse.URL, host string) (ID, bool) {
	if i := slices.IndexFunc(m.urls, func(k *modelURL) bool { return k.url == u }); i >= 0 {
		return ID(i), false
	}
	h := slices.IndexFunc(m.hosts, func(k *modelHost) bool { return k.name == host })
	if h < 0 {
		h = len(m.hosts)
		m.hosts = append(m.hosts, &modelHost{name: host})
	}
	m.urls = append(m.urls, &modelURL{url: u, host: h})
	return ID(len(m.urls) - 1), true
}

func (m *model) setPriority(id ID, p float64, how dowse.Merge) {
	u := m.urls[id]
	u.priority = how.Merged(u.priority, u.known, p)
	u.known = true
}

func (m *model) groupOf(u *modelURL) string {
	if u.group != "" {
		return u.group
	}
	return m.hosts[u.host].name
}

func (m *model) setGroup(id ID, group string) {
	u := m.urls[id]
	u.group = group
	if u.state == dowse.Waiting && m.dropped[m.groupOf(u)] {
		u.state = dowse.Excluded
	}
}

func (m *model) queue(id ID) {
	if u := m.urls[id]; !m.dropped[m.groupOf(u)] {
		u.state = dowse.Waiting
	}
}

func (m *model) drop(group string) (ids []ID) {
	m.dropped[group] = true
	for i, u := range m.urls {
		if u.state == dowse.Waiting && m.groupOf(u) == group {
			u.state = dowse.Excluded
			ids = append(ids, ID(i))
		}
	}
	return ids
}

func (m *model) raise(by, cap float64, visited bool) {
	for _, u := range m.urls {
		if u.state == dowse.Waiting || visited && u.state == dowse.Visited {
			switch {
			case cap == 0 || by < 0:
				u.priority += by
			case u.priority < cap:
				u.priority = min(u.priority+by, cap)
			}
		}
	}
}

// ranked returns the waiting URLs that pass, in order.
func (m *model) ranked(pass func(*modelURL) bool) (ids []ID) {
	for i, u := range m.urls {
		if u.state == dowse.Waiting && pass(u) {
			ids = append(ids, ID(i))
		}
	}
	slices.SortFunc(ids, func(a, b ID) int {
		x, y := m.urls[a], m.urls[b]
		return cmp.Or(cmp.Compare(x.band, y.band), cmp.Compare(y.priority, x.priority), cmp.Compare(a, b))
	})
	return ids
}

func (m *model) laneBusy(lane string) (busy bool) {
	for _, h := range m.hosts {
		busy = busy || h.lane == lane && h.busy > 0
	}
	return busy
}

// free returns the time from which a host may be visited; false for not before a
// visit ends.
func (m *model) free(h *modelHost) (time.Time, bool) {
	if h.busy >= m.conns || h.lane != "" && m.laneBusy(h.lane) {
		return time.Time{}, false
	}
	if h.lane == "" {
		return h.ready, true
	}
	return later(h.ready, m.lanes[h.lane]), true
}

func (m *model) rested(h *modelHost, now time.Time) bool {
	at, ok := m.free(h)
	return ok && !at.After(now)
}

// behind reports whether a host is late and shares a lane with one that is rested and
// is not: that one comes first.
func (m *model) behind(h *modelHost, now time.Time) (behind bool) {
	for _, u := range m.urls {
		o := m.hosts[u.host]
		behind = behind || h.late && h.lane != "" && o.lane == h.lane && !o.late && u.state == dowse.Waiting && m.rested(o, now)
	}
	return behind
}

// next takes the best lead of the hosts that are late, or of those that are not.
func (m *model) next(now time.Time, late bool) (ID, bool) {
	rested := m.ranked(func(u *modelURL) bool {
		h := m.hosts[u.host]
		return h.late == late && m.rested(h, now) && !m.behind(h, now)
	})
	if len(rested) == 0 {
		return None, false
	}
	taken := m.urls[rested[0]]
	best := m.urls[m.top(1)[0]]
	m.regret = 0
	if best.band == taken.band {
		m.regret = best.priority - taken.priority
	}
	taken.state = dowse.Flying
	m.hosts[taken.host].busy++
	return rested[0], true
}

// wake returns when a waiting URL could be visited that can't be now, if no visit ends.
func (m *model) wake(now time.Time) (when time.Time, ok bool) {
	for _, u := range m.urls {
		at, free := m.free(m.hosts[u.host])
		if at.After(now) && u.state == dowse.Waiting && free && (!ok || at.Before(when)) {
			when, ok = at, true
		}
	}
	return when, ok
}

func (m *model) top(n int) []ID {
	ids := m.ranked(func(*modelURL) bool { return true })
	return ids[:min(max(n, 0), len(ids))]
}

func (m *model) bestVisited() (ID, bool) {
	best, high := None, 0.0
	for i, u := range m.urls {
		if m.revisits && u.state == dowse.Visited && u.priority > high {
			best, high = ID(i), u.priority
		}
	}
	return best, best != None
}

func (m *model) release(h int, ready, laneReady time.Time) {
	ho := m.hosts[h]
	ho.ready = later(ho.ready, ready)
	ho.busy = max(0, ho.busy-1)
	if ho.lane != "" {
		m.lanes[ho.lane] = later(m.lanes[ho.lane], laneReady)
	}
}

func (m *model) aliasOf(id ID) (ID, bool) {
	end, ok := m.alias[id]
	for hop := 0; ok; hop++ {
		if hop > aliasChain {
			return None, false
		}
		next, more := m.alias[end]
		if !more {
			return end, true
		}
		end = next
	}
	return None, false
}

// differs returns the first thing on which frontier and model do not agree.
func (m *model) differs(f *Frontier) error {
	if err := m.urlsDiffer(f); err != nil {
		return err
	}
	if err := m.hostsDiffer(f); err != nil {
		return err
	}
	if got, want := f.Top(math.MaxInt), m.top(math.MaxInt); !slices.Equal(got, want) {
		return fmt.Errorf("Top = %v, want %v", got, want)
	}
	best, ok := f.Peek()
	if want := append(m.top(1), None)[0]; best != want || ok != (want != None) {
		return fmt.Errorf("Peek = %v %v, want %v", best, ok, want)
	}
	best, ok = f.BestVisited()
	if want, has := m.bestVisited(); best != want || ok != has {
		return fmt.Errorf("BestVisited = %v %v, want %v %v", best, ok, want, has)
	}
	if f.LastRegret() != m.regret {
		return fmt.Errorf("LastRegret = %v, want %v", f.LastRegret(), m.regret)
	}
	return nil
}

func (m *model) urlsDiffer(f *Frontier) error {
	var counts [states]int
	for i, u := range m.urls {
		id := ID(i)
		counts[u.state]++
		got := modelURL{
			url: f.URL(id), host: int(f.Host(id)), state: f.State(id), priority: f.Priority(id), known: f.Known(id),
			band: f.Band(id), note: f.Note(id), group: f.Group(id), reason: f.Reason(id),
		}
		got.depth[0], got.depth[1] = f.Depth(id)
		want := *u
		want.visit, want.group = nil, m.groupOf(u)
		if got != want {
			return fmt.Errorf("URL %d is %+v, want %+v", i, got, want)
		}
		if v, ok := f.Visit(id); ok != (u.visit != nil) || ok && v != *u.visit {
			return fmt.Errorf("Visit(%d) = %v %v, want %v", i, v, ok, u.visit)
		}
		if found, ok := f.Find(u.url); !ok || found != id {
			return fmt.Errorf("Find(%s) = %v %v, want %v", u.url, found, ok, id)
		}
		end, ok := f.Alias(id)
		if want, has := m.aliasOf(id); end != want || ok != has {
			return fmt.Errorf("Alias(%d) = %v %v, want %v %v", i, end, ok, want, has)
		}
	}
	for s, n := range counts {
		if got := f.Count(dowse.State(s)); got != n {
			return fmt.Errorf("Count(%v) = %d, want %d", dowse.State(s), got, n)
		}
	}
	if f.Len() != len(m.urls) {
		return fmt.Errorf("Len = %d, want %d", f.Len(), len(m.urls))
	}
	return nil
}

func (m *model) hostsDiffer(f *Frontier) error {
	waiting := make([]int, len(m.hosts))
	for _, u := range m.urls {
		if u.state == dowse.Waiting {
			waiting[u.host]++
		}
	}
	for i, want := range m.hosts {
		h := HostID(i)
		got := modelHost{name: f.HostName(h), ready: f.Ready(h), busy: f.Busy(h), lane: want.lane, late: f.Late(h)}
		if got != *want || f.WaitingOn(h) != waiting[i] {
			return fmt.Errorf("host %d is %+v with %d waiting, want %+v with %d", i, got, f.WaitingOn(h), *want, waiting[i])
		}
		if found, ok := f.HostOf(want.name); !ok || found != h {
			return fmt.Errorf("HostOf(%s) = %v %v, want %v", want.name, found, ok, h)
		}
	}
	if f.Hosts() != len(m.hosts) {
		return fmt.Errorf("Hosts = %d, want %d", f.Hosts(), len(m.hosts))
	}
	return nil
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
