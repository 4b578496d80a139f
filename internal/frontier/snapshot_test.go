package frontier

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"testing"
	"testing/iotest"
	"time"

	"dowse"

	"github.com/zeebo/xxh3"
)

// varied returns a frontier with something in every table, and its names.
func varied() (*Frontier, Config) {
	cfg := Config{Key: 3, Revisits: true, Names: NewArena()}
	f := New(cfg)
	for i := range 60 {
		host := fmt.Sprintf("h%d", i%7)
		id, _ := f.See(dowse.URL(fmt.Sprintf("http://%s/%d", host, i)), host)
		f.SetPriority(id, float64(i%11)/8, dowse.Replace)
		f.SetNote(id, []string{"", "one", "two"}[i%3])
		f.SetGroup(id, []string{"", "", "", "g", "dropped"}[i%5])
		f.SetDepth(id, uint8(i), 1)
		if i%4 > 0 {
			f.Queue(id)
		}
	}
	f.Lane(1, "192.0.2.1")
	f.Lane(2, "192.0.2.1")
	f.Raise(0.25, 1, true)
	for range 5 {
		if id, _, ok := f.Next(epoch); ok {
			f.Settle(id, dowse.Visited)
			f.SetVisit(id, Visit{Relevance: 0.5, OnTopic: true, Place: 77})
			f.Release(f.Host(id), epoch.Add(time.Second), epoch)
		}
	}
	f.Next(epoch)
	f.SetAlias(4, 8)
	f.Drop("dropped")
	return f, cfg
}

func snapshotOf(tb testing.TB, f *Frontier) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := f.Snapshot(&b); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// TestGoesOnAlike drains a frontier and its copy side by side.
func TestGoesOnAlike(t *testing.T) {
	f, cfg := varied()
	again, err := Load(iotest.OneByteReader(bytes.NewReader(snapshotOf(t, f))), cfg)
	if err != nil {
		t.Fatal(err)
	}
	picks, step := 0, 0
	for now := epoch; f.Count(dowse.Waiting) > 0 && step < 5000; now = now.Add(100 * time.Millisecond) {
		step++
		a, x, _ := f.Next(now)
		b, y, ok := again.Next(now)
		if a != b || !x.Equal(y) || f.LastRegret() != again.LastRegret() {
			t.Fatalf("pick %d: %v %v, and of the copy %v %v", picks, a, x, b, y)
		}
		for _, f := range []*Frontier{f, again} {
			f.Raise(0.125, 1, true)
			if h := HostID(step % f.Hosts()); f.Busy(h) > 0 {
				f.Release(h, now.Add(time.Second), now)
			}
		}
		if ok {
			picks++
		}
	}
	if picks < 20 || !bytes.Equal(snapshotOf(t, f), snapshotOf(t, again)) {
		t.Errorf("after %d picks the two differ", picks)
	}
}

// TestDamage changes every third byte of a snapshot, and cuts it there.
func TestDamage(t *testing.T) {
	f, cfg := varied()
	good := snapshotOf(t, f)
	for i := 0; i < len(good); i += 3 {
		bad := bytes.Clone(good)
		bad[i] ^= 1 << (i % 8)
		if _, err := Load(bytes.NewReader(bad), cfg); err == nil {
			t.Fatalf("byte %d was changed unseen", i)
		}
		if _, err := Load(bytes.NewReader(good[:i]), cfg); !errors.Is(err, ErrDamaged) {
			t.Fatalf("cut at %d: %v", i, err)
		}
	}
}

func TestRefusal(t *testing.T) {
	f, cfg := varied()
	good := snapshotOf(t, f)
	newer := bytes.Clone(good)
	newer[len(snapshotMark)]++
	flipped := bytes.Clone(good)
	flipped[len(snapshotMark)+4] ^= 1 // in the key
	other := cfg
	other.Key++
	nameless := cfg
	nameless.Names = nil
	broken := errors.New("broken disk")
	for name, test := range map[string]struct {
		r    io.Reader
		cfg  Config
		want error
	}{
		"version": {bytes.NewReader(newer), cfg, ErrVersion},
		"no such": {bytes.NewReader([]byte("%PDF-1.7 and so on")), cfg, ErrVersion},
		"key":     {bytes.NewReader(good), other, ErrKey},
		"flipped": {bytes.NewReader(flipped), cfg, ErrDamaged},
		"empty":   {bytes.NewReader(nil), cfg, ErrDamaged},
		"reader":  {io.MultiReader(bytes.NewReader(good[:99]), iotest.ErrReader(broken)), cfg, broken},
	} {
		if _, err := Load(test.r, test.cfg); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
	if _, err := Load(bytes.NewReader(good), nameless); err == nil {
		t.Error("loaded URLs without names for them")
	}
	if err := f.Snapshot(failing{broken}); !errors.Is(err, broken) {
		t.Errorf("Snapshot to a broken disk: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestHugeCounts claims four billion of everything in turn.
func TestHugeCounts(t *testing.T) {
	f, cfg := varied()
	good := snapshotOf(t, f)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	loads := uint64(0)
	for i := 0; i < len(good)-4; i += 3 {
		loads++
		bad := bytes.Clone(good)
		binary.LittleEndian.PutUint32(bad[i:], math.MaxUint32)
		Load(bytes.NewReader(bad), cfg)
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / loads; each > 4<<20 {
		t.Errorf("%d bytes allocated for a snapshot of %d", each, len(good))
	}
}

// FuzzLoad reads any bytes, as they are and with a fitting checksum, and uses what
// comes of them.
func FuzzLoad(f *testing.F) {
	made, cfg := varied()
	good := snapshotOf(f, made)
	f.Add(good[:len(good)-8])
	f.Add(good)
	cfg.Names = NewArena()
	small := New(cfg)
	id, _ := small.See("http://a/", "a")
	small.Queue(id)
	f.Add(snapshotOf(f, small)[:100])
	f.Fuzz(func(t *testing.T, data []byte) {
		Load(bytes.NewReader(data), cfg)
		summed := binary.LittleEndian.AppendUint64(bytes.Clone(data), xxh3.Hash(data))
		loaded, err := Load(bytes.NewReader(summed), cfg)
		if err == nil {
			exercise(t, loaded)
		}
	})
}

// exercise does a little of everything.
func exercise(t *testing.T, f *Frontier) {
	total := 0
	for s := range dowse.State(states) {
		total += f.Count(s)
	}
	if total != f.Len() || len(f.Top(math.MaxInt)) != f.Count(dowse.Waiting) {
		t.Fatalf("the counts add up to %d of %d URLs", total, f.Len())
	}
	for id := range ID(f.Len()) {
		f.URL(id)
		f.Alias(id)
		f.Visit(id)
		f.SetGroup(id, f.Note(id))
	}
	f.Raise(1, 2, true)
	f.Raise(1, 2, false)
	f.BestVisited()
	now := epoch
	for range 3 * f.Len() {
		id, when, ok := f.Next(now)
		if !ok {
			now = when
			continue
		}
		f.Settle(id, dowse.Visited)
		f.Release(f.Host(id), now, now)
	}
	f.Drop("g")
	if err := f.Snapshot(io.Discard); err != nil {
		t.Fatal(err)
	}
}
