package text_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"dowse"
	"dowse/internal/golden"
	"dowse/internal/text"
)

func ExampleAnalyzer() {
	a := text.NewAnalyzer(text.Options{})
	fmt.Println(a.Terms("The corals are bleaching: heat stress on the reef!"))
	// Output: [coral bleach heat stress reef]
}

type goldenCase struct {
	Name   string
	Params struct {
		Lang         string
		SymbolSuffix bool `json:"symbol_suffix"`
		PrefixM      int  `json:"prefix_m"`
		M            int
	}
	Input struct {
		Words []string
		Text  string
		Stop  []string
	}
	Expected struct{ Stems, Tokens, Terms []string }
}

func TestGoldenPipeline(t *testing.T) {
	var file struct{ Cases []goldenCase }
	golden.Read(t, "text_pipeline", &file)
	if len(file.Cases) < 4 {
		t.Fatalf("%d cases, want at least 4", len(file.Cases))
	}
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) { checkGolden(t, c) })
	}
}

func checkGolden(t *testing.T, c goldenCase) {
	stem := text.Porter
	if m := max(c.Params.PrefixM, c.Params.M); m > 0 {
		stem = text.Prefix(m)
	}
	for i, w := range c.Input.Words {
		if got := stem(w); got != c.Expected.Stems[i] {
			t.Errorf("stem of %q = %q, want %q", w, got, c.Expected.Stems[i])
		}
	}
	if c.Input.Text == "" {
		return
	}
	a := text.NewAnalyzer(text.Options{
		Language: c.Params.Lang, Stem: stem, Stop: c.Input.Stop, SymbolSuffix: c.Params.SymbolSuffix,
	})
	if got := a.Tokens(c.Input.Text); !slices.Equal(got, c.Expected.Tokens) {
		t.Errorf("tokens %q, want %q", got, c.Expected.Tokens)
	}
	if got := a.Terms(c.Input.Text); !slices.Equal(got, c.Expected.Terms) {
		t.Errorf("terms %q, want %q", got, c.Expected.Terms)
	}
}

func TestTerm(t *testing.T) {
	tests := []struct {
		options    text.Options
		word, want string
	}{
		{text.Options{}, "Reefs", "reef"},
		{text.Options{}, "The", ""},
		{text.Options{}, "x", ""},
		{text.Options{}, "é", ""},
		{text.Options{}, "e\u0301", ""}, // one letter once composed
		{text.Options{}, "Cafe\u0301", "café"},
		{text.Options{}, strings.Repeat("a", text.MaxWord+1), ""},
		{text.Options{Stop: []string{}}, "The", "the"},
		{text.Options{Stop: []string{"REEF"}}, "reef", ""},
		{text.Options{Language: "en-GB"}, "Oceans", "ocean"},
		{text.Options{Language: "tr"}, "ILIK", "ılık"},
		{text.Options{Language: "TR"}, "ve", ""},
		{text.Options{Language: "tr-TR"}, "İLE", ""},
		{text.Options{Language: "de"}, "Häuser", "haus"},
		{text.Options{Language: "xx"}, "Oceans", "oceans"},
		{text.Options{Stem: text.Prefix(3)}, "ocean", "oce"},
		{text.Options{Memory: -1}, "Reefs", "reef"},
	}
	for _, tt := range tests {
		a := text.NewAnalyzer(tt.options)
		for range 2 { // computed, then remembered
			if got := a.Term(tt.word); got != tt.want {
				t.Errorf("%+v: term of %q = %q, want %q", tt.options, tt.word, got, tt.want)
			}
		}
	}
}

func TestSymbolSuffix(t *testing.T) {
	a := text.NewAnalyzer(text.Options{SymbolSuffix: true})
	if got, want := a.Terms("C# and C++, c; a# of 1+1"), []string{"c#", "c++", "a#", "1+"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := a.Terms("c" + strings.Repeat("+", 1<<20)); len(got) != 0 {
		t.Errorf("a word of a million symbols is a term of %d bytes", len(got[0]))
	}
}

func TestStopWordsAreThoseOfTheirLanguage(t *testing.T) {
	for _, lang := range []string{"en", "tr", "de", "fr", "es", "it", "pt", "nl", "sv", "ru"} {
		list := text.StopWords(lang)
		if len(list) < 80 || len(list) > 200 {
			t.Errorf("%s: %d stop words", lang, len(list))
		}
		seen := map[string]bool{}
		for _, w := range list {
			if seen[w] {
				t.Errorf("%s: %q twice", lang, w)
			}
			seen[w] = true
		}
	}
	for _, w := range []string{"ama", "ve", "ile", "o"} { // Taylan et al. 2011
		if !slices.Contains(text.StopWords("tr"), w) {
			t.Errorf("tr: %q is missing", w)
		}
	}
	if got := text.StopWords("zz"); len(got) != 0 {
		t.Errorf("zz: %q", got)
	}
}

// Each of the ten languages has stems, under which the forms of a word meet, and stop
// words.
func TestTenLanguages(t *testing.T) {
	for _, c := range []struct{ lang, one, other, stop string }{
		{"en", "Reefs", "reef", "The"}, {"tr", "KİTAPLAR", "kitap", "İçin"}, {"de", "Häuser", "haus", "Und"},
		{"fr", "arbres", "Arbre", "Les"}, {"es", "árboles", "Árbol", "Los"}, {"it", "alberi", "albero", "Degli"},
		{"pt", "árvores", "árvore", "Não"}, {"nl", "lampen", "lamp", "Het"}, {"sv", "båtarna", "båtar", "Och"},
		{"ru", "Лодки", "лодка", "Которые"},
	} {
		a := text.NewAnalyzer(text.Options{Language: c.lang})
		if one, other := a.Term(c.one), a.Term(c.other); one != other || one == "" {
			t.Errorf("%s: %s is %q, %s is %q", c.lang, c.one, one, c.other, other)
		}
		if got := a.Term(c.stop); got != "" {
			t.Errorf("%s: %s is %q, not dropped", c.lang, c.stop, got)
		}
	}
}

func TestFold(t *testing.T) {
	for s, want := range map[string]string{
		"": "", "Reef": "reef", "CAFE\u0301": "café", "IĞDIR": "iğdir", "Iğdır": "iğdir", "iğdir": "iğdir", "İZMİR": "izmir", "ÉCOLE": "école", "МОРЕ": "море",
	} {
		if got := text.Fold(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"title", "text", "headings", "schema_org", "any"}
	for name, want := range map[string]string{
		"titel": "title", "Heading": "headings", "schema.org": "schema_org", "colour": "", "": "", strings.Repeat("x", 100): "",
	} {
		if got := text.Nearest(name, known); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func FuzzAnalyzer(f *testing.F) {
	f.Add("The Reef's c++ İş", "en")
	f.Add("çalışmalarınızdan", "tr")
	f.Add("überraschungsßß \xff\xfe", "de")
	f.Add("yyyyyyyyyyyyyyyyy ss eed ing", "en")
	languages := []string{"en", "tr", "de", "fr", "es", "it", "pt", "nl", "sv", "ru", "fi", "hu", "ro", "da", "no", "xx"}
	analyzers := map[string]*text.Analyzer{}
	for _, l := range languages {
		analyzers[l] = text.NewAnalyzer(text.Options{Language: l, Memory: 64})
	}
	f.Fuzz(func(t *testing.T, s, lang string) {
		for _, l := range languages {
			for _, term := range analyzers[l].Terms(s) {
				if term == "" || utf8.ValidString(s) && !utf8.ValidString(term) {
					t.Fatalf("%s: term %q of %q", l, term, s)
				}
			}
			analyzers[l].Term(s) // what is no word of a page must not hurt either
		}
		text.NewAnalyzer(text.Options{Language: lang, Memory: 8}).Terms(s)
		text.Sketch(document(s))
	})
}

func document(s string) *dowse.Document {
	return &dowse.Document{Text: s, Words: dowse.Words(s)}
}

func BenchmarkAnalyze2000Words(b *testing.B) {
	d := document(prose(1, 2000))
	a := text.NewAnalyzer(text.Options{})
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			for i := range d.Words {
				a.Term(d.Word(i))
			}
		}
	})
}

// What remembering words is worth: the terms of 2,000 words, seen before or not.
func BenchmarkWordCache(b *testing.B) {
	for _, lang := range []string{"en", "tr"} {
		d := document(prose(1, 2000))
		for name, memory := range map[string]int{"remembered": 0, "computed": -1} {
			a := text.NewAnalyzer(text.Options{Language: lang, Memory: memory})
			b.Run(lang+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					for i := range d.Words {
						a.Term(d.Word(i))
					}
				}
			})
		}
	}
}
