package crawl_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/internal/frontier"
	"dowse/strategy/strategytest"
)

// arena is a log that keeps strings in memory, so that they outlive a crawl.
type arena struct{ *frontier.Arena }

func (arena) Record(*crawl.Entry) uint64    { return 0 }
func (arena) RobotsAt(uint64) *dowse.Robots { return nil }

// halfway crawls for a while, with visits out at the end, and returns a snapshot.
func halfway(t testing.TB) (crawl.Config, *crawl.Crawl, []byte) {
	t.Helper()
	cfg := crawl.Config{
		Strategy: follow(queueAll), Robots: true, Templates: true, Log: arena{frontier.NewArena()},
		Polite: crawl.Politeness{Delay: 20 * time.Millisecond, Conns: 2},
		Scope:  crawl.Scope{Reach: crawl.ReachDomain},
	}
	web, seeds := strategytest.Random(100, 4)
	for i := range 7 {
		seeds = append(seeds, dowse.URL("http://h"+string(rune('0'+i))+".test/"))
	}
	c := begin(t, cfg, seeds...)
	(&driver{c: c, now: epoch}).launchAndLand(withRobots{web}, 6, 60)
	var b bytes.Buffer
	if err := saveTo(c, &b, 4711); err != nil {
		t.Fatal(err)
	}
	return cfg, c, b.Bytes()
}

// Visits that were out when a snapshot was taken wait again, and their hosts are
// free.
func TestRestoreWithVisitsOut(t *testing.T) {
	cfg, c, data := halfway(t)
	if c.Books().InFlight < 2 {
		t.Fatalf("only %d visits are out", c.Books().InFlight)
	}
	twin, from, err := crawl.Restore(cfg, bytes.NewReader(data))
	if err != nil || from != 4711 {
		t.Fatalf("restored from %d: %v", from, err)
	}
	web, _ := strategytest.Random(100, 4)
	twin.Resume(crawl.Limits{})
	(&driver{c: twin, now: epoch.Add(time.Hour)}).run(withRobots{web}, 6)
	if b := twin.Books(); b.InFlight+b.Queued != 0 || !b.Balanced() || twin.Stopped() != dowse.StopExhausted {
		t.Errorf("books %+v, stopped: %s", b, twin.Stopped())
	}
	if twin.Status().Fetched <= c.Status().Fetched {
		t.Errorf("%d pages, and %d before", twin.Status().Fetched, c.Status().Fetched)
	}
}

func TestSnapshotTwiceIsTheSame(t *testing.T) {
	cfg, _, data := halfway(t)
	c, _, err := crawl.Restore(cfg, bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := saveTo(c, &b, 4711); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Bytes(), data) {
		t.Error("a snapshot of what was restored differs")
	}
}

func TestDamagedSnapshotsAreRefused(t *testing.T) {
	cfg, _, data := halfway(t)
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		bad := bytes.Clone(data)
		at := rng.IntN(len(bad))
		bad[at] ^= byte(1 + rng.IntN(255))
		if _, _, err := crawl.Restore(cfg, bytes.NewReader(bad)); err == nil {
			t.Errorf("a flipped byte at %d of %d went unnoticed", at, len(bad))
		}
	}
	for range 100 {
		if _, _, err := crawl.Restore(cfg, bytes.NewReader(data[:rng.IntN(len(data))])); err == nil {
			t.Error("a snapshot cut short was taken")
		}
	}
}

func TestSnapshotInARoundIsRefused(t *testing.T) {
	cfg := hurried(follow(queueAll))
	cfg.Round = 2
	c := begin(t, cfg, "a", "b")
	c.Next(epoch)
	if err := saveTo(c, &bytes.Buffer{}, 0); err == nil || !c.MidRound() {
		t.Errorf("error %v, in a round: %v", err, c.MidRound())
	}
}

func FuzzRestore(f *testing.F) {
	cfg, _, data := halfway(f)
	f.Add(data)
	f.Add(data[:len(data)/2])
	size := binary.LittleEndian.Uint64(data)
	f.Fuzz(func(t *testing.T, b []byte) {
		crawl.Restore(cfg, bytes.NewReader(b))
		if uint64(len(b)) > size+8 { // past the checksum
			crawl.Restore(cfg, bytes.NewReader(crawl.Reseal(b)))
		}
	})
}

// saveTo writes the state that a crawl has now.
func saveTo(c *crawl.Crawl, out io.Writer, end uint64) error {
	write, err := c.Snapshot(end)
	if err != nil {
		return err
	}
	return write(out)
}
