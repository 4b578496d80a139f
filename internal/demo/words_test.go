package demo

import (
	"math"
	"slices"
	"strings"
	"testing"

	"dowse"
)

// TestRandomNumbers checks the distributions that a web is drawn from: their bounds, means
// and tails. The numbers are fixed, so that the test has one outcome.
func TestRandomNumbers(t *testing.T) {
	const n = 20_000
	d := rngFor(7, forText, 0)
	sum, first, last := 0.0, 0, 0
	for range n {
		if k := d.under(10); k < 0 || k > 9 {
			t.Fatalf("under(10) = %d", k)
		}
		if x := d.share(); x < 0 || x >= 1 {
			t.Fatalf("share() = %g", x)
		}
		sum += d.logNormal(100, 0.5)
		switch k := d.rank(50, 1); {
		case k < 0 || k > 49:
			t.Fatalf("rank(50, 1) = %d", k)
		case k == 0:
			first++
		case k == 49:
			last++
		}
	}
	if mean := sum / n; math.Abs(mean-100) > 2 {
		t.Errorf("mean of a log-normal distribution %g, want about 100", mean)
	}
	if ratio := float64(first) / float64(max(last, 1)); ratio < 20 || ratio > 100 {
		t.Errorf("the first of 50 is drawn %.0f times as often as the last, want about 50 times", ratio)
	}
	if d.rank(1, 2) != 0 || d.rank(0, 2) != 0 {
		t.Error("the rank among one or none is not 0")
	}
}

// TestRandomNumbersAreSeparate checks that the numbers of one purpose and thing do not
// depend on those of another.
func TestRandomNumbersAreSeparate(t *testing.T) {
	seen := map[uint64]bool{}
	for purpose := range 9 {
		for thing := range 50 {
			for seed := range uint64(3) {
				d := rngFor(seed, purpose, thing)
				seen[d.next()] = true
			}
		}
	}
	if len(seen) != 9*50*3 {
		t.Errorf("%d different beginnings, want %d", len(seen), 9*50*3)
	}
	a, b := rngFor(1, forText, 5), rngFor(1, forText, 5)
	for range 10 {
		if a.next() != b.next() {
			t.Fatal("the same purpose and thing draw different numbers")
		}
	}
}

// TestZipf checks that earlier words are more frequent, none is left out, and the law is
// flatter at its head than 1/rank.
func TestZipf(t *testing.T) {
	const words = 200
	z := newZipf(words)
	count := make([]int, words)
	for bits := range uint64(zipfSteps) {
		count[z.at(bits)]++
	}
	if count[0] <= count[50] || count[50] <= count[199] {
		t.Errorf("frequencies of words 0, 50 and 199: %d, %d, %d", count[0], count[50], count[199])
	}
	if ratio := float64(count[0]) / float64(count[1]); ratio > 1.5 {
		t.Errorf("the first word is %.1f times as frequent as the second", ratio)
	}
	if slices.Min(count) == 0 {
		t.Error("a word can never occur")
	}
}

// TestWordForms checks plurals, third persons, and what is given after a slash.
func TestWordForms(t *testing.T) {
	nouns := nounForms([]string{"tide", "berry", "bay", "marsh", "box", "fish/fish"})
	want := []form{{"tide", "tides"}, {"berry", "berries"}, {"bay", "bays"}, {"marsh", "marshes"}, {"box", "boxes"}, {"fish", "fish"}}
	if !slices.Equal(nouns, want) {
		t.Errorf("nouns %v, want %v", nouns, want)
	}
	verbs := verbForms([]string{"grow", "come back", "carry"})
	if want := []form{{"grows", "grow"}, {"comes back", "come back"}, {"carries", "carry"}}; !slices.Equal(verbs, want) {
		t.Errorf("verbs %v, want %v", verbs, want)
	}
}

// TestSlugs checks that subjects become ASCII paths, and that numbers behind them are read
// back in one spelling only.
func TestSlugs(t *testing.T) {
	for phrase, want := range map[string]string{"Low tides": "low-tides", "Fougères d'été": "fougeres-d-ete", "Größe": "groesse", "a/b?": "ab"} {
		if got := slugOf(phrase); got != want {
			t.Errorf("%q becomes %q, want %q", phrase, got, want)
		}
	}
	for name, want := range map[string]int{"low-tides-12": 12, "low-tides": 0, "x-012": 0, "x--1": 1, "x-12345678": 0, "x-1a": 0} {
		if _, got := cutNumber(name); got != want {
			t.Errorf("the number of %q is %d, want %d", name, got, want)
		}
	}
}

// TestOneURLPerPage checks that no other spelling of a path finds a page: everything that
// is not exactly its URL is dead.
func TestOneURLPerPage(t *testing.T) {
	w := New(Config{})
	for id := 0; id < w.Len(); id += 97 {
		u := w.urlOf(id)
		if got, ok := w.numberOf(u); !ok || got != id {
			t.Fatalf("%s is page %d, %t; want %d", u, got, ok, id)
		}
		for _, other := range []dowse.URL{u + "x", u + "-1", u + "/", dowse.URL(strings.ToUpper(string(u))), dowse.URL(strings.Replace(string(u), "http:", "https:", 1))} {
			if got, ok := w.numberOf(other); ok {
				t.Errorf("%s finds page %d, %s", other, got, w.urlOf(got))
			}
		}
	}
}

// TestSentences checks that slots are filled, sentences begin with a capital, and articles
// agree with the word that follows.
func TestSentences(t *testing.T) {
	line := parseSentence("a {a} {n} of {q} {N}.")
	if len(line) != 9 || line[0].text != "a " || line[1].slot != 'a' || line[8].text != "." {
		t.Fatalf("parsed %+v", line)
	}
	v := readVocabulary()
	for i := range 200 {
		s := &textWriter{rng: rngFor(3, forText, i), words: v, lex: &v.lexicons[0], subject: "kelp"}
		s.fill(line, s.lex, true)
		text := string(s.buf)
		if strings.ContainsAny(text, "{}") || text[0] != 'A' || !strings.HasSuffix(text, ".") {
			t.Fatalf("%q", text)
		}
		article, next, _ := strings.Cut(text, " ")
		if an := strings.ContainsRune("aeio", rune(next[0])); an != (article == "An") {
			t.Errorf("%q: the article does not agree", text)
		}
	}
}

// TestOldEncoding checks that the old pages really have the bytes of windows-1252.
func TestOldEncoding(t *testing.T) {
	if got, want := string(windows1252([]byte("café – ‘x’ €5 日"))), "caf\xe9 \x96 ?x\x92 \x805 ?"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestConfigIsClamped checks that no configuration asks for a web that cannot be laid out,
// and that negative parameters mean none.
func TestConfigIsClamped(t *testing.T) {
	for _, c := range []struct {
		given        Config
		pages, sites int
	}{
		{Config{}, 2400, 48}, {Config{Pages: 1}, 1000, 48}, {Config{Pages: 5_000_000, Sites: 10}, 1_000_000, 48},
		{Config{Pages: 2400, Sites: 5000}, 2400, 120}, {Config{Pages: -3}, 1000, 48},
	} {
		got := c.given.withDefaults()
		if got.Pages != c.pages || got.Sites != c.sites {
			t.Errorf("%+v: %d pages on %d sites, want %d on %d", c.given, got.Pages, got.Sites, c.pages, c.sites)
		}
	}
	top := Topology{Dead: -1, Spam: -0.5, Purity: 0.9}.withDefaults()
	if top.Dead != 0 || top.Spam != 0 || top.Purity != 0.9 || top.Moved != 0.03 {
		t.Errorf("%+v", top)
	}
}

// TestSiteSizes checks that sizes of sites have the mean 1, and grow along the list, so that
// crawls begin on small sites.
func TestSiteSizes(t *testing.T) {
	sizes := weights(40)
	sum := 0.0
	for _, s := range sizes {
		sum += s
	}
	if math.Abs(sum-40) > 1e-9 || !slices.IsSorted(sizes) || sizes[39]/sizes[0] < 10 {
		t.Errorf("sum %g, from %g to %g", sum, sizes[0], sizes[39])
	}
}
