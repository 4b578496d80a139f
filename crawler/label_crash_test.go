//go:build unix

package crawler_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
)

// runChild starts a crawl in another process and returns it when it has fetched a number of
// pages more, with what is closed at its end.
func runChild(t *testing.T, web *manyPages, dir string, pages int) (cmd *exec.Cmd, ended <-chan struct{}) {
	t.Helper()
	cmd = child(web, dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	enough, end := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { cmd.Process.Kill(); <-end })
	go func() {
		defer close(end)
		n := 0
		for sc := bufio.NewScanner(out); sc.Scan(); n++ {
			if n == pages {
				close(enough)
			}
		}
		if n <= pages {
			close(enough)
		}
		cmd.Wait()
	}()
	<-enough
	return cmd, end
}

// sayOf labels pages of the web by chance.
func sayOf(t *testing.T, web *manyPages, dir string, n int, rng *rand.Rand, more ...collection.Label) int {
	t.Helper()
	var lines []collection.Label
	for range n {
		label := []string{collection.LabelOn, collection.LabelOff}[rng.IntN(2)]
		lines = append(lines, collection.Label{URL: dowse.URL(web.url(rng.IntN(60))), Label: label, By: "test"})
	}
	if err := collection.AppendLabels(dir, append(lines, more...)...); err != nil {
		t.Fatal(err)
	}
	l, err := collection.ReadLabels(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(l.Lines)
}

func verified(t *testing.T, dir string) *crawler.Crawler {
	t.Helper()
	c, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	v, err := c.Verify(nil)
	if err != nil {
		t.Fatal(err)
	}
	if !v.OK() || !v.Replayed {
		t.Errorf("replayed: %v; problems: %v", v.Replayed, v.Problems[:min(3, len(v.Problems))])
	}
	return c
}

// TestLabelsWhileCrawling labels while another process crawls: it takes note of them,
// and says what they changed.
func TestLabelsWhileCrawling(t *testing.T) {
	web := &manyPages{n: 1 << 20, pause: 50 * time.Millisecond} // more than it will ever visit
	web.serve(t)
	dir := filepath.Join(t.TempDir(), "label.dowse")
	cmd, ended := runChild(t, web, dir, 100)
	rng := rand.New(rand.NewPCG(1, 1))
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	n := sayOf(t, web, dir, crawler.TrainEvery, rng) // enough to train without a request
	m, err := crawler.Await(ctx, dir, n)
	if err != nil || m.Model != "m0001" || m.Error != "" || m.Hash == "" {
		t.Fatalf("%+v, %v", m, err)
	}
	n = sayOf(t, web, dir, 1, rng, collection.Label{Do: collection.DoTrain})
	if m, err = crawler.Await(ctx, dir, n); err != nil || m.Model != "m0002" || m.Pages == 0 || m.Before != "m0001" {
		t.Fatalf("%+v, %v", m, err)
	}
	n = sayOf(t, web, dir, 0, rng, collection.Label{Do: collection.DoUndo, Model: "m0001", Through: madeModel(t, dir, "m0001").Through})
	back, err := crawler.Await(ctx, dir, n)
	if err != nil || back.Model != "m0001" || !back.Undo || back.Hash != madeModel(t, dir, "m0001").Hash {
		t.Fatalf("%+v, %v", back, err)
	}
	cmd.Process.Signal(syscall.SIGTERM)
	<-ended
	c := verified(t, dir)
	if got := c.Collection.Crawl.Model(); got != "m0001" {
		t.Errorf("the model is %s", got)
	}
}

// TestKillWhileDeciding kills a crawl while it judges and ranks again, at random
// moments. No label is lost, the counts add up, and a replay of the journal gives
// the state of every URL.
func TestKillWhileDeciding(t *testing.T) {
	sameGoroutines(t)
	kills := 4
	if testing.Short() {
		kills = 2
	}
	web := serveMany(t, 1<<20) // more than it will ever visit
	dir := filepath.Join(t.TempDir(), "kill.dowse")
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	lines := 0
	for k := range kills {
		cmd, ended := runChild(t, web, dir, 40)
		lines = sayOf(t, web, dir, crawler.TrainEvery, rng)
		began := waitForModel(t, dir, k, ended)
		time.Sleep(time.Duration(rng.IntN(1+k*250)) * time.Millisecond)
		cmd.Process.Kill()
		<-ended
		c, err := crawler.View(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("kill %d: %s; in use is %q after %d pages", k, began, c.Collection.Crawl.Model(), c.Status().Fetched)
		if b := c.Status().Books; !b.Balanced() {
			t.Errorf("books %+v", b)
		}
		c.Close()
	}
	if _, err := crawler.Retrain(dir, ""); err != nil { // opens, repairs and decides again
		t.Fatal(err)
	}
	c := verified(t, dir)
	labels, err := collection.ReadLabels(dir)
	if err != nil || len(labels.Lines) != lines || labels.Bad != 0 {
		t.Errorf("%d lines of labels, %d bad, want %d; %v", len(labels.Lines), labels.Bad, lines, err)
	}
	for u, l := range labels.Standing() {
		row, err := c.Collection.Row(u)
		if err != nil || row.State != dowse.Visited {
			continue
		}
		if want := l.Label == collection.LabelOn; row.OnTopic != want {
			t.Errorf("%s is labelled %s, and on topic: %v", u, l.Label, row.OnTopic)
		}
	}
}

// waitForModel waits until a crawl has begun one model more than the given number, or has ended.
func waitForModel(t *testing.T, dir string, n int, ended <-chan struct{}) string {
	t.Helper()
	look := time.NewTicker(2 * time.Millisecond)
	defer look.Stop()
	tooLong := time.After(5 * time.Minute)
	for {
		if list, err := collection.Models(dir); err == nil && len(list) > n {
			last := list[len(list)-1]
			return fmt.Sprint(last.Model, " begun, done: ", last.Done)
		}
		select {
		case <-ended:
			return "the crawl ended"
		case <-tooLong:
			t.Fatal("no model was begun")
		case <-look.C:
		}
	}
}

// TestKillWhileContrasting kills a crawl while its judge is trained against pages that
// were seen, and compares it with one that was not killed, one visit at a time: the
// same pages in the same order, at the same priorities and with the same verdicts, and
// the same model.
func TestKillWhileContrasting(t *testing.T) {
	sameGoroutines(t)
	t.Setenv(crashAlone, "1")
	web := &manyPages{n: 130, mixed: true}
	web.serve(t)
	t.Setenv(crashLike, strings.Join([]string{web.url(3), web.url(9), web.url(27), web.url(81)}, ","))
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
	if want.Contrast == 0 || want.Hash != got.Hash || want.Contrast != got.Contrast || want.Seen != got.Seen || *want.Zero != *got.Zero {
		t.Errorf("whole: %+v\nkilled: %+v", want, got)
	}
	verified(t, killed)
}

// TestKillWhileRefusing kills a crawl about when its judge is trained against pages
// that were seen, and when that model was refused: half of its examples are of another subject.
// It goes on as one that was not killed, with the same judge, and refuses for the same
// reason; once it did, it leaves it at that.
func TestKillWhileRefusing(t *testing.T) {
	sameGoroutines(t)
	t.Setenv(crashAlone, "1")
	web := &manyPages{n: 260, mixed: true}
	web.serve(t)
	t.Setenv(crashLike, strings.Join([]string{
		web.url(3), web.url(9), web.url(27), web.url(81), web.url(10), web.url(13), web.url(16), web.url(19),
	}, ","))
	base := t.TempDir()
	killed, whole := filepath.Join(base, "killed.dowse"), filepath.Join(base, "whole.dowse")
	for k := range 2 {
		cmd, ended := runChild(t, web, killed, 98*(1-k))
		if k == 1 {
			t.Log(waitForModel(t, killed, 0, ended))
		}
		cmd.Process.Kill()
		<-ended
	}
	committed := map[string]bool{}
	finish(t, web, killed, committed)
	finish(t, web, whole, committed)
	if diff := cmp.Diff(history(t, whole), history(t, killed)); diff != "" {
		t.Errorf("whole (-) and killed (+) differ:\n%s", diff)
	}
	want, got := refusals(t, whole), refusals(t, killed)
	if diff := cmp.Diff(want, got); diff != "" || len(want) != 1 {
		t.Errorf("refused: %q, and if it was killed %q", want, got)
	}
	if m := inUse(t, killed); m.Model != collection.FirstModel {
		t.Errorf("in use is %+v", m)
	}
	verified(t, killed)
}

// refusals returns why models were refused.
func refusals(t *testing.T, dir string) (list []string) {
	t.Helper()
	models, err := collection.Models(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range models {
		if m.Refused {
			list = append(list, m.Error)
		}
	}
	return list
}
