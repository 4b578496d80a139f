package frontier

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"dowse"
)

// TestBestFirst crawls random webs in virtual time and checks at each pick that no
// host was visited before its time and that no better lead could have been taken.
func TestBestFirst(t *testing.T) {
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			newCrawl(t, rand.New(rand.NewPCG(seed, 1))).run(1000)
		})
	}
}

// A crawl keeps its own record of politeness, to compare with the frontier's.
type crawl struct {
	t     *testing.T
	dice  *rand.Rand
	f     *Frontier
	conns int
	now   time.Time
	ready map[string]time.Time // by host and by lane
	busy  map[string]int
	lane  []string
	out   []ID
	picks int
	idle  int
}

func newCrawl(t *testing.T, dice *rand.Rand) *crawl {
	conns := 1 + dice.IntN(2)
	return &crawl{
		t: t, dice: dice, conns: conns, now: epoch,
		f:     New(Config{Key: dice.Uint64(), HostConns: conns}),
		ready: map[string]time.Time{}, busy: map[string]int{},
	}
}

func (c *crawl) run(steps int) {
	for range steps {
		for range c.dice.IntN(6) {
			c.discover()
		}
		c.pick()
		if len(c.out) > 0 && c.dice.IntN(3) > 0 {
			c.land()
		}
		c.now = c.now.Add(time.Duration(c.dice.IntN(300)) * time.Millisecond)
	}
	if c.picks < steps/3 || c.idle == 0 {
		c.t.Errorf("the web is too easy or too hard: %d picks, %d times idle", c.picks, c.idle)
	}
}

func (c *crawl) discover() {
	host := fmt.Sprintf("h%d", int(40*c.dice.Float64()*c.dice.Float64()))
	id, fresh := c.f.See(dowse.URL(fmt.Sprintf("http://%s/%d", host, c.dice.IntN(400))), host)
	for len(c.lane) < c.f.Hosts() {
		lane := [...]string{"", "", "x", "y"}[c.dice.IntN(4)]
		c.f.Lane(HostID(len(c.lane)), lane)
		c.lane = append(c.lane, lane)
	}
	c.f.SetPriority(id, c.dice.Float64(), dowse.Max)
	if fresh {
		c.f.SetBand(id, int8(c.dice.IntN(2)))
		c.f.Queue(id)
	}
}

func (c *crawl) pick() {
	want := c.best()
	id, when, ok := c.f.Next(c.now)
	if id != want || ok != (want != None) {
		c.t.Fatalf("after %d picks Next took %v, best was %v", c.picks, id, want)
	}
	if !ok {
		c.idle++
		if when.After(c.now) && c.dice.IntN(2) > 0 {
			c.now = when
		}
		return
	}
	c.picks++
	c.count(id, 1)
	c.out = append(c.out, id)
}

// best looks at every URL there is.
func (c *crawl) best() ID {
	best := None
	for id := range ID(c.f.Len()) {
		if c.f.State(id) == dowse.Waiting && c.mayVisit(c.f.Host(id)) && (best == None || c.before(id, best)) {
			best = id
		}
	}
	return best
}

func (c *crawl) before(a, b ID) bool {
	f := c.f
	if f.Band(a) != f.Band(b) {
		return f.Band(a) < f.Band(b)
	}
	return f.Priority(a) > f.Priority(b) || f.Priority(a) == f.Priority(b) && a < b
}

func (c *crawl) mayVisit(h HostID) bool {
	host, lane := c.f.HostName(h), c.lane[h]
	free := c.busy[host] < c.conns && !c.ready[host].After(c.now)
	return free && (lane == "" || c.busy[lane] == 0 && !c.ready[lane].After(c.now))
}

func (c *crawl) count(id ID, by int) {
	h := c.f.Host(id)
	c.busy[c.f.HostName(h)] += by
	if lane := c.lane[h]; lane != "" {
		c.busy[lane] += by
	}
}

// land ends a visit: mostly well, now and then with a long rest or another try.
func (c *crawl) land() {
	i := c.dice.IntN(len(c.out))
	id := c.out[i]
	c.out = append(c.out[:i], c.out[i+1:]...)
	c.f.Settle(id, dowse.Visited)
	if c.dice.IntN(10) == 0 {
		c.f.Queue(id)
	}
	h := c.f.Host(id)
	ready := c.now.Add(time.Duration(c.dice.IntN(4000)) * time.Millisecond)
	laneReady := c.now.Add(time.Duration(c.dice.IntN(1000)) * time.Millisecond)
	c.f.Release(h, ready, laneReady)
	c.count(id, -1)
	name, lane := c.f.HostName(h), c.lane[h]
	c.ready[name] = later(c.ready[name], ready)
	if lane != "" {
		c.ready[lane] = later(c.ready[lane], laneReady)
	}
}

// TestMonotonicClock mixes times as time.Now gives them with plain ones.
func TestMonotonicClock(t *testing.T) {
	f := New(Config{})
	id, _ := f.See("http://a/", "a")
	f.Queue(id)
	now := time.Now()
	f.Rest(f.Host(id), now.Add(time.Second))
	_, when, ok := f.Next(now)
	if ok || !when.Equal(now.Add(time.Second)) {
		t.Fatalf("Next = %v %v, want a rest of a second", when.Sub(now), ok)
	}
	if _, _, ok := f.Next(when); !ok {
		t.Error("not rested at the time that Next returned")
	}
}

// TestReleaseWithoutBegin does not count below zero.
func TestReleaseWithoutBegin(t *testing.T) {
	f := New(Config{})
	a, _ := f.See("http://a/", "a")
	b, _ := f.See("http://b/", "b")
	f.Lane(f.Host(a), "lane")
	f.Lane(f.Host(b), "lane")
	f.Queue(b)
	f.Release(f.Host(a), epoch, epoch)
	if id, _, ok := f.Next(epoch); !ok || id != b || f.Busy(f.Host(a)) != 0 {
		t.Errorf("Next = %v %v with %d busy, want %v", id, ok, f.Busy(f.Host(a)), b)
	}
}
