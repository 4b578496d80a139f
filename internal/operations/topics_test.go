package operations_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dowse/internal/operations"
	"dowse/topic"
)

// The check of a topic shows which words are compared and which are left out, and what prevents a crawl.
func TestCheckTopic(t *testing.T) {
	o := over(t, operations.Config{Dirs: []string{t.TempDir()}})
	r, err := o.CheckTopic(context.Background(), operations.TopicQuestion{Words: []string{"pools of the shore"}, Seeds: []string{"https://example.org/"}})
	if err != nil {
		t.Fatal(err)
	}
	var kept, left []string
	for _, w := range r.Phrases[0].Words {
		if w.Stem == "" {
			left = append(left, w.Word)
		} else {
			kept = append(kept, w.Word)
		}
	}
	if !r.OK || !slices.Equal(kept, []string{"pools", "shore"}) || !slices.Equal(left, []string{"of", "the"}) {
		t.Errorf("kept %q, left out %q, ok %v", kept, left, r.OK)
	}
	for _, f := range r.Findings {
		if strings.Contains(f.Text, "no seeds") {
			t.Errorf("the seed is not noticed: %s", f.Text)
		}
	}
	for name, q := range map[string]operations.TopicQuestion{
		"only words that every page has": {Words: []string{"of the"}},
		"words and a file":               {Words: []string{"pools"}, Topic: "dowse: topic/v1"},
		"a program":                      {Topic: "dowse: topic/v1\nname: x\nwords: [pools]\njudge: {exec: [rm]}\n"},
		"a seed that is no address":      {Words: []string{"pools"}, Seeds: []string{"https://["}},
	} {
		r, err := o.CheckTopic(context.Background(), q)
		if err != nil || r.OK || !slices.ContainsFunc(r.Findings, func(f operations.TopicFinding) bool { return f.Level == topic.Wrong }) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	r, err = o.CheckTopic(context.Background(), operations.TopicQuestion{Topic: "dowse: topic/v1\nname: x\nwrods: [pools]\n"})
	if err != nil || r.OK || len(r.Findings) == 0 || r.Findings[0].Line != 3 {
		t.Errorf("a mistake in a file has no place: %+v, %v", r, err)
	}
	if _, err := o.CheckTopic(context.Background(), operations.TopicQuestion{}); operations.KindOf(err) != operations.Invalid {
		t.Errorf("nothing to look for: %v", err)
	}
}

// An edit moves a term between the lists, removes it from both, and refuses what is no term. Nothing is changed.
func TestEditedTopic(t *testing.T) {
	dir := copied(t)
	o := over(t, operations.Config{Dirs: []string{dir}})
	file := filepath.Join(dir, "pools.dowse", "topic.yaml")
	before, _ := os.ReadFile(file)
	text, err := o.EditedTopic(context.Background(), "pools", operations.TopicEdit{Boost: []string{"limpet", "sea star"}, Ban: []string{"shop"}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := topic.Parse([]byte(text), "topic")
	if err != nil || !slices.Contains(got.Also, "sea star") || !slices.Contains(got.Also, "limpet") || !slices.Contains(got.Not, "shop") {
		t.Errorf("also %q, not %q, %v", got.Also, got.Not, err)
	}
	if after, _ := os.ReadFile(file); string(after) != string(before) {
		t.Error("asking what an edit would be has changed the topic")
	}
	for _, e := range []operations.TopicEdit{{}, {Boost: []string{" "}}, {Ban: []string{"a\nb"}}, {Boost: []string{"of the"}}, {Boost: slices.Repeat([]string{"x"}, 51)}} {
		if _, err := o.EditedTopic(context.Background(), "pools", e); operations.KindOf(err) != operations.Invalid {
			t.Errorf("%.60v: %v", e, err)
		}
	}
}

// A pattern shows what it would remove, and removes exactly that when it is set.
func TestExcluding(t *testing.T) {
	o := over(t, operations.Config{Dirs: []string{copied(t)}})
	ctx := context.Background()
	x, err := o.Excluding(ctx, "pools", "/old/")
	if err != nil || x.Estimated || x.Count == 0 || len(x.Samples) == 0 || x.Count >= x.Of {
		t.Fatalf("%+v, %v", x, err)
	}
	f, err := o.Frontier(ctx, "pools", operations.FrontierQuery{Limit: 500})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, l := range f.Leads {
		if x.Removes(string(l.URL)) {
			n++
		}
	}
	if x.Of <= 500 && n != x.Count {
		t.Errorf("%d links match, and %d are counted", n, x.Count)
	}
	for _, bad := range []string{"", "["} {
		if _, err := o.Excluding(ctx, "pools", bad); operations.KindOf(err) != operations.Invalid {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// The last events of a collection at rest come from its journal, the newest first, and only those that are wanted.
func TestRecent(t *testing.T) {
	o := over(t, operations.Config{Dirs: []string{copied(t)}})
	list, err := o.Recent(context.Background(), "pools", 10, func(e *operations.Event) bool { return e.Event != operations.EventPage })
	if err != nil || len(list) == 0 {
		t.Fatal(list, err)
	}
	for i, e := range list {
		if e.Event == operations.EventPage || i > 0 && e.At.After(list[i-1].At) {
			t.Errorf("event %d: %+v", i, e)
		}
	}
	all, err := o.Events(context.Background(), "pools", "0", 500)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range slices.Backward(all) {
		if e.Event != operations.EventPage {
			if e.ID != list[0].ID {
				t.Errorf("the newest is %s, want %s", list[0].ID, e.ID)
			}
			break
		}
	}
}
