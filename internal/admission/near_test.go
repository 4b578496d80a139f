package admission

import (
	"math/rand/v2"
	"testing"

	"dowse"
	"dowse/internal/frontier"
)

func randomSketch(dice *rand.Rand) (s dowse.Sketch) {
	s.Text = dice.Uint64() | 1
	for i := range s.Bins {
		s.Bins[i] = uint16(1 + dice.IntN(1<<16-1))
	}
	return s
}

// changed returns a sketch that differs from s in n bins.
func changed(s dowse.Sketch, n int, dice *rand.Rand) dowse.Sketch {
	s.Text = dice.Uint64() | 1
	for _, i := range dice.Perm(len(s.Bins))[:n] {
		s.Bins[i] ^= uint16(1 + dice.IntN(1<<16-1))
	}
	return s
}

// TestNearFindsWhatComparingAllFinds compares what the index finds among pages of many
// hosts with what comparing every pair finds.
func TestNearFindsWhatComparingAllFinds(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 1))
	n := newNear()
	var all []dowse.Sketch
	const whole = ^uint64(0)
	near, missed := 0, 0
	for i := range 5000 {
		s := randomSketch(dice)
		if len(all) > 0 && i%3 == 0 { // near an earlier one, or just not
			s = changed(all[dice.IntN(len(all))], dice.IntN(6), dice)
		}
		want := false
		for k := range all {
			want = want || likeness(&s, &all[k], whole, whole, false) > 0
		}
		twin, ok, own := n.see(frontier.ID(i), frontier.HostID(i), &s)
		if own != dowse.SketchBins {
			t.Fatalf("page %d: %d bins of its own, want all: no host has two pages", i, own)
		}
		if ok && !want {
			t.Fatalf("page %d: called the same as %d, which it is not", i, twin)
		}
		if want {
			near++
		}
		if want && !ok {
			missed++
		}
		if !ok {
			all = append(all, s)
		}
	}
	if near < 300 || missed > 0 {
		t.Errorf("%d of %d near-duplicates were missed", missed, near)
	}
}

// TestBoilerplateDoesNotCount sees pages of one host that share most of their bins, and
// a page and its copy among them.
func TestBoilerplateDoesNotCount(t *testing.T) {
	dice := rand.New(rand.NewPCG(2, 1))
	n := newNear()
	template := randomSketch(dice)
	page := func(own int) dowse.Sketch { return changed(template, own, dice) }
	for i := range 40 { // the host becomes known
		s := page(20)
		n.see(frontier.ID(i), 0, &s)
	}
	original := page(20)
	if _, near, own := n.see(100, 0, &original); near || own > 22 {
		t.Fatalf("a page of its own: near %v, %d bins of its own, want about 20", near, own)
	}
	for i := range 200 {
		s := page(5 + i%20)
		if twin, near, _ := n.see(frontier.ID(200+i), 0, &s); near {
			t.Errorf("page %d shares only the template with %d and is called the same", i, twin)
		}
	}
	printed := original
	printed.Text++
	for i := range printed.Bins { // without the template other shingles are the least
		if printed.Bins[i] == template.Bins[i] {
			printed.Bins[i]++
		}
	}
	if twin, near, _ := n.see(900, 0, &printed); !near || twin != 100 {
		t.Errorf("the page without its template: near %v, of %d, want 100", near, twin)
	}
	if twin, near, _ := n.see(901, 0, &original); !near || twin != 100 {
		t.Errorf("the same page again: near %v, of %d, want 100", near, twin)
	}
}

// TestTemplateAlone sees pages that have nothing but the template of their host in their
// bins. Their words still differ, if only in a number that no bin shows; a page with exactly
// the words of an earlier one has nothing of its own.
func TestTemplateAlone(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 1))
	n := newNear()
	template := randomSketch(dice)
	for i := range 30 {
		s := changed(template, 20, dice)
		n.see(frontier.ID(i), 0, &s)
	}
	if _, _, own := n.see(50, 0, &template); own != 1 {
		t.Errorf("words that are new: %d bins of its own, want 1", own)
	}
	if _, _, own := n.see(51, 0, &template); own != 0 {
		t.Errorf("the same words again: %d bins of its own, want none", own)
	}
	other := template
	other.Text++
	if _, _, own := n.see(52, 1, &other); own != dowse.SketchBins {
		t.Errorf("on another host: %d bins of its own, want all", own)
	}
}

func TestFrequentValues(t *testing.T) {
	dice := rand.New(rand.NewPCG(4, 1))
	var f frequent
	var b boilerplate
	for range 400 {
		switch dice.IntN(10) {
		case 0, 1, 2, 3:
			f.count(7)
		case 4, 5, 6:
			f.count(8)
		default:
			f.count(uint16(100 + dice.IntN(1000)))
		}
	}
	b.bins[0] = f
	if !b.has(0, 7) || !b.has(0, 8) || b.has(0, 9) || b.has(1, 7) {
		t.Errorf("%v; want 7 and 8 to be frequent and nothing else", f)
	}
}

// BenchmarkNear sees pages of templates on a thousand hosts, with 100,000 in the book.
func BenchmarkNear(b *testing.B) {
	dice := rand.New(rand.NewPCG(5, 1))
	n := newNear()
	templates := make([]dowse.Sketch, 1000)
	for i := range templates {
		templates[i] = randomSketch(dice)
	}
	see := func(i int) {
		s := changed(templates[i%len(templates)], 30, dice)
		n.see(frontier.ID(i), frontier.HostID(i%len(templates)), &s)
	}
	for i := range 100_000 {
		see(i)
	}
	b.ReportAllocs()
	for i := 100_000; b.Loop(); i++ {
		see(i)
	}
}
