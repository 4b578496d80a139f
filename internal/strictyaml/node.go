package strictyaml

import "github.com/goccy/go-yaml/ast"

// Place returns the line and column at which a node begins, from 1. A mapping without braces
// begins at its first key, not at the colon after it.
func Place(n ast.Node) (line, column int) {
	if values, ok := Pairs(n); ok && len(values) > 0 && n.GetToken() != nil && n.GetToken().Value != "{" {
		n = values[0].Key
	}
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return 1, 1
	}
	p := n.GetToken().Position
	return max(p.Line, 1), max(p.Column, 1)
}

// Pairs returns the keys and values of a mapping; ok is false for any other node. The
// parser has a type of its own for a mapping of one pair, which callers need not know.
func Pairs(n ast.Node) (pairs []*ast.MappingValueNode, ok bool) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	}
	return nil, false
}

// Kind returns what a node is, in words for people, for messages such as "want a list,
// got a mapping".
func Kind(n ast.Node) string {
	switch n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	case *ast.NullNode, nil:
		return "empty"
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode:
		return "an anchor, alias or tag"
	}
	return "a single value"
}
