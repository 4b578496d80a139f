package topic

import (
	"dowse"

	"github.com/goccy/go-yaml/ast"
)

// A gate tells of each page whether what the topic demands of it holds.
type gate struct {
	test    func(p *dowse.Page) (holds bool, clauses []clause)
	decides bool // a page for which it holds is on topic, whatever the words say
}

// A clause is one demand, and what came of it.
type clause struct {
	name  string
	holds bool
}

// shut is how far below even odds a page is kept for which the gate does not hold.
const shut = 5

// newGate makes the gate of the topic, nil for none.
func (t *Topic) newGate() (*gate, error) { return nil, nil }

// pass lets the gate say what it has to say of a page: each clause is a reason.
func (j *Judge) pass(s *sum, p *dowse.Page) {
	if j.gate == nil {
		return
	}
	holds, clauses := j.gate.test(p)
	each := 0.0
	if !holds {
		failed := 0
		for _, c := range clauses {
			if !c.holds {
				failed++
			}
		}
		each = -(max(s.total(), 0) + shut) / float64(max(failed, 1))
	}
	for _, c := range clauses {
		b := dowse.Because{What: "where " + c.name}
		if !c.holds {
			b.Weight = each
		}
		s.tail = append(s.tail, b)
	}
}

func (r *reader) clauses(n ast.Node, v any, in *places) {}
