// Package facts is the table of what is known of a page.
//
// A fact is one row of the table: its name, its type, one sentence about it, and how its value is
// found. Everything that shows, asks for, stores or removes what is known of a page reads the table:
// the JSON object of a page that all commands print, exports, the conditions of topics, the journal,
// the features of recorded webs, and takedowns. So a new fact is added in one place, and a takedown
// cannot overlook it.
//
// A fact that is stored has a code in each format that stores it. Codes never change and are never
// used for another fact: see [Fact].
//
// # Adding a fact
//
// A new fact is one row of pageFacts: its name, type and sentence, and a Field or a Get. With Printed it
// is part of the JSON object of a page and of its schema, with Asked topics can use it. To store it in the
// journal it gets the next free code from [JournalTagged] on; older programs skip codes that they
// do not know. The table in docs/formats.md is made from this one, and a test compares the two.
//
// # What is not known
//
// A value that is not known is nil, in Go as in JSON null, and differs from an empty one. A page
// without images has none; the images of a page that was not read are not known. Conditions depend
// on the difference, see package predicate.
package facts

import (
	"slices"
	"time"

	"dowse"
)

// A Type is what the value of a fact is made of. It decides how the value is written in JSON, and
// what a condition can compare it with.
type Type uint8

// The types of facts, and the Go types of their values.
const (
	Internal Type = iota // stored, but neither printed nor asked for
	Text                 // string
	List                 // []string
	Table                // []dowse.Meta: strings by name
	Integer              // int
	Number               // float64
	Truth                // bool
	Date                 // time.Time; in JSON RFC 3339
	Duration             // time.Duration; in JSON a number of seconds
	Reasons              // []Cause, the reasons for a verdict
)

// typeNames are the names of the types in the documentation. A duration is a number
// there, because JSON holds it as a number of seconds.
var typeNames = [...]string{
	Internal: "internal", Text: "text", List: "list", Table: "table", Integer: "integer", Number: "number",
	Truth: "true or false", Date: "date", Duration: "number", Reasons: "reasons",
}

// String returns the name of the type in the documentation.
func (t Type) String() string { return typeNames[t] }

// Match is how a condition compares the strings of a fact with the string that it looks for.
type Match uint8

// The ways to match strings.
const (
	Unmatched Match = iota // no condition can ask for the fact, unless it is a number or a date
	Words                  // a run of whole words
	Part                   // any part
	Domain                 // the same host, or a host below it
	Tag                    // the same language, whatever the region
	Media                  // the same media type, or type/*
	Same                   // the whole string
)

// A Fact is one thing that is known of a page.
type Fact struct {
	Name string
	Type Type
	Doc  string // what it is, in one sentence without a full stop
	Unit string // of a number: s, bytes; "" for none

	// Field returns a pointer to the field of a page that holds the fact. It is nil for a fact
	// that is computed from others. Codecs store, and takedowns clear, what it points to.
	Field func(p *dowse.Page) any
	// Get returns the value, of the Go type that Type names, or nil if it is not known. If Get is
	// nil, the value is what Field points to.
	Get func(r *Row) any
	// All returns all values of a text that can have several, of which Get returns the first;
	// nil if none is known. Conditions ask for all of them.
	All func(r *Row) any

	Printed  bool  // part of the JSON object of a page; others of a type are printed if asked for by name
	Document bool  // part of the content of the page, which the journal does not hold: known only if the page was read
	Asked    bool  // conditions can ask for it
	Match    Match // how conditions compare its strings
	Content  bool  // a condition on it is about the content of a page, not about its address or its size
	InCrawl  bool  // known only in a crawl, not for a page by itself
	Judging  bool  // known only while a page is judged, so never printed
	Costly   bool  // to be computed once per page

	// Journal is the code of the fact in the entry of a page, 0 for a fact that the journal does
	// not hold. Codes below JournalTagged are the places of fields that every entry has, in
	// this order; facts that share such a code are bits of one byte. From JournalTagged on a fact
	// is written with its code, and only where it is set.
	Journal int
	// Features is the place of the fact in the features of a recorded web, 0 for none.
	Features int

	// Kept facts stay in the journal when a page is taken down: the books need them. A takedown
	// clears every other fact that has a Field.
	Kept bool
	// ByStrategy facts are written by strategies. They may hold words of other pages, so a takedown of any
	// earlier page clears them too.
	ByStrategy bool
}

// Codes of facts in the journal.
const (
	journalVisit  = 14 // the last code of what every visit has, also one that failed
	JournalTagged = 64 // the first code that is written before its value
)

// featuresOfVersion3 is how many facts the features of a recorded web had in version 3 of their format.
const featuresOfVersion3 = 30

// A Group is one or more facts that a format stores together, as bits of one byte if there are several.
type Group []*Fact

// table holds the facts and the orders in which formats store them.
type factTable struct {
	all      []*Fact
	named    map[string]*Fact
	visit    []Group // of the journal
	page     []Group
	tagged   []*Fact
	features []*Fact
}

// current is the table in use. It is computed once; only tests replace it, see Add.
var current = newTable(pageFacts())

// newTable sorts facts into the orders in which formats store them. Codes below
// JournalTagged must follow each other without a gap: an entry has these fields one
// after the other, without their codes, so a gap would end the entry too early.
func newTable(list []*Fact) *factTable {
	t := &factTable{all: list, named: make(map[string]*Fact, len(list))}
	groups := map[int]Group{}
	for _, f := range list {
		t.named[f.Name] = f
		switch {
		case f.Journal >= JournalTagged:
			t.tagged = append(t.tagged, f)
		case f.Journal > 0:
			groups[f.Journal] = append(groups[f.Journal], f)
		}
		if f.Features > 0 {
			t.features = append(t.features, f)
		}
	}
	for code := 1; len(groups[code]) > 0; code++ {
		if code <= journalVisit {
			t.visit = append(t.visit, groups[code])
		} else {
			t.page = append(t.page, groups[code])
		}
	}
	slices.SortStableFunc(t.tagged, func(a, b *Fact) int { return a.Journal - b.Journal })
	slices.SortStableFunc(t.features, func(a, b *Fact) int { return a.Features - b.Features })
	return t
}

// All returns the facts in the order of printing. The slice must not be changed.
func All() []*Fact { return current.all }

// Named returns the fact with a name, or nil.
func Named(name string) *Fact { return current.named[name] }

// JournalVisit returns what the journal stores of every visit, in order.
func JournalVisit() []Group { return current.visit }

// JournalPage returns what the journal stores of a page in addition to [JournalVisit], in order.
func JournalPage() []Group { return current.page }

// JournalTaggedFacts returns the facts that the journal stores with their codes, by code.
func JournalTaggedFacts() []*Fact { return current.tagged }

// Features returns the facts that the features of a recorded web hold, in order.
func Features() []*Fact { return current.features }

// FeaturesVersion returns the version of the format of features. It changes with every fact that is added.
func FeaturesVersion() int { return 3 + len(current.features) - featuresOfVersion3 }

// Add puts a fact at the end of the table and returns a function that takes it out again. It is for
// tests that show what a new fact reaches, and must not be called while the table is in use.
func Add(f *Fact) (remove func()) {
	before := current
	current = newTable(append(slices.Clip(before.all), f))
	return func() { current = before }
}

// Value returns the value of the fact for a page, nil if it is not known. Nothing is known of the content of
// a page that can't be read: an empty page has 0 words, and one that can't be read an unknown number.
func (f *Fact) Value(r *Row) any {
	if f.Document && r.Unread {
		return nil
	}
	if f.Get != nil {
		return f.Get(r)
	}
	return valueOf(f.Field(r.Page))
}

// valueOf returns what a field holds, as a value of a fact. A number, date or truth that is zero is not known.
func valueOf(field any) any {
	switch v := field.(type) {
	case *string:
		return *v
	case *dowse.URL:
		return string(*v)
	case *dowse.Reason:
		return string(*v)
	case *[]string:
		return *v
	case *[]dowse.URL:
		return texts(*v)
	case *[]dowse.Meta:
		return *v
	case *Signed:
		return known(int(*v))
	case *int:
		return known(*v)
	case *int64:
		return known(int(*v))
	case *float64:
		return known(*v)
	case *bool:
		return known(*v)
	case *time.Duration:
		return known(*v)
	case *time.Time:
		return date(*v)
	}
	return nil
}

// known returns a value, or nil if it is zero. For most facts zero means that nothing was found: no
// server answers with status 0. Facts for which 0 is a value have a Get of their own.
func known[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

// date returns a time, or nil if it is zero.
func date(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t
}

// texts returns URLs as strings.
func texts(list []dowse.URL) []string {
	out := make([]string, len(list))
	for i, u := range list {
		out[i] = string(u)
	}
	return out
}

// Signed is a number that the journal stores with its sign. Its field is an int.
type Signed int

// Runs are parts of the text of a page that the journal stores with their places. The spans of the words are stored
// as their number only.
type Runs []dowse.Span
