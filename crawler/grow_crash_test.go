//go:build unix

package crawler_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestKillWhileGrowing kills a crawl while its judge grows from words, and compares it with
// one that was not killed, one visit at a time: the same pages in the same order, at the
// same priorities and with the same verdicts, and the same model.
func TestKillWhileGrowing(t *testing.T) {
	sameGoroutines(t)
	t.Setenv(crashAlone, "1")
	web := &manyPages{n: 130, mixed: true}
	web.serve(t)
	t.Setenv(crashWords, "violin") // a third of the pages has it
	base := t.TempDir()
	killed, whole := filepath.Join(base, "killed.dowse"), filepath.Join(base, "whole.dowse")
	for k := range 2 {
		cmd, ended := runChild(t, web, killed, 0)
		began := waitForModel(t, killed, k, ended)
		time.Sleep(time.Duration(k*8) * time.Millisecond)
		cmd.Process.Kill()
		<-ended
		t.Logf("kill %d: %s", k, began)
	}
	committed := map[string]bool{}
	finish(t, web, killed, committed)
	finish(t, web, whole, committed)
	if diff := cmp.Diff(history(t, whole), history(t, killed)); diff != "" {
		t.Errorf("whole (-) and killed (+) differ:\n%s", diff)
	}
	want, got := inUse(t, whole), inUse(t, killed)
	if want.Grown == 0 || want.Hash != got.Hash || want.Grown != got.Grown || want.Contrast != got.Contrast || want.Seen != got.Seen || *want.Zero != *got.Zero || want.Temperature != got.Temperature {
		t.Errorf("whole: %+v\nkilled: %+v", want, got)
	}
	verified(t, killed)
}
