package text_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dowse"
	"dowse/internal/text"
)

func sketchOf(s string) dowse.Sketch { return text.Sketch(document(s)) }

// agreement returns the share of bins in which the sketches of two texts agree.
func agreement(a, b string) float64 {
	x, y := sketchOf(a), sketchOf(b)
	equal, all := 0, 0
	for i := range x.Bins {
		if x.Bins[i] == 0 && y.Bins[i] == 0 {
			continue
		}
		if all++; x.Bins[i] == y.Bins[i] {
			equal++
		}
	}
	return float64(equal) / float64(all)
}

// jaccard returns which share of their distinct runs of five words two texts have in
// common.
func jaccard(a, b string) float64 {
	x, y := shingles(a), shingles(b)
	both := 0
	for s := range x {
		if y[s] {
			both++
		}
	}
	return float64(both) / float64(len(x)+len(y)-both)
}

func shingles(s string) map[string]bool {
	words := strings.Fields(strings.ToLower(strings.ReplaceAll(s, ".", "")))
	set := map[string]bool{}
	for i := range len(words) - 4 {
		set[strings.Join(words[i:i+5], " ")] = true
	}
	return set
}

// edited returns s with n of its words replaced.
func edited(s string, n int, dice *rand.Rand) string {
	words := strings.Fields(s)
	for k := range n {
		words[dice.IntN(len(words))] = fmt.Sprint("edit", k)
	}
	return strings.Join(words, " ")
}

// TestSketchEstimatesJaccard compares estimates with the true share of shingles, for
// texts from nearly the same to nearly different.
func TestSketchEstimatesJaccard(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 1))
	for _, edits := range []int{0, 5, 20, 60, 150, 400} {
		var sum, off float64
		const pages = 60
		for seed := range uint64(pages) {
			a := prose(seed, 600)
			b := edited(a, edits, dice)
			d := agreement(a, b) - jaccard(a, b)
			sum, off = sum+d, max(off, math.Abs(d))
		}
		if bias := sum / pages; math.Abs(bias) > 0.03 || off > 0.26 {
			t.Errorf("%d words of 600 replaced: estimates are off by %.3f on average and by %.2f at most", edits, bias, off)
		}
	}
}

// TestSketchCountsShinglesOnce repeats one phrase in two different texts, as the buttons
// of a shop are: it must not make them alike.
func TestSketchCountsShinglesOnce(t *testing.T) {
	with := func(seed uint64) string {
		var b strings.Builder
		for _, w := range strings.Fields(prose(seed, 200)) {
			b.WriteString(w + " add to cart in stock ")
		}
		return b.String()
	}
	if got := agreement(with(1), with(2)); got > 0.15 {
		t.Errorf("two pages with another text and one recurring phrase agree in %.2f of their bins", got)
	}
}

func TestSketchIgnores(t *testing.T) {
	page := prose(1, 400)
	for name, other := range map[string]string{
		"case":        strings.ToUpper(page),
		"punctuation": strings.ReplaceAll(page, ".", " !"),
		"space":       strings.Join(strings.Fields(page), "\n"),
	} {
		if sketchOf(page) != sketchOf(other) {
			t.Errorf("%s makes another sketch", name)
		}
	}
	greek := ""
	for i := range 40 {
		greek += fmt.Sprintf("Ὀδυσσεύς ΠΟΛΎΤΡΟΠΟΣ %d ", i)
	}
	if sketchOf(greek) != sketchOf(strings.ToLower(greek)) || sketchOf(greek) == (dowse.Sketch{}) {
		t.Error("greek case makes another sketch")
	}
}

func TestSketchOfWholeText(t *testing.T) {
	a := prose(1, 5000)
	b := a + " more"
	if x, y := sketchOf(a), sketchOf(b); x.Text == y.Text {
		t.Error("a text with one more word has the same hash of all words")
	}
}

// TestShortTextsHaveNoSketch: many words do not help if they are always the same.
func TestShortTextsHaveNoSketch(t *testing.T) {
	for seed := range uint64(50) {
		for s, zero := range map[string]bool{
			prose(seed, 14): true, prose(seed, 40): false,
			strings.Repeat("add to cart ", 500):     true,
			strings.Repeat(prose(seed, 10)+" ", 50): true,
			"":                                      true, "one": true, "one two three": true, "a b c d e": true,
		} {
			sketch := sketchOf(s)
			if sketch.IsZero() != zero || zero && (sketch.Text == 0) != (s == "") {
				t.Errorf("%d words %.30q: sketch with %d bins filled", len(strings.Fields(s)), s, sketch.Filled())
			}
		}
	}
}

// TestShortTextsAreToldApart compares texts too short for a sketch by their words; numbers
// make no difference.
func TestShortTextsAreToldApart(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		same bool
	}{
		{"the sea is calm tonight", "The sea is calm, tonight!", true},
		{"the sea is calm tonight", "the sea is rough tonight", false},
		{"red boat", "boat red", false},
		{"No events in 2031-05", "No events in 2047-11", true},
		{"item p17", "item p18", true},
		{"17", "", true},
	} {
		if got := sketchOf(tc.a) == sketchOf(tc.b); got != tc.same {
			t.Errorf("%q and %q: the same is %v, want %v", tc.a, tc.b, got, tc.same)
		}
	}
}

func BenchmarkSketch(b *testing.B) {
	d := document(prose(1, 2000))
	b.ReportAllocs()
	for b.Loop() {
		text.Sketch(d)
	}
}
