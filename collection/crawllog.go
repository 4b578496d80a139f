package collection

import (
	"fmt"
	"io"
	"strings"
	"time"

	"dowse"
	"dowse/crawl"
)

// logEntry writes the line of a visit to crawl.log, in the twelve columns that
// tools for Heritrix read: when it was logged, status, bytes, URL, path from a
// seed, referring page, type, worker, when it was fetched and how long it took,
// digest, source, annotations. An unknown value is "-". Entries that are neither
// a page nor a robots.txt have no line.
func logEntry(w io.Writer, e *crawl.Entry, parent dowse.URL) error {
	path := ""
	switch e.Kind {
	case crawl.EntryPage:
		path = hopPath(e.Page.Depth)
	case crawl.EntryRobots:
		path = "P" // a prerequisite of other pages
	default:
		return nil
	}
	p := e.Page
	_, err := fmt.Fprintf(w, "%s %5d %10s %s %s %s %s #000 %s - - %s\n",
		e.At.UTC().Format("2006-01-02T15:04:05.000Z"), logStatus(p), logBytes(p), logToken(string(p.URL)), logToken(path),
		logToken(string(parent)), logToken(p.Fetch.Type), logTook(p), logToken(annotation(e)))
	return err
}

// hopPath returns a path of depth links, one L per link. A path of more than 50
// is shortened in the way of Heritrix: the number of omitted links, a plus sign,
// and 50 times L.
func hopPath(depth int) string {
	const most = 50
	if depth > most {
		return fmt.Sprintf("%d+%s", depth-most, strings.Repeat("L", most))
	}
	return strings.Repeat("L", depth)
}

// logStatus returns the HTTP status of an answer or, if there was none, the
// negative number that Heritrix has for the reason.
func logStatus(p *dowse.Page) int {
	if p.Reason == dowse.SkipRobotsTxt {
		return -9998
	}
	if p.Fetch.Status != 0 {
		return p.Fetch.Status
	}
	switch p.Reason {
	case dowse.FailDNS:
		return -1
	case dowse.FailConnect, dowse.FailTLS:
		return -2
	case dowse.FailTimeout:
		return -4
	case dowse.FailProtocol, dowse.FailEncoding:
		return -3
	case dowse.SkipBudgetHost, dowse.SkipBudgetCrawl:
		return -5003
	case dowse.SkipHostBlocked, dowse.SkipUserBlocked, dowse.SkipForgotten:
		return -5001
	case dowse.SkipTrapPattern, dowse.SkipTrapFarm:
		return -4000
	case "":
		return 0
	}
	return -5000
}

// logBytes returns the size of an answer in bytes, "-" if there was none.
func logBytes(p *dowse.Page) string {
	if p.Fetch.Status == 0 {
		return "-"
	}
	return fmt.Sprint(p.Fetch.Bytes)
}

// logTook returns when a page was fetched, to the millisecond in UTC, and how
// many milliseconds that took.
func logTook(p *dowse.Page) string {
	if p.Fetch.At.IsZero() {
		return "-"
	}
	stamp := strings.ReplaceAll(p.Fetch.At.UTC().Format("20060102150405.000"), ".", "")
	return fmt.Sprintf("%s+%d", stamp, p.Fetch.Took/time.Millisecond)
}

// annotation returns the column that is specific to dowse: the relevance of a
// page, or the reason why there is none.
func annotation(e *crawl.Entry) string {
	p := e.Page
	switch {
	case e.Kind == crawl.EntryRobots:
		return ""
	case p.Reason != "":
		return string(p.Reason)
	case p.Outcome != dowse.Fetched:
		return p.Outcome.String()
	case p.Near != "":
		return fmt.Sprintf("relevance:%.3f,near:%s", p.Verdict.Relevance, p.Near)
	}
	return fmt.Sprintf("relevance:%.3f", p.Verdict.Relevance)
}

// logToken returns a text as one column. Whitespace and control characters are
// removed, since a URL or media type from a server must not add columns or
// lines.
func logToken(s string) string {
	s = strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7f || r == 0x85 || r == 0xa0 || r == 0x2028 || r == 0x2029 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	if s == "" {
		return "-"
	}
	return s
}
