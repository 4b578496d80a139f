package facts

import (
	"math"
	"time"

	"dowse"
)

// A Row is a page with what is known of its URL besides the visit. It is what lists, exports and
// explanations show; its JSON is the object of schema page/v1, which holds the facts that are known.
type Row struct {
	*dowse.Page // the last visit; of a URL that was never visited only URL, lead, depth, hops and reason are set

	State     dowse.State
	Apart     bool // the page is no part of a crawl: it has no place in a queue
	Requested bool // the last visit made a request
	Judged    bool // the page has a verdict
	Threshold float64
	Left      dowse.Reason // why a judged page is off topic all the same; "" for no such reason
	Unread    bool         // the content of the page can't be read, so nothing of it is known

	Seen     time.Time // when the URL was first seen
	Parent   dowse.URL // the page that it was first seen on
	Redirect dowse.URL // where its redirects end

	// What is known of the link that led to the page, and of the page while it is being judged.
	Anchors        []string
	ParentScore    *float64
	ParentHost     string
	Score          *float64  // the rating by the evidence, without the conditions
	ServerModified time.Time // the date of the server, used if the page has none
	Languages      []string  // candidates for detection if the page declares none; nil means all

	// Reserved are the uses that the header of the page's answer, or its host, reserve, as
	// use_flags names them.
	Reserved []string

	// Spell, if set, returns the word behind a stem in a reason, "" for none.
	Spell func(what string) string
}

// The verdicts on a page.
const (
	On     = "on"
	Off    = "off"
	Unsure = "unsure" // near the threshold, on either side
)

// unsureWithin is how near to the threshold a relevance is no clear verdict.
const unsureWithin = 0.15

// VerdictOf returns the verdict on a page with a relevance. A page near the threshold is unsure, and still
// counts as on or off topic by the threshold alone: the word is for people who label pages, and a
// crawl needs a decision.
func VerdictOf(relevance, threshold float64) string {
	switch {
	case math.Abs(relevance-threshold) < unsureWithin:
		return Unsure
	case relevance >= threshold:
		return On
	}
	return Off
}

// Verdict returns the verdict on the page, "" if it was not judged.
func (r *Row) Verdict() string {
	switch {
	case !r.Judged:
		return ""
	case r.Left != "":
		return Off
	}
	return VerdictOf(r.Page.Verdict.Relevance, r.Threshold)
}

// Relevance returns how relevant the judge rates the page, 0 if it was not judged.
func (r *Row) Relevance() float64 {
	if !r.Judged {
		return 0
	}
	return Finite(r.Page.Verdict.Relevance)
}

// Anchor returns the words of the link by which the page was first seen, "" for none.
func (r *Row) Anchor() string {
	if len(r.Anchors) == 0 {
		return ""
	}
	return r.Anchors[0]
}

// A Cause is one reason for a verdict or a priority, and what it contributed.
type Cause struct {
	What   string  `json:"what" doc:"a term, clause or signal"`
	Word   string  `json:"word,omitempty" doc:"the word behind a stem"`
	Weight float64 `json:"weight" doc:"what it contributed"`
	Count  int     `json:"count,omitempty" doc:"how often it occurred"`
}

// Causes returns reasons as JSON shows them, nil for none.
func Causes(list []dowse.Because) []Cause {
	if len(list) == 0 {
		return nil
	}
	out := make([]Cause, len(list))
	for i, b := range list {
		out[i] = Cause{What: b.What, Weight: Finite(b.Weight), Count: b.Count}
	}
	return out
}

// Finite returns a number that JSON can represent: 0 for NaN, the largest number for infinity. Judges
// and strategies of Go programs can return any number, and one of them must not make a whole export fail.
func Finite(f float64) float64 {
	switch {
	case math.IsNaN(f):
		return 0
	case math.IsInf(f, 0):
		return math.Copysign(math.MaxFloat64, f)
	}
	return f
}

// causes returns the reasons for the verdict on the page, with the words behind stems.
func (r *Row) causes() []Cause {
	list := Causes(r.Page.Verdict.Because)
	if r.Spell != nil {
		for i := range list {
			list[i].Word = r.Spell(list[i].What)
		}
	}
	return list
}
