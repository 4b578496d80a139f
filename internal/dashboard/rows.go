package dashboard

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"dowse"
	"dowse/internal/facts"
	"dowse/internal/operations"
)

// A row is a page or URL as lists show it. Its texts are harmless already.
type row struct {
	URL, Href, Title, Bare, Host string
	Verdict                      string // on, off, unsure, or in words what became of it
	Judged                       bool
	Score                        float64
	Why                          string
	At                           time.Time
	Language                     string
	Cut                          bool
	Back                         string // where a label's form returns to
	ID                           string
}

// rowOf returns a page as lists show it.
func rowOf(c *head, r *facts.Row, backTo string) row {
	x := row{
		URL: string(r.URL), Href: pageHref(c, string(r.URL)), Title: tidy(r.Title, 160), Bare: bare(r.URL), Host: hostOf(string(r.URL)),
		Judged: r.Judged, At: r.Fetch.At, Language: tidy(r.Language, 20), Cut: r.Outcome == dowse.Fetched && r.Fetch.Truncated, Back: backTo, ID: c.ID,
	}
	if r.Judged {
		x.Verdict, x.Score, x.Why = r.Verdict(), r.Relevance(), reasonText(r, 3)
		if r.Left != "" {
			x.Why = "left out: " + string(r.Left)
		}
	} else {
		x.Verdict = string(r.Reason)
		if x.Verdict == "" {
			x.Verdict = r.State.String()
		}
		x.Why = tidy(r.Detail, 160)
	}
	if x.Title == "" {
		x.Title = tidy(r.Anchor(), 120)
	}
	if x.Title == "" {
		x.Title = x.Bare
	}
	if x.At.IsZero() {
		x.At = r.Seen
	}
	return x
}

// reasonText returns the strongest reasons of a verdict as words.
func reasonText(r *facts.Row, n int) string {
	var words []string
	for _, b := range r.Page.Verdict.Because {
		if len(words) == n {
			break
		}
		what := b.What
		if operations.IsSum(what) {
			continue
		}
		what = spelt(r, what)
		if label, ok := strings.CutPrefix(what, "label "); ok { // it decides alone, whatever its weight
			return "labelled " + label
		}
		words = append(words, signed(b.Weight)+" "+isolated(tidy(what, 40)))
	}
	return strings.Join(words, " · ")
}

// isolated returns a foreign text for a sentence, in which it may run from right to left without turning the rest around.
func isolated(s string) string { return "\u2068" + s + "\u2069" }

// spelt returns a reason with the words of a page in place of stems. One that the verdict has as a word of the topic, too,
// is marked.
func spelt(r *facts.Row, what string) string {
	if r.Spell == nil || !strings.HasPrefix(what, `"`) {
		return what
	}
	word := r.Spell(what)
	if word == "" {
		return what
	}
	name := `"` + word + `"`
	if slices.ContainsFunc(r.Page.Verdict.Because, func(b dowse.Because) bool { return b.What == name }) {
		name += " (learnt)"
	}
	return name
}

// pageHref returns the address of the page about a URL.
func pageHref(c *head, u string) string { return c.Home + "page?url=" + url.QueryEscape(u) }

// hostOf returns the host of a URL.
func hostOf(u string) string {
	_, rest, _ := strings.Cut(u, "://")
	host, _, _ := strings.Cut(rest, "/")
	return tidy(host, 80)
}

// with returns the query of a request with some values replaced, "" for a value to drop. The cursor is
// always dropped, since it belongs to the old query.
func with(q url.Values, kv ...string) string {
	n := url.Values{}
	for k, v := range q {
		if k != "cursor" && k != "t" {
			n[k] = v
		}
	}
	for i := 0; i+1 < len(kv); i += 2 {
		n.Del(kv[i])
		if kv[i+1] != "" {
			n.Set(kv[i], kv[i+1])
		}
	}
	if len(n) == 0 {
		return "?"
	}
	return "?" + n.Encode()
}

// choose returns links that set one value of the query.
func choose(q url.Values, name string, list ...[2]string) (tabs []tab) {
	for _, x := range list {
		tabs = append(tabs, tab{Name: x[1], Href: with(q, name, x[0]), Here: q.Get(name) == x[0]})
	}
	return tabs
}
