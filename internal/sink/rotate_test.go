package sink

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFileThatIsMovedOrRemoved checks that after the file of a sink was moved away or removed, records go to a new file
// of its name, and none to the old one.
func TestFileThatIsMovedOrRemoved(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out.jsonl")
	r, err := openJSONL(name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	send := func(line string) {
		t.Helper()
		if _, _, err := r.send(t.Context(), &batch{records: []outgoing{{line: []byte(line)}}}); err != nil {
			t.Fatal(err)
		}
	}
	has := func(name, want string) {
		t.Helper()
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s has %q, %v; want %q", filepath.Base(name), got, err, want)
		}
	}
	send("1")
	if err := os.Rename(name, name+".1"); err != nil {
		t.Fatal(err)
	}
	send("2")
	has(name, "2\n")
	has(name+".1", "1\n")
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	send("3")
	send("4")
	has(name, "3\n4\n")
}
