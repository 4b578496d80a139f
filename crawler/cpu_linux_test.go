package crawler

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestQueueTime adds up how long threads waited for a processor. What can't be read counts as nothing.
func TestQueueTime(t *testing.T) {
	dir := t.TempDir()
	for id, text := range map[string]string{"7": "5 2000000000 9\n", "8": "5 1 9\n", "9": "", "10": "1 2", "11": "a b c\n"} {
		if err := os.MkdirAll(filepath.Join(dir, id), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, id, "schedstat"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "12"), 0o700); err != nil {
		t.Fatal(err)
	}
	if got := queuedIn(dir); got != 2*time.Second+1 {
		t.Errorf("%v, want 2.000000001s", got)
	}
	if got := queuedIn(filepath.Join(dir, "nowhere")); got != 0 {
		t.Errorf("without threads %v", got)
	}
	if before := queueTime(); queueTime() < before {
		t.Error("the time of this process falls")
	}
}
