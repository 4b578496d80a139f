package frontier

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"dowse"
)

// A memoryScratch is a Scratch that fails on demand.
type memoryScratch struct {
	b             []byte
	writes, reads int
	full, broken  bool    // writing, and reading, fails
	begun         []int64 // offsets of Ahead
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

func (s *memoryScratch) Ahead(at, n int64) { s.begun = append(s.begun, at) }

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

// The notes that the links of a page will ask for are asked of the file together, before the first of them is
// read: one of each known URL whose note is only there, and none of other URLs.
func TestNotesAhead(t *testing.T) {
	file := &memoryScratch{}
	f := New(Config{NotesMemory: 2 * pageSize, Scratch: func() (Scratch, error) { return file, nil }})
	var known []dowse.URL
	for i := range 500 {
		u := dowse.URL("http://a.example/" + strconv.Itoa(i))
		id, _ := f.See(u, "a.example")
		f.SetNote(id, strings.Repeat(strconv.Itoa(i)+" ", 12))
		known = append(known, u)
	}
	ask := []dowse.URL{known[3], "http://a.example/new", known[499], known[40], "http://b.example/"}
	file.reads = 0
	f.NotesAhead(f.Prints(nil, len(ask), func(i int) dowse.URL { return ask[i] }))
	if file.reads != 0 || len(file.begun) != 2 || file.begun[0] >= file.begun[1] {
		t.Errorf("%d reads, and those begun are %v; want the notes of two URLs", file.reads, file.begun)
	}
	for _, at := range file.begun {
		if !bytes.Contains(file.b[at:at+8], []byte("3 3 ")) && !bytes.Contains(file.b[at:at+8], []byte("40 ")) {
			t.Errorf("%q is not the note of a link", file.b[at:at+8])
		}
	}
}

// The size of a text in the file that is remembered is that of the text which is there now.
func TestSizesOfTexts(t *testing.T) {
	file := &memoryScratch{}
	p := pages{most: 1, open: func() (Scratch, error) { return file, nil }}
	dice := rand.New(rand.NewPCG(3, 4))
	want := map[uint32][]byte{}
	for i := range 20_000 {
		text := make([]byte, 17+dice.IntN(40)*5)
		text[0] = byte(i)
		place, ok := p.add(text)
		if !ok {
			t.Fatal("no place")
		}
		want[place] = text
		for place, text := range want { // some of them, in any order
			if dice.IntN(3) == 0 {
				break
			}
			if got := p.size(place); got != grains(text) {
				t.Fatalf("the text at %d has %d grains, want %d", place, got, grains(text))
			}
			if dice.IntN(2) == 0 {
				p.remove(place)
				delete(want, place)
			}
		}
	}
}
