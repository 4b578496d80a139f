package experiment

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dowse/internal/lab/measure"
	"dowse/strategy"
)

// grownSmall is an experiment in which the judge of words grows.
var grownSmall = `dowse: lab/v1
name: small
web: {demo: {pages: 1000}}
topics: {list: [Top/Nature/Coast/Tide_Pools]}
training: {positives: 5, negatives: 10}
seeds: {per_topic: 2, sets: 1, rng: 3}
budget: {pages: 260}
judge: words
strategies: [naive-best-first, oracle]
`

// growTrail crawls for the topic, with growth or without.
func growTrail(t *testing.T, grow bool) *measure.Trail {
	t.Helper()
	_, task, p, seeds := prepared1(t, grownSmall)
	v := task.x.Variants()[0]
	s, err := strategy.NewWith(v.Spec, task.needsOf(p, Variant{}))
	if err != nil {
		t.Fatal(err)
	}
	trail := task.trail(v, 0, p, seeds)
	if grow {
		trail, err = task.simulateGrowth(t.Context(), s, v, trail, p, seeds)
	} else {
		trail, err = task.simulate(t.Context(), s, v, trail, p, seeds)
	}
	if err != nil {
		t.Fatal(err)
	}
	return trail
}

// relevantIn counts the relevant pages among the steps of a crawl.
func relevantIn(trail *measure.Trail) int { return trail.Steps.Relevant(trail.Steps.Len()) }

// A simulated crawl for words lets its judge grow. Until then it visits what a crawl by the
// words alone visits; afterwards it chooses otherwise. Here a person gave many good words, so
// that there is little to gain; nearly as much must be found. It is exact: the same crawl
// again gives the same steps.
func TestJudgeGrowsInTheLab(t *testing.T) {
	sequential(t)
	alone, grown, again := growTrail(t, false), growTrail(t, true), growTrail(t, true)
	if grown.Steps.Len() != 260 || alone.Steps.Len() != 260 {
		t.Fatalf("%d and %d steps, want 260", grown.Steps.Len(), alone.Steps.Len())
	}
	differs := -1
	for i := range 260 {
		if differs < 0 && alone.Steps.At(i).URL != grown.Steps.At(i).URL {
			differs = i
		}
		if a, b := grown.Steps.At(i), again.Steps.At(i); a.URL != b.URL || a.Judged != b.Judged {
			t.Fatalf("step %d: %s (%v), and %s (%v) when it is run again", i, a.URL, a.Judged, b.URL, b.Judged)
		}
	}
	if differs >= 0 && differs < 100 {
		t.Errorf("the crawls differ at page %d, before a judge can grow", differs+1)
	}
	if differs < 0 {
		t.Error("the judge did not grow, or that changed nothing")
	}
	t.Logf("relevant of 260 pages: %d, by the words alone %d; different from page %d on", relevantIn(grown), relevantIn(alone), differs+1)
	if 10*relevantIn(grown) < 9*relevantIn(alone) {
		t.Errorf("%d relevant pages with growth, %d by the words alone", relevantIn(grown), relevantIn(alone))
	}
}

// On a web whose topics have no words of a person, the name of a topic states it.
func TestNameOfATopicAsWords(t *testing.T) {
	_, task, _, _ := prepared1(t, grownSmall)
	if got := task.wordsOf().Words; len(got) < 2 {
		t.Errorf("a person's words for tide pools: %q", got)
	}
	task.topic = "Top/Science/Space_Transport"
	if got := task.wordsOf().Words; len(got) != 1 || got[0] != "space transport" {
		t.Errorf("words for %s: %q", task.topic, got)
	}
}

// A dictionary gives judges of words the meanings of the words. It is part of what decides a crawl; other
// judges do not use it, and one that is missing is an error.
func TestMeaningsInTheLab(t *testing.T) {
	_, plain, _, seeds := prepared1(t, grownSmall)
	word := strings.ReplaceAll(plain.wordsOf().Words[0], " ", "_")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"index.noun": word + " n 1 0 1 0 00000000\n",
		"data.noun":  "00000000 13 n 02 " + word + " 0 rockpool 0 000 | pools\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	of := func(text, dir string) string { return strings.Replace(text, "judge:", "wordnet: "+dir+"\njudge:", 1) }
	_, with, _, _ := prepared1(t, of(grownSmall, dir))
	if len(with.meanings) != 1 || !slices.Contains(with.meanings[0].Names, "rockpool") {
		t.Errorf("meanings: %+v", with.meanings)
	}
	key := func(k *task) string { return k.key(k.x.Variants()[0], 0, k.urls(seeds), "1") }
	if key(with) == key(plain) {
		t.Error("a crawl with the dictionary has the name of one without")
	}
	_, other, _, _ := prepared1(t, strings.Replace(of(grownSmall, dir), "judge: words", "judge: logistic", 1))
	if other.meanings != nil {
		t.Errorf("a judge of examples: %+v", other.meanings)
	}
	if _, err := plan(t.Context(), parsed(t, of(grownSmall, t.TempDir())), Options{Cache: cache}); err == nil {
		t.Error("an empty folder is a dictionary")
	}
}
