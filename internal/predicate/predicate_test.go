package predicate_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/internal/predicate"
)

// tree reads a tree written as JSON.
func tree(t testing.TB, s string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return v
}

func fromTree(t testing.TB, s string) *predicate.Predicate {
	t.Helper()
	p, problems := predicate.FromTree(tree(t, s), nil)
	if len(problems) > 0 {
		t.Fatalf("%s: %+v", s, problems)
	}
	return p
}

// recipe is a page about which much is known.
func recipe() *dowse.Page {
	text := "Rösti wie im Wallis\nZutaten: 800 g Kartoffeln, Butter, Salz. Schreiben Sie an kueche@example.ch oder KUECHE@example.ch.\n" +
		"Zubereitung: Die Kartoffeln am Vortag kochen. " + strings.Repeat("Dann raffeln und langsam braten. ", 40)
	return &dowse.Page{
		URL: "https://www.example.ch/rezepte/roesti.html?print=1", Depth: 2, Hops: 1, LinksIn: ptr(3),
		Fetch: dowse.Fetch{Status: 200, Type: "text/html", Bytes: 20_000},
		Document: dowse.Document{
			Title: "Rösti – das Rezept", Language: "de-ch", Text: text, Words: dowse.Words(text),
			Headings:  []dowse.Heading{{Level: 1, Text: "Rösti wie im Wallis"}, {Level: 2, Text: "Zubereitung"}},
			Links:     make([]dowse.Link, 30),
			Types:     []string{"Recipe", "Person"},
			Published: time.Date(2024, 5, 31, 12, 0, 0, 0, time.UTC),
			Licences:  []dowse.URL{"https://creativecommons.org/licenses/by/4.0/"},
			Meta:      []dowse.Meta{{Name: "author", Content: "A. Koch"}, {Name: "og:type", Content: "article"}, {Name: "og:locale", Content: "de_CH"}},
			Images:    []string{"/bild/roesti.jpg", "data:"},
			NoArchive: true,
		},
	}
}

func ptr[T any](v T) *T { return &v }

func known() predicate.Facts {
	return predicate.Facts{
		Anchors: []string{"Rösti-Rezept"}, Parent: &predicate.Parent{Score: 0.7, Host: "blog.example.org"},
		Score: ptr(0.25), Modified: time.Date(2025, 1, 2, 0, 0, 0, 0, time.UTC), Categories: map[string]float64{"FOOD": 0.8},
	}
}

const swissRecipes = `{"all": [
	{"lang": ["de", "fr", "it"]},
	{"any": [{"schema_org": "Recipe"}, {"title": "/rezept|recette|ricetta/i"}]},
	{"text": {"has": ["Zutaten", "Zubereitung"], "at_least": 1, "words": "120.."}},
	{"host": {"tld": ["ch", "li"]}},
	{"not": {"path": "/\\/(forum|kommentare)\\//"}},
	{"published": {"after": "2024-01-01"}},
	{"expr": "page.links_out < 400 && size(page.images) > 0"}
], "unknown": "pass"}`

func TestSwissRecipes(t *testing.T) {
	p := fromTree(t, swissRecipes)
	r := p.Test(recipe(), predicate.Facts{})
	var got []string
	for _, c := range r.Clauses {
		got = append(got, fmt.Sprintf("%s%s %v %s", strings.Repeat("  ", c.Depth), c.Name, c.Holds, c.Detail))
	}
	want := `all true 
  lang: [de, fr, it] true found de
  any true 
    schema_org: Recipe true found Recipe
    title: /rezept|recette|ricetta/i true found /rezept|recette|ricetta/i
  text: {has: [Zutaten, Zubereitung], at_least: 1, words: 120..} true found Zutaten, Zubereitung; 226 words
  host: {tld: [ch, li]} true found ch
  not true 
    path: /\/(forum|kommentare)\// false is /rezepte/roesti.html
  published: {after: 2024-01-01} true is 2024-05-31
  expr: page.links_out < 400 && size(page.images) > 0 true `
	if !r.Holds || strings.Join(got, "\n") != want {
		t.Errorf("holds %v\n%s\nwant\n%s", r.Holds, strings.Join(got, "\n"), want)
	}
	facts := []string{"host", "images", "lang", "links_out", "path", "published", "schema_org", "text", "title"}
	if n := p.Needs(); !slices.Equal(n.Facts, facts) || n.Clauses != len(got) || !n.Reads("lang") || n.Reads("emails") {
		t.Errorf("needs %+v", n)
	}
}

func TestMatchers(t *testing.T) {
	for _, c := range []struct {
		tree string
		want bool
	}{
		{`{"url": "ROESTI"}`, true}, {`{"url": "https://example.ch"}`, false}, {`{"url": "/\\.html\\?/"}`, true},
		{`{"host": "example.ch"}`, true}, {`{"host": ".example.ch"}`, true}, {`{"host": "*.example.ch"}`, true},
		{`{"host": "www.example.ch"}`, true}, {`{"host": "ample.ch"}`, false}, {`{"host": {"tld": "ch"}}`, true}, {`{"host": {"tld": "h"}}`, false},
		{`{"host": {"has": "example.ch", "tld": ["de"]}}`, false},
		{`{"tld": "ch"}`, true}, {`{"tld": [".li", ".ch"]}`, true}, {`{"tld": "example.ch"}`, true}, {`{"tld": "/^c/"}`, true}, {`{"tld": "de"}`, false},
		{`{"path": "/rezepte"}`, true}, {`{"path": "/html$/"}`, true}, {`{"path": "print"}`, false},
		{`{"depth": 2}`, true}, {`{"depth": "3.."}`, false}, {`{"depth": ["..1", 2]}`, true}, {`{"depth": {"at_least": 2}}`, true}, {`{"depth": {"range": "0..1"}}`, false},
		{`{"lang": "DE"}`, true}, {`{"lang": "de-ch"}`, true}, {`{"lang": "de-at"}`, false}, {`{"lang": "d"}`, false}, {`{"lang": "/^de/"}`, true},
		{`{"title": "rösti"}`, true}, {`{"title": "RO\u0308STI"}`, true}, {`{"title": "röst"}`, false}, {`{"title": "rösti das rezept"}`, true},
		{`{"title": "das rösti"}`, false}, {`{"title": {"words": "3"}}`, true}, {`{"title": {"words": "4.."}}`, false}, {`{"title": "–"}`, true},
		{`{"text": {"has": ["Butter", "Salz", "Rahm"], "at_least": 2}}`, true}, {`{"text": {"has": ["Butter", "Salz", "Rahm"], "at_least": 3}}`, false},
		{`{"text": 800}`, true}, {`{"text": 80}`, false}, {`{"text": ["Rahm", "Salz"]}`, true}, {`{"text": "wallis zutaten"}`, true},
		{`{"text": "/Kartoffeln?,/"}`, true}, {`{"text": "/kartoffeln,/"}`, false}, {`{"text": "/WALLIS$/mi"}`, true},
		{`{"headings": "Zubereitung"}`, true}, {`{"headings": "Zutaten"}`, false}, {`{"headings": {"range": "2..3"}}`, true}, {`{"headings": 3}`, false},
		{`{"anchor": "rezept"}`, true}, {`{"anchor": "hier"}`, false},
		{`{"meta": "Koch"}`, true}, {`{"meta.author": "koch"}`, true}, {`{"meta.generator": "koch"}`, false}, {`{"meta.author": true}`, true}, {`{"meta.generator": true}`, false},
		{`{"og.type": "article"}`, true}, {`{"og": "article"}`, true}, {`{"og": "koch"}`, false}, {`{"og": {"at_least": 2}}`, true}, {`{"og": {"at_least": 3}}`, false},
		{`{"schema_org": "recipe"}`, true}, {`{"schema_org": "Rec"}`, false}, {`{"schema_org": ["Event", "Person"]}`, true},
		{`{"mime": "text/html"}`, true}, {`{"mime": "text/*"}`, true}, {`{"mime": "image/*"}`, false},
		{`{"status": 200}`, true}, {`{"status": "200..299"}`, true}, {`{"status": [404, 410]}`, false},
		{`{"size": "10000.."}`, true}, {`{"words": "120.."}`, true}, {`{"words": {"at_least": 1000}}`, false}, {`{"links_out": 30}`, true},
		{`{"links_in": "3.."}`, true}, {`{"links_in": 2}`, false},
		{`{"images": true}`, true}, {`{"images": false}`, false}, {`{"images": 2}`, true}, {`{"images": "3.."}`, false}, {`{"images": "roesti"}`, true}, {`{"images": {"at_least": 2}}`, true},
		{`{"emails": 1}`, true}, {`{"emails": "@example.ch"}`, true}, {`{"emails": "@example.org"}`, false},
		{`{"published": 2024}`, true}, {`{"published": "2024-05"}`, true}, {`{"published": "2024-05-31"}`, true}, {`{"published": "2024-06"}`, false},
		{`{"published": {"before": 2025}}`, true}, {`{"published": {"before": "2024-05-31"}}`, false}, {`{"published": {"after": "2024-05-31"}}`, true},
		{`{"published": {"after": "2024-06"}}`, false}, {`{"published": {"after": 2024, "before": 2025}}`, true}, {`{"published": {"range": "2023..2024-05-31"}}`, true},
		{`{"published": "..2024-04"}`, false}, {`{"published": ["2023", "2024"]}`, true}, {`{"published": {"after": "2024-05-31T12:00:00Z"}}`, true}, {`{"published": {"after": "2024-05-31T12:00:01Z"}}`, false},
		{`{"modified": 2025}`, true}, {`{"published": true}`, true},
		{`{"licence": "creativecommons.org/licenses/by/"}`, true}, {`{"licence": "publicdomain"}`, false},
		{`{"robots_flags": "noarchive"}`, true}, {`{"robots_flags": ["noindex", "nofollow"]}`, false},
		{`{"parent.score": "0.5.."}`, true}, {`{"parent.host": "example.org"}`, true}, {`{"hops": "..1"}`, true}, {`{"score": "0.3.."}`, false},
		{`{"title": "Rösti", "lang": "de"}`, true}, {`{"title": "Rösti", "lang": "fr"}`, false},
		{`{"not": [{"lang": "fr"}, {"title": "x"}]}`, true}, {`{"not": [{"lang": "de"}, {"title": "x"}]}`, false},
		{`{"all": []}`, true}, {`{"any": []}`, false},
		{`"keyword(Kartoffeln) and not host_suffix(.de)"`, true}, {`{"any": ["lang(fr)", {"op": "category", "name": "FOOD", "min": 0.8}]}`, true},
		{`{"op": "category", "name": "FOOD", "min": 0.81}`, false}, {`{"op": "category", "name": "ARTS", "min": 0}`, true}, {`{"op": "category", "name": "ARTS"}`, false},
		{`{"op": "or", "args": []}`, false}, {`{"op": "and", "args": []}`, true},
		{`{"op": "url_suffix", "suffix": "PRINT=1"}`, true}, {`{"op": "url_contains", "s": "Rezepte"}`, true}, {`{"op": "url_regex", "re": "/REZEPTE/i"}`, true},
		{`{"op": "url_regex", "re": "^https?://[^/]+/rezepte"}`, true}, {`{"op": "phrase", "words": "kartoffeln butter salz"}`, true}, {`{"op": "phrase", "words": "kartoffel"}`, false},
		{`{"op": "lang", "lang": "de"}`, true}, {`{"op": "keyword", "word": "rösti"}`, true}, {`{"op": "keyword", "word": "rezept wallis"}`, true}, {`{"op": "keyword", "word": "g"}`, true}, {`{"op": "keyword", "word": "x"}`, false},
	} {
		if got := fromTree(t, c.tree).Test(recipe(), known()); got.Holds != c.want {
			t.Errorf("%s: %v, want %v: %+v", c.tree, got.Holds, c.want, got.Clauses)
		}
	}
}

// A fact that is missing makes a clause neither true nor false.
func TestUnknown(t *testing.T) {
	for _, c := range []struct {
		tree string
		want bool
	}{
		{`{"published": 2024}`, false}, {`{"published": 2024, "unknown": "pass"}`, true}, {`{"published": 2024, "unknown": "fail"}`, false},
		{`{"not": {"published": 2024}}`, false}, {`{"not": {"published": 2024}, "unknown": "pass"}`, true},
		{`{"all": [{"published": 2024}, {"title": "x"}], "unknown": "pass"}`, false},
		{`{"any": [{"published": 2024}, {"title": "page"}]}`, true},
		{`{"all": [{"published": 2024, "unknown": "pass"}, {"modified": 2024}]}`, false},
		{`{"all": [{"published": 2024, "unknown": "fail"}, {"title": "page"}], "unknown": "pass"}`, false},
		{`{"not": {"published": 2024, "unknown": "fail"}}`, true},
		{`{"published": false}`, true}, {`{"published": true, "unknown": "pass"}`, false},
		{`{"parent.host": "x", "unknown": "pass"}`, true}, {`{"links_in": 1, "unknown": "pass"}`, true}, {`{"score": 1, "unknown": "pass"}`, true},
		{`{"anchor": "x", "unknown": "pass"}`, true}, {`{"mime": "x", "unknown": "pass"}`, true}, {`{"status": 1, "unknown": "pass"}`, true}, {`{"lang": "de", "unknown": "pass"}`, true},
		{`{"meta": "x", "unknown": "pass"}`, false}, {`{"schema_org": "x", "unknown": "pass"}`, false},
		{`{"expr": "page.score > 0.5", "unknown": "pass"}`, true}, {`{"expr": "page.score > 0.5"}`, false}, {`{"expr": "page.title == 'page' || page.score > 0.5"}`, true},
		{`{"expr": "page.published > timestamp('2024-01-01T00:00:00Z')", "unknown": "pass"}`, true}, {`{"expr": "page.parent.score > 0.5", "unknown": "pass"}`, true},
		{`{"op": "category", "name": "ARTS"}`, false}, {`{"op": "not", "arg": {"op": "category", "name": "ARTS"}}`, false},
		{`{"all": [{"op": "category", "name": "ARTS"}], "unknown": "pass"}`, true},
		{`{"text": {"has": "x", "words": "1.."}, "unknown": "pass"}`, false},
	} {
		bare := &dowse.Page{URL: "opaque", Document: dowse.Document{Title: "page"}}
		if got := fromTree(t, c.tree).Test(bare, predicate.Facts{}); got.Holds != c.want {
			t.Errorf("%s: %v, want %v: %+v", c.tree, got.Holds, c.want, got.Clauses)
		}
	}
	r := fromTree(t, `{"published": 2024, "unknown": "pass"}`).Test(&dowse.Page{}, predicate.Facts{})
	if want := (predicate.Clause{Name: "published: 2024", Holds: true, Unknown: true, Detail: "published is not known"}); !r.Holds || r.Clauses[0] != want {
		t.Errorf("%+v", r)
	}
}

// A language that is not declared is detected from the text, if it is asked for.
func TestUndeclaredLanguage(t *testing.T) {
	p := page("https://example.org/", "Der alte Hafen war am Morgen ruhig, und nur wenige Boote kamen zurück, bevor der Regen begann.")
	for tree, want := range map[string]bool{`{"lang": "de"}`: true, `{"lang": "nl"}`: false, `"lang(de)"`: true, `{"expr": "page.lang == 'de'"}`: true} {
		if got := fromTree(t, tree).Test(p, predicate.Facts{}); got.Holds != want {
			t.Errorf("%s: %+v", tree, got)
		}
	}
	if got := fromTree(t, `{"lang": "de"}`).Test(p, predicate.Facts{Languages: []string{"fr", "it"}}); got.Holds || !got.Clauses[0].Unknown {
		t.Errorf("German among French and Italian: %+v", got)
	}
}

// In scripts without spaces a word is found inside of a run.
func TestSpacelessScripts(t *testing.T) {
	p := page("https://example.org/", "大堡礁的珊瑚白化現象。 Reef报告")
	for tree, want := range map[string]bool{
		`{"text": "珊瑚"}`: true, `{"text": "白化"}`: true, `{"text": "海洋"}`: false, `"keyword(珊瑚)"`: true, `"phrase(\"珊瑚白化\")"`: true, `{"text": "reef"}`: false, `{"text": "reef报告"}`: true,
	} {
		if got := fromTree(t, tree).Test(p, predicate.Facts{}); got.Holds != want {
			t.Errorf("%s: %v", tree, got.Holds)
		}
	}
}

func TestEmails(t *testing.T) {
	p := page("https://example.org/", "a@b.de, x.y+z@sub.example.org. @nobody user@ 1@2.3 me@host a@b..c @@ a@b.de (Info@Example.COM)")
	for tree, want := range map[string]bool{`{"emails": 3}`: true, `{"emails": "x.y+z@sub.example.org"}`: true, `{"emails": "info@example.com"}`: true} {
		if got := fromTree(t, tree).Test(p, predicate.Facts{}); got.Holds != want {
			t.Errorf("%s: %+v", tree, got)
		}
	}
	if got := fromTree(t, `{"emails": 100}`).Test(page("u", strings.Repeat("@", 1<<20)), predicate.Facts{}); got.Holds {
		t.Error("@ alone is an address")
	}
}

func TestTreeIsACopy(t *testing.T) {
	v := tree(t, `{"any": [{"title": ["reef", "atoll"]}]}`)
	p, _ := predicate.FromTree(v, nil)
	v.(map[string]any)["any"].([]any)[0].(map[string]any)["title"].([]any)[0] = "other"
	if got, want := p.String(), `{"any":[{"title":["reef","atoll"]}]}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	again, problems := predicate.FromTree(p.Tree(), nil)
	if len(problems) > 0 || again.String() != p.String() {
		t.Errorf("%s, %v", again, problems)
	}
}

func TestFactsAreListed(t *testing.T) {
	const want = "url host tld path depth lang title text headings anchor meta schema_org og mime status size words links_out links_in " +
		"images emails published modified licence robots_flags parent.score parent.host hops score"
	var names []string
	for _, f := range predicate.AllFacts() {
		names = append(names, f.Name)
		if f.Means == "" || f.Kind == "" {
			t.Errorf("%s means nothing", f.Name)
		}
		if _, problems := predicate.FromTree(map[string]any{f.Name: true}, nil); len(problems) > 0 {
			t.Errorf("%s: %v", f.Name, problems)
		}
		if _, problems := predicate.FromTree(map[string]any{"expr": "has(page." + f.Name + ")"}, nil); len(problems) > 0 {
			t.Errorf("%s: %v", f.Name, problems)
		}
	}
	for _, name := range strings.Fields(want) { // topic files have these names: none may go
		if !slices.Contains(names, name) {
			t.Errorf("there is no fact %s", name)
		}
	}
}

// The dearest predicates over the largest pages end.
func TestHostilePages(t *testing.T) {
	text := strings.Repeat("a", 1<<20)
	spaced := strings.Repeat("a ", 1<<19)
	for _, s := range []string{text, spaced, strings.Repeat("@a", 1<<19), strings.Repeat("é", 1<<19), strings.Repeat("\xff", 1<<16)} {
		p := page("https://example.org/"+strings.Repeat("a/", 900), s)
		for range 1000 {
			p.Images = append(p.Images, "aaaaaaaaaaaaaaaaaaaaaaaa")
		}
		for _, tree := range []string{
			`{"text": "/(a|aa)*b/"}`, `{"text": "/(a?){50}a{50}b/"}`, `{"emails": 5}`, `{"text": "` + strings.Repeat("a ", 400) + `b"}`,
			`"keyword(aaa) or phrase(\"a a a b\")"`, `{"expr": "page.images.all(x, page.images.all(y, page.text.contains(x + y)))"}`,
			`{"expr": "page.text.matches('(a|aa)*b')"}`,
		} {
			fromTree(t, tree).Test(p, predicate.Facts{})
		}
	}
	r := fromTree(t, `{"text": "`+strings.Repeat("a ", 400)+`b"}`).Test(page("u", spaced), predicate.Facts{})
	if r.Holds || !r.Clauses[0].Unknown || !strings.Contains(r.Clauses[0].Detail, "gave up") {
		t.Errorf("%+v", r)
	}
}

func ExamplePredicate_Test() {
	p, err := predicate.ParseExpr(`category(SPORTS, 0.6) and keyword(hockey) and not host_suffix(.uk)`)
	if err != nil {
		fmt.Println(err)
		return
	}
	text := "The results of the ice hockey season"
	page := &dowse.Page{URL: "https://example.org/", Document: dowse.Document{Text: text, Words: dowse.Words(text)}}
	result := p.Test(page, predicate.Facts{Categories: map[string]float64{"SPORTS": 0.55}})
	fmt.Println(result.Holds)
	for _, c := range result.Clauses {
		fmt.Println(strings.TrimRight(fmt.Sprintf("%*s%s: %v %s", 2*c.Depth, "", c.Name, c.Holds, c.Detail), " "))
	}
	// Output:
	// false
	// and: false
	//   category(SPORTS, 0.6): false is 0.55
	//   keyword(hockey): true found
	//   not: true
	//     host_suffix(.uk): false is example.org
}

func ExampleFromTree() {
	p, problems := predicate.FromTree(map[string]any{
		"any": []any{
			map[string]any{"titel": "reef"},
			map[string]any{"published": map[string]any{"after": "yesterday"}},
		},
	}, nil)
	fmt.Println(p)
	for _, problem := range problems {
		fmt.Println(problem.Error())
	}
	// Output:
	// <nil>
	// any[0].titel: unknown fact "titel"; did you mean "title"?
	// any[1].published.after: "yesterday" is not a date; write 2026, 2026-05 or 2026-05-31
}

func BenchmarkTest(b *testing.B) {
	p := fromTree(b, swissRecipes)
	page := recipe()
	page.Text = strings.Repeat(page.Text, 10)
	page.Words = dowse.Words(page.Text)
	b.Logf("%d clauses, %d words, %d bytes", p.Needs().Clauses, len(page.Words), len(page.Text))
	b.ReportAllocs()
	for b.Loop() {
		p.Test(page, predicate.Facts{})
	}
}

func BenchmarkExpr(b *testing.B) {
	p, err := predicate.ParseExpr("category(FOOD) and keyword(potatoes) and keyword(butter) and not phrase(\"am vortag backen\") and host_suffix(.ch)")
	if err != nil {
		b.Fatal(err)
	}
	page := recipe()
	page.Text = strings.Repeat(page.Text, 10)
	page.Words = dowse.Words(page.Text)
	b.ReportAllocs()
	for b.Loop() {
		p.Test(page, known())
	}
}

func BenchmarkCEL(b *testing.B) {
	p := fromTree(b, `{"expr": "page.links_out < 400 && size(page.images) > 0"}`)
	page := recipe()
	b.ReportAllocs()
	for b.Loop() {
		p.Test(page, predicate.Facts{})
	}
}
