package experiment

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

const whole = `dowse: lab/v1
name: all-of-it
about: every key there is
paper: Wang et al. 2009, fig. 3
web:
  - demo
  - {demo: {pages: 5000, seeds: [1, 2]}}
  - path/to/a.warc.gz
  - {name: b, path: b.web, hubs: hubs.warc.gz, labels: b.tsv, traces: [b.log.gz]}
topics: {from: topics.txt, limit: 20, least: 30}
predicate: keyword(virus)
training: {positives: 75, negatives: 150, from: topics}
seeds: {from: topic, per_topic: 10, sets: 5, rng: 7}
budget: {pages: 2000, per_site: 100, clock: simulated}
judge: svm
time: {workers: 30, latency: 1s, delay: 5s}
round: 50
tgraph: {depth: 3, per_level: 100}
strategies:
  - breadth-first
  - {name: otie, params: {a: [0.5, 0.85], d: 3}}
  - {name: opic, label: cash}
  - oracle
measures: [harvest@500, recall@end, auc]
tests: {paired_over: topics, test: t, adjust: holm, alpha: 0.01}
checks:
  - {claim: "it is better", expect: "otie:a=0.85,d=3.recall@end > cash.recall@end"}
`

func TestParse(t *testing.T) {
	x, err := Parse([]byte(whole), "x.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if x.Time != (timing{Workers: 30, Latency: time.Second, Delay: 5 * time.Second}) || x.Seeds != (Seeds{"topic", 10, 5, 7}) || x.Round != 50 || x.condition == nil {
		t.Errorf("read %+v", x)
	}
	if len(x.Web) != 4 || x.Web[0].Demo == nil || x.Web[2].Paths[0] != "path/to/a.warc.gz" || x.Web[3].Hubs != "hubs.warc.gz" {
		t.Errorf("webs %+v", x.Web)
	}
	want := []Variant{
		{Spec: "breadth-first", Label: "breadth-first"}, {Spec: "otie:a=0.5,d=3", Label: "otie:a=0.5,d=3"}, {Spec: "otie:a=0.85,d=3", Label: "otie:a=0.85,d=3"},
		{Spec: "opic", Label: "cash"}, {Spec: "oracle", Label: "oracle"},
	}
	if got := x.Variants(); !reflect.DeepEqual(got, want) {
		t.Errorf("strategies %+v", got)
	}
	if _, err := x.Check(); err != nil {
		t.Errorf("written and read again: %v", err)
	}
	if again := x.Variants(); !reflect.DeepEqual(again, want) {
		t.Errorf("strategies after that %+v", again)
	}
}

func TestDefaults(t *testing.T) {
	x, err := Parse([]byte("dowse: lab/v1\nname: x\nstrategies: [random]\ntopics: [Top/A, Top/B]\n"), "x.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(x.Web) != 1 || x.Web[0].Demo == nil || x.Judge != "logistic" || x.Training != (Training{Positives: 10, Negatives: 20, From: "web"}) ||
		x.Seeds != (Seeds{"training", 3, 1, 0}) || x.Budget.Pages != 1000 || len(x.Topics.List) != 2 {
		t.Errorf("read %+v", x)
	}
}

func TestBroken(t *testing.T) {
	const head = "dowse: lab/v1\nname: x\n"
	for _, test := range []struct{ text, at, problem, fix string }{
		{"", "1:1", "empty", "dowse: lab/v1"},
		{"dowse: topic/v1\n", "1:8", "topic/v1", "lab/v1"},
		{head, "1:1", "no strategies", "list"},
		{head + "strategy: [random]\n", "3:1", `no key "strategy"`, `"strategies"`},
		{head + "strategies: [randon]\n", "3:14", `"randon"`, `did you mean "random"`},
		{head + "strategies:\n  - random\n  - {name: otie, params: {q: 1}}\n", "5:", `no parameter "q"`, "use one of"},
		{head + "strategies: [random]\nbudget: {pages: many}\n", "4:17", `"many" is not a whole number`, "example"},
		{head + "strategies: [random]\nbudget: {pages: -3}\n", "4:17", "-3", "1 to"},
		{head + "strategies: [random]\njudge: logistik\n", "4:8", "logistik", `"logistic"`},
		{head + "strategies: [random]\nname: y\n", "4:1", "already", "remove one"},
		{head + "strategies: [random, random]\n", "3:13", "two strategies", "label"},
		{head + "strategies: [random]\nseeds: {from: training, per_topic: 11}\n", "4:36", "11 seeds", "fewer"},
		{head + "strategies: [random]\nweb: {hubs: h.warc.gz}\n", "4:6", "either", "demo"},
		{head + "strategies: [random]\npredicate: keyword(\n", "4:12", "", "predicates"},
		{head + "strategies: [random]\nmeasures: [recal@end]\n", "4:12", "recal", "did you mean \"recall\""},
		{head + "strategies: [random]\nchecks: [{claim: a, expect: b}]\n", "4:", "b", "recall"},
		{head + "strategies: [random\n", "3:13", "]", "close the list"},
		{head + strings.Repeat("[", 100), "3:1", "too deep", "one item"},
		{head + "strategies: [random]\ntime: {delay: soon}\n", "4:15", "delay", "500ms"},
		{head + "strategies: [random]\ntopics: {form: web}\n", "4:10", `no key "form"`, `did you mean "from"?`},
		{head + "strategies: [random]\nseeds: {set: 3}\n", "4:9", `no key "set"`, `"sets"`},
		{head + "strategies:\n  - {name: random, colour: red}\n", "4:20", `no key "colour"`, "use one of: best, "},
		{head + "strategies: [random]\nchecks: [{says: a, expect: b}]\n", "4:11", `no key "says"`, "use one of: claim, expect"},
		{head + "strategies: [random]\nweb: {demo: {size: 3}}\n", "4:14", `no key "size"`, `did you mean "sites"?`},
		{head + "strategies: [random]\nseeds: {sets: 0.5}\n", "4:15", "0.5 is not a whole number", "1 to"},
		{head + "strategies: [random]\nbudget: {pages: 0}\n", "4:17", "0 is out of range", "leave it out"},
		{head + "strategies: [random]\nseeds: {rng: -1}\n", "4:14", "-1 is out of range", "use 0 or more"},
		{head + "strategies:\n  - random\n  - {name: otie, params: {a: high}}\n", "5:30", "otie: parameter a=high: want a number", "strategies"},
		{head + "strategies: [random]\nseeds: {rng: 1.5}\n", "4:14", "1.5 is not a whole number", "0, 1"},
		{head + "strategies: [random]\ntests: {alpha: 0}\n", "4:16", "0 is not a level", "0.05"},
		{head + "strategies: [random]\ntests: {alpha: 0.0}\n", "4:16", "0.0 is not a level", "0.05"},
		{head + "strategies: [random]\ntests: {alpha: 2}\n", "4:16", "2 is not a level", "0.05"},
		{head + "strategies: [random]\ntopics: []\n", "4:9", "empty", "leave the key out"},
		{head + "strategies: [random]\ntopics: [Top/A, Top/A]\n", "4:9", `"Top/A" is listed twice`, "once"},
		{head + "strategies: [random]\ntopics: {least: -5}\n", "4:17", "-5 is out of range", "0 to"},
		{head + "strategies: [treasure]\ntgraph: {depth: -1}\n", "4:17", "-1 is out of range", "0 to 100"},
		{head + "strategies: [treasure]\ntgraph: {per_level: -1}\n", "4:21", "-1 is out of range", "0 to"},
		{head + "strategies: [random]\nweb: {demo: {pages: 2000}, labels: l.tsv}\n", "4:36", "labels of its own", "path"},
		{head + "strategies: [random]\nweb: {demo: {pages: 2000}, traces: [a.log]}\n", "4:36", "access log of its own", "path"},
		{head + "strategies: [random]\nweb: [{demo: {pags: 3000}}]\n", "4:15", `no key "pags"`, `did you mean "pages"?`},
		{head + "strategies:\n  - {name: random, label: oracle}\n", "4:", "label of the oracle", "another label"},
	} {
		_, err := Parse([]byte(test.text), "x.yaml")
		var e *fileError
		if !errors.As(err, &e) {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		if !strings.HasPrefix(e.Error(), "x.yaml:"+test.at) || !strings.Contains(e.Problem, test.problem) || !strings.Contains(e.Fix, test.fix) {
			t.Errorf("%q:\n got %v\nwant %s … %s … %s", test.text, e, test.at, test.problem, test.fix)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(whole)
	f.Add("dowse: lab/v1\nname: x\nstrategies: [random]\n")
	f.Add(learning)
	f.Add(towns)
	f.Add("strategies: {a: [1, {b: c}]}")
	f.Fuzz(func(t *testing.T, s string) {
		x, err := Parse([]byte(s), "x.yaml")
		var e *fileError
		switch {
		case err == nil:
			x.Variants()
		case !errors.As(err, &e) || e.Line < 1 || e.Column < 1 || e.Problem == "" || e.Fix == "":
			t.Errorf("%v has no place, cause or advice", err)
		}
	})
}
