package sink_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/sink"
	"dowse/settings"
)

// TestRepeatsAfterAChange sends batches that are received and never confirmed, as after a kill, and changes the verdicts
// and the threshold before they are sent again. Records with one id must be the same, the versions of a page must grow,
// and in the end the sink has what the collection has.
func TestRepeatsAfterAChange(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "reefs.dowse")
	var mu sync.Mutex
	var all []byte
	dead := true
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		all = append(all, body...)
		if dead {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer srv.Close()
	send := func(confirm bool) {
		mu.Lock()
		dead = !confirm
		before := len(all)
		mu.Unlock()
		if confirm {
			drained(t, dir, sink.Options{}, time.Minute, srv.URL)
			return
		}
		for received := before; received == before; { // on a busy machine an attempt can end before it has sent anything
			drained(t, dir, sink.Options{}, 300*time.Millisecond, srv.URL)
			mu.Lock()
			received = len(all)
			mu.Unlock()
		}
	}
	w := sunkWeb(30)
	w.pages["b.example/unsure"] = reefPage(100, 6)
	cfg := w.config()
	// The clock of the crawl is ahead of that of the threshold, as after it was set back.
	cfg.Clock = func() time.Time { return time.Now().Add(2 * time.Hour) }
	crawlInto(t, dir, cfg)
	send(false)

	if err := collection.AppendLabels(dir, collection.Label{URL: "http://a0.example/0", Label: collection.LabelOn, By: "test"},
		collection.Label{URL: "http://a1.example/1", Label: collection.LabelOff, By: "test"}, collection.Label{Do: collection.DoTrain}); err != nil {
		t.Fatal(err)
	}
	trained := make(chan struct{})
	w.mu.Lock()
	w.wait = map[string]chan struct{}{"slow.example/": trained}
	w.mu.Unlock()
	cfg.Seeds = append(cfg.Seeds, "http://slow.example/")
	cfg.Trained = func(collection.Model) { close(trained) }
	crawlInto(t, dir, cfg)
	send(false)
	if _, err := crawler.Set(t.Context(), dir, crawler.Wanted{Settings: settings.Settings{Order: settings.Order{Threshold: 0.7}}}); err != nil {
		t.Fatal(err)
	}
	send(false)
	send(true)

	if got, want := state(decode(t, all)), onTopic(t, dir); !slices.Equal(got, want) {
		t.Errorf("the sink has %d pages, want %d\n%v\n%v", len(got), len(want), got, want)
	}
	lines, versions := map[string]string{}, map[string]int64{}
	changed := 0
	for line := range bytes.Lines(all) {
		var r received
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if first, repeated := lines[r.Event]; repeated {
			if first != string(line) {
				t.Errorf("event %s has two contents:\n%.300s\n%.300s", r.Event, first, line)
			}
			continue
		}
		lines[r.Event] = string(line)
		if v, ok := versions[r.Key]; ok {
			if changed++; r.Version <= v {
				t.Errorf("%s %s has the version %d after %d", r.Op, r.URL, r.Version, v)
			}
		}
		versions[r.Key] = r.Version
	}
	if changed < 3 { // a page with another verdict, one that left the topic by a label, and one by the threshold
		t.Errorf("%d records replace another one, want at least 3", changed)
	}
}
