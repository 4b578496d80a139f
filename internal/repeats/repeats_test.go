package repeats

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dowse"
	"dowse/internal/wire"
)

// pageOf returns a page with lines as its text, and one link per line that begins with an asterisk: its first word.
func pageOf(lines ...string) *dowse.Page {
	p := &dowse.Page{}
	p.Text = strings.Join(lines, "\n")
	p.Words = dowse.Words(p.Text)
	at := 0
	for _, l := range lines {
		n := len(dowse.Words(l))
		if strings.HasPrefix(l, "*") {
			span := dowse.Span{Start: int32(at), End: int32(at + 1)}
			block := dowse.Span{Start: int32(at), End: int32(at + n)}
			p.Links = append(p.Links, dowse.Link{URL: dowse.URL(l), Mention: dowse.Mention{Anchor: p.Word(at), At: span, Block: block}})
		}
		if strings.HasPrefix(l, "#") {
			p.Headings = append(p.Headings, dowse.Heading{Level: 2, Text: l, At: int32(at)})
		}
		at += n
	}
	return p
}

// number writes a number in letters: digits do not make a block another one.
func number(n int) string {
	return strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(n))
}

// learn shows n pages of a host with a menu, a footer and a text of their own.
func learn(x *Hosts, id uint32, from, n int, menu string) {
	for i := from; i < from+n; i++ {
		p := pageOf(menu, "own text "+number(i), "page "+fmt.Sprint(i)+" of the site")
		x.Known(id).Apply(p)
		x.Note(id, p.Blocks)
	}
}

// covered returns the lines of a page that are known to repeat.
func covered(x *Hosts, id uint32, lines ...string) (list []string) {
	p := pageOf(lines...)
	x.Known(id).Apply(p)
	for _, r := range p.Repeated {
		list = append(list, strings.Split(strings.TrimSuffix(p.Text[r.Start:r.End], "\n"), "\n")...)
	}
	return list
}

func TestLearning(t *testing.T) {
	var x Hosts
	learn(&x, 1, 0, 2, "menu")
	if got := covered(&x, 1, "menu", "text"); got != nil {
		t.Errorf("two pages are enough for %q", got)
	}
	learn(&x, 1, 2, 1, "menu")
	if got := covered(&x, 1, "menu", "own text a", "page 999 of the site"); !slices.Equal(got, []string{"menu", "page 999 of the site"}) {
		t.Errorf("after three pages %q repeats", got)
	}
	if got := covered(&x, 2, "menu"); got != nil {
		t.Errorf("another host: %q", got)
	}
}

// A host that changes its menu is learnt again, after as many pages as it has had. Between samples pages bring no
// blocks, which the journal would have to keep.
func TestLaterSamples(t *testing.T) {
	var x Hosts
	learn(&x, 1, 0, SamplePages, "old menu")
	if x.Known(1).Learns {
		t.Error("it still learns after a whole sample")
	}
	learn(&x, 1, 100, SamplePages-1, "new menu")
	if got := covered(&x, 1, "new menu"); got != nil {
		t.Errorf("learnt between samples: %q", got)
	}
	learn(&x, 1, 200, 1, "new menu")
	if !x.Known(1).Learns {
		t.Fatal("no second sample begins")
	}
	learn(&x, 1, 300, MinPages, "new menu")
	if got := covered(&x, 1, "old menu", "new menu"); len(got) != 2 {
		t.Errorf("%q repeats, want both menus", got)
	}
}

// However many hosts and blocks there are, the memory is bounded, and the hosts of which pages came last are kept.
func TestBounds(t *testing.T) {
	x := Hosts{most: 20_000}
	for id := range uint32(2000) {
		learn(&x, id, 0, 3, "menu "+number(int(id)))
		learn(&x, 5, 0, 1, "menu f") // a host that is visited all the time
		if x.held > x.most {
			t.Fatalf("%d hashes are held", x.held)
		}
	}
	if covered(&x, 5, "menu f") == nil || covered(&x, 1999, "menu bjjj") == nil || covered(&x, 9, "menu j") != nil {
		t.Error("the wrong hosts were forgotten")
	}
	held := 0
	for _, h := range x.of {
		held += hostWeight + h.size()
	}
	if held != x.held {
		t.Errorf("%d hashes are counted, there are %d", x.held, held)
	}
	var y Hosts
	for page := range 40 {
		var all []uint32
		for i := range 3000 {
			all = append(all, uint32(page*3000+i))
		}
		if got := distinct(slices.Clone(all)); len(got) > maxBlocks || got[0] != all[0] || got[len(got)-1] != all[2999] {
			t.Fatalf("%d blocks of a page", len(got))
		}
		y.Note(1, all)
	}
	if h := y.of[1]; len(h.hashes) > maxCounted || h.known.Len() > maxSet {
		t.Errorf("%d blocks counted, %d repeat", len(h.hashes), h.known.Len())
	}
}

// What is read from a snapshot goes on as what was written.
func TestSnapshot(t *testing.T) {
	var x Hosts
	for id := range uint32(5) {
		learn(&x, id, 0, int(id)*20+1, "menu")
	}
	bytesOf := func(x *Hosts) []byte {
		var w wire.Writer
		x.Write(&w)
		return w.B
	}
	var y Hosts
	r := &wire.Reader[[]byte]{Rest: bytesOf(&x)}
	y.Read(r)
	if r.Err != nil || len(r.Rest) != 0 || !y.Fits(5) || y.Fits(4) {
		t.Fatalf("%v, %d bytes left, fits %v", r.Err, len(r.Rest), y.Fits(5))
	}
	for id := range uint32(5) {
		learn(&x, id, 900, 30, "other menu")
		learn(&y, id, 900, 30, "other menu")
	}
	if !bytes.Equal(bytesOf(&x), bytesOf(&y)) || x.held != y.held {
		t.Error("they went on in different ways")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 { // damage must not panic
		b := bytesOf(&x)
		for range 3 {
			b[rng.IntN(len(b))] = byte(rng.Uint32())
		}
		var z Hosts
		r := &wire.Reader[[]byte]{Rest: b[:rng.IntN(len(b))]}
		if z.Read(r); r.Err == nil && z.Fits(5) {
			learn(&z, 1, 0, 2, "menu")
		}
	}
}

// TestWithout compares a page without its repeated blocks with the page that was made without them.
func TestWithout(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 500 {
		var all, own []string
		p := &dowse.Page{}
		at := 0
		var runs []dowse.Span
		n := 2 + rng.IntN(8)
		for i := range n {
			line := []string{"", "*link ", "#", "é·"}[rng.IntN(4)] + "word" + strings.Repeat(" more", rng.IntN(4)) + number(rng.IntN(50))
			repeats := rng.IntN(2) == 0
			end := at + len(line)
			if i < n-1 {
				end++
			}
			switch {
			case !repeats:
				own = append(own, line)
			case len(runs) > 0 && int(runs[len(runs)-1].End) == at:
				runs[len(runs)-1].End = int32(end)
			default:
				runs = append(runs, dowse.Span{Start: int32(at), End: int32(end)})
			}
			all = append(all, line)
			at = end
		}
		if len(own) == 0 || len(own) == n {
			continue
		}
		*p = *pageOf(all...)
		p.Repeated = runs
		got, want := Without(p), pageOf(own...)
		if strings.TrimSuffix(got.Text, "\n") != want.Text || !slices.Equal(got.Words, want.Words) || !slices.Equal(got.Headings, want.Headings) {
			t.Fatalf("%q without %v is\n%+v\nwant\n%+v", p.Text, runs, got.Document, want.Document)
		}
		k := 0
		for _, l := range got.Links {
			if l.At.Len() == 0 {
				continue
			}
			if l.At != want.Links[k].At || l.Block != want.Links[k].Block {
				t.Fatalf("a link is at %v, want %v", l.At, want.Links[k].At)
			}
			k++
		}
		if k != len(want.Links) {
			t.Fatalf("%d links have a place, want %d", k, len(want.Links))
		}
	}
}

// TestMarksAndWindows shows which links are marked, and that windows end at repeated blocks.
func TestMarksAndWindows(t *testing.T) {
	p := pageOf("*menu one two", "before it *", "*own three four", "*foot five six")
	p.Repeated = []dowse.Span{{Start: 0, End: 14}, {Start: int32(strings.Index(p.Text, "*foot")), End: int32(len(p.Text))}}
	Mark(p)
	Windows(p, 20)
	for i, want := range []struct {
		marked bool
		window string
	}{{true, ""}, {false, "before it own three four"}, {true, ""}} {
		l := &p.Links[i]
		var words []string
		for w := l.Window.Start; w < l.Window.End; w++ {
			words = append(words, p.Word(int(w)))
		}
		if got := strings.Join(words, " "); l.Repeated != want.marked || got != want.window {
			t.Errorf("link %d: marked %v, window %q; want %v, %q", i, l.Repeated, got, want.marked, want.window)
		}
	}
	Bare(&p.Links[0].Mention)
	Bare(&p.Links[1].Mention)
	if p.Links[0].Anchor != "" || p.Links[1].Anchor != "own" {
		t.Errorf("anchors %q and %q", p.Links[0].Anchor, p.Links[1].Anchor)
	}
}

// Runs that a text does not have are ignored: the page may have been taken down or be read by another version.
func TestStrangeRuns(t *testing.T) {
	for _, runs := range [][]dowse.Span{{{Start: -5, End: 3}}, {{Start: 3, End: 1}}, {{Start: 0, End: 1000}}, {{Start: 5, End: 9}, {Start: 0, End: 2}}} {
		p := pageOf("*menu one two", "#own text")
		p.Repeated = runs
		Mark(p)
		Windows(p, 5)
		if q := Without(p); len(q.Words) == 0 || len(q.Words) > len(p.Words) {
			t.Errorf("%v: %d words are left", runs, len(q.Words))
		}
		empty := &dowse.Page{Repeated: runs}
		Mark(empty)
		Windows(empty, 5)
		Without(empty)
	}
}

func BenchmarkApply(b *testing.B) {
	var lines []string
	for i := range 120 {
		lines = append(lines, strings.Repeat("some words of a line ", 1+i%8)+number(i))
	}
	p := pageOf(lines...)
	var x Hosts
	for range 5 {
		x.Known(1).Apply(p)
		x.Note(1, p.Blocks[:40])
	}
	for name, known := range map[string]*Known{"off": nil, "known": {Blocks: x.Known(1).Blocks}, "learning": x.Known(1)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(p.Text)))
			b.ReportAllocs()
			for range b.N {
				known.Apply(p)
			}
		})
	}
	b.Run("note", func(b *testing.B) {
		b.ReportAllocs()
		for i := range b.N {
			x.Note(uint32(i%1000), p.Blocks)
		}
	})
	b.Run("without", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			Without(p)
		}
	})
}
