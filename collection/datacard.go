package collection

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"dowse/internal/archive"
	"dowse/internal/plain"
)

// dataCard returns the text of README.md: a description of the collection for a
// person who finds it in ten years. Every figure in it comes from the journal,
// the summary or the settings; it makes no claim that these do not support.
func (c *Collection) dataCard(s *summary) []byte {
	var b bytes.Buffer
	c.cardHead(&b)
	c.cardCounts(&b, s)
	c.cardMaking(&b)
	c.cardRights(&b, s)
	c.cardUse(&b)
	return b.Bytes()
}

// cardHead writes the name and what kind of data this is.
func (c *Collection) cardHead(b *bytes.Buffer) {
	fmt.Fprintf(b, "# %s\n\n", inMarkdown(c.Settings.Name))
	fmt.Fprintf(b, "Web pages on one topic, gathered by a focused crawl. The topic is in `topic.yaml`,\nthe settings of the crawl are in `crawl.yaml`.\n\n")
	if c.Settings.Demo != nil {
		fmt.Fprintf(b, "The pages come from the synthetic demo web, not from the real one.\n\n")
	}
}

// cardCounts writes the table of figures, and whether a person has checked the
// harvest rate.
func (c *Collection) cardCounts(b *bytes.Buffer, s *summary) {
	st := c.Crawl.Status()
	fmt.Fprintf(b, "## What is in it\n\n| | |\n|---|---|\n")
	row := func(what string, value any) {
		if n, ok := value.(int); ok {
			value = plain.Count(n)
		}
		fmt.Fprintf(b, "| %s | %v |\n", what, value)
	}
	row("pages fetched", st.Fetched)
	row("of them on topic", st.OnTopic)
	if st.Fetched > 0 {
		row("harvest rate, as the judge sees it", fmt.Sprintf("%.3f", st.Harvest))
	}
	row("hosts seen", st.Hosts)
	row("URLs known", st.Books.Known)
	row("waiting", st.Books.Queued+st.Books.InFlight)
	row("failed", st.Books.Failed)
	row("redirected", st.Books.Redirected)
	row("skipped", st.Books.Skipped)
	if s.Facts.First != "" {
		row("first page fetched", s.Facts.First)
		row("last page fetched", s.Facts.Last)
	}
	if files, err := archive.Files(c.ArchiveDir()); err == nil {
		row("WARC files", len(files))
	}
	fmt.Fprintf(b, "\n%s\n\n", c.checked())
}

// checked returns a sentence on whether a person has checked the verdicts of the
// judge, with the result of the audit if there is one.
func (c *Collection) checked() string {
	l, err := ReadLabels(c.Dir)
	if err == nil {
		if a, err := c.Audit(l); err == nil && a != nil && a.N > 0 {
			return fmt.Sprintf("A person has checked a random sample of %d of the first %d pages. The share on topic is %.2f (%d of %d;\n95 %% confidence: %.2f to %.2f).", a.N, a.Of, a.Rate, a.On, a.N, a.Low, a.High)
		}
	}
	return "No person has checked a random sample of the verdicts: the harvest rate is the judge's own opinion."
}

// cardMaking writes how the crawl was configured: program, strategy, identity,
// the first 20 seeds and the counts by reason.
func (c *Collection) cardMaking(b *bytes.Buffer) {
	s := &c.Settings
	fmt.Fprintf(b, "## How it was made\n\n")
	fmt.Fprintf(b, "- begun %s with dowse %s\n", s.Begun.UTC().Format("2006-01-02T15:04:05Z"), inMarkdown(cmp.Or(s.Version, "of an unknown version")))
	fmt.Fprintf(b, "- strategy: `%s`; a page is on topic from a relevance of %g\n", inMarkdown(s.Strategy), c.Threshold())
	if s.Identity.Agent != "" {
		fmt.Fprintf(b, "- the crawler called itself `%s`\n", inMarkdown(s.Identity.Agent))
	}
	if s.Identity.Contact != "" {
		fmt.Fprintf(b, "- contact: %s\n", inMarkdown(s.Identity.Contact))
	}
	fmt.Fprintf(b, "- seeds:")
	for i, u := range s.Seeds {
		if i == 20 {
			fmt.Fprintf(b, " and %d more, in `crawl.yaml`", len(s.Seeds)-i)
			break
		}
		fmt.Fprintf(b, " <%s>", inMarkdown(u))
	}
	fmt.Fprintf(b, "\n- skipped and failed, by reason:\n\n| reason | means | URLs |\n|---|---|---|\n")
	for _, r := range c.Reasons() {
		fmt.Fprintf(b, "| %s | %s | %d |\n", r.Reason, r.Meaning, r.Skipped+r.Failed)
	}
	fmt.Fprintln(b)
}

// cardRights writes what pages declare about their use, with the 50 licences
// that most pages link to.
func (c *Collection) cardRights(b *bytes.Buffer, s *summary) {
	fmt.Fprintf(b, "## Rights\n\nThe pages belong to those who published them. dowse looked for links to licences and\nfor wishes of the kind of noindex; it did not check whether they are valid or complete.\n\n")
	fmt.Fprintf(b, "- pages that ask not to be shown in searches (noindex): %d\n", s.Facts.NoIndex)
	fmt.Fprintf(b, "- pages that ask not to be archived (noarchive): %d\n", s.Facts.NoArch)
	if len(s.Facts.Licences) == 0 {
		fmt.Fprintf(b, "- no page links to a licence that dowse knows\n\n")
		return
	}
	fmt.Fprintf(b, "- pages that link to a licence:\n\n| licence | pages |\n|---|---|\n")
	for i, u := range byCount(s.Facts.Licences) {
		if i == 50 {
			fmt.Fprintf(b, "| others | |\n")
			break
		}
		fmt.Fprintf(b, "| %s | %d |\n", inMarkdown(u), s.Facts.Licences[u])
	}
	fmt.Fprintln(b)
}

// byCount returns the keys in order of falling count, and in alphabetical order
// among equal counts.
func byCount(counts map[string]int) []string {
	return slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), strings.Compare(a, b))
	})
}

// cardUse writes how to read, replay and cite the collection.
func (c *Collection) cardUse(b *bytes.Buffer) {
	name := inMarkdown(c.Settings.Name)
	fmt.Fprintf(b, `## How to use it

- archive/ holds the responses of the web servers as WARC 1.1; indexes/index.cdxj, if it is
  there, lists where each page is. Any web archive software reads both.
- pages/pages.jsonl lists the pages on topic, pages/extraPages.jsonl the others, one JSON
  object per line.
- log/crawl.log has one line per visit, in the columns that Heritrix writes.
- To replay the pages in a browser, make one file of it (in this directory: dowse export . ../%[1]s.wacz)
  and open that in a viewer for WACZ files.
- To cite it: the name %[1]q, the time of the crawl and the version of dowse as above.

This file is written again whenever the crawl stops.
`, name)
}

// inMarkdown returns a text from outside as one line without characters that
// would begin markup in Markdown. A name or a seed must not be able to change
// the rest of the card.
func inMarkdown(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < ' ' || r == 0x7f:
			return ' '
		case strings.ContainsRune("|<>`", r):
			return '_'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}
