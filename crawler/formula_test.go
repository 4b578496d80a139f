package crawler_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/judge"
)

// TestFormulaThatChanged resumes a crawl whose words were judged by an earlier formula: a note reports it, once.
func TestFormulaThatChanged(t *testing.T) {
	sameGoroutines(t)
	site := reefSite(t)
	cfg := local
	cfg.Words, cfg.Seeds = []string{"coral"}, []string{site.URL + "/"}
	dir := filepath.Join(t.TempDir(), "x.dowse")
	crawlAll(t, dir, cfg)
	cfg.Seeds = nil
	reopened := func() (notes string) {
		c, err := crawler.Open(dir, cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if got := c.Collection.Settings.Formula; got != judge.WordsName {
			t.Errorf("the settings name %q", got)
		}
		return strings.Join(c.Notes, "\n")
	}
	if notes := reopened(); notes != "" {
		t.Errorf("nothing changed, and the notes are %q", notes)
	}
	file := filepath.Join(dir, "crawl.yaml")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	older := strings.Replace(string(data), "formula: "+judge.WordsName+"\n", "", 1)
	if err := os.WriteFile(file, []byte(older), 0o600); err != nil || older == string(data) {
		t.Fatal(err, older)
	}
	if notes := reopened(); !strings.Contains(notes, judge.WordsName+", before words/1") {
		t.Errorf("the notes are %q", notes)
	}
	if notes := reopened(); notes != "" {
		t.Errorf("the change was reported before, and again: %q", notes)
	}
}

// TestFormulaOfPhrases resumes crawls of the formula words/2, which did not find phrases of scripts that are written
// without spaces. A note reports it where the topic has one, and only there; the settings name the present formula.
func TestFormulaOfPhrases(t *testing.T) {
	sameGoroutines(t)
	site := reefSite(t)
	for words, noted := range map[string]bool{"coral": false, "coral bleaching": false, "天然酵母": false, "天然 酵母": true, "AI パン": true} {
		cfg := local
		cfg.Words, cfg.Seeds = []string{words}, []string{site.URL + "/"}
		dir := filepath.Join(t.TempDir(), "x.dowse")
		crawlAll(t, dir, cfg)
		file := filepath.Join(dir, "crawl.yaml")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		older := strings.Replace(string(data), "formula: "+judge.WordsName+"\n", "formula: words/2\n", 1)
		if err := os.WriteFile(file, []byte(older), 0o600); err != nil || older == string(data) {
			t.Fatal(err, older)
		}
		cfg.Seeds = nil
		c, err := crawler.Open(dir, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(c.Notes, "\n"), judge.WordsName+", before words/2"); got != noted || c.Collection.Settings.Formula != judge.WordsName {
			t.Errorf("%s: the notes are %q, the formula %s; want a note: %v", words, c.Notes, c.Collection.Settings.Formula, noted)
		}
		c.Close()
	}
}

// A countingJudge is a judge of a program: it counts a word.
type countingJudge struct{}

func (countingJudge) Judge(p *dowse.Page) dowse.Verdict {
	r := min(float64(strings.Count(strings.ToLower(p.Text), "coral")), 1)
	return dowse.Verdict{Relevance: r, Because: []dowse.Because{{What: "coral", Weight: r}}, Judge: "counting/1"}
}

// TestOwnJudgeIsNeeded continues a crawl of a program with a judge of its own: by the program, and without
// the judge, which is refused and changes nothing. The rest of the pages had been judged by the words, with a note
// about another formula of words.
func TestOwnJudgeIsNeeded(t *testing.T) {
	sameGoroutines(t)
	site := reefSite(t)
	cfg := local
	cfg.Words, cfg.Seeds, cfg.Judge = []string{"coral"}, []string{site.URL + "/"}, countingJudge{}
	dir := filepath.Join(t.TempDir(), "x.dowse")
	crawlAll(t, dir, cfg)
	cfg.Seeds = nil
	file := filepath.Join(dir, "crawl.yaml")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	without := cfg
	without.Judge = nil
	if c, err := crawler.Open(dir, without); err == nil {
		c.Close()
		t.Error("the crawl was opened without the judge")
	} else if frozen := (*crawler.FrozenError)(nil); !errors.As(err, &frozen) || frozen.Setting != "judge" || !strings.Contains(err.Error(), "with that program") {
		t.Errorf("without the judge: %v", err)
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("the settings changed: %v\n%s", err, after)
	}
	c, err := crawler.Open(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if len(c.Notes) > 0 {
		t.Errorf("with the judge the notes are %q", c.Notes)
	}
}

// TestLabelsBesideOwnJudge labels pages of a crawl of a program with a judge of its own. Without the program no page can
// be judged again, so a training is refused and no verdict changes: all of them had become those of the
// words. When the program goes on, however shortly, labels override the verdicts of their pages, and no others.
func TestLabelsBesideOwnJudge(t *testing.T) {
	sameGoroutines(t)
	site := reefSite(t)
	cfg := local
	cfg.Words, cfg.Seeds, cfg.Judge = []string{"coral"}, []string{site.URL + "/"}, countingJudge{}
	dir := filepath.Join(t.TempDir(), "x.dowse")
	crawlAll(t, dir, cfg)
	before := relevancesIn(t, dir)
	var labels []collection.Label
	for u, r := range before {
		label := collection.LabelOn
		if r >= 0.5 {
			label = collection.LabelOff
		}
		if labels = append(labels, collection.Label{URL: u, Label: label}); len(labels) == 1 {
			break
		}
	}
	if err := collection.AppendLabels(dir, append(labels, collection.Label{Do: collection.DoTrain})...); err != nil {
		t.Fatal(err)
	}
	frozen := (*crawler.FrozenError)(nil)
	if m, err := crawler.Retrain(dir, ""); !errors.As(err, &frozen) {
		t.Errorf("a training without the judge: %+v, %v", m, err)
	}
	if _, err := crawler.JudgeOf(dir, ""); err == nil {
		t.Error("the judge of the program was found in the collection")
	}
	if after := relevancesIn(t, dir); !maps.Equal(after, before) {
		t.Errorf("the verdicts are %v, were %v", after, before)
	}
	crawlAll(t, dir, cfg)
	after := relevancesIn(t, dir)
	for _, l := range labels {
		if on := after[l.URL] >= 0.5; on != (l.Label == collection.LabelOn) {
			t.Errorf("%s is labelled %s and has %g", l.URL, l.Label, after[l.URL])
		}
		delete(after, l.URL)
		delete(before, l.URL)
	}
	if !maps.Equal(after, before) {
		t.Errorf("verdicts of pages without a label are %v, were %v", after, before)
	}
}

// relevancesIn returns those of all pages of a collection.
func relevancesIn(t *testing.T, dir string) map[dowse.URL]float64 {
	t.Helper()
	c, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	return relevances(t, c)
}

// TestSalvageOfOwnJudge salvages a crawl of a program with a judge of its own: with the judge the verdicts are the same,
// and without it a note says that they are those of the words.
func TestSalvageOfOwnJudge(t *testing.T) {
	sameGoroutines(t)
	site := reefSite(t)
	cfg := local
	cfg.Words, cfg.Seeds, cfg.Judge = []string{"coral"}, []string{site.URL + "/"}, countingJudge{}
	dir := filepath.Join(t.TempDir(), "x.dowse")
	crawlAll(t, dir, cfg)
	for i := range crawler.TrainEvery {
		u := dowse.URL(site.URL + "/" + strings.Repeat("a", i))
		if err := collection.AppendLabels(dir, collection.Label{URL: u, Label: collection.LabelOff}); err != nil {
			t.Fatal(err)
		}
	}
	want := relevancesIn(t, dir)
	for _, j := range []dowse.Judge{countingJudge{}, nil} {
		out := filepath.Join(t.TempDir(), "n.dowse")
		s, err := crawler.Salvage(t.Context(), dir, out, crawler.SalvageConfig{Judge: j})
		if err != nil {
			t.Fatal(err)
		}
		noted := strings.Contains(strings.Join(s.Notes, "\n"), "judge of its own")
		if same := maps.Equal(relevancesIn(t, out), want); same != (j != nil) || noted == same {
			t.Errorf("with the judge %T: the same verdicts: %v, notes %q", j, same, s.Notes)
		}
		if s.Labels != crawler.TrainEvery {
			t.Errorf("%d labels were copied", s.Labels)
		}
		crawlAll(t, out, cfg)
	}
}
