package operations

import (
	"path/filepath"
	"testing"
	"time"

	"dowse/collection"
)

// A list does not wait for a count that takes long: it reports that the pages are being counted, and has the number when
// they are.
func TestListWhileCounting(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made.dowse")
	s := collection.Settings{Name: "made", Begun: time.Unix(1e9, 0).UTC()}
	s.Strategy, s.Threshold = "breadth-first", 0.5
	col, err := collection.Create(dir, s, []byte("dowse: topic/v1\nname: made\nwords: [made]\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := col.Close(); err != nil {
		t.Fatal(err)
	}
	o, err := New(Config{Dirs: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	for range maxCounts {
		o.counters <- struct{}{} // other counts, which do not end
	}
	for _, wait := range []time.Duration{0, time.Millisecond} {
		if list, err := o.Collections(t.Context(), wait); err != nil || len(list) != 1 || !list[0].Counting {
			t.Fatalf("before the count: %+v, %v", list, err)
		}
	}
	for range maxCounts {
		<-o.counters
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		list, err := o.Collections(t.Context(), 0)
		if err != nil || time.Now().After(end) {
			t.Fatalf("after the count: %+v, %v", list, err)
		}
		if !list[0].Counting {
			break
		}
	}
}
