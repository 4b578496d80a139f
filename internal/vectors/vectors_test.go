package vectors_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"dowse/internal/vectors"
)

// glove returns a file of random vectors in the form of GloVe, in which "lion" and "puma" are alike.
func glove() string {
	draw := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	numbers := func(word string, at []float64) {
		b.WriteString(word)
		for _, x := range at {
			fmt.Fprintf(&b, " %.4f", x)
		}
		b.WriteString("\n")
	}
	one := func() (v []float64) {
		for range 8 {
			v = append(v, draw.NormFloat64())
		}
		return v
	}
	for i := range 400 {
		numbers(fmt.Sprint("word", i), one())
	}
	lion := one()
	numbers("lion", lion)
	lion[3] += 0.3
	numbers("puma", lion)
	return b.String()
}

// read reads a table that must be sound.
func read(t *testing.T, text string) *vectors.Table {
	t.Helper()
	table, err := vectors.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// likeness returns the product of the vectors of two words that the table must have.
func likeness(t *testing.T, table *vectors.Table, a, b string) (x float32) {
	t.Helper()
	var list [2][]float32
	for i, word := range []string{a, b} {
		row, ok := table.Find(word)
		if !ok {
			t.Fatalf("the table does not have %s", word)
		}
		list[i] = make([]float32, table.Dims())
		table.Vector(list[i], row)
	}
	for i := range list[0] {
		x += list[0][i] * list[1][i]
	}
	return x
}

// TestRead reads the same vectors in four forms. Similar words must stay similar in each, and the
// tables equal.
func TestRead(t *testing.T) {
	text := glove()
	first := read(t, text)
	if first.Len() != 402 || first.Dims() != 8 {
		t.Fatalf("%d words of %d numbers", first.Len(), first.Dims())
	}
	near, far := likeness(t, first, "Lion", "puma"), likeness(t, first, "lion", "word7")
	if near < 0.3 || near < 2*far {
		t.Errorf("lion and puma %.2f, lion and another word %.2f", near, far)
	}
	if _, ok := first.Find("zebra"); ok {
		t.Error("found a word that the file does not have")
	}
	var object strings.Builder
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		fmt.Fprintf(&object, ",%q:[%s,5.5,7]", word, strings.ReplaceAll(rest, " ", ","))
	}
	var written bytes.Buffer
	if err := first.Write(&written); err != nil {
		t.Fatal(err)
	}
	for form, text := range map[string]string{
		"word2vec": "402 8\n" + text,
		"wink":     `{"precision":8,"words":["a"],"dimensions":8,"vectors":{` + object.String()[1:] + "}}",
		"table":    written.String(),
	} {
		if table := read(t, text); table.Sum() != first.Sum() || likeness(t, table, "lion", "puma") != near {
			t.Errorf("%s: another table", form)
		}
	}
	if other := read(t, strings.Replace(text, "lion", "liom", 1)); other.Sum() == first.Sum() {
		t.Error("a table with another word has the same sum")
	}
}

// TestReadRefuses reads files that are no vectors. The error says what is wrong.
func TestReadRefuses(t *testing.T) {
	var b bytes.Buffer
	if err := read(t, glove()).Write(&b); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"":                                "empty",
		"a 1 2 3\nb 1 2\n":                `line 2: the word "b" has 2 numbers`,
		"a 1 2 x\n":                       `line 1: "x" is not one of`,
		"a\n":                             "has 0 numbers",
		"a" + strings.Repeat(" 1", 40000): "longer than",
		`{"words":["a"]}`:                 "has no word",
		`{"vectors":{"a":"b"}}`:           `not an object with "vectors"`,
		b.String()[:100]:                  "damaged",
	} {
		if _, err := vectors.Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %s", text, err, want)
		}
	}
}
