package collection

import (
	"os"
	"path/filepath"
	"testing"
)

// TestCreateAfterCrash ends the making of a collection after each of its steps;
// making it again must work, and never touch a directory with other files.
func TestCreateAfterCrash(t *testing.T) {
	steps := []string{"archive/", "state/", "topic.yaml.tmp", "topic.yaml", "crawl.yaml.tmp"}
	for n := range len(steps) + 1 {
		dir := t.TempDir()
		for _, s := range steps[:n] {
			if s[len(s)-1] == '/' {
				os.Mkdir(filepath.Join(dir, s), 0o755)
			} else {
				os.WriteFile(filepath.Join(dir, s), []byte("dowse: to"), 0o644)
			}
		}
		c, err := Create(dir, Settings{Name: "x"}, []byte("name: x\n"), nil)
		if err != nil {
			t.Errorf("after %d steps: %v", n, err)
			continue
		}
		c.Close()
	}
	for _, foreign := range []string{"notes.txt", "archive/old.warc.gz", "topic.yaml/x"} {
		dir := t.TempDir()
		os.MkdirAll(filepath.Join(dir, filepath.Dir(foreign)), 0o755)
		os.WriteFile(filepath.Join(dir, foreign), []byte("mine"), 0o644)
		if _, err := Create(dir, Settings{Name: "x"}, nil, nil); err == nil {
			t.Errorf("a directory with %s was taken for an empty one", foreign)
		}
	}
}
