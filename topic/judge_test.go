package topic_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"dowse"
	"dowse/judge"
	"dowse/topic"
)

// shelf is a loader of pages that lie ready, by the names of their sources.
type shelf struct {
	pages   map[string][]*dowse.Page
	in, out []*dowse.Page
	model   judge.Model
}

func (s shelf) Pages(_ context.Context, src topic.Source) ([]*dowse.Page, []string, error) {
	return s.pages[src.String()], nil, nil
}

func (s shelf) Category(context.Context, topic.Category) (in, out []*dowse.Page, err error) {
	return s.in, s.out, nil
}

func (s shelf) Others(_ context.Context, src topic.Source, n int) ([]*dowse.Page, error) {
	list := s.pages["others of "+src.Collection]
	return list[:min(n, len(list))], nil
}

func (s shelf) Model(context.Context, string) (judge.Model, error) {
	if s.model == nil {
		return nil, errors.New("no such file")
	}
	return s.model, nil
}

func page(url, title, text string) *dowse.Page {
	return &dowse.Page{URL: dowse.URL(url), Document: dowse.Document{Title: title, Text: text, Words: dowse.Words(text), Language: "en"}}
}

var (
	heat = []*dowse.Page{
		page("https://a.example/heat", "Heat plan", "The city plans for heat: shade, drinking water, cool rooms for the old during a heat wave."),
		page("https://b.example/plan", "Plan against heat", "A heat wave warning opens cool rooms; nurses call the old, parks give shade and water."),
		page("https://c.example/hot", "Hot days", "On hot days the municipal heat plan brings water to the squares and shade to playgrounds."),
	}
	other = []*dowse.Page{
		page("https://a.example/pool", "Opening hours", "The swimming pool opens at nine. Tickets at the desk. Children pay half."),
		page("https://b.example/roads", "Road works", "The bridge is closed in May. Buses go round by the station."),
		page("https://d.example/shop", "Shop", "Heaters and radiators for cold rooms, delivered to your house, price with tax."),
	}
	bake = page("https://e.example/bread", "Bread", "Flour, water, salt and yeast; bake for an hour in a hot oven.")
	wave = page("https://f.example/wave", "Heat wave", "During the heat wave the city opens cool rooms, gives out water and plans more shade for the old.")
)

// sums checks that the reasons of a verdict add up to its relevance.
func sums(t *testing.T, v dowse.Verdict) {
	t.Helper()
	z := 0.0
	for _, b := range v.Because {
		z += b.Weight
	}
	if got := 1 / (1 + math.Exp(-z)); v.Scale != judge.LogOdds || math.Abs(got-v.Relevance) > 1e-6 || len(v.Because) == 0 {
		t.Errorf("the reasons come to %g, the relevance is %g (%s): %+v", got, v.Relevance, v.Scale, v.Because)
	}
}

func gathered(t *testing.T, file string, l topic.Loader) (*topic.Topic, *topic.Material, *topic.Judge) {
	t.Helper()
	got := parse(t, file)
	m, err := got.Gather(context.Background(), l)
	if err != nil {
		t.Fatal(err)
	}
	j, err := got.NewJudge(m)
	if err != nil {
		t.Fatal(err)
	}
	return got, m, j
}

func reasons(v dowse.Verdict) string {
	var b strings.Builder
	for _, r := range v.Because {
		fmt.Fprintf(&b, "%+.2f %s\n", r.Weight, r.What)
	}
	return b.String()
}

func TestWordsAloneAreJudgedAsWords(t *testing.T) {
	got := parse(t, reefs)
	j, err := got.NewJudge(&topic.Material{})
	if err != nil {
		t.Fatal(err)
	}
	words, err := judge.NewWords(judge.Wanted{Words: got.Words, Also: got.Also, Not: got.Not, About: got.About, Language: "en"})
	if err != nil {
		t.Fatal(err)
	}
	p := page("https://a.example/", "Coral bleaching", strings.Repeat("Coral bleaching follows heat stress of the reef. ", 5))
	p.Language = "fr"
	windows := []dowse.Span{{Start: 0, End: 5}}
	v, w := j.JudgeWindows(p, windows)
	want, wantW := words.JudgeWindows(p, windows)
	if v.Relevance != want.Relevance || v.Judge != want.Judge || !slices.Equal(v.Because, want.Because) || !slices.Equal(w, wantW) {
		t.Errorf("%+v %v, want %+v %v", v, w, want, wantW)
	}
	if j.Model() != nil {
		t.Error("words have a model")
	}
}

// (b): examples from URLs, files, archives and collections.
func TestExamples(t *testing.T) {
	file := `dowse: topic/v1
name: municipal-heat-plans
like:
  - https://a.example/heat
  - file: examples/on/*.html
  - warc: old/plans-2024.warc.gz
  - collection: plans-2025.dowse
unlike:
  - file: examples/off/*.html
  - collection: {dir: plans-2025.dowse, label: "off", limit: 500}
  - text: radiators for sale
seeds: from-like
threshold: 0.6
`
	_, m, j := gathered(t, file, shelf{pages: map[string][]*dowse.Page{
		"https://a.example/heat":                heat[:1],
		"file examples/on/*.html":               heat[1:2],
		"warc old/plans-2024.warc.gz":           heat[:3], // one of them twice
		"collection plans-2025.dowse label on":  heat[2:],
		"file examples/off/*.html":              other[:1],
		"collection plans-2025.dowse label off": other[1:],
	}})
	if on, off := m.Counts(); on != 3 || off != 4 || len(m.Origins) != 7 {
		t.Errorf("%d on topic, %d not, %d origins", on, off, len(m.Origins))
	}
	v, w := j.JudgeWindows(wave, []dowse.Span{{Start: 0, End: 4}, {Start: 5, End: 8}})
	sums(t, v)
	sums(t, j.Judge(bake))
	if no := j.Judge(bake).Relevance; v.Relevance < 0.5 || no > 0.3 || len(w) != 2 || w[0] < no {
		t.Errorf("heat %g, bread %g, windows %v\n%s", v.Relevance, no, w, reasons(v))
	}
	wantSeeds := []string{"https://a.example/heat", "https://b.example/plan", "https://c.example/hot", "https://a.example/", "https://b.example/", "https://c.example/"}
	if !slices.Equal(m.Seeds, wantSeeds) {
		t.Errorf("seeds %q, want %q", m.Seeds, wantSeeds)
	}
	if j.Model() == nil || j.Named("m0001").Judge(wave).Judge != "m0001" {
		t.Error("the judge has no model, or not its name")
	}
	if n := strings.Join(m.Notes, "\n"); !strings.Contains(n, "4 examples are off topic: 26 everyday texts serve as negative examples") {
		t.Errorf("notes: %s", n)
	}
}

// (c): entries of a category, told from their siblings.
func TestCategory(t *testing.T) {
	file := `dowse: topic/v1
name: lighthouses
category:
  directory: ./directories/odp.jsonl.zst
  path: Recreation/Collecting/Lighthouses
  include: subtree
  contrast: siblings
seeds: {from: category, limit: 2}
`
	_, m, j := gathered(t, file, shelf{in: heat, out: other})
	if on, off := m.Counts(); on != 3 || off != 0 || len(m.Contrast) != 3 {
		t.Errorf("%d on topic, %d not, %d others", on, off, len(m.Contrast))
	}
	if v := j.Judge(wave); v.Relevance <= j.Judge(bake).Relevance || v.Relevance < 0.5 {
		t.Errorf("%g\n%s", v.Relevance, reasons(v))
	}
	if want := []string{"https://a.example/heat", "https://b.example/plan"}; !slices.Equal(m.Seeds, want) {
		t.Errorf("seeds %q, want %q", m.Seeds, want)
	}
}

const swiss = `dowse: topic/v1
name: swiss-recipes
where:
  all:
    - lang: [de, fr, it]
    - any:
        - schema_org: Recipe
        - title: /rezept|recette|ricetta/i
    - text: {has: [Zutaten, Zubereitung], at_least: 1, words: "12.."}
    - host: {tld: [ch, li]}
    - not: {path: /\/(forum|kommentare)\//}
    - published: {after: 2024-01-01}
    - expr: 'page.links_out < 400'
  unknown: pass
words: [rezept, recette]
seeds: ["https://example.ch/rezepte"]
`

// (d): a gate decides, and every clause reports for itself.
func TestGate(t *testing.T) {
	_, _, j := gathered(t, swiss, shelf{})
	text := "Zutaten: Kartoffeln, Butter und Salz. Zubereitung: Die Kartoffeln reiben, salzen und in Butter braten."
	p := page("https://example.ch/essen/roesti", "Rezept: Rösti", text)
	p.Language = "de"
	v := j.Judge(p)
	sums(t, v)
	if v.Relevance < 0.9 || !strings.Contains(reasons(v), "where lang") || !strings.Contains(reasons(v), "where holds") {
		t.Errorf("%g\n%s", v.Relevance, reasons(v))
	}
	for name, change := range map[string]func(*dowse.Page){
		"lang":  func(p *dowse.Page) { p.Language = "en" },
		"title": func(p *dowse.Page) { p.Title = "Rösti" },
		"host":  func(p *dowse.Page) { p.URL = "https://example.com/essen/roesti" },
		"path":  func(p *dowse.Page) { p.URL = "https://example.ch/forum/roesti" },
		"text":  func(p *dowse.Page) { p.Text = "kurz"; p.Words = dowse.Words("kurz") },
	} {
		q := *p
		change(&q)
		v := j.Judge(&q)
		sums(t, v)
		if v.Relevance > 0.05 {
			t.Errorf("%s: %g\n%s", name, v.Relevance, reasons(v))
		}
		negative := 0
		for _, b := range v.Because {
			if strings.HasPrefix(b.What, "where ") && b.Weight < 0 {
				negative++
			}
		}
		if negative == 0 {
			t.Errorf("%s: no clause is the reason\n%s", name, reasons(v))
		}
	}
}

// A gate that asks only where a page is narrows what the words find.
func TestGateNarrows(t *testing.T) {
	_, _, j := gathered(t, "dowse: topic/v1\nname: x\nwords: [coral bleaching]\nwhere: {host: {tld: [org]}}\n", shelf{})
	text := strings.Repeat("Coral bleaching follows heat. ", 10)
	for _, tt := range []struct {
		page *dowse.Page
		on   bool
	}{
		{page("https://a.org/x", "Coral bleaching", text), true},
		{page("https://a.com/x", "Coral bleaching", text), false},
		{page("https://a.org/y", "Trains", "Trains leave every hour."), false},
	} {
		v := j.Judge(tt.page)
		sums(t, v)
		if (v.Relevance >= 0.5) != tt.on {
			t.Errorf("%s: %g\n%s", tt.page.URL, v.Relevance, reasons(v))
		}
	}
}

// (e): all of it together.
func TestCombined(t *testing.T) {
	file := `dowse: topic/v1
name: battery-recycling-suppliers
words: [heat wave, cool rooms]
not: [radiators]
like: [{file: suppliers/*.html}]
where: {any: [{schema_org: [Organization, Product]}, {text: {has: ["water"]}}]}
model: {file: models/battery-v4.json}
judge:
  exec: [python3, judge.py]
  only_if: "0.3..0.7"
  timeout: 5s
follow: {strategy: auto, explore: 0.05, tunnel: 3}
limits: {per_host: 200}
languages: [en]
`
	var examples []judge.Example
	for i := range heat {
		examples = append(examples, judge.Example{Page: heat[i], Relevant: true}, judge.Example{Page: other[i]})
	}
	for _, trainer := range []judge.Trainer{judge.Logistic{}, judge.SVM{}, judge.Centroid{}, judge.Table{}} {
		model, err := trainer.Train(examples)
		if err != nil {
			t.Fatal(err)
		}
		got, _, j := gathered(t, file, shelf{pages: map[string][]*dowse.Page{"file suppliers/*.html": heat}, model: model})
		if got.Outside == nil || got.Outside.Exec[1] != "judge.py" || *got.Explore != 0.05 {
			t.Errorf("%+v", got)
		}
		for _, p := range append([]*dowse.Page{wave, bake}, other...) {
			sums(t, j.Judge(p))
		}
		french := *wave
		french.Language = "fr"
		v, f, no := j.Judge(wave), j.Judge(&french), j.Judge(other[2])
		sums(t, f)
		if v.Relevance < 0.6 || no.Relevance > 0.1 || f.Relevance >= v.Relevance {
			t.Errorf("%s: heat %g, in French %g, radiators %g\n%s", model.Kind(), v.Relevance, f.Relevance, no.Relevance, reasons(v))
		}
	}
}

func TestGatherTellsWhatIsMissing(t *testing.T) {
	for file, want := range map[string]string{
		"dowse: topic/v1\nname: x\nlike: [https://a.example/]\n":                  "https://a.example/: no page in it",
		"dowse: topic/v1\nname: x\ncategory: {directory: d.jsonl, path: Top/A}\n": "category Top/A of d.jsonl: no entry in it",
		"dowse: topic/v1\nname: x\nmodel: m.json\n":                               "model m.json: no such file",
	} {
		_, err := parse(t, file).Gather(context.Background(), shelf{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", file, err, want)
		}
	}
}

// Labels make a judge of words learn.
func TestLabelsBesideWords(t *testing.T) {
	got := topic.FromWords([]string{"heat wave"})
	m := &topic.Material{}
	for i := range heat {
		m.Examples = append(m.Examples, judge.Example{Page: heat[i], Relevant: true}, judge.Example{Page: other[i]})
	}
	before, err := got.NewJudge(&topic.Material{})
	if err != nil {
		t.Fatal(err)
	}
	after, err := got.NewJudge(m)
	if err != nil {
		t.Fatal(err)
	}
	unnamed := page("https://g.example/", "Shade", "Cool rooms, shade and water for the old: the plan of the city for hot days.")
	if a, b := before.Judge(unnamed).Relevance, after.Judge(unnamed).Relevance; b <= a {
		t.Errorf("before the labels %g, after them %g", a, b)
	}
	m.Trained = after.Model()
	again, err := got.NewJudge(m)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := after.Judge(wave), again.Judge(wave); a.Relevance != b.Relevance {
		t.Errorf("trained before: %g, then %g", a.Relevance, b.Relevance)
	}
}

func TestLock(t *testing.T) {
	m := &topic.Material{}
	for _, p := range heat {
		m.Origins = append(m.Origins, topic.Origin{Source: "file x/*.html", URL: p.URL, SHA256: topic.Sum(p)})
	}
	m.Origins = append(m.Origins, topic.Origin{Source: `text "a: b"`, SHA256: topic.Sum(bake)})
	pinned, err := topic.ParseLock(m.Lock())
	if err != nil || !slices.Equal(pinned, m.Origins) {
		t.Fatalf("%v, %v; want %v", pinned, err, m.Origins)
	}
	if lines := topic.Changed(pinned, m.Origins); len(lines) > 0 {
		t.Errorf("nothing has changed: %q", lines)
	}
	now := slices.Clone(m.Origins[1:])
	now[0].SHA256 = "other"
	now = append(now, topic.Origin{Source: "https://new.example/", URL: "https://new.example/", SHA256: "x"})
	got := strings.Join(topic.Changed(pinned, now), "\n")
	for _, want := range []string{"changed since it was pinned: https://b.example/plan", "new since it was pinned: https://new.example/", "was pinned and is gone: https://a.example/heat"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	for _, broken := range []string{"", "dowse: lock/v9\nexamples: []\n", "dowse: lock/v1\nexamples: 3\n", "a: [", "dowse: lock/v1\nother: x\n"} {
		if list, err := topic.ParseLock([]byte(broken)); err == nil {
			t.Errorf("%q: %v", broken, list)
		}
	}
	if got := topic.LockName("x/reefs.topic.yaml"); got != "x/reefs.topic.lock" {
		t.Error(got)
	}
}

func FuzzParseLock(f *testing.F) {
	f.Add([]byte("dowse: lock/v1\nexamples:\n  - source: a\n    url: b\n    sha256: c\n    fetched: 2026-11-15T07:58:57Z\n"))
	f.Add([]byte("dowse: lock/v1\nexamples: []\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if list, err := topic.ParseLock(data); err == nil {
			topic.Changed(list, nil)
		}
	})
}

// Parts written and read again are the same.
func TestWrittenAndReadAgain(t *testing.T) {
	for _, file := range []string{
		swiss,
		"dowse: topic/v1\nname: x\nwhere: keyword(reef) and not host_suffix(.shop)\n",
		"dowse: topic/v1\nname: x\nlike: [{url: https://a.example/, limit: 3}, {warc: a.warc, match: '/a b/i'}, {collection: {dir: c d, label: 'off', limit: 9}}, {site: a.example}, {text: 'a: b'}]\n" +
			"seeds: {from: like, limit: 4, urls: [https://b.example/]}\nmodel: m.json\nfollow: {explore: 0}\n",
		"dowse: topic/v1\nname: x\nwords: [a]\njudge: {endpoint: 'https://a.example/v1', model: m, key_env: KEY_1, only_if: '0.25..0.75', timeout: 1m30s, budget: 7}\n",
		"dowse: topic/v1\nname: x\ncategory: {directory: d, path: 'a b/c', include: node, contrast: none}\nseeds: from-category\n",
	} {
		got := parse(t, file)
		again := parse(t, string(got.YAML()))
		if string(again.YAML()) != string(got.YAML()) || fmt.Sprint(again.Where, again.Like, again.Outside, again.Category) != fmt.Sprint(got.Where, got.Like, got.Outside, got.Category) {
			t.Errorf("%+v\n%+v\n%s", got, again, got.YAML())
		}
	}
}
