package text_test

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"testing"

	"dowse/internal/golden"
	"dowse/internal/text"
)

type labelled struct {
	Label  string
	Tokens []string
}

func census(docs []labelled) *text.Census {
	var c text.Census
	for _, d := range docs {
		c.Add(d.Tokens, d.Label == "+")
	}
	return &c
}

// vectorCases reads the worked examples of vectors.
func vectorCases(t *testing.T) map[string]json.RawMessage {
	t.Helper()
	var file struct{ Cases []json.RawMessage }
	golden.Read(t, "tfidf_chi2_cosine", &file)
	cases := map[string]json.RawMessage{}
	for _, c := range file.Cases {
		var named struct{ Name string }
		if err := json.Unmarshal(c, &named); err != nil {
			t.Fatal(err)
		}
		cases[named.Name] = c
	}
	return cases
}

func decode(t *testing.T, data json.RawMessage, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// checkVector compares a vector with weights by term.
func checkVector(t *testing.T, v *text.Vocabulary, got text.Vector, want map[string]float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%v, want %v", got, want)
	}
	for _, e := range got {
		if w := want[v.Term(e.Term)]; math.Abs(e.Weight-w) > 1e-9*max(1, math.Abs(w)) {
			t.Errorf("%s: %.12g, want %.12g", v.Term(e.Term), e.Weight, w)
		}
	}
}

func TestGoldenTFIDF(t *testing.T) {
	var c struct {
		Input struct {
			Train []labelled
			Page  []string `json:"page_tokens"`
		}
		Expected struct {
			DF      map[string]int
			Vectors []map[string]float64 `json:"train_vectors"`
			Page    map[string]float64   `json:"page_vector"`
			Unit    map[string]float64   `json:"page_vector_l2"`
		}
	}
	decode(t, vectorCases(t)["tfidf_eq4"], &c)
	v := census(c.Input.Train).Vocabulary()
	for term, df := range c.Expected.DF {
		if got := v.DF(v.ID(term)); got != df {
			t.Errorf("df of %s is %d, want %d", term, got, df)
		}
	}
	plain, unit := text.NewTFIDF(v, false), text.NewTFIDF(v, true)
	for i, d := range c.Input.Train {
		x := v.Count(d.Tokens)
		plain.Weigh(x)
		checkVector(t, v, x, c.Expected.Vectors[i])
	}
	x := v.Count(c.Input.Page)
	plain.Weigh(x)
	checkVector(t, v, x, c.Expected.Page)
	x = v.Count(c.Input.Page)
	unit.Weigh(x)
	checkVector(t, v, x, c.Expected.Unit)
}

func TestGoldenChiSquare(t *testing.T) {
	var c struct {
		Input    struct{ Train []labelled }
		Expected struct {
			Table    map[string]struct{ Chi2 float64 }
			Selected []string
		}
	}
	decode(t, vectorCases(t)["chi2_top4"], &c)
	counts := census(c.Input.Train)
	for term, want := range c.Expected.Table {
		if got := counts.ChiSquare(term); math.Abs(got-want.Chi2) > 1e-9*max(1, want.Chi2) {
			t.Errorf("%s: %.12g, want %.12g", term, got, want.Chi2)
		}
	}
	slices.Sort(c.Expected.Selected)
	if got := counts.Best(4).Terms(); !slices.Equal(got, c.Expected.Selected) {
		t.Errorf("selected %v, want %v", got, c.Expected.Selected)
	}
}

func TestGoldenCosine(t *testing.T) {
	var c struct {
		Input    struct{ Topic, Page map[string]float64 }
		Expected struct{ Dot, Cosine float64 }
	}
	decode(t, vectorCases(t)["cosine_vs_printed_eq3"], &c)
	terms := slices.Sorted(maps.Keys(c.Input.Topic))
	vector := func(m map[string]float64) (v text.Vector) {
		for i, term := range terms {
			if w, ok := m[term]; ok {
				v = append(v, text.Entry{Term: int32(i), Weight: w})
			}
		}
		return v
	}
	a, b := vector(c.Input.Topic), vector(c.Input.Page)
	if got := a.Dot(b); math.Abs(got-c.Expected.Dot) > 1e-9 {
		t.Errorf("product %g, want %g", got, c.Expected.Dot)
	}
	if got := cosine(a, b); math.Abs(got-c.Expected.Cosine) > 1e-9 {
		t.Errorf("cosine %g, want %g", got, c.Expected.Cosine)
	}
}

func TestVectors(t *testing.T) {
	a := text.Vector{{1, 3}, {4, 4}}
	b := text.Vector{{0, 5}, {4, 2}, {9, 1}}
	if got := a.Dot(b); got != 8 {
		t.Errorf("product %g", got)
	}
	if got := b.DotDense([]float64{1, 0, 0, 0, 10}); got != 25 {
		t.Errorf("product with a shorter one %g", got)
	}
	if a.Norm() != 5 || a.Weight(4) != 4 || a.Weight(2) != 0 || a.Weight(9) != 0 {
		t.Errorf("%v", a)
	}
	if cosine(a, nil) != 0 || cosine(nil, nil) != 0 {
		t.Error("a cosine with nothing")
	}
	a.Normalize()
	if math.Abs(a.Norm()-1) > 1e-15 {
		t.Errorf("length %g", a.Norm())
	}
	zero := text.Vector{{3, 0}}
	zero.Normalize()
	if zero[0].Weight != 0 {
		t.Errorf("%v", zero)
	}
}

func TestNewVocabularyRefuses(t *testing.T) {
	tests := []struct {
		docs  int
		terms []string
		df    []int
	}{
		{2, []string{"a"}, nil},
		{2, []string{"b", "a"}, []int{1, 1}},
		{2, []string{"a", "a"}, []int{1, 1}},
		{2, []string{"a"}, []int{3}},
		{2, []string{"a"}, []int{0}},
	}
	for _, tt := range tests {
		if _, err := text.NewVocabulary(tt.docs, tt.terms, tt.df); err == nil {
			t.Errorf("%+v is no vocabulary", tt)
		}
	}
	v, err := text.NewVocabulary(2, []string{"a", "b"}, []int{1, 2})
	if err != nil || v.ID("b") != 1 || v.ID("c") != -1 || v.IDF(1) != 0 {
		t.Errorf("%v, %v", v, err)
	}
}

func TestBigrams(t *testing.T) {
	tests := []struct {
		word string
		want []string
	}{
		{"珊瑚礁", []string{"珊瑚", "瑚礁"}},
		{"礁", []string{"礁"}},
		{"iPhone手机壳", []string{"iPhone", "手机", "机壳"}},
		{"第3章", []string{"第", "3", "章"}},
		{"サンゴ", []string{"サン", "ンゴ"}},
		{"スーパー", []string{"スー", "ーパ", "パー"}},
		{"산호초", []string{"산호", "호초"}},
		{"𠀀𠀁𠀂", []string{"𠀀𠀁", "𠀁𠀂"}},
		{"reef", []string{"reef"}},
		{"", nil},
	}
	for _, tt := range tests {
		if got := text.Bigrams(nil, tt.word); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.word, got, tt.want)
		}
	}
	for word, want := range map[string]bool{"reef": false, "café": false, "риф": false, "ｒｅｅｆ": false, "ab礁": true, "산": true, "": false, "\xe3": false} {
		if got := text.Spaceless(word); got != want {
			t.Errorf("%q: %t", word, got)
		}
	}
	a := text.NewAnalyzer(text.Options{Language: "zh"})
	if got, want := a.Terms("大堡礁的 reef, 礁"), []string{"大堡", "堡礁", "礁的", "reef"}; !slices.Equal(got, want) {
		t.Errorf("terms %q, want %q", got, want)
	}
}

func TestHashIsTheSameEverywhere(t *testing.T) {
	if got := text.Hash("reef"); got != 0x4cf3611ff31b1934 {
		t.Errorf("%#x: judges that were written down would read their terms wrongly", got)
	}
}

// cosine returns the cosine of the angle between two vectors, 0 if either has no length.
//
// Equation 3 of Taylan et al. 2011 has the root of a sum as denominator, which does not keep
// the value within the 1 that they state; this uses the product of the lengths.
func cosine(a, b text.Vector) float64 {
	na, nb := a.Norm(), b.Norm()
	if na == 0 || nb == 0 {
		return 0
	}
	return a.Dot(b) / (na * nb)
}
