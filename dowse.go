// Package dowse holds the nouns of a focused crawl and the points where parts
// plug in. Everything else in the module is written in these words.
//
// A person states a topic. A [Judge] rates pages against it. A [Strategy] turns
// each judged [Page] into ranked [Lead]s, and the crawl visits the best lead next.
// The package imports only the standard library, does no I/O and reads no clock.
package dowse

// A Judge rates how relevant a page is to a topic. It may be called by many
// goroutines concurrently and must not keep or change the page. A crawl bounds
// relevances outside of 0 to 1, and takes NaN for 0. Judge is not informed when a crawl is to
// end, which waits for it: a judge that asks a slow service must bound the time itself.
type Judge interface {
	Judge(p *Page) Verdict
}

// A WindowJudge also rates short texts: runs of the page's words, given as
// ranges into p.Words. JudgeWindows returns the verdict that Judge would, and exactly one
// relevance for each window, from a single reading of the page.
type WindowJudge interface {
	Judge
	JudgeWindows(p *Page, windows []Span) (Verdict, []float64)
}

// A Strategy decides in which order a crawl visits what it finds. Follow is
// called once for each visited page, failed ones included, never concurrently.
// It may learn from the page and returns what it thinks of the page's links, or
// of any other URL.
//
// Before Follow the crawl has resolved, filtered and merged the page's links, so
// that every link can be queued, and has filled each link's Target. Every lead
// that the crawl accepted comes back in exactly one final Follow: with a page, or
// with its outcome. Temporary failures are retried and not shown. The page's
// strings may be kept, the page and its slices may not.
type Strategy interface {
	Follow(p *Page) []Lead
}

// A Starter decides how the seeds are queued. Without it each seed is a lead of
// priority 1.
type Starter interface {
	Start(seeds []URL) []Lead
}

// Traits are the properties of a strategy that stay the same for a whole crawl. A
// strategy states them by a method Traits() Traits, which is called when a crawl is
// put together, after the strategy's parameters are set. The zero value describes a strategy that rates links by their page alone, in a
// stream, highest priority first.
type Traits struct {
	// Window is the number of words around a link, its anchor included, that the
	// judge rates before Follow. The rating is the link's Context. 0 for none.
	Window int
	// Anchors has the judge rate the anchor of each link alone, in addition to the words
	// around it. The rating is the link's AnchorScore.
	Anchors bool
	// Round is the number of leads in a round: they are taken together, all are
	// visited, and every Follow of the round sees the state as it was when the
	// round began. With 0 each page is followed as soon as it is there.
	Round int
	// Order is the order in which the leads of a band are taken.
	Order Order
	// Revisits keeps visited URLs in a queue of their own, by the priority that
	// they gather, so that the strategy can ask for them again.
	Revisits bool
	// Recalls answers revisits with the page as it was visited last, from the
	// journal, without text and without a request. Without a journal the revisit
	// is made.
	Recalls bool
	// ReadsText declares that Follow reads the text of pages. Only then is the text,
	// with the windows of its links, restored from the archive when a crawl is
	// resumed from its journal.
	ReadsText bool
}

// TraitsOf returns the traits of a strategy: the zero value if it states none.
func TraitsOf(s Strategy) Traits {
	if d, ok := s.(interface{ Traits() Traits }); ok {
		return d.Traits()
	}
	return Traits{}
}

// An Idler is asked for leads when nothing waits and nothing is being visited.
// If it returns none the crawl is over.
type Idler interface {
	Idle() []Lead
}

// A BeforeRounder may act on the queue before a round is taken (in a stream,
// before each lead is).
type BeforeRounder interface {
	BeforeRound(v View) []Lead
}

// A Rescorer rates a lead again when it comes to the top of the queue. If the
// new priority falls below the next lead's, the lead goes back. Rescore must not
// learn: a crawl that is rebuilt from its journal does not call it again.
type Rescorer interface {
	Rescore(l Lead) float64
}

// An Explainer is a [Rescorer] that gives its reasons: Explain returns those for the
// priority that Rescore would return for a lead at that moment, none for a lead that it
// does not rate. Like Rescore it must not learn. The crawl calls it when a lead is taken,
// since the reasons that came with the lead are those of an earlier time.
type Explainer interface {
	Explain(l Lead) []Because
}

// A Refusable strategy is informed which of its leads the crawl did not queue, and why:
// the URL is out of scope, forbidden, known to be dead, visited already. Such a lead
// does not come back in Follow. Refused is called when all leads of a list have been
// processed, and may return others; a URL that was refused must not be named again.
// Without it, a strategy that counts on its leads would wait for these forever.
type Refusable interface {
	Refused(l Lead, why Reason) []Lead
}

// Order is the order in which the leads of a band are taken. Some strategies
// use a priority as an account and not as a rank. Bands come first in any order.
type Order uint8

// The orders.
const (
	ByPriority Order = iota // the highest first, the first seen of equals
	FirstSeen
	Shuffled // by chance, drawn from the URL and the key of the crawl
)

// A Saver can save what it has learnt and load it again: a new value of the same type
// and parameters that has loaded the state behaves as the one that saved it would.
type Saver interface {
	Save() ([]byte, error)
	Load([]byte) error
}

// A View shows a strategy the ends of the queue.
type View interface {
	// Best returns the waiting lead with the highest priority.
	Best() (Lead, bool)
	// BestVisited returns the visited URL with the highest priority. It answers
	// only for a strategy that revisits (see [Traits]).
	BestVisited() (Lead, bool)
	// Waiting and Visited count the URLs that wait and that were fetched.
	Waiting() int
	Visited() int
}
