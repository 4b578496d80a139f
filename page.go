package dowse

import (
	"net/netip"
	"time"
)

// URL is absolute and canonical. Package weburl makes it from what people and
// pages write; to this package it is opaque.
type URL string

// Span is a half-open range [Start, End): of bytes of a text or of words of a page.
type Span struct{ Start, End int32 }

// Len returns the number of bytes or words in the span.
func (s Span) Len() int { return int(s.End - s.Start) }

// An Outcome is how a visit ended.
type Outcome uint8

// The outcomes. Only Fetched pages have a text and links of their own.
const (
	Fetched    Outcome = iota // an HTML page
	Redirected                // to another URL, the page's only link
	Refused                   // by robots.txt
	Failed                    // permanently; see Reason and Detail
	Skipped                   // fetched but not used; see Reason
	Temporary                 // failed, worth another try; never shown to a strategy
	Listed                    // a sitemap, with links without context; a feed, whose links have titles; or a robots.txt
)

var outcomeNames = [...]string{"fetched", "redirected", "refused", "failed", "skipped", "temporary", "listed"}

func (o Outcome) String() string { return nameOf(outcomeNames[:], int(o)) }

// A Page is the outcome of visiting a lead: text, links and relevance, or why
// there is none.
type Page struct {
	URL     URL
	Lead    Lead // as it was taken: priority, band, group, note
	Outcome Outcome
	Reason  Reason // why it was refused, failed or skipped; "" otherwise
	Detail  string // the cause in words, free of control characters
	Again   bool   // a revisit
	Depth   int    // links from the nearest seed, along the path it was found on
	Hops    int    // off-topic pages in a row just above it on that path
	Via     *Via   // the link by which it was first seen; nil for none, and where no judge asks for it
	LinksIn *int   // pages fetched before its visit began that link to it; nil where no judge asks for it

	Fetch    Fetch
	Document // empty unless Outcome is Fetched, but for Links
	Verdict  Verdict
	OnTopic  bool     // set by the crawl: Verdict.Relevance reaches the threshold
	Near     URL      // an earlier page with nearly the same text, if any
	Repeated []Span   // runs of bytes of Text that other pages of the host have too, where a crawl looks for them
	Blocks   []uint32 // hashes of the blocks of Text, sorted, where a crawl learns from them what pages of the host repeat
	Maps     []URL    // lists of URLs that it names: the feed of a page, the further sitemaps of a sitemap index

	Host *HostReport // what the visit learnt of the host; nil for nothing
}

// Via is the link by which a page was first seen, and the page that has it.
type Via struct {
	Parent    URL
	Relevance float64 // of the parent
	Anchors   []string
}

// Fetch holds the facts of a download.
type Fetch struct {
	At        time.Time
	Took      time.Duration
	Status    int
	Type      string // media type, lower case, without parameters
	Bytes     int64  // of the body, decoded
	Wire      int64  // of the whole answer as it came
	Truncated bool   // the body was cut at the size limit, broke off or was not kept
	Address   netip.Addr
	Charset   string
	Archive   Place // where the answer is kept
}

// Place is where a record is kept in the archive. The zero Place is nowhere.
type Place struct {
	File   string // base name of the WARC file
	Offset int64
	Length int64
}

// A HostReport is what a visit learnt of its host, in addition to the page.
type HostReport struct {
	Robots     *Robots       // rules read in this visit; nil for none read
	RetryAfter time.Duration // for which the host asked to be left alone
	BackOff    bool          // it answered 429 or 5xx, or not at all
	Down       bool          // it can't be reached: no address, no connection
	Local      bool          // this machine failed, not the host: no network, no name server, too many open files
}

// Robots is the answer of a host to the request for its robots.txt.
type Robots struct {
	At       time.Time
	Status   int           // of the answer; 0 for none
	Body     []byte        // as far as it was read
	Delay    time.Duration // Crawl-delay for us, 0 for none
	Sitemaps []URL
	Rules    Rules // made from Body and Status
}

// Rules answer whether a host lets us fetch a URL. They may be used from many
// goroutines.
type Rules interface {
	// Allowed reports whether u may be fetched, and returns the rule that decided, as
	// written in the file ("" if none did).
	Allowed(u URL) (ok bool, rule string)
}

// A Document is the content of a page, as extracted from its HTML.
type Document struct {
	Title       string
	Description string   // meta description
	Keywords    string   // meta keywords
	Language    string   // as declared, or as detected; BCP 47, lower case
	Text        string   // the visible text, blocks separated by line breaks
	Words       []Span   // of Text: see [Words]
	Numbers     []uint32 // of Words, where a crawl numbers them: equal words have equal numbers, 0 is no number; valid in this process only
	Headings    []Heading
	Links       []Link // one to a target, in document order
	Canonical   URL    // declared by link rel=canonical; "" for none
	Types       []string
	Published   time.Time
	Modified    time.Time // as the page itself declares, or else its server
	Licences    []URL
	Meta        []Meta   // named meta elements, properties of Open Graph among them; the layout's left out
	Images      []string // sources as written, the first 200; of one inside the page "data:"
	NoFollow    bool     // meta robots or X-Robots-Tag: links are not to be followed
	NoIndex     bool
	NoArchive   bool
	Sketch      Sketch // of the words, see [Sketch]; zero for a page with too few of them
	Cut         string // which budget ended the extraction early; "" for none
}

// Word returns the i-th word of the text.
func (d *Document) Word(i int) string {
	w := d.Words[i]
	return d.Text[w.Start:w.End]
}

// Meta is a meta element of a page: its name or property in lower case, and its content.
type Meta struct{ Name, Content string }

// A Heading is h1 to h6, with its position.
type Heading struct {
	Level int
	Text  string
	At    int32 // index of its first word
}

// A Link is a hyperlink to one target: the first mention of the target on the
// page and, where the page has several, the others.
type Link struct {
	URL URL
	Mention
	More     []Mention
	NoFollow bool   // every mention has rel=nofollow
	Target   Target // what the crawl knows of the target; filled before Follow
}

// A Mention is one place in which a page links to a target.
type Mention struct {
	Anchor  string   // its words; of an image, the alternative text
	At      Span     // the anchor in the page's words; empty for an image
	Block   Span     // the words of the enclosing block, at most 50 to each side
	Above   [3]int32 // headings above: h1, h2 under it, h3 to h6; -1 for none
	Window  Span     // the words that were rated, see [Traits]
	Context float64  // the judge's rating of the window; NaN for none

	AnchorScore float64 // the judge's rating of the anchor alone; 0 unless asked for, see [Traits]

	// Repeated reports that the mention is in a part of the text that other pages of the host have too, such as a
	// menu. Strategies are shown it without words.
	Repeated bool
}

// Target is what a crawl knows of a link's target at the time of Follow.
type Target struct {
	State     State
	Seq       uint32  // number by first sighting
	Priority  float64 // as it waits, or as gathered since the visit
	Relevance float64 // of a visited page
	OnTopic   bool    // a visited page
	Note      string  // the strategy's own, from its last lead for the URL
}

// BestContext returns the highest rating of the link's windows, 0 for none.
func (l *Link) BestContext() float64 {
	best := zeroNaN(l.Context)
	for i := range l.More {
		best = max(best, zeroNaN(l.More[i].Context))
	}
	return best
}

func zeroNaN(f float64) float64 {
	if f != f {
		return 0
	}
	return f
}

// A Verdict is a judge's rating of a page, with the reasons for it.
type Verdict struct {
	Relevance float64 // 0 to 1
	Scale     string  // what the reasons' weights add up on: "share", "log-odds", "cosine"
	Because   []Because
	Judge     string // name and version of the judge
}

// Because is one reason: a term, clause or signal and what it contributed.
type Because struct {
	What   string
	Weight float64
	Count  int // how often it occurred; 0 where counting makes no sense
}
