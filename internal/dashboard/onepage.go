package dashboard

import (
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"slices"
	"sort"
	"strings"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/internal/operations"
	"dowse/internal/plain"
	"dowse/internal/text"
)

// A pageBody is the page about one URL.
type pageBody struct {
	*operations.Account
	R           row
	ID, Self    string
	Reasons     []reasonRow
	Chosen      []reasonRow
	Flips       []flip // what would change the verdict
	Path        []tab
	Text        []piece
	TextError   string
	TextCut     bool
	Headings    []operations.Heading
	Links       []linkRow
	LinksCut    int
	LinkTally   string
	Facts       []fact
	Versions    []versionRow
	History     []modelRow
	Label       string // the label that is in force
	Description string
	Gone        bool // it was taken down
}

// A reasonRow is one reason with a bar.
type reasonRow struct {
	What   string
	Count  int
	Weight float64
	Bar    template.HTML
	Note   string
}

// A flip is something that would change a verdict.
type flip struct {
	What  string
	Score string // what the score would be; "" if it stays
	Href  string
}

// A fact is a name and a value.
type fact struct {
	Name  string
	Value string
	Href  string
}

// A linkRow is a link of a page and what became of it.
type linkRow struct {
	Bare, Href, Anchor, Fate string
	Priority                 float64
}

// A versionRow is one version of a page that was asked again.
type versionRow struct {
	collection.Version
	Title string
}

// A modelRow is the verdict of one model.
type modelRow struct {
	Model, Verdict string
	Score          float64
}

// maxLinkRows is how many links of a page are shown.
const maxLinkRows = 200

// maxShown is how much text of a page is shown, in bytes.
const maxShown = 200 << 10

// onePage explains a URL and shows its text.
func (d *Dashboard) onePage(r *http.Request, c *head) (*pageFrame, error) {
	u := strings.TrimSpace(r.URL.Query().Get("url"))
	if u == "" {
		return nil, &operations.Error{Kind: operations.Invalid, Field: "url", Err: errors.New("no page is named: choose one in a list, or give its address as url=")}
	}
	a, err := d.ops.Why(r.Context(), c.ID, u, true)
	if err != nil {
		return nil, err
	}
	if a.Row.Reason == dowse.SkipForgotten {
		return takenDown(c, a, u), nil
	}
	self := pageHref(c, string(a.Row.URL))
	b := &pageBody{Account: a, ID: c.ID, Self: self}
	if p, err := d.ops.Page(r.Context(), c.ID, string(a.Row.URL)); err == nil {
		a.Row.Spell = p.Row.Spell
		b.read(p)
	} else {
		b.TextError = tidy(plain.Error(err), 200)
	}
	b.R = rowOf(c, a.Row, self)
	b.judge(c)
	b.choice(c)
	b.links(c)
	b.facts(c)
	for _, l := range a.Labels {
		if l.Ended == "" {
			b.Label = l.Label.Label
		}
	}
	return &pageFrame{Title: b.R.Title, Command: command("why", c.Dir, string(a.Row.URL)), Body: b}, nil
}

// takenDown is the page about a URL that was taken down. The collection keeps only that and why: the URL
// is the one that was asked for.
func takenDown(c *head, a *operations.Account, u string) *pageFrame {
	b := &pageBody{Account: a, ID: c.ID, Gone: true, TextError: "It was taken down: neither its text nor its links are kept."}
	b.R = row{Title: "A page that was taken down", Bare: bare(u), URL: u, Verdict: string(a.Row.Reason)}
	b.facts(c)
	return &pageFrame{Title: b.R.Title, Command: command("why", c.Dir, u), Body: b}
}

// read adds the text of the page, with the words of its reasons marked.
func (b *pageBody) read(p *operations.Page) {
	b.TextError, b.TextCut = tidy(p.TextError, 200), p.Cut || len(p.Text) > maxShown
	b.Description = tidy(p.Row.Description, 300)
	want, parts := b.marker()
	b.Text = marked(tidyText(p.Text, maxShown), want, parts)
	for _, h := range p.Headings {
		b.Headings = append(b.Headings, operations.Heading{Level: h.Level, Text: tidy(h.Text, 120)})
	}
	for _, v := range p.Versions {
		b.Versions = append(b.Versions, versionRow{v, tidy(v.Title, 100)})
	}
}

// marker returns which words of the text have a part in the verdict. Reasons are stems, so words that
// begin with a longer one are marked, too. Words of scripts without spaces are parts of runs.
func (b *pageBody) marker() (want func(word string) bool, parts []string) {
	words, stems := map[string]bool{}, []string{}
	if r := b.ruling(); r != nil {
		for _, x := range r.Because {
			if operations.IsSum(x.What) || x.Weight == 0 {
				continue
			}
			if !strings.HasPrefix(x.What, `"`) && strings.Contains(x.What, " ") { // a signal, such as "the words fill 34 % of the text"
				x.What = ""
			}
			for _, w := range strings.FieldsFunc(strings.ToLower(x.What+" "+x.Word), func(r rune) bool { return r == ' ' || r == '/' }) {
				w = strings.Trim(w, `"“”'`)
				words[w] = true
				if text.Spaceless(w) {
					parts = append(parts, w)
				} else if len(w) >= 4 {
					stems = append(stems, w)
				}
			}
		}
	}
	want = func(word string) bool {
		word = strings.ToLower(word)
		return words[word] || slices.ContainsFunc(stems, func(s string) bool { return len(word) <= len(s)+3 && strings.HasPrefix(word, s) })
	}
	return want, parts
}

// ruling returns the verdict whose reasons are shown: that of the judge alone for a page with a label, whose only reason is the label.
func (b *pageBody) ruling() *collection.Ruling {
	if b.Alone != nil {
		return b.Alone
	}
	return b.Judged
}

// judge adds the reasons of the verdict, and what would change it.
func (b *pageBody) judge(c *head) {
	if b.Judged == nil {
		return
	}
	most, r, sums := 0.0, b.ruling(), []reasonRow(nil) // what names no sign of the page is at the end, as dowse why has it
	for _, x := range r.Because {
		most = math.Max(most, math.Abs(x.Weight))
	}
	for _, x := range r.Because {
		name := x.What
		if b.NameOf != nil { // as dowse why has it: a learnt term is distinguished from a word of the topic
			name = b.NameOf(name)
		}
		note := ""
		if x.Flips && b.Alone == nil {
			note = "without it " + score(x.Without)
		}
		row := reasonRow{What: tidy(name, 60), Count: x.Count, Weight: x.Weight, Bar: weightBar(x.Weight, most), Note: note}
		if operations.IsSum(x.What) || x.What == "bias" {
			sums = append(sums, row)
		} else {
			b.Reasons = append(b.Reasons, row)
		}
	}
	for _, list := range [][]reasonRow{b.Reasons, sums} {
		slices.SortStableFunc(list, func(x, y reasonRow) int { return cmp.Compare(math.Abs(y.Weight), math.Abs(x.Weight)) })
	}
	b.Reasons = append(b.Reasons[:min(len(b.Reasons), maxReasons)], sums...)
	b.flips(c)
	for _, m := range b.Models {
		v := "off"
		if m.OnTopic {
			v = "on"
		}
		b.History = append(b.History, modelRow{tidy(m.Model, 40), v, m.Relevance})
	}
}

// maxReasons bounds how many reasons are shown that name something. Judges sum up the weak ones before that.
const maxReasons = 40

// maxFlips is how many reasons are named that would change a verdict alone.
const maxFlips = 3

// flips adds what would change the verdict: one reason less, the fewest of them together, another threshold, another
// model; of a page with a label, only that label.
func (b *pageBody) flips(c *head) {
	j := b.Judged
	if b.Alone != nil { // neither reasons nor a threshold or a model change what a person decided
		if b.Alone.OnTopic != j.OnTopic {
			b.Flips = append(b.Flips, flip{What: "without your label", Score: score(b.Alone.Relevance)})
		}
		return
	}
	for _, x := range j.Because {
		if x.Flips && len(b.Flips) < maxFlips && !operations.IsSum(x.What) && x.What != "bias" {
			b.Flips = append(b.Flips, flip{What: "without " + isolated(quoted(x)), Score: score(x.Without)})
		}
	}
	if len(b.Flips) == 0 {
		if names, left := together(j); len(names) > 0 {
			for i := range names {
				names[i] = isolated(names[i])
			}
			b.Flips = append(b.Flips, flip{What: "without " + strings.Join(names, " and "), Score: score(left)})
		}
	}
	href := c.Home + "topic?value=" + score(j.Relevance)
	switch {
	case j.OnTopic && j.Relevance < 1:
		b.Flips = append(b.Flips, flip{What: fmt.Sprintf("with a threshold above %s (now %s)", score(j.Relevance), score(j.Threshold)), Href: href})
	case !j.OnTopic && j.Relevance > 0:
		b.Flips = append(b.Flips, flip{What: fmt.Sprintf("with a threshold of %s or less (now %s)", score(j.Relevance), score(j.Threshold)), Href: href})
	}
	for _, m := range b.Models {
		if m.OnTopic != j.OnTopic {
			b.Flips = append(b.Flips, flip{What: "with the model " + tidy(m.Model, 40), Score: score(m.Relevance), Href: c.Home + "labels"})
			break
		}
	}
}

// quoted returns a reason in quotes, as a word if one is known.
func quoted(x collection.Part) string {
	what := strings.ReplaceAll(x.What, `"/"`, "/") // words that share a weight
	return "“" + tidy(strings.Trim(cmp.Or(x.Word, what), `"“”`), 40) + "”"
}

// maxTogether is how many reasons are left out together: more than that explain nothing.
const maxTogether = 6

// together returns the fewest reasons without which a verdict would change, the strongest first, and the relevance
// without them; none if even many of them would not change it, or if weights do not add up.
func together(j *collection.Ruling) (names []string, left float64) {
	sum, side := 0.0, 1.0
	if !j.OnTopic {
		side = -1
	}
	for _, x := range j.Because {
		sum += x.Weight
	}
	var relevance func(float64) float64
	switch j.Scale {
	case "log-odds":
		relevance = func(z float64) float64 { return 1 / (1 + math.Exp(-z)) }
	case "share", "cosine":
		relevance = func(z float64) float64 { return min(max(z, 0), 1) }
	default:
		return nil, 0
	}
	for _, x := range j.Because { // the strongest first
		if x.Weight*side <= 0 || operations.IsSum(x.What) || x.What == "bias" {
			continue
		}
		names, sum = append(names, quoted(x)), sum-x.Weight
		if left = relevance(sum); (left >= j.Threshold) != j.OnTopic {
			return names, left
		}
		if len(names) == maxTogether {
			break
		}
	}
	return nil, 0
}

// weightBar draws a weight, to the largest of its list.
func weightBar(w, most float64) template.HTML {
	class := ""
	if w < 0 {
		class = "off"
	}
	if most == 0 {
		most = 1
	}
	return meter(math.Abs(w)/most, class)
}

// choice adds why the link was chosen.
func (b *pageBody) choice(c *head) {
	if x := b.Account.Chosen; x != nil {
		most := 0.0
		for _, y := range x.Because {
			most = math.Max(most, math.Abs(y.Weight))
		}
		for _, y := range x.Because {
			b.Chosen = append(b.Chosen, reasonRow{What: tidy(y.What, 90), Count: y.Count, Weight: y.Weight, Bar: weightBar(y.Weight, most)})
		}
	}
	for _, u := range b.Account.Path {
		b.Path = append(b.Path, tab{Name: bare(u), Href: pageHref(c, string(u)), Here: u == b.Account.Row.URL})
	}
}

// links adds the links of the page.
func (b *pageBody) links(c *head) {
	for i, l := range b.All {
		if i == maxLinkRows {
			b.LinksCut = len(b.All) - i
			break
		}
		fate := l.Fate
		if l.Reason != "" {
			fate = string(l.Reason)
		}
		b.Links = append(b.Links, linkRow{Bare: bare(l.URL), Href: pageHref(c, string(l.URL)), Anchor: tidy(l.Anchor, 80), Fate: fate, Priority: l.Priority})
	}
	t := b.Account.Links
	if t == nil {
		return
	}
	parts := []string{fmt.Sprintf("%d found", t.Found), fmt.Sprintf("%d queued", t.Queued), fmt.Sprintf("%d seen before", t.Seen)}
	for reason, n := range t.Skipped {
		parts = append(parts, fmt.Sprintf("%d %s", n, reason))
	}
	sort.Strings(parts[3:])
	b.LinkTally = strings.Join(parts, " · ")
}

// facts adds what else is known.
func (b *pageBody) facts(c *head) {
	r := b.Account.Row
	add := func(name, format string, args ...any) {
		b.Facts = append(b.Facts, fact{Name: name, Value: tidy(fmt.Sprintf(format, args...), 300)})
	}
	if b.Meaning != "" {
		add("reason", "%s: %s", r.Reason, b.Meaning)
	}
	if r.Detail != "" {
		add("detail", "%s", r.Detail)
	}
	if r.State == dowse.Waiting && b.Rank > 0 {
		add("queue", "place %s of %s", count(b.Rank), count(b.Wait))
	}
	if r.Fetch.Status != 0 {
		add("answer", "%d %s, %s in %s", r.Fetch.Status, r.Fetch.Type, bytesText(r.Fetch.Bytes), span(r.Fetch.Took))
		add("fetched", "%s", r.Fetch.At.Local().Format("2 January 2006, 15:04:05"))
	}
	if r.Redirect != "" {
		b.Facts = append(b.Facts, fact{"redirects to", bare(r.Redirect), pageHref(c, string(r.Redirect))})
	}
	if r.Near != "" {
		b.Facts = append(b.Facts, fact{"same text as", bare(r.Near), pageHref(c, string(r.Near))})
	}
	if p := b.Polite; p != nil {
		rule := "allows it"
		if !p.Allowed {
			rule = "forbids it"
		}
		if p.Rule != "" {
			rule += " (" + p.Rule + ")"
		}
		add("robots.txt", "%s; %s", p.Robots, rule)
		if p.Rested > 0 {
			add("politeness", "%s had rested %s", p.Host, span(time.Duration(p.Rested)))
		}
	}
	if r.Language != "" {
		add("language", "%s", r.Language)
	}
	if a := r.Fetch.Archive; a.File != "" {
		add("archive", "%s @ %s", a.File, count(int(a.Offset)))
	}
	if b.Tries > 1 {
		add("tries", "%d", b.Tries)
	}
}

// bytesText returns a size.
func bytesText(n int64) string { return plain.Bytes(n) }
