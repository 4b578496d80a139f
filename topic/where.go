package topic

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"dowse/internal/strictyaml"
)

// maxWhere is how many values a tree of clauses may have.
const maxWhere = 2000

// where reads the gate: a tree of clauses, or an expression. The tree is made of plain
// values (map[string]any, []any, string, float64, bool, nil), as package predicate
// takes it.
func (r *reader) where(n ast.Node) any {
	r.whereAt = n
	before := len(r.problems)
	places := &places{at: map[string]ast.Node{}}
	v := r.plain(n, places, "")
	if len(r.problems) > before {
		return nil
	}
	r.clauses(n, v, places)
	return v
}

// places remember where the values of a tree stand in the file.
type places struct {
	at map[string]ast.Node
}

// plain turns a node into plain values.
func (r *reader) plain(n ast.Node, in *places, path string) any {
	if len(in.at) > maxWhere {
		return nil
	}
	in.at[path] = n
	if len(in.at) > maxWhere {
		r.fail(n, "where: has too many clauses", "keep the ones that matter")
		return nil
	}
	switch n := n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return r.plainMap(n, in, path)
	case *ast.SequenceNode:
		list := make([]any, len(n.Values))
		for i, item := range n.Values {
			list[i] = r.plain(item, in, path+"/"+strconv.Itoa(i))
		}
		return list
	case *ast.IntegerNode, *ast.FloatNode:
		return r.plainNumber(n)
	case *ast.BoolNode:
		return n.Value
	}
	s, _ := r.scalar(n, "where")
	return s
}

// plainMap turns a mapping of a condition into plain values, and records where each key and
// value is in the file, for errors that are found later.
func (r *reader) plainMap(n ast.Node, in *places, path string) any {
	values, _ := strictyaml.Pairs(n)
	m := map[string]any{}
	for _, v := range values {
		name := v.Key.GetToken().Value
		if _, merge := v.Key.(*ast.MergeKeyNode); merge {
			r.fail(v.Key, "where: the merge key << is not allowed in a topic file", "write the keys out")
			continue
		}
		if _, twice := m[name]; twice {
			r.fail(v.Key, fmt.Sprintf("where: the key %q is there twice", cut(name)), `write the clauses as items of a list under "all:"`)
			continue
		}
		m[name] = r.plain(v.Value, in, path+"/"+name)
		in.at[path+"/"+name+keyMark] = v.Key
	}
	return m
}

// keyMark ends the path of a key, as opposed to that of its value.
const keyMark = "\x00"

// plainNumber returns a number; one that a file can't mean is a text.
func (r *reader) plainNumber(n ast.Node) any {
	s := n.GetToken().Value
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) || strings.HasPrefix(s, "0x") {
		return s
	}
	return f
}

// find returns where a path into the tree is in the file: its key where it has one,
// or the nearest thing above it.
func (p *places) find(path []any) (line, column int) {
	for ; ; path = path[:len(path)-1] {
		name := ""
		for _, step := range path {
			name += "/" + fmt.Sprint(step)
		}
		for _, full := range []string{name + keyMark, name} {
			if n, ok := p.at[full]; ok {
				return strictyaml.Place(n)
			}
		}
		if len(path) == 0 {
			return 1, 1
		}
	}
}
