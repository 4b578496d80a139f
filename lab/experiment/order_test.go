package experiment

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/internal/archive"
	"dowse/internal/demo"
	"dowse/internal/lab/measure"
	"dowse/lab"
	"dowse/strategy"
	"dowse/weburl"
)

// TestOrderIsNotSeen records a web twice, in two orders. Pages on topic that come first in a
// file would give a strategy their label, if the order could be seen: every strategy
// must make the same visits on both.
func TestOrderIsNotSeen(t *testing.T) {
	sequential(t)
	var names []string
	for _, d := range strategy.All() {
		names = append(names, d.Name)
	}
	dir := t.TempDir()
	const topic = "Top/Nature/Coast/Tide_Pools"
	made := demo.New(demo.Config{Pages: 1000})
	var on, off []dowse.URL
	for u := range made.Pages() {
		s, _ := made.Site(weburl.Host(u))
		switch wanted, _ := made.Truth(u, "tide pools"); {
		case s.Kind == demo.Busy || s.Kind == demo.Flaky: // they have moods
		case wanted:
			on = append(on, u)
		default:
			off = append(off, u)
		}
	}
	labels := "url\ttopic\n"
	for _, u := range on {
		labels += string(u) + "\t" + topic + "\n"
	}
	if err := os.WriteFile(filepath.Join(dir, "labels.tsv"), []byte(labels), 0o644); err != nil {
		t.Fatal(err)
	}
	text := "dowse: lab/v1\nname: order\nweb: {name: w, path: %s, labels: %s}\ntopics: [%s]\ntraining: {positives: 5, negatives: 10}\n" +
		"seeds: {per_topic: 3, rng: 3}\nbudget: {pages: 50}\nstrategies: [%s]\n"
	var tasks []*task
	for i, list := range [][]dowse.URL{slices.Concat(on, off), slices.Concat(off, on)} {
		path := record(t, filepath.Join(dir, fmt.Sprint(i)), made, list)
		r, err := plan(t.Context(), parsed(t, fmt.Sprintf(text, path, filepath.Join(dir, "labels.tsv"), topic, strings.Join(names, ", "))), Options{Cache: cache})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(r.close)
		tasks = append(tasks, r.jobs[0].task.(*task))
	}
	first, second := tasks[0], tasks[1]
	second.source.traces = first.source.traces // people walk by numbers of pages
	same := func(list []int) (other []int) {
		for _, u := range first.urls(list) {
			i, ok := second.source.web.Find(u)
			if !ok {
				t.Fatalf("%s is in one of the webs alone", u)
			}
			other = append(other, i)
		}
		return other
	}
	d := first.draw
	second.draw.positives, second.draw.negatives = same(d.positives), same(d.negatives)
	seeds := first.seeds(0, "")
	for _, v := range first.x.Variants() {
		a, b := walked(t, first, v, seeds), walked(t, second, v, same(seeds))
		if !slices.EqualFunc(stepsOf(a), stepsOf(b), func(x, y measure.Step) bool { return x.URL == y.URL && x.Judged == y.Judged && x.From == y.From }) {
			t.Errorf("%s makes other visits when the same pages are stored in another order", v.Label)
		}
		if a.Steps.Len() < 30 {
			t.Errorf("%s fetched %d pages", v.Label, a.Steps.Len())
		}
	}
}

func walked(t *testing.T, task *task, v Variant, seeds []int) *measure.Trail {
	t.Helper()
	p, err := task.prepare()
	if err != nil {
		t.Fatal(err)
	}
	trail, err := task.crawlFrom(t.Context(), v, 0, seeds, p)
	if err != nil {
		t.Fatal(err)
	}
	return trail
}

// record writes pages of the synthetic web into a WARC file, in the order given.
func record(t *testing.T, dir string, made *demo.Web, list []dowse.URL) string {
	t.Helper()
	w, err := archive.OpenWriter(dir, archive.Options{})
	if err != nil {
		t.Fatal(err)
	}
	rec := &archive.Recorder{Transport: made.RoundTripper(), Writer: w, Now: func() time.Time { return lab.Epoch }}
	for _, u := range list {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, string(u), nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := rec.RoundTrip(req)
		if err != nil {
			continue // a host that drops connections
		}
		io.Copy(io.Discard, res.Body)
		if err := res.Body.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}
