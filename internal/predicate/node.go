package predicate

// A verdict is the outcome of a clause, in Kleene's three-valued logic.
type verdict uint8

// The outcomes. The zero value is no, so that what was not tested does not pass.
const (
	no verdict = iota
	yes
	unknown
)

// of returns yes or no.
func of(holds bool) verdict {
	if holds {
		return yes
	}
	return no
}

// A node is a clause: a group or a leaf. It does not change.
type node interface {
	test(r *reading, t *trace, s scope) verdict
}

// A scope is what the groups around a clause determine for it.
type scope struct {
	pass  bool // unknown facts pass
	depth int
}

// inner returns the scope of the members of a group.
func (s scope) inner() scope { return scope{s.pass, s.depth + 1} }

// A trace collects the outcomes of the clauses in the order of the tree. A group
// gets its place before its members are tested and its outcome after them.
type trace struct{ clauses []Clause }

// open records a clause before its members and returns its index.
func (t *trace) open(name string, group bool, s scope) int {
	t.clauses = append(t.clauses, Clause{Name: name, Group: group, Depth: s.depth})
	return len(t.clauses) - 1
}

// close fills in the outcome of a clause.
func (t *trace) close(i int, v verdict, s scope, detail string) verdict {
	c := &t.clauses[i]
	c.Unknown = v == unknown
	c.Holds = v == yes || c.Unknown && s.pass
	c.Detail = detail
	return v
}

// all holds if every member does; an empty one holds.
type all struct {
	name string
	of   []node
}

// test tests every member, also after one has failed: the outcome of each is
// shown to the user. One no decides; unknown counts only if there is none.
func (g all) test(r *reading, t *trace, s scope) verdict {
	at, v := t.open(g.name, true, s), yes
	for _, n := range g.of {
		switch n.test(r, t, s.inner()) {
		case no:
			v = no
		case unknown:
			if v == yes {
				v = unknown
			}
		}
	}
	return t.close(at, v, s, "")
}

// anyOf holds if some member does; an empty one does not hold.
type anyOf struct {
	name string
	of   []node
}

// test tests every member, as that of all does. One yes decides; unknown counts
// only if there is none.
func (g anyOf) test(r *reading, t *trace, s scope) verdict {
	at, v := t.open(g.name, true, s), no
	for _, n := range g.of {
		switch n.test(r, t, s.inner()) {
		case yes:
			v = yes
		case unknown:
			if v == no {
				v = unknown
			}
		}
	}
	return t.close(at, v, s, "")
}

// not holds if its member does not.
type not struct{ of node }

// test swaps yes and no. What is unknown stays unknown: that a page has no date
// does not show that it is not from 2020.
func (g not) test(r *reading, t *trace, s scope) verdict {
	at := t.open("not", true, s)
	v := g.of.test(r, t, s.inner())
	switch v {
	case yes:
		v = no
	case no:
		v = yes
	}
	return t.close(at, v, s, "")
}

// settled turns unknown into yes or no: at the top, and wherever unknown: is
// stated.
type settled struct {
	of   node
	pass bool
}

// test passes the policy on to its members, which are shown by it, and turns unknown into
// the outcome that was asked for.
func (g settled) test(r *reading, t *trace, s scope) verdict {
	v := g.of.test(r, t, scope{g.pass, s.depth})
	if v == unknown {
		return of(g.pass)
	}
	return v
}

// A leaf tests one thing and reports what it found.
type leaf struct {
	name string
	of   finder
}

// A finder reports whether a page has something, and what it found or missed,
// in words.
type finder interface {
	find(r *reading) (verdict, string)
}

// test records the outcome of one clause with what was found.
func (l leaf) test(r *reading, t *trace, s scope) verdict {
	at := t.open(l.name, false, s)
	v, detail := l.of.find(r)
	return t.close(at, v, s, detail)
}
