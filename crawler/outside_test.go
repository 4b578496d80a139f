package crawler_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"dowse"
	"dowse/crawler"
	"dowse/topic"
)

// A judge of words alone asks a program about the unsure pages. It learns from what that
// says, so that of the second half of alike pages it asks about fewer than of the first.
func TestOutsideIsAskedEverLess(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	dir := t.TempDir()
	script := `echo ready >&2
while read -r line; do case "$line" in
*barnacle*) echo '{"score":0.95,"because":["it is about the shore"]}';;
*) echo '{"score":0.05}';; esac; done`
	if err := os.WriteFile(filepath.Join(dir, "judge.sh"), []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	to, err := topic.Parse([]byte("dowse: topic/v1\nname: x\nwords: [pools]\njudge: {exec: [sh, judge.sh], only_if: \"0.1..0.9\", timeout: 20s, budget: 100}\n"), "x")
	if err != nil {
		t.Fatal(err)
	}
	to.Dir = dir
	j, err := to.NewJudge(&topic.Material{})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var said []string
	o, err := crawler.Outside(to, j, filepath.Join(dir, "answers.jsonl"), crawler.Config{Say: func(l string) {
		mu.Lock()
		defer mu.Unlock()
		said = append(said, l)
	}})
	if err != nil {
		t.Fatal(err)
	}
	asked := [2]int{}
	for n := range 80 {
		before := o.Stats().Asked
		v := o.Judge(shorePage(n))
		asked[n/40] += o.Stats().Asked - before
		if n >= 40 && (v.Relevance >= 0.5) != (n%2 == 0) {
			t.Errorf("page %d has %.2f", n, v.Relevance)
		}
	}
	s := o.Stats()
	if asked[1] > asked[0]/2 || asked[0] == 0 || s.Failed > 0 || s.Left != 100-s.Answered {
		t.Errorf("asked %v times in the two halves; %+v", asked, s)
	}
	t.Logf("asked %v times in the two halves", asked)
	if err := o.Close(); err != nil {
		t.Error(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if strings.Join(said, "|") != "ready" {
		t.Errorf("the program printed %q", said)
	}
	remembers(t, to, j, filepath.Join(dir, "answers.jsonl"), asked[1])
}

// remembers checks that a judge that is opened again has learnt what the first one had.
func remembers(t *testing.T, to *topic.Topic, j *topic.Judge, file string, most int) {
	t.Helper()
	o, err := crawler.Outside(to, j, file, crawler.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	for n := 200; n < 240; n++ {
		o.Judge(shorePage(n))
	}
	if s := o.Stats(); s.Asked > most {
		t.Errorf("opened again it asked %d times, before at most %d", s.Asked, most)
	}
}

// shorePage is a page in which the word of the topic carries no information, but others do.
func shorePage(n int) *dowse.Page {
	s := fmt.Sprintf("Pools with barnacle, limpet, whelk and weed at low tide on rock number %d.", n)
	if n%2 == 1 {
		s = fmt.Sprintf("Pools with lanes, lifeguard, chlorine, towel and ticket in town number %d.", n)
	}
	return &dowse.Page{URL: dowse.URL(fmt.Sprintf("http://x.example/%d", n)), Document: dowse.Document{Text: s, Words: dowse.Words(s)}}
}
