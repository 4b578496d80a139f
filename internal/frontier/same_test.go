package frontier

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"dowse"

	"pgregory.net/rapid"
)

// TestSameAsModel lets a frontier and its model do the same things, in any order,
// and compares all that can be seen of them after each.
func TestSameAsModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newPair(Config{
			Names:     NewArena(),
			Key:       rapid.Uint64().Draw(t, "key"),
			Revisits:  rapid.Bool().Draw(t, "revisits"),
			HostConns: rapid.IntRange(0, 2).Draw(t, "conns"),

			NotesMemory: 1, // one page
			Scratch:     func() (Scratch, error) { return &memoryScratch{}, nil },
		})
		for range 3 { // one repeat is thirty actions, too few for deep heaps
			t.Repeat(p.actions())
		}
	})
}

// A pair is a frontier and its model, and the time that both get.
type pair struct {
	cfg Config
	f   *Frontier
	m   *model
	now time.Time

	frozen *Frozen
	was    []byte // the snapshot when it was frozen
}

func newPair(cfg Config) *pair {
	return &pair{cfg: cfg, f: New(cfg), m: newModel(cfg), now: time.Unix(1e9, 0).UTC()}
}

func (p *pair) actions() map[string]func(*rapid.T) {
	return map[string]func(*rapid.T){
		"":            p.compare,
		"see":         p.see,
		"see more":    p.see,
		"offer":       p.offer,
		"offer more":  p.offer,
		"offer again": p.offer,
		"band":        p.band,
		"settle":      p.settle,
		"take":        p.take,
		"next":        p.next,
		"next more":   p.next,
		"release":     p.release,
		"begin":       p.begin,
		"rest":        p.rest,
		"lane":        p.lane,
		"late":        p.late,
		"next late":   p.nextLate,
		"shift":       p.shift,
		"rest all":    p.restAll,
		"vacate all":  p.vacateAll,
		"raise":       p.raise,
		"group":       p.group,
		"drop":        p.drop,
		"remember":    p.remember,
		"alias":       p.alias,
		"wait":        p.wait,
		"reload":      p.reload,
		"freeze":      p.freeze,
		"write":       p.write,
	}
}

func (p *pair) compare(t *rapid.T) {
	if err := p.m.differs(p.f); err != nil {
		t.Fatal(err)
	}
	if err := p.f.sound(); err != nil {
		t.Fatal(err)
	}
}

// id draws a known URL.
func (p *pair) id(t *rapid.T) ID {
	if len(p.m.urls) == 0 {
		t.Skip("nothing known")
	}
	return ID(rapid.IntRange(0, len(p.m.urls)-1).Draw(t, "id"))
}

func (p *pair) host(t *rapid.T) int {
	if len(p.m.hosts) == 0 {
		t.Skip("no host")
	}
	return rapid.IntRange(0, len(p.m.hosts)-1).Draw(t, "host")
}

// amount draws a number that adds up without rounding, so that the order of
// adding can't be seen.
func amount(t *rapid.T) float64 { return float64(rapid.IntRange(-4, 32).Draw(t, "amount")) / 8 }

func (p *pair) soon(t *rapid.T) time.Time {
	return p.now.Add(time.Duration(rapid.IntRange(-1, 4).Draw(t, "seconds")) * time.Second)
}

func (p *pair) see(t *rapid.T) {
	host := rapid.SampledFrom([]string{"", "a", "b", "c", "d", "e"}).Draw(t, "name")
	u := dowse.URL(fmt.Sprintf("http://%s/%d", host, rapid.IntRange(0, 5).Draw(t, "page")))
	id, fresh := p.f.See(u, host)
	if want, first := p.m.see(u, host); id != want || fresh != first {
		t.Fatalf("See(%s) = %v %v, want %v %v", u, id, fresh, want, first)
	}
}

func (p *pair) offer(t *rapid.T) {
	id := p.id(t)
	if rapid.Bool().Draw(t, "rated") {
		how := rapid.SampledFrom([]dowse.Merge{dowse.Replace, dowse.Max, dowse.Add}).Draw(t, "merge")
		a := amount(t)
		p.f.SetPriority(id, a, how)
		p.m.setPriority(id, a, how)
	}
	p.f.Queue(id)
	p.m.queue(id)
}

func (p *pair) band(t *rapid.T) {
	id, band := p.id(t), int8(rapid.IntRange(-1, 1).Draw(t, "band"))
	p.f.SetBand(id, band)
	p.m.urls[id].band = band
}

func (p *pair) settle(t *rapid.T) {
	id := p.id(t)
	s := rapid.SampledFrom([]dowse.State{dowse.Held, dowse.Visited, dowse.Visited, dowse.Dead, dowse.Aliased, dowse.Excluded}).Draw(t, "state")
	p.f.Settle(id, s)
	p.m.urls[id].state = s
}

func (p *pair) take(t *rapid.T) {
	id := p.id(t)
	p.f.Take(id)
	p.m.urls[id].state = dowse.Flying
}

func (p *pair) next(t *rapid.T) { p.took(t, p.f.Next, false) }

func (p *pair) nextLate(t *rapid.T) { p.took(t, p.f.NextLate, true) }

func (p *pair) took(t *rapid.T, next func(time.Time) (ID, time.Time, bool), late bool) {
	id, when, ok := next(p.now)
	if want, has := p.m.next(p.now, late); id != want || ok != has {
		t.Fatalf("Next(%v) = %v %v, want %v %v", p.now, id, ok, want, has)
	}
	wake, wakes := p.m.wake(p.now)
	switch {
	case ok && !when.IsZero():
		t.Fatalf("Next gave a lead and also a time, %v", when)
	case ok:
	case !when.IsZero() && !when.After(p.now):
		t.Fatalf("Next = none before %v, at %v", when, p.now)
	case wakes && (when.IsZero() || when.After(wake)):
		t.Fatalf("Next = none before %v, but there is one at %v", when, wake)
	}
}

func (p *pair) release(t *rapid.T) {
	h, ready, laneReady := p.host(t), p.soon(t), p.soon(t)
	p.f.Release(HostID(h), ready, laneReady)
	p.m.release(h, ready, laneReady)
}

func (p *pair) begin(t *rapid.T) {
	h := p.host(t)
	p.f.Begin(HostID(h))
	p.m.hosts[h].busy++
}

func (p *pair) rest(t *rapid.T) {
	h, until := p.host(t), p.soon(t)
	p.f.Rest(HostID(h), until)
	p.m.hosts[h].ready = later(p.m.hosts[h].ready, until)
}

func (p *pair) late(t *rapid.T) {
	h, late := p.host(t), rapid.Bool().Draw(t, "late")
	p.f.SetLate(HostID(h), late)
	p.m.hosts[h].late = late
	only := true
	for _, u := range p.m.urls {
		only = only && (u.state != dowse.Waiting || p.m.hosts[u.host].late)
	}
	if got := p.f.OnlyLate(); got != only || p.f.Late(HostID(h)) != late {
		t.Fatalf("OnlyLate() = %v, want %v", got, only)
	}
}

// shift sets the clock back: all rests are as long as they were.
func (p *pair) shift(t *rapid.T) {
	back := -time.Duration(rapid.IntRange(1, 1000).Draw(t, "hours")) * time.Hour
	p.f.Shift(back)
	p.now = p.now.Add(back)
	for _, h := range p.m.hosts {
		if !h.ready.IsZero() {
			h.ready = h.ready.Add(back)
		}
	}
	for name, ready := range p.m.lanes {
		if !ready.IsZero() {
			p.m.lanes[name] = ready.Add(back)
		}
	}
}

func (p *pair) restAll(t *rapid.T) {
	host, lanes := p.soon(t), p.soon(t)
	p.f.RestAll(func(h HostID) time.Time { return host.Add(time.Duration(h) * time.Second) }, lanes)
	for i, h := range p.m.hosts {
		h.ready = later(h.ready, host.Add(time.Duration(i)*time.Second))
	}
	for i := range uint32(p.f.lanes.n) {
		name := p.f.lanes.at(i).name
		p.m.lanes[name] = later(p.m.lanes[name], lanes)
	}
}

func (p *pair) vacateAll(*rapid.T) {
	p.f.VacateAll()
	for _, h := range p.m.hosts {
		h.busy = 0
	}
}

func (p *pair) lane(t *rapid.T) {
	h, name := p.host(t), rapid.SampledFrom([]string{"", "1.1.1.1", "2.2.2.2"}).Draw(t, "lane")
	p.f.Lane(HostID(h), name)
	p.m.hosts[h].lane = name
}

func (p *pair) raise(t *rapid.T) {
	cap := rapid.SampledFrom([]float64{0, 2, 2, 2, 3, -1}).Draw(t, "cap")
	by, visited := amount(t), rapid.Bool().Draw(t, "visited")
	p.f.Raise(by, cap, visited)
	p.m.raise(by, cap, visited)
}

func (p *pair) group(t *rapid.T) {
	id, group := p.id(t), rapid.SampledFrom([]string{"", "a", "b", "x", "y"}).Draw(t, "group")
	p.f.SetGroup(id, group)
	p.m.setGroup(id, group)
}

func (p *pair) drop(t *rapid.T) {
	group := rapid.SampledFrom([]string{"a", "x", "y", "unknown"}).Draw(t, "group")
	if rapid.IntRange(0, 3).Draw(t, "rarely") > 0 {
		t.Skip("not now")
	}
	got, want := p.f.Drop(group), p.m.drop(group)
	if fmt.Sprint(got) != fmt.Sprint(want) || !p.f.Dropped(group) {
		t.Fatalf("Drop(%s) = %v, want %v", group, got, want)
	}
}

func (p *pair) remember(t *rapid.T) {
	id := p.id(t)
	u := p.m.urls[id]
	u.note = rapid.SampledFrom([]string{"", "one", "two", "three"}).Draw(t, "note")
	if rapid.Bool().Draw(t, "long") {
		u.note = strings.Repeat("long "+u.note, rapid.SampledFrom([]int{4, 12, 300, 500, 1000}).Draw(t, "times"))
	}
	u.reason = rapid.Uint8().Draw(t, "reason")
	u.depth = [2]uint8{rapid.Uint8().Draw(t, "depth"), rapid.Uint8().Draw(t, "hops")}
	p.f.SetNote(id, u.note)
	p.f.SetReason(id, u.reason)
	p.f.SetDepth(id, u.depth[0], u.depth[1])
	if rapid.Bool().Draw(t, "visit") {
		u.visit = &Visit{Relevance: amount(t), OnTopic: rapid.Bool().Draw(t, "on topic"), Place: rapid.Uint64().Draw(t, "place")}
		p.f.SetVisit(id, *u.visit)
	}
}

func (p *pair) alias(t *rapid.T) {
	id, target := p.id(t), p.id(t)
	p.f.SetAlias(id, target)
	p.m.alias[id] = target
}

// wait lets time pass, now and then backwards.
func (p *pair) wait(t *rapid.T) {
	p.now = p.now.Add(time.Duration(rapid.IntRange(-2, 6).Draw(t, "halves")) * time.Second / 2)
}

// reload continues with the frontier that a snapshot restores.
func (p *pair) reload(t *rapid.T) {
	var first, second bytes.Buffer
	if err := p.f.Snapshot(&first); err != nil {
		t.Fatal(err)
	}
	again, err := Load(bytes.NewReader(first.Bytes()), p.cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Snapshot(&second); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Fatal("the snapshot of a loaded frontier is not the snapshot it was loaded from")
	}
	p.f, p.frozen = again, nil
	for h, ho := range p.m.hosts {
		again.SetLate(HostID(h), ho.late)
	}
}

// freeze freezes the frontier, to be written after other actions.
func (p *pair) freeze(t *rapid.T) {
	var b bytes.Buffer
	if err := p.f.Snapshot(&b); err != nil {
		t.Fatal(err)
	}
	p.frozen, p.was = p.f.Freeze(), b.Bytes()
}

// write writes the frontier that was frozen, which is to be the one of then.
func (p *pair) write(t *rapid.T) {
	if p.frozen == nil {
		t.Skip("not frozen")
	}
	var b bytes.Buffer
	if err := p.frozen.Write(&b); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), p.was) {
		t.Fatal("a frozen frontier that was written later is not what it was")
	}
	p.frozen = nil
}

// sound checks what the heaps rely on.
func (f *Frontier) sound() error {
	for i := range uint32(f.entries.n) {
		e := f.entries.at(i)
		t := f.offsetOf(e.state)
		rises := t != nil && t.cap != 0 && !e.is(capped)
		switch at := f.risingAt.at(i); {
		case e.is(capped) && (t == nil || t.cap == 0):
			return fmt.Errorf("%d is moored without a cap", i)
		case rises != (at != 0), rises && t.rising[at-1] != i:
			return fmt.Errorf("%d has place %d among the rising", i, at)
		case rises && e.key+t.offset >= t.cap:
			return fmt.Errorf("%d rises above the cap", i)
		}
	}
	for h := range HostID(f.hosts.n) {
		ho := f.host(h)
		if ho.heap != f.heapFor(ho) {
			return fmt.Errorf("host %d is in heap %d, want %d", h, ho.heap, f.heapFor(ho))
		}
		if err := ordered(byLead{f}, ho.leads, f.atOf); err != nil {
			return fmt.Errorf("leads of host %d: %w", h, err)
		}
	}
	for l := range uint32(f.lanes.n) {
		if err := ordered(byHeap{f, laneHeap}, f.lanes.at(l).rested, f.placeOf); err != nil {
			return fmt.Errorf("lane %d: %w", l, err)
		}
	}
	p := &f.polite
	inAll := func(x hostOrLane) uint32 { return f.hosts.at(uint32(x)).inAll }
	return errors.Join(
		ordered(byVisited{f}, f.visited, f.atOf),
		ordered(byBestLead{f}, p.all, inAll),
		ordered(byHeap{f, restedHeap}, p.rested, f.placeOf),
		ordered(byHeap{f, restingHeap}, p.resting, f.placeOf),
	)
}

func (f *Frontier) atOf(id uint32) uint32 { return f.at(ID(id)) }

func (f *Frontier) placeOf(x hostOrLane) uint32 {
	_, at := f.heapPlace(x)
	return *at
}

// ordered checks a heap: none before its parent, each where it is said to be.
func ordered[T any, O order[T]](o O, h []T, at func(T) uint32) error {
	for i, x := range h {
		if int(at(x)) != i {
			return fmt.Errorf("%v is at %d, said to be at %d", x, i, at(x))
		}
		if i > 0 && o.before(x, h[(i-1)/fan]) {
			return fmt.Errorf("%v is below %v", x, h[(i-1)/fan])
		}
	}
	return nil
}
