package linkclass_test

import (
	"reflect"
	"strings"
	"testing"

	"dowse"
	"dowse/crawl"
	"dowse/internal/text"
	"dowse/judge"
	"dowse/strategy/input"
	"dowse/strategy/internal/linkclass"
	"dowse/strategy/strategytest"
)

// linkWeb is the input that the cases of the link strategies share.
type linkWeb struct {
	Table map[string]float64 `json:"topic_table"`
	Web   map[dowse.URL]struct {
		Title, Meta, Body string
		Links             [][2]string
	}
	Seed  dowse.URL
	Train []struct {
		Label  string
		Tokens []string
	} `json:"nb_train"`
}

func (w *linkWeb) table() (list []judge.TopicWord) {
	for t, weight := range w.Table {
		list = append(list, judge.TopicWord{Term: t, Weight: weight})
	}
	return list
}

func (w *linkWeb) toy() strategytest.Toy {
	web := strategytest.Toy{}
	for u, p := range w.Web {
		head := strings.Fields(p.Title + " " + p.Meta)
		words := append(append(head, head...), strings.Fields(p.Body)...)
		tp := tpage{Relevance: linkclass.Cosine(w.table(), words)}
		for _, l := range p.Links {
			tp.Links = append(tp.Links, tlink{To: dowse.URL(l[0]), Anchor: l[1]})
		}
		web[u] = tp
	}
	return web
}

func (w *linkWeb) lessons() (links []input.LabelledLink, bags []linkclass.Bag) {
	for _, l := range w.Train {
		links = append(links, input.LabelledLink{Anchor: strings.Join(l.Tokens, " "), Relevant: l.Label == "rel"})
		bags = append(bags, linkclass.Bag{Relevant: l.Label == "rel", Terms: l.Tokens})
	}
	return links, bags
}

// whole takes words as they stand.
func whole() *text.Analyzer {
	return text.NewAnalyzer(text.Options{Stem: text.Whole, Stop: []string{}})
}

type linkStep struct {
	URL       string
	Band      int
	Score     float64
	Level     int
	Relevance float64
	Links     []struct {
		To       string
		Score    float64  `json:"link_score"`
		P        *float64 `json:"p_relevant"`
		Inserted bool
		Level    *int
	}
	Updated []struct {
		Label  string
		Tokens []string
	} `json:"model_updated_with"`
}

func TestGoldenLinkScores(t *testing.T) {
	cases := vectors(t, "lsfc")
	in := decode[linkWeb](t, cases[0].Input)
	links, _ := in.lessons()
	ran := 0
	for _, g := range cases[1:] {
		scoring := linkScoring(&in, g)
		bayes := linkclass.LinkBayes{Links: links, LinkScoring: scoring}
		f := func(name string) float64 { return g.Params[name].(float64) }
		s := map[string]dowse.Strategy{
			"lsfc":           &linkclass.LSFC{LinkScoring: scoring},
			"lsfc_optimised": linkclass.Optimised(f("tau_link"), scoring),
			"nb":             &linkclass.NB{LinkBayes: bayes},
			"nb_threshold":   &linkclass.NBThreshold{Threshold: f("theta"), LinkBayes: bayes},
			"nb_updateable":  &linkclass.NBUpdateable{Every: int(f("period")), Rate: f("rate"), Mode: g.Params["update_mode"].(string), LinkBayes: bayes},
		}[g.Name]
		t.Run(g.Name, func(t *testing.T) { goldenLinkCrawl(t, g, &in, scoring, s) })
		ran++
	}
	if ran != 5 {
		t.Errorf("%d cases, want 5", ran)
	}
}

func linkScoring(in *linkWeb, g goldenCase) linkclass.LinkScoring {
	s := linkclass.LinkScoring{Page: g.Params["tau_page"].(float64), MaxLevel: int(g.Params["max_level"].(float64))}
	s.Analyzer, s.Table = whole(), in.table()
	for _, d := range g.Params["url_drop"].([]any) {
		s.Drop = append(s.Drop, d.(string))
	}
	return s
}

// goldenLinkCrawl compares a crawl with its log: what was taken, and after each page
// what is known of its links and what the model has learnt.
func goldenLinkCrawl(t *testing.T, g goldenCase, in *linkWeb, scoring linkclass.LinkScoring, s dowse.Strategy) {
	want := decode[struct {
		Log     []linkStep
		Harvest float64 `json:"harvest_rate"`
	}](t, g.Expected)
	said := map[dowse.URL]dowse.Lead{}
	heard := strategytest.Around(s, func(say func() []dowse.Lead) []dowse.Lead {
		leads := say()
		clear(said)
		for _, l := range leads {
			said[l.URL] = l
		}
		return leads
	})
	c := newCrawl(t, heard, 0, []dowse.URL{in.Seed})
	base, _ := strings.CutSuffix(string(in.Seed), "home")
	_, taught := in.lessons()
	n, relevant := 0, 0
	web := in.toy()
	steps(c, web, func(v crawl.Visit) {
		if n >= len(want.Log) {
			t.Fatalf("%s is visited too", v.URL)
		}
		checkTaken(t, v, scoring, &want.Log[n], base)
		equal(t, "relevance of "+string(v.URL), web[v.URL].Relevance, want.Log[n].Relevance)
		if web[v.URL].Relevance > scoring.Page {
			relevant++
		}
	}, func(v crawl.Visit) {
		step := &want.Log[n]
		n++
		for _, l := range step.Links {
			u := dowse.URL(base + l.To)
			score, level := linkclass.LinkScore(scoring, u, known(c, u).Note)
			equal(t, step.URL+": score of "+l.To, score, l.Score)
			if l.P != nil {
				equal(t, step.URL+": probability of "+l.To, said[u].Because[0].Weight, *l.P)
			}
			id, _ := c.Frontier().Find(u)
			if waits := c.Frontier().State(id) == dowse.Waiting; waits != (l.Level != nil) || waits && level != *l.Level {
				t.Errorf("%s: %s waits: %v at level %d, want %v", step.URL, l.To, waits, level, l.Level)
			}
			if l.Inserted && said[u].Kind != dowse.Queue || !l.Inserted && l.Level == nil && said[u].Kind != dowse.Hold {
				t.Errorf("%s: %s is to be inserted: %v, the lead is %+v", step.URL, l.To, l.Inserted, said[u])
			}
		}
		for _, b := range step.Updated {
			taught = append(taught, linkclass.Bag{Relevant: b.Label == "rel", Terms: b.Tokens})
		}
		if b, ok := s.(interface{ LessonsLearnt() any }); ok {
			if lessons := linkclass.NewLinkModel(taught).Lessons(); !reflect.DeepEqual(b.LessonsLearnt(), lessons) {
				t.Errorf("%s: learnt %v, want %v", step.URL, b.LessonsLearnt(), lessons)
			}
		}
	})
	if n != len(want.Log) {
		t.Errorf("%d pages were visited, want %d", n, len(want.Log))
	}
	equal(t, "harvest", float64(relevant)/float64(n), want.Harvest)
}

func checkTaken(t *testing.T, v crawl.Visit, scoring linkclass.LinkScoring, step *linkStep, base string) {
	t.Helper()
	if string(v.URL) != base+step.URL {
		t.Fatalf("%s is visited, want %s", v.URL, step.URL)
	}
	band := map[int]int8{2: linkclass.SeedBand, 1: linkclass.ProbableBand, 0: linkclass.ScoredBand}[step.Band]
	if v.Lead.Band != band {
		t.Errorf("%s is in band %d, want %d", step.URL, v.Lead.Band, band)
	}
	if band != linkclass.SeedBand {
		equal(t, "priority of "+step.URL, v.Lead.Priority, step.Score)
	}
	if _, level := linkclass.LinkScore(scoring, v.URL, v.Lead.Note); level != step.Level {
		t.Errorf("%s is at level %d, want %d", step.URL, level, step.Level)
	}
}

type labelled []struct {
	Label  string
	Tokens []string
}

func (l labelled) bags() (bags []linkclass.Bag) {
	for _, b := range l {
		bags = append(bags, linkclass.Bag{Relevant: b.Label == "rel", Terms: b.Tokens})
	}
	return bags
}

func TestGoldenLinkBayes(t *testing.T) {
	cases := vectors(t, "nb_links")
	for _, g := range cases {
		switch g.Name {
		case "train_and_score":
			goldenLinkModel(t, g)
		case "update_period":
			goldenLinkUpdate(t, g, cases[0])
		default:
			t.Errorf("case %s is not tested", g.Name)
		}
	}
}

func goldenLinkModel(t *testing.T, g goldenCase) {
	in := decode[struct {
		Train   labelled
		Queries [][]string
	}](t, g.Input)
	want := decode[struct {
		V       []string
		Theta   map[string]map[string]float64
		Queries []struct {
			Tokens []string
			P      float64 `json:"p_relevant"`
			NB     bool    `json:"nb_accept"`
			Above  bool    `json:"nb_threshold_accept_0.8"`
		}
	}](t, g.Expected)
	m := linkclass.NewLinkModel(in.Train.bags())
	for name, m := range map[string]linkclass.LinkModel{"taught": m, "loaded": m.Again()} {
		for _, term := range want.V {
			equal(t, name+" "+term, m.Theta(term, true), want.Theta["rel"][term])
			equal(t, name+" "+term, m.Theta(term, false), want.Theta["irr"][term])
		}
		for i, q := range in.Queries {
			equal(t, name+" "+strings.Join(q, " "), m.P(q), want.Queries[i].P)
		}
	}
	goldenAccepts(t, in.Train, func(s dowse.Strategy, threshold bool) {
		for _, q := range want.Queries {
			p := page("http://s.test/", 0, 0.9, "?")
			p.Links[0].Anchor = strings.Join(q.Tokens, " ")
			lead := s.Follow(p)[0]
			equal(t, "chance of "+p.Links[0].Anchor, lead.Because[0].Weight, q.P)
			accepts := q.NB
			if threshold {
				accepts = q.Above
			}
			if (lead.Kind == dowse.Queue) != accepts {
				t.Errorf("%v: %+v, want accepted %v", q.Tokens, lead, accepts)
			}
		}
	})
}

// goldenAccepts tries links with both strategies that decide by a probability.
func goldenAccepts(t *testing.T, train labelled, try func(s dowse.Strategy, threshold bool)) {
	b := linkclass.LinkBayes{}
	b.Analyzer = whole()
	for _, l := range train {
		b.Links = append(b.Links, input.LabelledLink{Anchor: strings.Join(l.Tokens, " "), Relevant: l.Label == "rel"})
	}
	try(&linkclass.NB{LinkBayes: b}, false)
	try(&linkclass.NBThreshold{LinkBayes: b}, true)
}

// goldenLinkUpdate streams links through both ways to learn on.
func goldenLinkUpdate(t *testing.T, g, queries goldenCase) {
	in := decode[struct {
		Train  labelled
		Stream []struct {
			Tokens   []string
			Relevant bool `json:"page_relevant"`
		}
	}](t, g.Input)
	want := decode[struct {
		P        []float64 `json:"stream_p"`
		Self     []float64 `json:"self_p_after"`
		Verified []float64 `json:"verified_p_after"`
	}](t, g.Expected)
	asked := decode[struct{ Queries [][]string }](t, queries.Input)
	for mode, after := range map[string][]float64{linkclass.UpdateSelf: want.Self, linkclass.UpdateVerified: want.Verified} {
		s := &linkclass.NBUpdateable{Mode: mode, Rate: g.Params["rate"].(float64), Every: len(in.Stream) + 1}
		s.Analyzer = whole()
		for _, l := range in.Train {
			s.Links = append(s.Links, input.LabelledLink{Anchor: strings.Join(l.Tokens, " "), Relevant: l.Label == "rel"})
		}
		from := page("http://s.test/", 0, 0.9, "1", "2", "3")
		for i, l := range in.Stream {
			from.Links[i].Anchor = strings.Join(l.Tokens, " ")
		}
		for i, lead := range s.Follow(from) {
			equal(t, mode+" "+from.Links[i].Anchor, lead.Because[0].Weight, want.P[i])
			from.Links[i].Target.Note = lead.Note
		}
		for i, l := range in.Stream {
			p := page(from.Links[i].URL, 0, 0)
			if l.Relevant {
				p.Verdict.Relevance = 0.9
			}
			p.Lead.Note = from.Links[i].Target.Note
			s.Follow(p)
		}
		for i, q := range asked.Queries {
			l := &dowse.Link{Mention: dowse.Mention{Anchor: strings.Join(q, " ")}}
			equal(t, mode+" after "+l.Anchor, s.Chance(l), after[i])
		}
	}
}

func TestGoldenTopicTable(t *testing.T) {
	for _, g := range vectors(t, "topic_table") {
		switch g.Name {
		case "topic_table":
			goldenTable(t, g)
		case "page_relevance":
			goldenTableRelevance(t, g)
		default:
			t.Errorf("case %s is not tested", g.Name)
		}
	}
}

// goldenTable rates every single word, and all at once, with a table that a judge made
// of the pages.
func goldenTable(t *testing.T, g goldenCase) {
	in := decode[struct{ Results [][]string }](t, g.Input)
	want := decode[struct{ Table map[string]float64 }](t, g.Expected)
	var examples []judge.Example
	for _, r := range in.Results {
		examples = append(examples, judge.Example{Text: strings.Join(r, " "), Relevant: true})
	}
	m, err := judge.Table{Words: int(g.Params["k_words"].(float64)), Prefix: 20}.Train(examples)
	if err != nil {
		t.Fatal(err)
	}
	list := (&linkWeb{Table: want.Table}).table()
	for term := range want.Table {
		p := &dowse.Page{Document: dowse.Document{Text: term, Words: dowse.Words(term)}}
		equal(t, term, linkclass.Cosine(list, []string{term}), m.Judge(p).Relevance)
	}
}

func goldenTableRelevance(t *testing.T, g goldenCase) {
	in := decode[struct {
		Table map[string]float64
		Pages []struct {
			Name              string
			Title, Meta, Body []string
		}
	}](t, g.Input)
	want := decode[struct {
		Pages []struct{ Similarity float64 }
	}](t, g.Expected)
	list := (&linkWeb{Table: in.Table}).table()
	for i, p := range in.Pages {
		head := append(p.Title, p.Meta...)
		equal(t, p.Name, linkclass.Cosine(list, append(append(head, head...), p.Body...)), want.Pages[i].Similarity)
	}
}
