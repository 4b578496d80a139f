package frontier

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strconv"
	"testing"

	"dowse"
)

// A memoryScratch is a Scratch that fails on demand.
type memoryScratch struct {
	b             []byte
	writes, reads int
	full, broken  bool // writing, and reading, fails
}

var errScratch = errors.New("scratch")

func (s *memoryScratch) WriteAt(p []byte, at int64) (int, error) {
	if s.full {
		return 0, errScratch
	}
	s.writes++
	if need := int(at) + len(p); need > len(s.b) {
		s.b = append(s.b, make([]byte, need-len(s.b))...)
	}
	return copy(s.b[at:], p), nil
}

func (s *memoryScratch) ReadAt(p []byte, at int64) (int, error) {
	if s.broken {
		return 0, errScratch
	}
	s.reads++
	return copy(p, s.b[at:]), nil
}

// Texts come back as they were, whatever their sizes, and whether their pages are in memory or
// in the file; no more pages are in memory than allowed, and freed room is used again. While the file
// can't be written, pages stay in memory.
func TestPages(t *testing.T) {
	file := &memoryScratch{}
	p := pages{most: 3, open: func() (Scratch, error) { return file, nil }}
	dice := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		b := make([]byte, 17+dice.IntN(130))
		for i := range b {
			b[i] = byte(dice.Uint32())
		}
		return string(b)
	}
	want := map[uint32]string{}
	var places []uint32
	check := func(place uint32) {
		t.Helper()
		if got := p.text(place); got != want[place] {
			t.Fatalf("place %d has %q, want %q", place, got, want[place])
		}
	}
	for range 500 {
		place, ok := p.add([]byte(text()))
		if !ok {
			t.Fatal("no place")
		}
		want[place], places = p.text(place), append(places, place)
	}
	size := p.end
	for i := range 20_000 {
		file.full = i > 15_000 && i < 16_000
		at := dice.IntN(len(places))
		old, next := places[at], text()
		check(old)
		if !p.replace(old, []byte(next)) {
			p.remove(old)
			delete(want, old)
			places[at], _ = p.add([]byte(next))
		}
		want[places[at]] = next
		check(places[at])
		if i == 15_000 && len(p.ring) > p.most {
			t.Fatalf("%d pages in memory, want at most %d", len(p.ring), p.most)
		}
	}
	for _, place := range places {
		check(place)
	}
	if file.reads == 0 || file.writes == 0 {
		t.Errorf("the file was read %d times and written %d times", file.reads, file.writes)
	}
	if p.end > 3*size {
		t.Errorf("%d grains for texts that took %d at first: freed room is not used again", p.end, size)
	}
}

// A text that could not be read is empty, and nothing panics on it.
func TestPagesLost(t *testing.T) {
	file := &memoryScratch{}
	p := pages{most: 1, open: func() (Scratch, error) { return file, nil }}
	first, _ := p.add([]byte("the first text of all"))
	for range 200 {
		p.add([]byte("a text that takes room, and more of it"))
	}
	file.broken = true
	if got := p.text(first); got != "" {
		t.Errorf("a lost text is %q", got)
	}
	p.remove(first)
	if _, ok := p.add([]byte("the next text")); !ok {
		t.Error("no place for another text")
	}
}

// Long notes survive a snapshot, also equal ones, and one that is longer than a page.
func TestLongNotesInSnapshot(t *testing.T) {
	f := New(Config{Names: NewArena()})
	long := string(bytes.Repeat([]byte("0123456789"), 500))
	notes := []string{"short", "a note of more than 16 bytes", "", "a note of more than 16 bytes", "short", long, long[:4094]}
	for i, note := range notes {
		id, _ := f.See(dowse.URL("http://a.test/"+strconv.Itoa(i)), "a.test")
		f.SetNote(id, note)
	}
	var b bytes.Buffer
	if err := f.Snapshot(&b); err != nil {
		t.Fatal(err)
	}
	again, err := Load(bytes.NewReader(b.Bytes()), Config{Names: f.names})
	if err != nil {
		t.Fatal(err)
	}
	for i, note := range notes {
		if got := again.Note(ID(i)); got != note {
			t.Errorf("note %d is %q, want %q", i, got, note)
		}
	}
}
