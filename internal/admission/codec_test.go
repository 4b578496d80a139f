package admission_test

import (
	"bytes"
	"testing"

	"dowse"
	"dowse/internal/admission"
	"dowse/internal/frontier"
	"dowse/internal/wire"
)

// taught returns a gate that has learnt something of each kind. Its highest URL is 30 and its
// highest host is 9.
func taught() *admission.Gate {
	g := newGate(small)
	follow(g, 20)
	for i := range 3 {
		g.Tally(page(urlf("http://a.test/item/%d", i)), 0, none)
		g.Tally(page(urlf("http://a.test/list?f%d=1", i)), 64, none)
	}
	for i := range small.Strays {
		g.Survey(page(urlf("http://farm.test/%d", i)), 64, 0, fresh("http://farm.test/n%d", 3))
		g.Survey(page(urlf("http://h%d.hosts.test/", i)), 64, 3, none)
	}
	meetAll(g, "http://a.d.test/")
	g.Grant("http://seed.d.test/")
	g.Meet("http://seed.d.test/")
	template := text(3)
	for i := range frontier.ID(10) { // one host becomes known with its template
		s := template
		s.Text += 2 * uint64(i)
		g.Near(i, 0, &s)
	}
	first, short := text(1), dowse.Sketch{Text: 77}
	g.Near(30, 1, &first)
	g.Near(29, 9, &short)
	return g
}

func state(g *admission.Gate) []byte {
	var w wire.Writer
	g.Write(&w)
	return w.B
}

// answers asks a gate about everything that taught gates know. It changes the gate.
func answers(g *admission.Gate) (list []any) {
	for _, u := range []dowse.URL{
		"http://a.test/item/9", "http://a.test/list?other=1", "http://farm.test/x", "http://new.hosts.test/",
		"http://b.test/item/9", "http://a.test/other?x=1", "http://b.d.test/",
	} {
		list = append(list, g.Excludes(at(u)), g.IsFull(u), g.IsHostFarm(at(u)))
	}
	list = append(list, g.HasHostFarms(), g.MayRedirect(20), g.MayRedirect(19))
	first, copied, short := text(1), text(3), dowse.Sketch{Text: 77}
	copied.Text += 1000
	for i, s := range []*dowse.Sketch{&first, &copied, &short} {
		twin, found, own := g.Near(frontier.ID(100+i), frontier.HostID([]int{5, 0, 9}[i]), s)
		list = append(list, twin, found, own)
	}
	return list
}

func TestSnapshotRoundTrip(t *testing.T) {
	written := state(taught())
	g := newGate(small)
	r := &wire.Reader[[]byte]{Rest: written}
	if g.Read(r); r.Err != nil || len(r.Rest) > 0 {
		t.Fatalf("read: %v, %d bytes left", r.Err, len(r.Rest))
	}
	if again := state(g); !bytes.Equal(again, written) {
		t.Errorf("written again it has %d bytes that differ from the %d read", len(again), len(written))
	}
	want, got, blank := answers(taught()), answers(g), answers(newGate(small))
	differ := 0
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("answer %d is %v, want %v", i, got[i], want[i])
		}
		if blank[i] != want[i] {
			differ++
		}
	}
	if differ < 10 {
		t.Errorf("a new gate gives the same answers but for %d: they show too little", differ)
	}
}

// A snapshot does not depend on the order of maps, so that equal gates are equal byte for byte.
func TestSnapshotIsDeterministic(t *testing.T) {
	if !bytes.Equal(state(taught()), state(taught())) {
		t.Error("two gates that learnt the same are written differently")
	}
	empty := state(newGate(small))
	if want := make([]byte, 6); !bytes.Equal(empty, want) {
		t.Errorf("a new gate is %x, want the lengths of six empty lists, %x", empty, want)
	}
}

// Every snapshot that is cut short is a fault, never a panic and never a gate that knows less.
func TestSnapshotCutShort(t *testing.T) {
	written := state(taught())
	for n := range written {
		r := &wire.Reader[[]byte]{Rest: written[:n:n]}
		if newGate(small).Read(r); r.Err == nil {
			t.Fatalf("%d of %d bytes are read without a fault", n, len(written))
		}
	}
}

// A page in a snapshot is found by bins that sketches have, or by none.
func TestSnapshotWithABinThatIsNotThere(t *testing.T) {
	for bin, ok := range map[byte]bool{0: true, dowse.SketchBins - 1: true, dowse.SketchBins: false, 0xfe: false, 0xff: true} {
		var w wire.Writer
		for range 4 { // no chains, shapes, farms and owners
			w.Uint(0)
		}
		w.Uint(1) // one page, without a sketch
		w.Uint64(0)
		w.Uint(0)
		w.Uint(0)
		w.B = append(w.B, bytes.Repeat([]byte{bin}, 8)...)
		w.Uint(0) // no hosts
		r := &wire.Reader[[]byte]{Rest: w.B}
		if newGate(small).Read(r); (r.Err == nil) != ok {
			t.Errorf("bin %d: %v, want a fault: %v", bin, r.Err, !ok)
		}
	}
}

func TestFits(t *testing.T) {
	g := taught()
	for _, c := range []struct {
		ids   frontier.ID
		hosts frontier.HostID
		want  bool
	}{{31, 10, true}, {30, 10, false}, {31, 9, false}, {0, 0, false}} {
		if got := g.Fits(c.ids, c.hosts); got != c.want {
			t.Errorf("fits %d URLs and %d hosts: %v, want %v", c.ids, c.hosts, got, c.want)
		}
	}
	chained := newGate(small)
	chained.Redirect(1, 50, true)
	if chained.Fits(50, 0) || !chained.Fits(51, 0) {
		t.Error("want a chain that leads to URL 50 to fit 51 URLs and no fewer")
	}
	template, templated := text(1), newGate(small)
	templated.Near(0, 4, &template)
	if templated.Fits(1, 4) || !templated.Fits(1, 5) || !newGate(small).Fits(0, 0) {
		t.Error("want host 4 to fit 5 hosts and no fewer, and a new gate to fit always")
	}
}

// What the scope learnt from seeds is written on its own: it belongs to the scope that a crawl is
// given, not to what it found out.
func TestHomesRoundTrip(t *testing.T) {
	scope := admission.Scope{Reach: admission.ReachHost}
	g := admission.New(scope, small, 1)
	g.Learn([]dowse.URL{"http://b.test/", "http://a.test/x"})
	var w wire.Writer
	g.WriteHomes(&w)
	if want := "\x02\x06a.test\x06b.test"; string(w.B) != want {
		t.Errorf("written %q, want %q", w.B, want)
	}
	again := admission.New(scope, small, 1)
	r := &wire.Reader[[]byte]{Rest: w.B}
	if again.ReadHomes(r); r.Err != nil || len(r.Rest) > 0 {
		t.Fatalf("read: %v, %d bytes left", r.Err, len(r.Rest))
	}
	for u, want := range map[dowse.URL]dowse.Reason{"http://a.test/": "", "http://b.test/y": "", "http://c.test/": dowse.SkipScopeHost} {
		if got := again.Excludes(at(u)); got != want {
			t.Errorf("%s is refused for %q, want %q", u, got, want)
		}
	}
}

// The counts of owners are keyed, so that a page cannot name a domain that shares the count of
// another. A snapshot is only good for the crawl with the same key.
func TestOwnersAreKeyed(t *testing.T) {
	one, two := admission.New(admission.Scope{}, small, 1), admission.New(admission.Scope{}, small, 2)
	meetAll(one, "http://a.d.test/")
	meetAll(two, "http://a.d.test/")
	if bytes.Equal(state(one), state(two)) {
		t.Error("gates with different secrets count under the same key")
	}
}
