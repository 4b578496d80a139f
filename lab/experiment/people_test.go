package experiment

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dowse/internal/lab/web"
	"dowse/internal/trace"
)

// demoWeb opens a small synthetic web with its labels.
func demoWeb(t *testing.T) *labelledWeb {
	t.Helper()
	b, err := openLabelled(t.Context(), web.Source{Demo: &web.Synthetic{Pages: 1000}}, Options{Cache: cache}, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.web.Close() })
	return b
}

// walkedBy returns the log of synthetic people as bytes.
func walkedBy(t *testing.T, b *labelledWeb, recorded bool) []byte {
	t.Helper()
	build, err := trace.New(trace.Options{Salt: traceSalt})
	if err != nil {
		t.Fatal(err)
	}
	b.walkPeople(build, recorded)
	var out bytes.Buffer
	log := build.Log()
	if err := log.Write(&out); err != nil {
		t.Fatal(err)
	}
	if log.Accesses() == 0 {
		t.Fatal("no accesses")
	}
	return out.Bytes()
}

// TestPeopleDoNotKnowLabels: on a recorded web, synthetic people walk in the same way whatever the
// labels are; on a synthetic web they know what pages are about.
func TestPeopleDoNotKnowLabels(t *testing.T) {
	sequential(t)
	b, blind := demoWeb(t), demoWeb(t)
	blind.labels = &web.Labels{}
	if !bytes.Equal(walkedBy(t, b, true), walkedBy(t, blind, true)) {
		t.Error("without labels, people of a recorded web walk elsewhere")
	}
	if bytes.Equal(walkedBy(t, b, true), walkedBy(t, b, false)) {
		t.Error("people of a synthetic web walk like those of a recorded one")
	}
	b.feed(web.Source{Paths: []string{"a.warc.gz"}}, false)
	if facts := (&webTopics{labelledWeb: b}).facts(); len(facts.Short) != 1 || !strings.Contains(facts.Short[0], "no access log") {
		t.Errorf("facts %q, want that there is no access log", facts.Short)
	}
}

// TestTopicsApart: topics that share pages with an earlier one, or with one that is left out, are
// not chosen.
func TestTopicsApart(t *testing.T) {
	sequential(t)
	b := demoWeb(t)
	all := b.chosen(Topics{}, 10, 1)
	if len(all) < 3 {
		t.Fatalf("topics %v", all)
	}
	if got := b.apart(append(slices.Clone(all), all[0]), nil); len(got) > len(all) {
		t.Errorf("a topic is there twice: %v", got)
	}
	got := b.chosen(Topics{Apart: true, Without: []string{all[1], "no such topic"}}, 10, 1)
	if slices.Contains(got, all[1]) || len(got) == 0 {
		t.Errorf("without %s: %v", all[1], got)
	}
	file := filepath.Join(t.TempDir(), "tuned.txt")
	if err := os.WriteFile(file, []byte("# tuned on\n"+all[0]+"\n"+all[1]+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	drawn := Topics{Without: []string{all[1]}}
	if err := drawn.LeaveOut(file); err != nil || !slices.Equal(drawn.Without, []string{all[1], all[0]}) {
		t.Errorf("left out %v, %v", drawn.Without, err)
	}
	if got := b.chosen(drawn, 10, 1); slices.Contains(got, all[0]) || len(got) == 0 {
		t.Errorf("without %s: %v", all[0], got)
	}
	if err := (&Topics{List: all}).LeaveOut(file); err == nil {
		t.Error("topics that are listed were left out")
	}
	for i, s := range got {
		for _, u := range got[:i] {
			if x := overlap(b.web.On(b.graph, b.labels, s), b.web.On(b.graph, b.labels, u)); x > 0.1 {
				t.Errorf("%s and %s share %.2f of their pages", s, u, x)
			}
		}
	}
}
