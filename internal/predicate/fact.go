package predicate

import (
	"strings"
	"time"

	"dowse"
	"dowse/internal/facts"
)

// A Fact is something that clauses can ask of a page.
type Fact struct {
	Name  string
	Kind  string // text, list, table, number or date
	Means string
	Match string // what a string is compared with; "" for numbers and dates
}

// AllFacts lists the facts in the order of printing.
func AllFacts() (list []Fact) {
	for _, row := range facts.All() {
		if !row.Asked {
			continue
		}
		f := newFact(row)
		about := Fact{Name: f.name, Kind: kindNames[f.kind], Means: row.Doc}
		if f.kind <= table {
			about.Match = likeNames[f.like]
		}
		list = append(list, about)
	}
	return list
}

// kind is what a fact is made of, and so what it can be matched with.
type kind uint8

// The kinds. Those up to table consist of strings.
const (
	oneText kind = iota // one string
	listed              // several strings, which can be counted
	table               // strings by name
	whole               // a number without a fraction
	decimal
	date
)

// kindNames are the names of the kinds in the documentation, where both kinds of
// numbers are one.
var kindNames = [...]string{"text", "list", "table", "number", "number", "date"}

// like is how a string that is looked for is compared with the strings of a fact.
type like = facts.Match

// The ways to compare, under the names that this package uses.
const (
	words  = facts.Words
	part   = facts.Part
	domain = facts.Domain
	tag    = facts.Tag
	media  = facts.Media
	same   = facts.Same
)

// likeNames describes for the documentation what counts as found.
var likeNames = [...]string{
	words: "whole words", part: "any part", domain: "itself, or a domain above it",
	tag: "the language, with any region", media: "the type, or text/*", same: "all of it",
}

// A fact is a row of the table of facts as clauses see it. Package facts decides
// which facts there are and how their values are found; this package only knows
// how values of a kind are compared. So a new fact needs no change here.
type fact struct {
	name  string
	kind  kind
	like  like
	row   *facts.Fact
	entry string // of a table: the name of one of its entries; "" for all of them
}

// newFact returns a row of the table as clauses see it.
func newFact(row *facts.Fact) *fact {
	f := &fact{name: row.Name, like: row.Match, row: row}
	switch row.Type {
	case facts.List:
		f.kind = listed
	case facts.Table:
		f.kind = table
	case facts.Integer:
		f.kind = whole
	case facts.Number, facts.Duration:
		f.kind = decimal
	case facts.Date:
		f.kind = date
	}
	if row.All != nil {
		f.kind = listed
	}
	return f
}

// factNamed returns a fact by its name, nil for none. An entry of a table (og.type) is a
// fact of its own: a list, because a page can have several elements of one name.
func factNamed(name string) *fact {
	if row := facts.Named(name); row != nil && row.Asked {
		return newFact(row)
	}
	head, entry, ok := strings.Cut(name, ".")
	if f := factNamedTable(head); f != nil && ok && entry != "" {
		return &fact{name: name, kind: listed, like: f.like, row: f.row, entry: entry}
	}
	return nil
}

// factNamedTable returns a fact that is a table by its name, nil for none.
func factNamedTable(name string) *fact {
	if row := facts.Named(name); row != nil && row.Asked && row.Type == facts.Table {
		return newFact(row)
	}
	return nil
}

// factNames returns the names of all facts that clauses can ask for.
func factNames() (names []string) {
	for _, row := range facts.All() {
		if row.Asked {
			names = append(names, row.Name)
		}
	}
	return names
}

// values returns the strings of a text or list, and whether they are known.
func (f *fact) values(r *reading) ([]string, bool) {
	if f.entry != "" {
		return entries(f.pairs(r), f.entry), true
	}
	switch v := r.value(f.row).(type) {
	case string:
		return []string{v}, true
	case []string:
		return v, true
	}
	return nil, false
}

// strings returns the strings of a fact that has some.
func (f *fact) strings(r *reading) ([]string, bool) {
	if f.kind != table {
		return f.values(r)
	}
	var list []string
	for _, m := range f.pairs(r) {
		list = append(list, m.Content)
	}
	return list, true
}

// number returns the value of a number, and whether it is known. A duration counts in seconds.
func (f *fact) number(r *reading) (float64, bool) {
	switch v := r.value(f.row).(type) {
	case int:
		return float64(v), true
	case float64:
		return v, true
	case time.Duration:
		return v.Seconds(), true
	}
	return 0, false
}

// date returns the value of a date, and whether it is known.
func (f *fact) date(r *reading) (time.Time, bool) {
	t, ok := r.value(f.row).(time.Time)
	return t, ok
}

// pairs returns the entries of a table.
func (f *fact) pairs(r *reading) []dowse.Meta {
	list, _ := r.value(f.row).([]dowse.Meta)
	return list
}

// entries returns what a table has under a name.
func entries(pairs []dowse.Meta, name string) (list []string) {
	for _, m := range pairs {
		if strings.EqualFold(m.Name, name) {
			list = append(list, m.Content)
		}
	}
	return list
}
