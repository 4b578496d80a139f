package dashboard

import (
	"bytes"
	"encoding/csv"
	"html/template"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"dowse/collection"
	"dowse/internal/facts"
	"dowse/internal/operations"
	"dowse/internal/plain"
)

// A listBody is the page of pages.
type listBody struct {
	Rows         []row
	Q            url.Values
	Kinds        []tab
	Columns      []listColumn
	Total        *int
	Next, First  string
	Partial      bool
	Hosts, Skips []string
	Since        []tab
	Narrow       []tab // conditions that have no field of their own, with the address without them
	Other        bool  // the list is of URLs that were not kept
	TakenDown    int   // URLs of the list that were taken down: they are counted, and nothing of them is kept
	ID, Back     string
	Labels       bool // rows can be labelled
}

// A listColumn is the head of a column that may be sorted by.
type listColumn struct {
	Name, Href, Class string
	Here              bool
}

// pageList lists pages, with the filters of the URL.
func (d *Dashboard) pageList(r *http.Request, c *head) (*pageFrame, error) {
	q := r.URL.Query()
	query := operations.PageQuery{
		Host: strings.TrimSpace(q.Get("host")), Text: strings.TrimSpace(q.Get("text")), Language: strings.TrimSpace(q.Get("lang")), Reason: strings.TrimSpace(q.Get("reason")),
		Sort: q.Get("sort"), Cursor: q.Get("cursor"), Skipped: q.Get("skipped"), Model: strings.TrimSpace(q.Get("model")),
	}
	switch v := q.Get("verdict"); v {
	case "failed":
		query.Failed = true
	case "skipped":
		if query.Skipped == "" {
			query.Skipped = collection.AnyReason
		}
	default:
		query.Verdict = v
	}
	if s := q.Get("since"); s != "" {
		d, err := time.ParseDuration(s)
		if err != nil {
			return nil, &operations.Error{Kind: operations.Invalid, Field: "since", Err: err}
		}
		query.Since = time.Now().Add(-d)
	}
	list, err := d.ops.Pages(r.Context(), c.ID, query)
	if err != nil {
		return nil, err
	}
	b := &listBody{Q: q, Total: list.Total, Partial: list.Partial, Other: query.Failed || query.Skipped != "", TakenDown: list.TakenDown}
	for _, x := range [][2]string{{"", "ever"}, {"10m", "10 minutes"}, {"1h", "an hour"}, {"24h", "a day"}, {"168h", "a week"}} {
		b.Since = append(b.Since, tab{Name: x[1], Href: x[0], Here: q.Get("since") == x[0]})
	}
	self := c.Home + "pages" + with(q)
	if query.Cursor != "" { // labels leave a person at the part that is open
		self += "&cursor=" + url.QueryEscape(query.Cursor)
	}
	b.ID, b.Back = c.ID, self
	for _, p := range list.Pages {
		b.Rows = append(b.Rows, rowOf(c, p, self))
		b.Labels = b.Labels || p.Judged && !d.ops.ReadOnly()
	}
	b.Kinds = choose(q, "verdict", [2]string{"", "All"}, [2]string{"on", "● On topic"}, [2]string{"off", "▲ Off topic"}, [2]string{"unsure", "◆ Unsure"}, [2]string{"skipped", "Skipped"}, [2]string{"failed", "Failed"})
	for i := range b.Kinds { // a reason belongs to skipped URLs only
		b.Kinds[i].Href = with(q, "verdict", []string{"", "on", "off", "unsure", "skipped", "failed"}[i], "skipped", "")
		if query.Skipped != "" {
			b.Kinds[i].Here = i == 4
		}
	}
	b.narrow(list.Pages)
	sort := q.Get("sort")
	for _, s := range [][3]string{{"score", "score", "n"}, {"", "verdict", "verdict"}, {"", "page", ""}, {"", "why", "wide-only"}, {"time", "fetched", "n wide-only"}} {
		x := listColumn{Name: s[1], Class: s[2]}
		if s[0] != "" {
			x.Href, x.Here = with(q, "sort", s[0]), sort == s[0] || sort == "" && s[0] == "time"
		}
		b.Columns = append(b.Columns, x)
	}
	if list.Next != "" {
		b.Next = with(q) + "&cursor=" + url.QueryEscape(list.Next)
	}
	if query.Cursor != "" {
		b.First = with(q)
	}
	return &pageFrame{Title: "Pages", Command: list.Command, Live: liveOf(c), Body: b}, nil
}

// narrow adds the conditions of links on other pages. A reason is named by its word, if a page of the list has one.
func (b *listBody) narrow(rows []*facts.Row) {
	for _, x := range [][2]string{{"skipped", "left out for"}, {"reason", "because of"}, {"model", "judged by"}} {
		value := strings.TrimSpace(b.Q.Get(x[0]))
		if value == "" || value == collection.AnyReason {
			continue
		}
		name := value
		for _, r := range rows {
			if x[0] == "reason" && r.Spell != nil && r.Spell(value) != "" {
				name = `"` + r.Spell(value) + `"`
				break
			}
		}
		b.Narrow = append(b.Narrow, tab{Name: x[1] + " " + isolated(tidy(name, 80)), Href: with(b.Q, x[0], "")})
	}
}

// liveOf returns where changes of a collection are reported.
func liveOf(c *head) string { return c.Home + "live" }

// A hostsBody is the page of hosts.
type hostsBody struct {
	*operations.HostList
	ID, Back    string
	Pause       string
	Q           url.Values
	Shows       []tab
	Columns     []listColumn
	More, First string
	Rows        []hostRow
}

// A hostRow is a host as the list shows it.
type hostRow struct {
	collection.HostRow
	Name, Pages, Exclude string
	Drop                 string // the entry of the settings that blocks it; "" for none
	Strip                template.HTML
	Delay                time.Duration
	Bad                  bool
}

// hosts lists hosts.
func (d *Dashboard) hosts(r *http.Request, c *head) (*pageFrame, error) {
	q := r.URL.Query()
	list, err := d.ops.Hosts(r.Context(), c.ID, operations.HostQuery{Show: q.Get("show"), Text: strings.TrimSpace(q.Get("text")), Sort: q.Get("sort"), Cursor: q.Get("cursor")})
	if err != nil {
		return nil, err
	}
	b := &hostsBody{HostList: list, ID: c.ID, Pause: span(time.Duration(list.MinDelay)), Back: c.Home + "hosts" + with(q), Q: q}
	b.Shows = choose(q, "show", [2]string{"", "All"}, [2]string{"on", "● On topic"}, [2]string{"off", "▲ Off topic"}, [2]string{"problems", "Problems"})
	for _, s := range [][3]string{{"name", "host", ""}, {"pages", "pages", "n"}, {"share", "on topic", ""}, {"", "last 20, new first", "wide-only"}, {"waiting", "waiting", "n wide-only"}, {"delay", "pause", "n wide-only"}, {"errors", "failed", "n wide-only"}, {"", "robots.txt", "wide-only"}, {"", "state", "wide-only"}} {
		x := listColumn{Name: s[1], Class: s[2]}
		if s[0] != "" {
			x.Href, x.Here = with(q, "sort", s[0]), q.Get("sort") == s[0] || q.Get("sort") == "" && s[0] == "pages"
		}
		b.Columns = append(b.Columns, x)
	}
	set, err := d.ops.Settings(r.Context(), c.ID)
	if err != nil {
		return nil, err
	}
	for _, h := range list.Hosts {
		b.Rows = append(b.Rows, hostRow{
			Drop:    set.BlockOf(h.Host),
			HostRow: h, Name: tidy(h.Host, 80), Pages: c.Home + "pages?host=" + url.QueryEscape(h.Host), Strip: strip(h.Last), Delay: time.Duration(h.Delay),
			Bad: h.State != collection.HostOK, Exclude: h.Host,
		})
	}
	if list.Next != "" {
		b.More = with(q) + "&cursor=" + url.QueryEscape(list.Next)
	}
	if q.Get("cursor") != "" {
		b.First = with(q)
	}
	return &pageFrame{Title: "Hosts", Command: list.Command, Live: liveOf(c), Body: b}, nil
}

// receipt sends the list of hosts with the requests to each, as proof of politeness: a file of comma-separated values.
func (d *Dashboard) receipt(w http.ResponseWriter, r *http.Request) {
	c, err := d.head(r)
	if err != nil {
		d.fail(w, r, nil, err)
		return
	}
	var b bytes.Buffer
	out := csv.NewWriter(&b)
	_ = out.Write([]string{"host", "requests", "pages", "on_topic", "failed", "bytes", "longest_pause_s", "robots_txt", "state"}) // errors of a buffer: none
	for cursor := ""; ; {
		list, err := d.ops.Hosts(r.Context(), c.ID, operations.HostQuery{Sort: "name", Cursor: cursor, Limit: 500})
		if err != nil {
			d.fail(w, r, c, err)
			return
		}
		for _, h := range list.Hosts {
			_ = out.Write([]string{cell(h.Host), strconv.Itoa(h.Requests), strconv.Itoa(h.Pages), strconv.Itoa(h.OnTopic), strconv.Itoa(h.Failed), strconv.FormatInt(h.Bytes, 10), strconv.FormatFloat(time.Duration(h.Delay).Seconds(), 'f', 3, 64), cell(h.Robots), cell(h.State)})
		}
		if cursor = list.Next; cursor == "" {
			break
		}
	}
	out.Flush()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": c.ID + "-hosts.csv"}))
	_, _ = w.Write(b.Bytes())
}

// cell returns a text of the web as a cell of a table: spreadsheets run cells that begin with certain signs.
func cell(s string) string {
	if s = tidy(s, 300); s != "" && strings.ContainsRune("=+-@", rune(s[0])) {
		return "'" + s
	}
	return s
}

// strip draws pages as ● on topic and ▲ off topic.
func strip(pages []bool) template.HTML {
	on := 0
	var b strings.Builder
	for _, p := range pages {
		if p {
			on++
			b.WriteString(`<span class="y">●</span>`)
		} else {
			b.WriteString(`<span class="x">▲</span>`)
		}
	}
	return template.HTML(`<span class="strip" role="img" aria-label="` + count(on) + ` of ` + count(len(pages)) + ` on topic">` + b.String() + `</span>`) //nolint:gosec // numbers and fixed text
}

// problems lists what did not go well.
func (d *Dashboard) problems(r *http.Request, c *head) (*pageFrame, error) {
	list, err := d.ops.Problems(r.Context(), c.ID)
	if err != nil {
		return nil, err
	}
	type problem struct {
		operations.Problem
		All     string
		Links   []tab
		Running bool
	}
	var serious, others []problem
	for _, p := range list.Problems {
		x := problem{Problem: p, Running: c.Running}
		switch p.Kind {
		case "failed":
			x.All = c.Home + "pages?verdict=failed"
		case "skipped":
			x.All = c.Home + "pages?skipped=" + url.QueryEscape(string(p.Reason))
		case "host":
			x.All = c.Home + "hosts?show=problems"
		}
		for _, s := range p.Samples {
			href := pageHref(c, s)
			if p.Kind == "host" {
				href = c.Home + "pages?host=" + url.QueryEscape(s)
			}
			x.Links = append(x.Links, tab{Name: bare(s), Href: href})
		}
		if p.Serious {
			serious = append(serious, x)
		} else {
			others = append(others, x)
		}
	}
	return &pageFrame{Title: "Problems", Command: command("status", c.Dir, "--problems"), Live: liveOf(c), Body: map[string]any{"Serious": serious, "Others": others, "C": c}}, nil
}

// frontierBody is the page of what comes next.
type frontierBody struct {
	*operations.Frontier
	Q         url.Values
	ID, Back  string
	Histogram template.HTML
	ByHops    template.HTML
	Rows      []leadRow
	Next      *leadRow
	Host      string
	HostLinks []tab
	Try       string // the pattern that is tried
	Excluding *operations.Exclusion
	Gone      []string // samples of what it would remove
	Problem   string
}

// A leadRow is a waiting link as the list shows it.
type leadRow struct {
	operations.QueuedLead
	Bare, Href, Anchor, Parent, ParentHref, HostName string
	Rest                                             time.Duration
	HostShare                                        float64
	Going                                            bool // the exclusion that is tried would remove it
}

// frontier shows what comes next, and why.
func (d *Dashboard) frontier(r *http.Request, c *head) (*pageFrame, error) {
	q := r.URL.Query()
	x, err := d.ops.Frontier(r.Context(), c.ID, operations.FrontierQuery{Host: strings.TrimSpace(q.Get("host"))})
	if err != nil {
		return nil, err
	}
	b := &frontierBody{Frontier: x, Q: q, ID: c.ID, Back: c.Home + "frontier" + with(q, "exclude", ""), Host: q.Get("host")}
	b.Histogram = leadHistogram(x.Histogram)
	var hops []bin
	for i, n := range x.ByHops {
		hops = append(hops, bin{Name: count(i), Count: n})
	}
	for len(hops) > 1 && hops[len(hops)-1].Count == 0 {
		hops = hops[:len(hops)-1]
	}
	b.ByHops = bars("Waiting links by the number of off-topic pages above them", hops, 320, 110)
	for _, l := range x.Leads {
		b.Rows = append(b.Rows, leadRowOf(c, l))
	}
	if x.Next != nil {
		l := leadRowOf(c, *x.Next)
		b.Next = &l
	}
	for _, h := range x.ByHost {
		b.HostLinks = append(b.HostLinks, tab{Name: tidy(h.Host, 60) + " " + count(h.Count), Href: with(q, "host", h.Host), Here: h.Host == b.Host})
	}
	if err := b.try(r, d, c); err != nil {
		return nil, err
	}
	return &pageFrame{Title: "Frontier", Command: x.Command, Live: liveOf(c), Body: b}, nil
}

// try adds what an exclusion would remove, before it is made.
func (b *frontierBody) try(r *http.Request, d *Dashboard, c *head) (err error) {
	if b.Try = strings.TrimSpace(r.URL.Query().Get("exclude")); b.Try == "" {
		return nil
	}
	b.Excluding, err = d.ops.Excluding(r.Context(), c.ID, b.Try)
	if operations.KindOf(err) == operations.Invalid {
		b.Problem = tidy(plain.Error(err), 300)
		return nil
	}
	if err != nil {
		return err
	}
	for _, u := range b.Excluding.Samples {
		b.Gone = append(b.Gone, bare(u))
	}
	for i := range b.Rows {
		b.Rows[i].Going = b.Excluding.Removes(string(b.Rows[i].URL))
	}
	return nil
}

// leadHistogram draws how many links wait by priority.
func leadHistogram(list []operations.Bin) template.HTML {
	var bins []bin
	for _, x := range list {
		bins = append(bins, bin{Name: score(x.From), Count: x.Count})
	}
	return bars("Waiting links by priority, the lowest at the left", bins, 560, 130)
}

// leadRowOf returns a waiting link as lists show it.
func leadRowOf(c *head, l operations.QueuedLead) leadRow {
	x := leadRow{
		QueuedLead: l, Bare: bare(l.URL), Href: pageHref(c, string(l.URL)), Anchor: tidy(l.Anchor, 90), HostName: tidy(l.Host, 60),
		Rest: time.Duration(l.Wait),
	}
	if l.Parent != "" {
		x.Parent, x.ParentHref = bare(l.Parent), pageHref(c, string(l.Parent))
	}
	if l.HostPages > 0 {
		x.HostShare = float64(l.HostOnTopic) / float64(l.HostPages)
	}
	return x
}

// command returns a command line that can be pasted into a shell.
func command(words ...string) string {
	list := []string{"dowse"}
	for _, w := range words {
		list = append(list, shellWord(w))
	}
	return strings.Join(list, " ")
}

// commandWords cuts a command line at its spaces. A page shows each part in one piece, since browsers
// would break lines within flags.
func commandWords(s string) []string { return strings.SplitAfter(s, " ") }

// shellWord returns a word as a shell reads it.
func shellWord(w string) string {
	const safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,%@+"
	if w != "" && strings.Trim(w, safe) == "" {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
