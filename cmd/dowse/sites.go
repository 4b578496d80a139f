package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"dowse/collection"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/internal/operations"
	"dowse/internal/plain"
	"dowse/internal/site"
)

// sitesCmd lists the sites that a crawl for sites has found, with their verdicts.
//
//	site                     verdict     sure judged read links stop
//	whiteness-289.demo       relevant   0.967      2    2     6 start link_rank
//	hartcombe-42.demo        relevant   0.983      2    3     4 start link_rank
//
// Such a crawl reads as few pages of a site as it needs for a verdict: judged is the
// number of pages after which it was sure, read how many it fetched in all, since it also
// looks for links to other sites. stop names why it read no further.
type sitesCmd struct {
	Dir   string `arg:"" help:"Collection; pages of a crawl for pages are grouped into sites."`
	By    string `enum:"pages,homepage" default:"pages" placeholder:"WHAT" help:"For a crawl for pages: judge sites by all pages or the homepage."`
	All   bool   `help:"Include sites that were not read yet."`
	On    bool   `help:"List only sites on topic."`
	Sort  string `enum:"order,confidence,pages,links,rank,name" default:"order" placeholder:"BY" help:"Sort by order, confidence, pages, links, rank or name."`
	Limit int    `short:"n" placeholder:"N" help:"Print at most N."`
	Skip  int    `placeholder:"N" help:"Leave out the first N."`
	JSON  bool   `help:"Print JSON, one line per site."`
}

func (sitesCmd) Help() string {
	return `Examples:
  dowse crawl reefs.topic.yaml --unit site
  dowse sites reefs.dowse
  dowse sites reefs.dowse --on --sort confidence
  dowse sites reefs.dowse --json | jq -r 'select(.verdict=="relevant").site'
  dowse why reefs.dowse example.org      why a site was chosen and judged
  dowse export reefs.dowse sites.svg     a picture; also .gexf, .graphml, .dot

One line per site: the verdict (none: no site, or nothing to read), how sure it is
that the site is on topic, pages after which it was judged and pages read, sites
that it links to, and why its reading ended (see dowse help site-stops).

A crawl for pages has no verdicts on sites. Its pages are grouped by host, and each
host is judged by all pages that were fetched of it, or by its homepage (--by).
Links between them are not counted: the column has a dash.`
}

// Run prints one line per site, or one JSON object per site. How many sites there are by
// verdict, and what they cost, goes to stderr where a person reads it.
func (c *sitesCmd) Run(w *world) error {
	cr, err := w.view(c.Dir)
	if err != nil {
		return err
	}
	defer cr.Close()
	list, err := c.sites(cr)
	if err != nil {
		return err
	}
	if w.isTTY {
		defer fmt.Fprintln(w.err, strings.TrimSpace(countSites(list).line()))
	}
	out := bufio.NewWriter(w.out)
	_, err = cr.Collection.Sites()
	if err := c.print(out, w, c.pick(list), errors.Is(err, collection.ErrNoSites)); err != nil {
		return err
	}
	return out.Flush()
}

// sites returns the sites of a crawl for sites, or groups the pages of a crawl for pages.
func (c *sitesCmd) sites(cr *crawler.Crawler) ([]site.Site, error) {
	list, err := operations.SitesOf(cr.Collection, c.By == "homepage")
	var wrong *operations.Error
	if errors.As(err, &wrong) {
		return nil, usage("--by: %w", wrong.Err)
	}
	return list, err
}

// siteCounts are the numbers of sites, as text.
type siteCounts operations.SiteCounts

// line returns the counts in one line.
func (c *siteCounts) line() string {
	line := fmt.Sprintf(" sites: %s judged, %s on topic, %s being read, %s known", count(c.Judged), count(c.OnTopic), count(c.Reading), count(c.Known))
	if c.PPRS > 0 {
		line += fmt.Sprintf("; pprs %.1f", c.PPRS)
	}
	return line
}

// lines returns the counts for a status.
func (c *siteCounts) lines() []string {
	lines := []string{fmt.Sprintf(" sites     %s judged, %s on topic; %s being read, %s known", count(c.Judged), count(c.OnTopic), count(c.Reading), count(c.Known))}
	if c.PPRS == 0 {
		return lines
	}
	cost := fmt.Sprintf("           %.1f pages per site on topic (pprs)", c.PPRS)
	if c.Last > 0 {
		cost += fmt.Sprintf("; over the last %s pages %.1f", count(operations.PPRSWindow), c.Last)
	}
	return append(lines, cost)
}

// countSites counts the sites of a list.
func countSites(list []site.Site) *siteCounts {
	n := &siteCounts{Known: len(list)}
	pages := 0
	for _, s := range list {
		switch {
		case s.Verdict == site.Reading:
			n.Reading++
		case s.Start || s.Verdict != site.Relevant && s.Verdict != site.Irrelevant:
		default:
			n.Judged++
			pages += s.Pages
			if s.Verdict == site.Relevant {
				n.OnTopic++
			}
		}
	}
	if n.OnTopic > 0 {
		n.PPRS = float64(pages) / float64(n.OnTopic)
	}
	return n
}

// siteSummary returns in one line what a crawl for sites has found; ok is false for
// other crawls.
func siteSummary(c *crawl.Crawl) (string, bool) {
	n := operations.SiteCountsOf(c)
	if n == nil {
		return "", false
	}
	return (*siteCounts)(n).line(), true
}

// pick selects, sorts and limits the sites.
func (c *sitesCmd) pick(list []site.Site) []site.Site {
	list = operations.PickSites(list, c.All, c.On, c.Sort)
	list = list[min(max(c.Skip, 0), len(list)):]
	if c.Limit > 0 {
		list = list[:min(c.Limit, len(list))]
	}
	return list
}

// siteColumns is the width of a line without the site's name.
const siteColumns = 56

// print prints the sites as a table or as JSONL. Sites that were grouped from the pages of a
// crawl for pages have no count of links.
func (c *sitesCmd) print(out io.Writer, w *world, list []site.Site, grouped bool) error {
	if c.JSON {
		for _, s := range list {
			if err := jsonLine(out, s); err != nil {
				return err
			}
		}
		return nil
	}
	terminal := columnsOf(w.out)
	room := nameRoom(terminal, siteColumns, func(yield func(string) bool) {
		for _, s := range list {
			if !yield(s.Name) {
				return
			}
		}
	})
	fmt.Fprintf(out, "%-*s verdict     sure judged read links stop\n", room, "site")
	for _, s := range list {
		fmt.Fprintln(out, siteLine(s, room, terminal, grouped))
	}
	return nil
}

// siteLine returns the line of a site, with room columns for its name.
func siteLine(s site.Site, room, terminal int, grouped bool) string {
	sure, judged, links := "    -", "     -", fmt.Sprintf("%5d", s.Links)
	if grouped {
		links = "    -"
	}
	if s.Order > 0 && s.Verdict != site.None {
		sure = fmt.Sprintf("%5.3f", s.Confidence)
	}
	if s.Judged > 0 {
		judged = fmt.Sprintf("%6d", s.Judged)
	}
	stop := string(s.Stop)
	switch {
	case s.Start:
		stop = strings.TrimSpace("start " + stop)
	case s.Stop == site.Moved:
		stop = "moved to " + s.Detail
	}
	return strings.TrimRight(fmt.Sprintf("%-*s %-10s %s %s %4d %s %s", room, plain.FitEnd(oneLine(s.Name), room), s.Verdict, sure, judged, s.Pages, links, clip(oneLine(stop), 20, terminal)), " ")
}

// printStory prints why a site was chosen, how it was judged, and what it links to; it is
// the output of dowse why for a site. The list of pages is the argument for the verdict:
// each page's own confidence, and the site's confidence after it.
//
//	Pages read   page   site after it
//	  1          0.913   0.820         http://www.nettlewater-171.demo/
//	  2          0.921   0.955 judged  http://www.nettlewater-171.demo/salinity
func printStory(out io.Writer, s *collection.SiteStory) {
	add := func(format string, args ...any) {
		fmt.Fprintln(out, clip(strings.TrimRight(fmt.Sprintf(format, args...), " "), columnsOf(out), columnsOf(out)))
	}
	add("site %s", oneLine(s.Name))
	add("")
	add("%-10s %s", "verdict", storyVerdict(s))
	add("%-10s %s", "chosen", storyChoice(s))
	if s.Stop != "" {
		add("%-10s %s: %s", "stopped", s.Stop, s.Means)
		if s.Detail != "" {
			add("%-10s %s", "", oneLine(s.Detail))
		}
	}
	if s.Home != "" {
		add("%-10s %s (%s)", "homepage", oneLine(string(s.Homepage)), s.Home)
	}
	if s.Pages > 0 {
		add("%-10s %s, %d of them new; link rank %.2f", "links", some(s.Links, "other site"), s.NewSites, s.LinkRank)
	}
	storyPages(add, s)
	storyLinks(add, "Linked from", s.Linkers)
	storyLinks(add, "Links to", s.Targets)
}

// storyVerdict returns the verdict on a site, and how it was reached.
func storyVerdict(s *collection.SiteStory) string {
	switch s.Verdict {
	case site.Waiting:
		return "none yet: it was not read"
	case site.None:
		return "none: it could not be judged"
	case site.Reading:
		return fmt.Sprintf("none yet: it is being read; %.3f so far, from a prior of %.3f", s.Confidence, s.Prior)
	}
	how := "never sure enough"
	if s.Judged > 0 {
		how = "sure after " + some(s.Judged, "page")
	}
	return fmt.Sprintf("%s, %.3f (%s; prior %.3f)", s.Verdict, s.Confidence, how, s.Prior)
}

// storyChoice returns why a site was chosen to be read.
func storyChoice(s *collection.SiteStory) string {
	switch {
	case s.Start:
		return "a start site: a seed is on it"
	case s.Order == 0:
		return fmt.Sprintf("not yet; rank %.3f, by links from %s", s.Rank, some(s.Site.Linkers, "site"))
	}
	return fmt.Sprintf("rank %.3f, by links from %s; number %d to be read", s.Rank, some(s.Site.Linkers, "site"), s.Order)
}

// storyPages lists the pages that were read, with the confidence after each, and marks
// the one that decided.
func storyPages(add func(string, ...any), s *collection.SiteStory) {
	if len(s.Read) == 0 {
		return
	}
	add("")
	add("Pages read   page   site after it")
	for i, p := range s.Read {
		mark := ""
		if p.Decided {
			mark = "judged"
		}
		add("%3d         %6.3f  %6.3f %-6s  %s", i+1, p.Confidence, p.Posterior, mark, oneLine(string(p.URL)))
	}
}

// storyRows is the number of links of a story that are printed; --json has all.
const storyRows = 8

// storyLinks lists sites that link to a site or that it links to.
func storyLinks(add func(string, ...any), what string, list []collection.SiteLink) {
	if len(list) == 0 {
		return
	}
	add("")
	add("%s %s", what, some(len(list), "site"))
	for i, l := range list {
		if i == storyRows {
			add("  … and %d more; --json has all", len(list)-storyRows)
			return
		}
		add("  %-34s %-10s %6.3f  %s", plain.FitEnd(oneLine(l.Site), 34), l.Verdict, l.Confidence, some(l.Pages, "page"))
	}
}
