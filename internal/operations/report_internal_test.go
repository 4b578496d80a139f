package operations

import (
	"strings"
	"testing"
	"time"

	"dowse/crawler"
)

// A crawl that has reported nothing for a while is not given the rate of its last report.
func TestOldReport(t *testing.T) {
	now := time.Now()
	p := crawler.Pulse{At: now.Add(-6 * time.Second), Rate: 12, BytesRate: 1000, LimitedBy: "politeness"}
	var fresh, old Status
	if fresh.report(p, now); fresh.Rate != 12 || fresh.BytesRate != 1000 || fresh.LimitedBy != "politeness" || len(fresh.Notices) > 0 {
		t.Errorf("6 s old: %v pages/s, limited by %q, %q", fresh.Rate, fresh.LimitedBy, fresh.Notices)
	}
	p.At = now.Add(-7 * time.Minute)
	if old.report(p, now); old.Rate != 0 || old.BytesRate != 0 || old.LimitedBy != "" || len(old.Notices) != 1 || !strings.Contains(old.Notices[0], "nothing for 7m0s") {
		t.Errorf("7 min old: %v pages/s, limited by %q, %q", old.Rate, old.LimitedBy, old.Notices)
	}
}

// Hosts whose URLs have failed have none that waits, so only what failed can be asked again.
func TestHostHelp(t *testing.T) {
	if _, line := hostHelp("x.dowse", true); line != "dowse crawl x.dowse --retry unreached" {
		t.Error(line)
	}
	if _, line := hostHelp("x.dowse", false); line != "dowse crawl x.dowse --retry failed" {
		t.Error(line)
	}
	if a, b := waiting(1), waiting(1200); a != "1 link waits" || b != "1,200 links wait" {
		t.Errorf("%q, %q", a, b)
	}
}
