//go:build unix

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/internal/estimate"
)

// A crawl that has nothing left to visit, apart from URLs of a pattern that gave nothing new,
// prints their number and how to visit them.
func TestSummaryNamesTrappedURLs(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		switch {
		case r.URL.Path == "/":
			for i := range 100 {
				fmt.Fprintf(w, `<a href="/story/%d">tide pool story</a> `, i)
			}
		case strings.HasPrefix(r.URL.Path, "/story/"):
			fmt.Fprint(w, "<title>gone</title>This story was removed.")
		default:
			http.NotFound(w, r)
		}
	}))
	defer web.Close()
	dir := filepath.Join(t.TempDir(), "x.dowse")
	out, _ := dowseCommand(t.Context(), t.TempDir(), "crawl", "tide pool", "--seed", web.URL+"/", "-o", dir,
		"--allow-net", "127.0.0.0/8", "--delay", "0s", "--no-progress").CombinedOutput()
	line := regexp.MustCompile(`(?m)^ (\d+) URLs not visited: .*--retry trap\.pattern`).FindSubmatch(out)
	skipped := regexp.MustCompile(`\+ (\d+) skipped`).FindSubmatch(out)
	if line == nil || skipped == nil || string(line[1]) != string(skipped[1]) {
		t.Errorf("the summary does not name the skipped URLs:\n%s", out)
	}
}

// Every trap that left URLs out is named with its number and the reason to retry, and the estimate does not count them.
func TestTrapLines(t *testing.T) {
	lines := trapLines([]collection.ReasonCount{
		{Reason: dowse.SkipTrapFarm, Skipped: 269}, {Reason: dowse.SkipTrapPattern}, {Reason: dowse.SkipScopeHost, Skipped: 5},
	}, 0)
	if len(lines) != 1 || !strings.HasPrefix(lines[0], "269 URLs not visited: ") || !strings.Contains(lines[0], "--retry trap.farm") {
		t.Errorf("%q", lines)
	}
	if lines = trapLines(nil, 3890); len(lines) != 1 || !strings.HasPrefix(lines[0], "3,890 links not kept: ") {
		t.Errorf("dropped links: %q", lines)
	}
	if unkeptLine(0) != "" || !strings.HasPrefix(unkeptLine(710320), "710,320 links not kept: ") {
		t.Errorf("links without memory: %q, %q", unkeptLine(0), unkeptLine(710320))
	}
	if got := headline(dowse.StopExhausted, crawl.Status{}, 0, true); !strings.Contains(got, "except for what looks like a trap") {
		t.Errorf("headline: %s", got)
	}
	if got := recallLine(estimate.Recall{Found: 132, Recall: 1, Low: 1, High: 1, Least: 132, Most: 132}, true); !strings.HasSuffix(got, "without what was left out as a trap") {
		t.Errorf("estimate: %s", got)
	}
}
