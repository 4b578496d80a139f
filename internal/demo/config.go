package demo

import (
	"math"
	"time"
)

// Config selects the web to generate. The zero value is the web of the demo:
// 2,400 pages on 48 sites, with tide pools as the topic.
type Config struct {
	Pages int // default 2,400; at least 1,000, at most 1,000,000
	// Sites is the number of hosts, at least 48. The default is 48 at 2,400
	// pages, and grows as the 0.8th power of the pages, so that larger webs
	// have larger sites (Huberman and Adamic 1999: pages per site follow a
	// power law).
	Sites int
	Seed  uint64 // random seed
	// Topic is the topic of the first neighbourhood, for which most of the
	// traps are laid; default "tide pools". Further neighbourhoods have the
	// other topics in turn.
	Topic string
	// Latency is how long an answer takes on average, SlowLatency how long on
	// the slow host; default 12 ms and 400 ms, negative for none.
	Latency, SlowLatency time.Duration
	Topology             Topology
}

// Topology holds the parameters of pages and links. A zero field has the
// default; a negative one means none. The defaults come from the literature
// where it has figures, and were fixed before any strategy was measured on this
// web; changes are listed in docs/demo-web.md. Where a comment calls the
// numbers ours, no source was found.
type Topology struct {
	// PageBytes is the mean size of a page's HTML; 20,000. PageSpread is the
	// standard deviation of the logarithm of a page's text; 0.6. Sizes of web
	// documents have a log-normal body (Barford and Crovella 1998).
	PageBytes  int
	PageSpread float64
	// Links is the mean number of links on a page; 40: crawls of the 2010s count
	// 36 to 37 after merging repeated targets (Meusel et al. 2014: 128.7 billion
	// arcs on 3.5 billion pages). LinkSpread is as PageSpread; 0.5.
	Links      int
	LinkSpread float64
	// Internal is the share of links that stay on the site; 0.75 (Suel and Yuan
	// 2001 find about three quarters of all links within a host).
	Internal float64
	// InDegree is the exponent of the power law of in-degrees; 2.1 (Broder et al.
	// 2000). Targets are picked by rank with the exponent 1/(InDegree-1).
	InDegree float64
	// SameTopic and Related are the shares of external links that are meant for
	// the topic of their page and for a neighbouring topic; 0.4 and 0.1.
	// Davison 2000 finds linked pages far more alike than random ones,
	// Chakrabarti et al. 2002 a topic citation matrix with a strong diagonal;
	// the numbers are ours.
	SameTopic, Related float64
	// Purity is the share of a topical site's articles that are on its topic;
	// 0.58. Of the rest, AsideRelated (0.3) are on a neighbouring topic,
	// AsideRandom (0.2) on any, the others on none: shop, office, imprint.
	// Ester et al. 2004 treat websites as such mixtures; the numbers are ours.
	Purity, AsideRelated, AsideRandom float64
	// Regional is the share of articles on sites without a topic that are on the
	// topic of the neighbourhood; 0.2. Half have none, the rest are on any.
	Regional float64
	// PlainAnchor is the share of links in the text and in lists whose anchor
	// does not describe the target ("read more"); 0.15. Davison 2000 and Eiron
	// and McCurley 2003 find that anchors mostly describe their target, but not
	// always.
	PlainAnchor float64
	// Mention is the share of pages that mention a topic they are not on; 0.12.
	Mention float64
	// Faint is the share of articles that hardly mention their topic, Borrow
	// that of pages with some sentences on a related one; 0.15 and 0.25. They
	// are what makes a judge uncertain.
	Faint, Borrow float64
	// Boilerplate is the share of the words of a page of mean length that all pages of its site
	// repeat, in addition to menu and footer: lists of popular articles and of other sites with
	// teasers, and paragraphs on the site's topic, on any topic, and on none; 0. Gibson et al. 2005
	// find 40 to 50 % of the bytes of the web in templates.
	Boilerplate float64
	// Dead, Moved and Files are the shares of freely chosen links to nothing
	// (404, 410), to a redirect and to a file that is not a page; 0.03, 0.03,
	// 0.01. Bar-Yossef et al. 2004 find dead links in all parts of the web,
	// more on old pages.
	Dead, Moved, Files float64
	// Spam is the share of external links that a link farm has bought or
	// placed; 0.03. Ntoulas et al. 2006 find spam on more than a tenth of all
	// pages.
	Spam float64
}

// Limits of a web.
const (
	defaultPages = 2400
	leastPages   = 1000
	mostPages    = 1_000_000
	leastMean    = 20 // least mean number of pages per site
	neighbours   = 48 // sites per neighbourhood
)

// withDefaults fills in defaults and clamps sizes to what can be laid out: a
// web has room for at least one whole neighbourhood, and sites of 20 pages on
// average.
func (c Config) withDefaults() Config {
	c.Pages = min(max(orInt(c.Pages, defaultPages), leastPages), mostPages)
	scaled := neighbours * math.Pow(float64(c.Pages)/defaultPages, 0.8)
	c.Sites = max(orInt(c.Sites, int(scaled+0.5)), neighbours)
	c.Sites = min(c.Sites, max(neighbours, c.Pages/leastMean))
	if c.Topic == "" {
		c.Topic = "tide pools"
	}
	c.Latency = orDuration(c.Latency, 12*time.Millisecond)
	c.SlowLatency = orDuration(c.SlowLatency, 400*time.Millisecond)
	c.Topology = c.Topology.withDefaults()
	return c
}

// withDefaults fills in the zero fields; negative ones become 0.
func (t Topology) withDefaults() Topology {
	t.PageBytes = orInt(t.PageBytes, 20_000)
	t.Links = orInt(t.Links, 40)
	t.Boilerplate = min(max(t.Boilerplate, 0), 0.9)
	for _, f := range []struct {
		field *float64
		value float64
	}{
		{&t.PageSpread, 0.6}, {&t.LinkSpread, 0.5},
		{&t.Internal, 0.75}, {&t.InDegree, 2.1},
		{&t.SameTopic, 0.4}, {&t.Related, 0.1},
		{&t.Purity, 0.58}, {&t.AsideRelated, 0.3}, {&t.AsideRandom, 0.2},
		{&t.Regional, 0.2}, {&t.PlainAnchor, 0.15}, {&t.Mention, 0.12}, {&t.Faint, 0.15}, {&t.Borrow, 0.25},
		{&t.Dead, 0.03}, {&t.Moved, 0.03}, {&t.Files, 0.01}, {&t.Spam, 0.03},
	} {
		*f.field = orFloat(*f.field, f.value)
	}
	return t
}

// orInt returns the default for 0, and 0 for negative values; orFloat and
// orDuration do the same.
func orInt(v, other int) int {
	if v == 0 {
		return other
	}
	return max(v, 0)
}

// orFloat is orInt for numbers with a fraction.
func orFloat(v, other float64) float64 {
	if v == 0 {
		return other
	}
	return max(v, 0)
}

// orDuration is orInt for durations.
func orDuration(v, other time.Duration) time.Duration {
	if v == 0 {
		return other
	}
	return max(v, 0)
}
