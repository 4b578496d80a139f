package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestStatusGoesOn asks for three collections of which the first is damaged and the second
// none at all: the third is shown, and the exit code is that of the damage.
func TestStatusGoesOn(t *testing.T) {
	sound := demoCollection(t)
	damaged, none := copyDir(t, sound), filepath.Join(t.TempDir(), "none.dowse")
	for _, name := range namesOf(t, damaged, "state") {
		if strings.HasPrefix(name, "state/journal") {
			if err := os.Remove(filepath.Join(damaged, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, flags := range [][]string{nil, {"--check"}, {"--json"}} {
		out, errs, code := runDowse(t, append([]string{"status", damaged, none, sound}, flags...)...)
		if code != exitCollection || !strings.Contains(errs, damaged+" is damaged") || !strings.Contains(errs, none+" is not a collection") || len(out) < 100 {
			t.Errorf("%v: exit code %d\n%s\n%s", flags, code, out, errs)
		}
	}
	if _, errs, code := runDowse(t, "status", none, sound); code != exitUsage {
		t.Errorf("exit code %d: %s", code, errs)
	}
}
