package collection

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"dowse/internal/extract"
	"dowse/internal/facts"
	"dowse/internal/plain"
	"dowse/weburl"
)

// The suffixes of the data card of a list, which follow its whole name.
const (
	cardMarkdown = ".card.md"
	cardJSON     = ".card.json"
)

// cardSchema names the format of the data card in JSON.
const cardSchema = "card/v1"

// maxCounted bounds the different values of one kind that a data card counts, but for
// hosts, which the crawl counts too. maxListed is how many hosts it lists.
const (
	maxCounted = 1000
	maxListed  = 50
)

// cardCounts are the figures of a data card, counted page by page. They are kept in the
// file of an export that can be continued.
type cardCounts struct {
	Pages     int            `json:"pages"`
	OnTopic   int            `json:"on_topic"`
	Tokens    int            `json:"tokens"`
	Bytes     int            `json:"bytes"`
	Truncated int            `json:"truncated,omitempty"`
	First     string         `json:"first"`
	Last      string         `json:"last"`
	Languages map[string]int `json:"languages"`
	Licences  map[string]int `json:"licences"`
	Hosts     map[string]int `json:"hosts"`
	Judges    map[string]int `json:"judges"`
	Flags     map[string]int `json:"flags"`
}

// count adds a page of the export.
func (k *cardCounts) count(row *Row) {
	k.Pages++
	if on, _ := facts.Named("on_topic").Value(row).(bool); on {
		k.OnTopic++
	}
	if row.Text != "" {
		tokens, _ := facts.Named("token_count").Value(row).(int)
		k.Tokens += tokens
		k.Bytes += len(row.Text)
	}
	if row.Fetch.Truncated || row.Cut != "" && row.Cut != extract.CutLinks {
		k.Truncated++
	}
	at := row.Fetch.At.UTC().Format("2006-01-02T15:04:05Z")
	if k.First == "" || at < k.First {
		k.First = at
	}
	k.Last = max(k.Last, at)
	tally := func(m *map[string]int, key string, most int) {
		if *m == nil {
			*m = map[string]int{}
		}
		if _, known := (*m)[key]; known || most == 0 || len(*m) < most {
			(*m)[key]++
		}
	}
	language, _ := facts.Named("lang").Value(row).(string)
	tally(&k.Languages, cmp.Or(language, "unknown"), maxCounted)
	tally(&k.Hosts, weburl.Hostname(row.URL), 0)
	tally(&k.Judges, cmp.Or(row.Page.Verdict.Judge, "unknown"), maxCounted)
	for _, u := range row.Licences {
		tally(&k.Licences, strings.ToValidUTF8(string(u), "\uFFFD"), maxCounted)
	}
	for _, name := range []string{"robots_flags", "use_flags"} {
		flags, _ := facts.Named(name).Value(row).([]string)
		for _, f := range flags {
			tally(&k.Flags, f, maxCounted)
		}
	}
}

// A dataCard describes an export for people and programs that find it later. Nothing in it
// depends on when or where the export was made.
type dataCard struct {
	Schema     string         `json:"schema"`
	Collection string         `json:"collection"`
	Topic      string         `json:"topic"`
	Synthetic  bool           `json:"synthetic,omitempty"` // the pages come from a demo web
	Format     string         `json:"format"`
	Files      []string       `json:"files"`
	Pages      int            `json:"pages"`
	OnTopic    int            `json:"on_topic"`
	Text       string         `json:"text"`
	TextBytes  int            `json:"text_bytes"`
	Tokens     int            `json:"tokens"`
	Truncated  int            `json:"truncated,omitempty"` // pages whose text is not complete
	First      string         `json:"first_fetched,omitempty"`
	Last       string         `json:"last_fetched,omitempty"`
	Languages  map[string]int `json:"languages,omitempty"`
	Licences   map[string]int `json:"licences,omitempty"`
	Flags      map[string]int `json:"flags,omitempty"`
	Hosts      int            `json:"hosts"`
	TopHosts   []countOf      `json:"top_hosts,omitempty"`
	Judges     map[string]int `json:"judges,omitempty"`
	Threshold  float64        `json:"threshold"`
	Strategy   string         `json:"strategy"`
	Version    string         `json:"dowse_version,omitempty"`
	Audit      string         `json:"audit"`
	Selection  cardSelection  `json:"selection"`
	LeftOut    []cardLeft     `json:"left_out"`
	Unread     int            `json:"unread,omitempty"` // parts of the collection that could not be read
}

// A countOf is a name with a number of pages.
type countOf struct {
	Name  string `json:"name"`
	Pages int    `json:"pages"`
}

// A cardSelection records what the export was asked for.
type cardSelection struct {
	OnlyOnTopic bool     `json:"only_on_topic"`
	Since       string   `json:"since,omitempty"`
	Where       string   `json:"where,omitempty"`
	MinScore    float64  `json:"min_score,omitempty"`
	Distinct    string   `json:"distinct"`
	Respect     []string `json:"respect"`
	Sample      int      `json:"sample,omitempty"`
	Limit       int      `json:"limit,omitempty"`
}

// A cardLeft counts the pages that were left out for one reason.
type cardLeft struct {
	Reason  string `json:"reason"`
	Meaning string `json:"meaning"`
	Pages   int    `json:"pages"`
}

// dataCardOf returns the data card of the export, which has been written to files.
func (x *exporter) dataCardOf(files []string) *dataCard {
	k, s := &x.card, &x.c.Settings
	d := &dataCard{
		Schema: cardSchema, Collection: s.Name, Topic: s.Name, Synthetic: s.Demo != nil, Format: x.format, Files: files,
		Pages: k.Pages, OnTopic: k.OnTopic, Text: x.opt.Text, TextBytes: k.Bytes, Tokens: k.Tokens, Truncated: k.Truncated, First: k.First, Last: k.Last,
		Languages: k.Languages, Licences: k.Licences, Flags: k.Flags, Hosts: len(k.Hosts), Judges: k.Judges,
		Threshold: x.c.Threshold(), Strategy: s.Strategy, Version: s.Version, Audit: strings.ReplaceAll(x.c.checked(), "\n", " "),
		Selection: cardSelection{
			OnlyOnTopic: x.filter().On, Where: x.opt.Where, MinScore: x.opt.MinScore, Distinct: cmp.Or(x.sel.distinct, none),
			Respect: append([]string{}, x.sel.respect...), Sample: x.opt.Sample, Limit: x.opt.Limit,
		},
		LeftOut: []cardLeft{}, Unread: x.unread + x.c.Unread.Count(),
	}
	if !x.opt.Since.IsZero() {
		d.Selection.Since = x.opt.Since.UTC().Format("2006-01-02T15:04:05Z")
	}
	for i, host := range byCount(k.Hosts) {
		if i == maxListed {
			break
		}
		d.TopHosts = append(d.TopHosts, countOf{host, k.Hosts[host]})
	}
	for _, m := range leftMeanings() {
		if n := x.left[m[0]]; n > 0 {
			d.LeftOut = append(d.LeftOut, cardLeft{m[0], m[1], n})
		}
	}
	return d
}

// outFree returns an error if the list would replace a file. A pipe or a device is written to.
func (x *exporter) outFree() error {
	if !isRegular(x.out) {
		return nil
	}
	return free(x.out, x.opt.Force)
}

// cardsFree returns an error if the data card of a list would replace a file.
func (x *exporter) cardsFree(out string) error {
	for _, suffix := range []string{cardMarkdown, cardJSON} {
		if err := free(out+suffix, x.opt.Force); err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(out+suffix), err)
		}
	}
	return nil
}

// writeCards writes the data card in both forms.
func (x *exporter) writeCards(markdown, machine string, files []string) error {
	d := x.dataCardOf(files)
	raw, err := facts.Encode(d)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return err
	}
	b.WriteByte('\n')
	for path, data := range map[string][]byte{machine: b.Bytes(), markdown: d.markdown()} {
		err := toFile(path, x.opt.Force, func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// markdown returns the card for people.
func (d *dataCard) markdown() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# %s: %s of pages\n\n", inMarkdown(d.Collection), map[bool]string{true: "a folder", false: "a list"}[d.Format == "md"])
	fmt.Fprintf(&b, "Web pages on one topic, gathered by a focused crawl and exported as %s.\n", inMarkdown(strings.Join(d.Files, ", ")))
	if d.Synthetic {
		fmt.Fprintf(&b, "The pages come from the synthetic demo web, not from the real one.\n")
	}
	fmt.Fprintf(&b, "\n| | |\n|---|---|\n")
	row := func(what string, value any) {
		if n, ok := value.(int); ok {
			value = plain.Count(n)
		}
		fmt.Fprintf(&b, "| %s | %v |\n", what, value)
	}
	row("pages", d.Pages)
	row("of them on topic, as the judge sees it", d.OnTopic)
	row("hosts", d.Hosts)
	if d.Text != none {
		row("text of the pages", map[string]string{textMain: "their own text, without the frames of their sites", textAll: "all of it"}[d.Text])
		row("bytes of text", d.TextBytes)
		row("tokens (words, numbers, punctuation)", d.Tokens)
	}
	if d.Truncated > 0 {
		row("pages whose text is not complete (`truncated`, `cut`)", d.Truncated)
	}
	if d.First != "" {
		row("fetched from", d.First)
		row("until", d.Last)
	}
	fmt.Fprintf(&b, "\n%s\n", d.Audit)
	d.making(&b)
	cardTable(&b, "Languages", "language", d.Languages)
	cardTable(&b, "Licences that pages link to", "licence", d.Licences)
	cardTable(&b, "What pages ask of robots and reserve", "flag", d.Flags)
	if len(d.TopHosts) > 0 {
		fmt.Fprintf(&b, "\n## Hosts\n\nThe %d with the most pages, of %s.\n\n| host | pages |\n|---|---|\n", len(d.TopHosts), plain.Count(d.Hosts))
		for _, h := range d.TopHosts {
			fmt.Fprintf(&b, "| %s | %s |\n", inMarkdown(h.Name), plain.Count(h.Pages))
		}
	}
	fmt.Fprintf(&b, "\nThe pages belong to those who published them. Whether a licence that a page links to\nis valid for it was not checked.\n")
	return b.Bytes()
}

// making writes how pages were judged, selected and left out.
func (d *dataCard) making(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n## Selection\n\n")
	if d.Selection.OnlyOnTopic {
		fmt.Fprintf(b, "- only pages on topic: relevance of at least %g\n", d.Threshold)
	} else {
		fmt.Fprintf(b, "- all pages that were fetched\n")
	}
	line := func(format, value string) {
		if value != "" {
			fmt.Fprintf(b, "- "+format+"\n", inMarkdown(value))
		}
	}
	line("fetched since %s", d.Selection.Since)
	line("where: `%s`", d.Selection.Where)
	if d.Selection.MinScore > 0 {
		fmt.Fprintf(b, "- relevance of at least %g\n", d.Selection.MinScore)
	}
	line("duplicates left out: %s", d.Selection.Distinct)
	line("wishes of owners that were kept: %s", cmp.Or(strings.Join(d.Selection.Respect, ", "), none))
	if d.Selection.Sample > 0 {
		fmt.Fprintf(b, "- a sample of %s pages\n", plain.Count(d.Selection.Sample))
	}
	if d.Selection.Limit > 0 {
		fmt.Fprintf(b, "- at most %s pages, the first ones\n", plain.Count(d.Selection.Limit))
	}
	line("strategy: `%s`", d.Strategy)
	for _, j := range byCount(d.Judges) {
		fmt.Fprintf(b, "- judged by %s: %s pages\n", inMarkdown(j), plain.Count(d.Judges[j]))
	}
	if len(d.LeftOut) > 0 {
		fmt.Fprintf(b, "\n## Left out\n\n| reason | means | pages |\n|---|---|---|\n")
		for _, l := range d.LeftOut {
			fmt.Fprintf(b, "| %s | %s | %s |\n", l.Reason, l.Meaning, plain.Count(l.Pages))
		}
	}
	if d.Unread > 0 {
		fmt.Fprintf(b, "\n%s of the collection could not be read.\n", plain.Count(d.Unread)+" parts")
	}
}

// cardTable writes a table of counts, if there are any.
func cardTable(b *bytes.Buffer, title, column string, counts map[string]int) {
	if len(counts) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n| %s | pages |\n|---|---|\n", title, column)
	for i, name := range byCount(counts) {
		if i == maxListed {
			fmt.Fprintf(b, "| others | |\n")
			break
		}
		fmt.Fprintf(b, "| %s | %s |\n", inMarkdown(name), plain.Count(counts[name]))
	}
}
