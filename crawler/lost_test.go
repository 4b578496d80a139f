package crawler_test

import (
	"sync/atomic"
	"syscall"
	"testing"

	"dowse/crawler"
	"dowse/internal/durable"
	"dowse/settings"
)

// TestLostPagesAreNotCounted fills the disk in the middle of a crawl with several visits in flight, at
// different writes. What the run reports and records is what the collection has when it is opened again:
// pages that were absorbed and could not be committed are not among it.
func TestLostPagesAreNotCounted(t *testing.T) {
	sameGoroutines(t)
	lost := 0
	for at := 40; at < 60; at += 3 {
		dir := t.TempDir() + "/full.dowse"
		var writes atomic.Int64
		free := durable.Inject(func(op durable.Op, _ string) error {
			if op == durable.OpWrite && writes.Add(1) > int64(at) {
				return syscall.ENOSPC
			}
			return nil
		})
		c, err := crawler.Open(dir, crawler.Config{
			Words: []string{"tide pools"}, Seeds: []string{smallURL(0, 0)}, Transport: smallWeb{},
			Settings: settings.Settings{Key: 7, Limits: settings.Limits{Pages: faultPages}, Identity: settings.Identity{Contact: "https://example.org/bot"}, Politeness: settings.Politeness{Delay: -1, InFlight: 16, Conns: 16}},
		})
		must(t, err)
		for range c.Crawl(t.Context()) {
		}
		free()
		st := c.Status()
		if c.Err() == nil {
			t.Fatalf("write %d: the disk did not get full in this crawl: %v", at, c.Err())
		}
		lost += c.Collection.Crawl.Status().Fetched - st.Fetched
		if !st.Books.Balanced() {
			t.Errorf("write %d: the books do not balance: %+v", at, st.Books)
		}
		_ = c.Close()
		again, err := crawler.View(dir)
		must(t, err)
		got := again.Status()
		must(t, again.Close())
		if got.Fetched != st.Fetched || got.OnTopic != st.OnTopic {
			t.Errorf("write %d: the run counted %d pages, %d on topic; its collection has %d and %d", at, st.Fetched, st.OnTopic, got.Fetched, got.OnTopic)
		}
	}
	if lost == 0 {
		t.Error("no page was lost in any of the crawls, so nothing was tried")
	}
}
