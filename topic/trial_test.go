package topic_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dowse"
	"dowse/judge"
	"dowse/topic"
)

// preface begins a topic file.
const preface = "dowse: topic/v1\nname: x\n"

func shoreMaterial(n int) *topic.Material {
	m := &topic.Material{}
	for i := range n {
		s := fmt.Sprintf("Tide pools with barnacles, limpets and weed lie dry on shore number %d.", i)
		if i%3 != 0 {
			s = fmt.Sprintf("Trains with bicycles, tickets and towels leave town number %d at noon.", i)
		}
		u := dowse.URL(fmt.Sprintf("http://h%d.example/%d", i%7, i))
		m.Examples = append(m.Examples, judge.Example{Relevant: i%3 == 0, Page: &dowse.Page{URL: u, Document: dowse.Document{Text: s, Words: dowse.Words(s)}}})
	}
	return m
}

// The topic's own judge and all others are compared on the same examples; what words
// and gate say counts for the first alone.
func TestTrial(t *testing.T) {
	to := parse(t, preface+"words: [tide pools]\nwhere: {not: {url: h3}}")
	trial, err := to.Test(shoreMaterial(42), 5)
	if err != nil {
		t.Fatal(err)
	}
	if len(trial.Judges) != 1+len(judge.Candidates("en")) || trial.Judges[0].Name != topic.OwnJudge || !trial.BySite || trial.Substitutes != 0 {
		t.Fatalf("%d judges, the first %s, by site %v, %d stand-ins", len(trial.Judges), trial.Judges[0].Name, trial.BySite, trial.Substitutes)
	}
	own := trial.Judges[0]
	for _, i := range own.Wrong {
		if !strings.Contains(string(trial.Examples[i].Page.URL), "h3") {
			t.Errorf("%s is judged wrong: %+v", trial.Examples[i].Page.URL, own.Verdicts[i])
		}
	}
	if len(own.Wrong) != 2 || own.Precision != 1 {
		t.Errorf("wrong %v, precision %g", own.Wrong, own.Precision)
	}
}

// Examples that are missing are stood in for, and that is told.
func TestTrialStandsIn(t *testing.T) {
	m := shoreMaterial(42)
	var on []judge.Example
	for _, e := range m.Examples {
		if e.Relevant {
			on = append(on, e)
		}
	}
	trial, err := parse(t, preface+"words: [tide pools]").Test(&topic.Material{Examples: on}, 5)
	if err != nil || trial.Substitutes == 0 || trial.Judges[0].Examples != len(on)+trial.Substitutes {
		t.Errorf("%v, %+v", err, trial)
	}
	if _, err := parse(t, preface+"words: [tide pools]").Test(&topic.Material{}, 5); err == nil {
		t.Error("tested with nothing")
	}
}

func TestLearnt(t *testing.T) {
	m := shoreMaterial(42)
	to := parse(t, preface+"like: [{text: x}]")
	j, err := to.NewJudge(m)
	if err != nil {
		t.Fatal(err)
	}
	on, off := to.Learnt(j, m.Examples, 20)
	has := func(list []topic.Term, name string, positive bool) bool {
		for _, x := range list {
			if x.Name == name && (x.Weight > 0) == positive && x.Examples > 0 {
				return true
			}
		}
		return false
	}
	if !has(on, "barnacl", true) || !has(off, "train", false) || has(off, "barnacl", false) {
		t.Errorf("for %v, against %v", on, off)
	}
	for _, x := range on {
		if x.Name == "barnacl" && (x.Spelt() != "barnacle" && x.Spelt() != "barnacles" || x.Word == "") {
			t.Errorf("%q is spelt %q", x.Name, x.Spelt())
		}
	}
	if same := to.Changes(j, j, m.Examples, 10); len(same) != 0 {
		t.Errorf("a judge differs from itself: %v", same)
	}
}

// What new writes is the topic, comments aside.
func TestCommented(t *testing.T) {
	for _, body := range []string{
		"words: [coral bleaching]", "like: [https://example.org/a, {file: on/*.html}]\nunlike: [{warc: x.warc.gz}]\nseeds: from-like",
		"category: {directory: d.jsonl, path: A/B}\nseeds: {from: category, limit: 5}", "where: {all: [{lang: en}, {title: /a: b/i}]}\nlanguages: [en]\nthreshold: 0.4",
	} {
		to := parse(t, preface+body)
		again, err := topic.Parse(to.Commented("A topic."), "x")
		if err != nil {
			t.Fatalf("%v in\n%s", err, to.Commented("A topic."))
		}
		if !reflect.DeepEqual(again.YAML(), to.YAML()) {
			t.Errorf("%s became\n%s", body, again.YAML())
		}
		for line := range strings.Lines(string(to.Commented("A topic."))) {
			if len(line) > 101 {
				t.Errorf("%d bytes: %s", len(line), line)
			}
		}
	}
}

// A gate that asks for what only a crawl knows would turn down every example: trials are
// made without it, and say so.
func TestTrialWithoutCrawl(t *testing.T) {
	for where, left := range map[string]bool{
		"{links_in: 2..}": true, "{all: [{lang: en}, {parent.score: 0.5..}]}": true,
		"{words: 1..}": false, "{all: [{links_in: 2..}], unknown: pass}": false,
	} {
		to, m, _ := gathered(t, "dowse: topic/v1\nname: heat\nlike:\n  - file: on/*.txt\nwhere: "+where+"\n", shelf{pages: map[string][]*dowse.Page{"file on/*.txt": heat}})
		trial, err := to.Test(m, 3)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(trial.Note, "only a crawl knows") != left {
			t.Errorf("%s: %q", where, trial.Note)
		}
		if trial.Judges[0].Recall == 0 {
			t.Errorf("%s: no example is found", where)
		}
		hint := slices.ContainsFunc(to.CheckMaterial(m), func(f topic.Finding) bool { return strings.Contains(f.Text, "only a crawl knows") })
		if hint != left {
			t.Errorf("%s: the check tells of it: %v", where, hint)
		}
	}
}
