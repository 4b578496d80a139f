package dowse

// A Lead is a URL worth visiting, or one of the two instructions that concern many
// URLs ([Raise], [Drop]). A strategy returns an ordered list of leads; the zero Kind
// queues.
type Lead struct {
	Kind     Kind
	URL      URL
	Priority float64 // merged with that of the URL by Merge; for Raise: by how much
	Merge    Merge
	Band     int8   // bands are emptied in order, the lowest first
	Group    string // for Drop, and to drop it later; "" means the URL's host
	Note     string // comes back with the page and with links to it; "" keeps the old one
	Cap      float64
	Visited  bool // Raise: visited URLs too
	Because  []Because
}

// Kind is what a lead asks for.
type Kind uint8

// The kinds of leads.
const (
	// Queue lets the URL wait for a visit. A URL that was visited or is known to
	// be dead is not queued again, but its priority is merged all the same; of one
	// that was left out, only what is added.
	Queue Kind = iota
	// Hold keeps priority, note and band of a URL without queueing it. A URL that
	// waits is taken out of the queue.
	Hold
	// Revisit queues the URL although it was visited. The URL goes into the next
	// round in addition to the leads taken by priority.
	Revisit
	// Raise adds Priority to all waiting URLs (and to visited ones, if Visited),
	// up to Cap unless Cap is 0. URLs at the cap are first in, first out.
	Raise
	// Drop takes all waiting URLs of Group out of the queue and lets no more of
	// them in.
	Drop
)

// Merge is how a lead's priority is combined with the one that the URL already has.
type Merge uint8

// The ways to merge.
const (
	Replace Merge = iota
	Max
	Add
)

// Merged returns the priority of a URL after a lead with priority p. The URL had the
// priority old before, if known is true, and none otherwise.
func (m Merge) Merged(old float64, known bool, p float64) float64 {
	switch {
	case m == Add:
		return old + p
	case m == Max && known:
		return max(old, p)
	}
	return p
}

// State is the state of a URL in a crawl. Every URL ever seen has exactly one,
// so the books balance.
type State uint8

// The states of a URL.
const (
	Unseen   State = iota // not before this page
	Waiting               // queued
	Flying                // being visited
	Held                  // known, not queued
	Visited               // fetched
	Dead                  // failed for good
	Aliased               // redirected to another URL
	Excluded              // skipped, for a reason
)

var stateNames = [...]string{"unseen", "queued", "in flight", "held", "fetched", "failed", "redirected", "skipped"}

func (s State) String() string { return nameOf(stateNames[:], int(s)) }

func nameOf(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return "unknown"
}
