package operations_test

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dowse/internal/operations"
)

// kindsOf returns the kinds of events in their order, each once in a row.
func kindsOf(list []operations.Event) (kinds []string) {
	for _, e := range list {
		kinds = append(kinds, e.Event)
	}
	return slices.Compact(kinds)
}

// TestEventsOfRunsAndSettings reads the events of a crawl that ran, was changed and ran again. Runs and changes of settings are
// among those of the journal, in the order of time; and behind every event a reader gets exactly the rest.
func TestEventsOfRunsAndSettings(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "pools.dowse")
	crawlMade(t, path, 20)
	o := over(t, operations.Config{Dirs: []string{dir}})
	if _, err := o.Set(bg, "pools", operations.SetRequest{Set: map[string][]string{"delay": {"2s"}}, By: "ann"}); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Set(bg, "pools", operations.SetRequest{Set: map[string][]string{"delay": {"0s"}, "pages": {"30"}}}); err != nil {
		t.Fatal(err)
	}
	cr := openMade(t, path, 30)
	for range cr.Crawl(bg) {
	}
	if err := cr.Close(); err != nil || cr.Err() != nil {
		t.Fatal(err, cr.Err())
	}
	all, err := o.Events(bg, "pools", "0", 500)
	if err != nil {
		t.Fatal(err)
	}
	var rough []string
	for _, e := range all {
		switch e.Event {
		case operations.EventState:
			rough = append(rough, strings.TrimSpace(e.State+" "+e.Detail))
		case operations.EventSetting:
			rough = append(rough, e.Detail+" by "+e.By)
		case operations.EventPage:
			rough = append(rough, "pages")
		}
	}
	rough = slices.Compact(rough)
	want := []string{"running", "pages", "stopped pages", "delay 0s → 2s by ann", "pages 20 → 30, delay 2s → 0s by ", "running", "pages", "stopped pages"}
	if !slices.Equal(rough, want) {
		t.Errorf("got  %q\nwant %q", rough, want)
	}
	for i, e := range all {
		rest, err := o.Events(bg, "pools", e.ID, 500)
		if err != nil || !slices.EqualFunc(rest, all[i+1:], func(a, b operations.Event) bool { return reflect.DeepEqual(a, b) }) {
			t.Fatalf("behind event %d (%s %s): %v, got %d events, want %d", i, e.ID, e.Event, err, len(rest), len(all)-i-1)
		}
	}
	few, err := o.Events(bg, "pools", all[3].ID, 2)
	if err != nil || len(few) != 2 || few[1].ID != all[5].ID {
		t.Errorf("two events: %+v, %v", few, err)
	}
	for _, id := range []string{"x", "-1", "1-2", "1-2-3-4", " 0-0-0", "99999999-0-0", "5-0-0", "18446744073709551615-0-0"} {
		if _, err := o.Events(bg, "pools", id, 5); operations.KindOf(err) != operations.Invalid {
			t.Errorf("%q: got %v", id, err)
		}
	}
}

// TestFollowsTheLogs follows a collection at rest: a change of its settings is reported as it happens, once, and a line that
// is no JSON is left out.
func TestFollowsTheLogs(t *testing.T) {
	dir := copied(t)
	o := over(t, operations.Config{Dirs: []string{dir}})
	st, err := o.Status(bg, "pools")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(bg)
	defer cancel()
	ready, list := make(chan struct{}), []operations.Event{}
	ended := make(chan error, 1)
	go func() {
		first := true
		ended <- o.Follow(ctx, "pools", st.Event, func(some []operations.Event) error {
			if list = append(list, some...); first {
				first = false
				close(ready)
			}
			if len(list) == 2 {
				cancel()
			}
			return nil
		})
	}()
	log, err := os.OpenFile(filepath.Join(dir, "pools.dowse", "log", "settings.jsonl"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := log.WriteString("no JSON\n{\"request\":\"x\",\"at\":\"2026-01-02T03:04:05Z\",\"changes\":[\"delay 1s → 2s\"]}\n"); err != nil {
		t.Fatal(err)
	}
	<-ready
	if _, err := log.WriteString("{\"request\":\"y\",\"at\":\"2026-01-02T03:04:06Z\",\"changes\":[],\"error\":\"no\"}\n{\"torn"); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	<-ended
	if len(list) != 2 || list[0].Detail != "delay 1s → 2s" || list[1].Detail != "refused: no" || len(kindsOf(list)) != 1 {
		t.Errorf("got %+v", list)
	}
}
