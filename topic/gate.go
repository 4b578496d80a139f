package topic

import (
	"errors"
	"fmt"
	"slices"

	"dowse"
	"dowse/internal/facts"
	"dowse/internal/predicate"
	"dowse/internal/strictyaml"
	"dowse/judge"
	"dowse/weburl"

	"github.com/goccy/go-yaml/ast"
)

// A gate tests whether a page meets the conditions of the topic's where.
type gate struct {
	*predicate.Predicate
	name    string // of the topic, which category(NAME) can name
	decides bool   // a page that meets it is on topic, whatever the words contribute

	asked      []string               // names of the categories that it asks for
	categories map[string]judge.Model // of those that are not the topic itself
}

// The log-odds to which a gate moves a page: at most -shut if it does not hold,
// at least open if it holds and decides.
const (
	shut = 5
	open = 3
)

// maxProblem bounds the description of a problem with a clause, in characters.
const maxProblem = 300

// clauses checks the tree of a gate, and records the problems at their places.
func (r *reader) clauses(n ast.Node, v any, in *places) {
	_, problems := predicate.FromTree(v, func(path ...any) (int, int) { return in.find(path) })
	for _, p := range problems {
		line, column := p.Line, p.Column
		if line == 0 {
			line, column = strictyaml.Place(n)
		}
		if len(r.problems) < maxProblems {
			r.problems = append(r.problems, r.at(line, column, "where: "+cutTo(p.Problem, maxProblem), p.Fix))
		}
	}
}

// newGate builds the gate of the topic; nil for none.
func (t *Topic) newGate() (*gate, error) {
	if t.Where == nil {
		return nil, nil
	}
	p, problems := predicate.FromTree(t.Where, nil)
	if len(problems) > 0 {
		errs := make([]error, len(problems))
		for i := range problems {
			errs[i] = &problems[i]
		}
		return nil, fmt.Errorf("where: %w", errors.Join(errs...))
	}
	return &gate{Predicate: p, name: t.Name, decides: asksContent(p.Tree()), asked: p.Needs().Categories}, nil
}

// asks reports whether any clause tests something of a page and, if not,
// whether the gate always holds.
func (g *gate) asks() (asked, holds bool) {
	r := g.Test(&dowse.Page{}, g.facts(&dowse.Page{}, 0))
	return slices.ContainsFunc(r.Clauses, func(c predicate.Clause) bool { return !c.Group }), r.Holds
}

// asksContent reports whether a tree tests the content of a page, and not only
// where it is, its language or its length.
func asksContent(v any) bool {
	switch v := v.(type) {
	case string:
		p, err := predicate.ParseExpr(v)
		return err == nil && asksContent(p.Tree())
	case []any:
		for _, item := range v {
			if asksContent(item) {
				return true
			}
		}
	case map[string]any:
		if op, ok := v["op"].(string); ok {
			return asksAtom(op, v)
		}
		for fact, how := range v {
			if asksFact(fact, how) {
				return true
			}
		}
	}
	return false
}

// asksAtom is asksContent for an atom or operator in the JSON form of expressions.
func asksAtom(op string, v map[string]any) bool {
	switch op {
	case "keyword", "phrase", "category":
		return true
	case "and", "or":
		return asksContent(v["args"])
	}
	return false
}

// asksFact is asksContent for one key of a clause.
func asksFact(fact string, how any) bool {
	switch fact {
	case "all", "any":
		return asksContent(how)
	}
	f := facts.Named(fact)
	if f == nil || !f.Content {
		return false
	}
	m, ok := how.(map[string]any)
	return !ok || m["has"] != nil || f.Type == facts.Table
}

// pass applies the gate to a page; each clause becomes a reason. If the topic
// has only words in addition and the gate tests content, the gate decides, and
// words only rank links.
func (j *Judge) pass(s *sum, p *dowse.Page) {
	if j.gate == nil {
		return
	}
	z := s.total()
	score := sigmoid(z)
	r := j.gate.Test(p, j.gate.facts(p, score))
	r.Clauses = denied(r.Clauses)
	weights := make([]float64, len(r.Clauses))
	lifted := 0.0 // what a gate that decides adds to the evidence
	if j.gate.decides && len(j.models()) == 0 {
		lifted = open + max(z, 0) - z
	}
	fall := -(max(z+lifted, 0) + shut)
	if !r.Holds {
		share(weights, culprits(r.Clauses), fall)
	}
	for i, c := range r.Clauses {
		if !c.Group || weights[i] != 0 {
			s.tail = append(s.tail, dowse.Because{What: clauseName(c), Weight: weights[i]})
		}
	}
	if lifted != 0 {
		s.tail = append(s.tail, dowse.Because{What: decides(r.Holds), Weight: lifted})
	}
	if !r.Holds && len(r.Clauses) == 0 {
		s.tail = append(s.tail, dowse.Because{What: "where does not hold", Weight: fall})
	}
}

// gateAlone reports whether the topic is nothing but a gate: then a page is relevant if
// it meets the gate, and nothing else counts. If an outside judge is asked, a page that
// meets the gate is unsure instead, so that the outside judge sees it.
func (j *Judge) gateAlone() bool {
	return len(j.evidence) == 0 && j.signs == nil && !j.asks
}

// gateVerdict rates a page 1 if it meets the gate, else 0. The outcome of each clause is
// a reason without a weight.
func (j *Judge) gateVerdict(p *dowse.Page) dowse.Verdict {
	r := j.gate.Test(p, j.gate.facts(p, judge.Threshold))
	v := dowse.Verdict{Scale: judge.Share, Judge: j.title()}
	outcome := "where does not hold"
	if r.Holds {
		v.Relevance, outcome = 1, "where holds"
	}
	for _, c := range denied(r.Clauses) {
		if !c.Group {
			v.Because = append(v.Because, dowse.Because{What: clauseName(c)})
		}
	}
	v.Because = append(v.Because, dowse.Because{What: outcome, Weight: v.Relevance})
	return v
}

// decides names what a deciding gate adds. If it does not hold, the clauses
// take it back, so that the reasons show what the page would be if they held.
func decides(holds bool) string {
	if holds {
		return "where holds"
	}
	return "where decides"
}

// facts returns what is known of a page other than its content.
func (g *gate) facts(p *dowse.Page, score float64) predicate.Facts {
	f := predicate.Facts{Score: &score, Categories: g.probabilities(p, score)}
	if v := p.Via; v != nil {
		f.Anchors = v.Anchors
		f.Parent = &predicate.Parent{Score: v.Relevance, Host: weburl.Hostname(v.Parent)}
	}
	return f
}

// AsksVia reports whether the topic's gate depends on how a page was found: by
// which anchors, from which page. Recording that has a cost, so a crawl does it
// only then.
func (t *Topic) AsksVia() bool { return t.asksAny("anchor", "parent.score", "parent.host") }

// AsksLinksIn reports whether the topic's gate depends on how many pages link
// to a page. A crawl counts them only then.
func (t *Topic) AsksLinksIn() bool { return t.asksAny("links_in") }

// withoutCrawlFacts returns the topic for judging pages outside a crawl:
// without a gate that depends on what only a crawl knows, since it would reject
// all of them. why explains it; "" if nothing is left out, as when unknown
// facts pass.
func (t *Topic) withoutCrawlFacts() (alone *Topic, why string) {
	if tree, ok := t.Where.(map[string]any); ok && tree["unknown"] == "pass" {
		return t, ""
	}
	for _, f := range facts.All() {
		if f.InCrawl && t.asksAny(f.Name) {
			ungated := *t
			ungated.Where = nil
			return &ungated, "where: asks for " + f.Name + ", which only a crawl knows: examples are judged without where:"
		}
	}
	return t, ""
}

// asksAny reports whether the topic's gate asks for one of some facts.
func (t *Topic) asksAny(names ...string) bool {
	g, err := t.newGate()
	return g != nil && err == nil && slices.ContainsFunc(names, g.Needs().Reads)
}

// denied merges each not around a single clause with that clause, so that its
// reason can be read by itself. A not around several clauses is described by
// their number.
func denied(clauses []predicate.Clause) (list []predicate.Clause) {
	for i := 0; i < len(clauses); i++ {
		c := clauses[i]
		if c.Group && c.Name == "not" {
			switch inner := inside(clauses[i+1:], c.Depth); {
			case len(inner) == 1 && !inner[0].Group:
				c.Name, c.Detail, c.Group = "not "+inner[0].Name, inner[0].Detail, false
				i++
			case leaves(inner) == 1:
				c.Name = "not what the next says"
			default:
				c.Name = fmt.Sprintf("not what the next %d say", leaves(inner))
			}
		}
		list = append(list, c)
	}
	return list
}

// inside returns the clauses below a depth with which a list begins.
func inside(after []predicate.Clause, depth int) []predicate.Clause {
	n := slices.IndexFunc(after, func(c predicate.Clause) bool { return c.Depth <= depth })
	if n < 0 {
		return after
	}
	return after[:n]
}

// leaves counts the clauses that are no groups.
func leaves(clauses []predicate.Clause) (n int) {
	for _, c := range clauses {
		if !c.Group {
			n++
		}
	}
	return n
}

// clauseName describes a clause and its outcome on one line.
func clauseName(c predicate.Clause) string {
	outcome := "no"
	switch {
	case c.Unknown:
		outcome = "unknown"
	case c.Holds:
		outcome = "yes"
	}
	if c.Detail != "" {
		outcome += ", " + c.Detail
	}
	return fmt.Sprintf("where %s: %s", c.Name, outcome)
}

// culprits returns the clauses because of which a gate does not hold: those
// that fail while nothing inside them does.
func culprits(clauses []predicate.Clause) (list []int) {
	blocked := -1 // depth of a clause that holds, or that is the culprit itself
	for i, c := range clauses {
		if blocked >= 0 && c.Depth > blocked {
			continue
		}
		blocked = -1
		switch {
		case c.Holds:
			blocked = c.Depth
		case !failsInside(clauses[i+1:], c.Depth):
			list = append(list, i)
			blocked = c.Depth
		}
	}
	return list
}

// failsInside reports whether one of the clauses just below a depth fails.
func failsInside(after []predicate.Clause, depth int) bool {
	for _, c := range after {
		if c.Depth <= depth {
			return false
		}
		if c.Depth == depth+1 && !c.Holds {
			return true
		}
	}
	return false
}

// share divides a weight evenly among some of the clauses.
func share(weights []float64, among []int, weight float64) {
	for _, i := range among {
		weights[i] = weight / float64(len(among))
	}
}
