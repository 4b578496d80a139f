package collection

import (
	"dowse"
	"dowse/internal/frontier"
)

// A ReasonCount is how many URLs were skipped or failed for one reason.
type ReasonCount struct {
	Reason  dowse.Reason `json:"reason"`
	Meaning string       `json:"meaning"`
	Skipped int          `json:"skipped"`
	Failed  int          `json:"failed"`
}

// Reasons counts skipped and failed URLs by reason, in the order of
// dowse.ReasonHelp; reasons that never occurred are left out. The counts add
// up to the skipped and failed URLs in the books.
func (c *Collection) Reasons() []ReasonCount {
	counts := map[dowse.Reason]*ReasonCount{}
	f := c.Crawl.Frontier()
	for id := range frontier.ID(f.Len()) {
		state := f.State(id)
		if state != dowse.Excluded && state != dowse.Dead {
			continue
		}
		why := c.Crawl.ReasonFor(id)
		n := counts[why]
		if n == nil {
			n = &ReasonCount{Reason: why, Meaning: meaning(why)}
			counts[why] = n
		}
		if state == dowse.Excluded {
			n.Skipped++
		} else {
			n.Failed++
		}
	}
	return inOrder(counts)
}

// inOrder returns the counts in the order of dowse.ReasonHelp, URLs without
// a reason last.
func inOrder(counts map[dowse.Reason]*ReasonCount) (list []ReasonCount) {
	for _, h := range dowse.ReasonHelp() {
		if n := counts[h.Reason]; n != nil {
			list = append(list, *n)
		}
	}
	if n := counts[""]; n != nil {
		list = append(list, *n)
	}
	return list
}
