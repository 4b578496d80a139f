package topic_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"dowse"
	"dowse/judge"
	"dowse/topic"
)

// TestOwnScale: a table of words is judged at a cosine of 0.8, as Taylan et al. 2011 do, and the
// relevance of a page is its cosine. Without scale: own its threshold is relevance 0.5.
func TestOwnScale(t *testing.T) {
	table, err := judge.Table{}.Of([]judge.TopicWord{{Term: "heat", Weight: 1}, {Term: "plan", Weight: 1}, {Term: "water", Weight: 0.2}})
	if err != nil {
		t.Fatal(err)
	}
	on := page("https://a.example/on", "", "heat heat heat plan")    // a cosine of 0.886
	off := page("https://a.example/off", "", "heat heat heat water") // 0.709
	own, _, j := gathered(t, preface+"model: {file: t.json, scale: own}\nthreshold: 0.8\n", shelf{model: table})
	for p, wanted := range map[*dowse.Page]bool{on: true, off: false} {
		got, want := j.Judge(p), table.Judge(p)
		if got.Relevance != want.Relevance || got.Scale != judge.Cosine {
			t.Errorf("%s: %v on the scale %s, want the cosine %v", p.URL, got.Relevance, got.Scale, want.Relevance)
		}
		if got.Relevance >= own.OnTopic() != wanted {
			t.Errorf("%s: %v at a threshold of %v, want on topic %v", p.URL, got.Relevance, own.OnTopic(), wanted)
		}
	}
	_, _, moved := gathered(t, preface+"model: {file: t.json}\n", shelf{model: table})
	if got := moved.Judge(on).Relevance; got < 0.5 || got > 0.8 {
		t.Errorf("without scale: own, a cosine of 0.8 is relevance 0.5 and 0.941 is 0.8: got %v", got)
	}
	again := parse(t, string(own.YAML()))
	if !again.OwnScale || again.Threshold != 0.8 {
		t.Errorf("written and read again: %+v", again)
	}
	// With a language that is preferred, the rating is pooled, and stays the cosine.
	_, _, pooled := gathered(t, preface+"languages: [en]\nmodel: {file: t.json, scale: own}\nthreshold: 0.8\n", shelf{model: table})
	if got, want := pooled.Judge(on).Relevance, table.Judge(on).Relevance; got < want-1e-9 || got > want+1e-9 {
		t.Errorf("pooled: %v, want %v", got, want)
	}
}

// TestOwnScaleNeeds: the threshold cannot be guessed, and other evidence has another scale.
func TestOwnScaleNeeds(t *testing.T) {
	for file, want := range map[string]string{
		"model: {file: t.json, scale: own}\n":                                "needs a threshold",
		"model: {file: t.json, scale: own}\nthreshold: 0.8\nwords: [reef]\n": "cannot be combined with words",
		"model: {file: t.json, scale: cosine}\nthreshold: 0.8\n":             "scale",
		"model: {scale: own}\nthreshold: 0.8\n":                              `"file" is missing`,
	} {
		if _, err := topic.Parse([]byte(preface+file), "t.yaml"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", file, err, want)
		}
	}
}

// TestGateAlone: a topic that is a condition and nothing else rates pages 1 or 0, whether the
// condition is about the URL, in CEL or about words.
func TestGateAlone(t *testing.T) {
	p := page("https://a.example/reef/1", "Reef", "the reef and the sea")
	for where, want := range map[string]float64{
		`{path: reef}`:                     1,
		`{path: shop}`:                     0,
		`{expr: 'page.words > 2'}`:         1,
		`{expr: 'page.words > 2000'}`:      0,
		`url_contains(reef)`:               1,
		`keyword(sea)`:                     1,
		`keyword(cow)`:                     0,
		`{not: {lang: de}}`:                1,
		`{published: {after: 2020-01-01}}`: 0,
	} {
		j, err := parse(t, preface+"where: "+where+"\n").Judge()
		if err != nil {
			t.Fatal(err)
		}
		v := j.Judge(p)
		sum := 0.0
		for _, b := range v.Because {
			sum += b.Weight
		}
		if v.Relevance != want || sum != want || len(v.Because) < 2 {
			t.Errorf("%s: relevance %v, reasons add up to %v, want %v: %+v", where, v.Relevance, sum, want, v.Because)
		}
	}
	// An outside judge is asked about unsure pages: then a page that meets the gate is unsure.
	asked := parse(t, preface+"where: {path: reef}\njudge: {exec: [ask]}\n")
	if j, err := asked.Judge(); err != nil || j.Judge(p).Relevance != 0.5 {
		t.Errorf("with an outside judge: %v, %v", j, err)
	}
}

const sports = preface + `words: [heat]
where: category(SPORTS) and keyword(water)
categories:
  SPORTS: {model: sports.json}
`

// TestNamedCategories: category(NAME) asks the model of that category, or one that is trained on
// the entries of a directory.
func TestNamedCategories(t *testing.T) {
	model, err := judge.Table{Bar: 0.3}.Of([]judge.TopicWord{{Term: "heat", Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	got, m, j := gathered(t, sports, shelf{model: model})
	if m.Categories["SPORTS"] == nil {
		t.Fatal("the model of the category was not gathered")
	}
	if on, off := j.Judge(wave).Relevance, j.Judge(bake).Relevance; on < 0.5 || off >= 0.5 {
		t.Errorf("in the category %v, others %v", on, off)
	}
	if again := parse(t, string(got.YAML())); again.Categories["SPORTS"].Model != "sports.json" {
		t.Errorf("written and read again: %+v", again.Categories)
	}
	_, _, j = gathered(t, preface+"where: category(HEAT)\ncategories: {HEAT: {directory: d.tsv, path: Top/Heat}}\n", shelf{in: heat, out: other})
	if on, off := j.Judge(wave).Relevance, j.Judge(bake).Relevance; on != 1 || off != 0 {
		t.Errorf("trained on a directory: in the category %v, others %v", on, off)
	}
}

// TestUnknownCategory: a category of which nothing is known is a mistake, and not a condition
// that no page meets. The topic's own name is known, in any case.
func TestUnknownCategory(t *testing.T) {
	bad := parse(t, preface+"words: [crab]\nwhere: category(SPORTS) and keyword(crab)\n")
	var source *topic.SourceError
	if _, err := bad.Gather(context.Background(), shelf{}); !errors.As(err, &source) || !strings.Contains(err.Error(), "category(SPORTS)") {
		t.Errorf("gathered: %v, %+v", err, source)
	}
	if !bad.Needs() {
		t.Error("such a topic is not gathered, so the mistake is not found")
	}
	own := parse(t, "dowse: topic/v1\nname: crabs\nwords: [crab]\nwhere: category(CRABS, 0.4)\n")
	j, err := own.Judge()
	if err != nil || j.Judge(page("https://a.example/", "Crab", "the crab")).Relevance < 0.5 {
		t.Errorf("the topic's own name: %v", err)
	}
}

func TestCategoriesRead(t *testing.T) {
	for file, want := range map[string]string{
		"categories: [A]\n": "names, each with a model or a directory",
		"categories: {A: {model: m.json, directory: d, path: p}}\n": "a model, or a directory with a path",
		"categories: {A: {directory: d}}\n":                         "a model, or a directory with a path",
		"categories: {A: {file: d}}\n":                              `unknown key "file"`,
	} {
		if _, err := topic.Parse([]byte(preface+"words: [crab]\n"+file), "t.yaml"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", file, err, want)
		}
	}
}
