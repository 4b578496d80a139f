package strictyaml

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"dowse/internal/mistake"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
)

// Read parses a file and decodes it into v, a pointer to a struct or map. A key that v
// has no field for and a value of the wrong type are errors with line, column and what
// to do. If the form permits an empty file, v stays as it is for one.
func (f *Form) Read(data []byte, name string, v any) *mistake.Error {
	root, e := f.Parse(data, name)
	if e != nil || root == nil {
		return e
	}
	return f.Decode(root, name, v)
}

// Decode decodes a parsed document into v as [Form.Read] does.
func (f *Form) Decode(root ast.Node, name string, v any) *mistake.Error {
	err := yaml.NodeToValue(root, v, yaml.Strict())
	if err == nil {
		return nil
	}
	e := f.located(err, root, reflect.TypeOf(v))
	e.File = name
	return e
}

// located turns an error of the decoder into one with a place. For an unknown key it
// suggests the nearest key that is permitted there; t is the type decoded into. The
// decoder reports one error at a time, the first in the file.
func (f *Form) located(err error, root ast.Node, t reflect.Type) *mistake.Error {
	var y yaml.Error
	if !errors.As(err, &y) || y.GetToken() == nil || y.GetToken().Position == nil {
		line, column := quotedAt(root, err.Error())
		return at(line, column, firstLine(err.Error()), f.FixOther)
	}
	tok := y.GetToken()
	e := at(tok.Position.Line, tok.Position.Column, firstLine(y.GetMessage()), f.FixOther)
	var unknown *yaml.UnknownFieldError
	var kind *yaml.TypeError
	var large *yaml.OverflowError
	switch {
	case errors.As(err, &large):
		e.Problem = fmt.Sprintf("%s is out of range", large.SrcNum)
		e.Fix = "use a smaller " + kindName(large.DstType.String())
		if strings.HasPrefix(large.SrcNum, "-") {
			e.Fix = "use a larger " + kindName(large.DstType.String())
			if strings.HasPrefix(large.DstType.String(), "uint") {
				e.Fix = "use 0 or more"
			}
		}
	case errors.As(err, &unknown):
		e.Problem = fmt.Sprintf("there is no key %q", tok.Value)
		e.Fix = mistake.Suggestion(tok.Value, keysAt(root, e.Line, e.Column, t))
	case errors.As(err, &kind):
		e.Problem = fmt.Sprintf("%q is not a %s", tok.Value, kindName(kind.DstType.String()))
	}
	return e
}

// quotedAt returns the place of the first value that a message quotes; the beginning of the file if it quotes none.
// Errors of types that read themselves, such as durations, have no place, but they quote the text.
func quotedAt(root ast.Node, message string) (line, column int) {
	q := &quotedFinder{message: message}
	ast.Walk(q, root)
	if q.found == nil {
		return 1, 1
	}
	return Place(q.found)
}

// A quotedFinder looks for a value whose text, in quotes, is part of a message.
type quotedFinder struct {
	message string
	found   ast.Node
}

// Visit looks at the values of mappings; keys do not count.
func (q *quotedFinder) Visit(n ast.Node) ast.Visitor {
	if pair, ok := n.(*ast.MappingValueNode); ok && q.found == nil {
		if v, ok := pair.Value.(ast.ScalarNode); ok && strings.Contains(q.message, fmt.Sprintf("%q", fmt.Sprint(v.GetValue()))) {
			q.found = v
		}
	}
	return q
}

// kindName returns a Go type in words for people.
func kindName(typ string) string {
	switch {
	case strings.HasPrefix(typ, "int"), strings.HasPrefix(typ, "uint"):
		return "whole number"
	case strings.HasPrefix(typ, "float"):
		return "number"
	case typ == "string":
		return "text"
	case typ == "bool":
		return "yes or no (true, false)"
	}
	return "value of the kind that belongs here"
}

// keysAt returns the keys that are permitted at the place of an unknown one: those of
// the struct that the mapping around it is decoded into. The error has only a position,
// so the path to it is found in the tree first, and then followed through the type.
func keysAt(root ast.Node, line, column int, t reflect.Type) []string {
	f := &keyFinder{line: line, column: column}
	ast.Walk(f, root)
	t = structOf(t)
	for _, key := range f.above() {
		if field, ok := fieldOf(t, key); ok {
			t = field
		}
	}
	return keysOf(t)
}

// A keyFinder is a visitor that finds the path of the key at a line and column. A
// position belongs to one key only, so the order of visits does not matter.
type keyFinder struct {
	line, column int
	found        string // its path: $.seeds.form
}

// Visit implements ast.Visitor.
func (f *keyFinder) Visit(n ast.Node) ast.Visitor {
	if v, ok := n.(*ast.MappingValueNode); ok {
		if p := v.Key.GetToken().Position; p.Line == f.line && p.Column == f.column {
			f.found = v.GetPath()
		}
	}
	return f
}

// above returns the keys of the mappings around the found key, the outermost first. The
// first part, $, is the document itself and matches no field.
func (f *keyFinder) above() (keys []string) {
	parts := strings.Split(f.found, ".")
	for _, part := range parts[:len(parts)-1] {
		key, _, _ := strings.Cut(part, "[")
		keys = append(keys, key)
	}
	return keys
}

// structOf returns the element type of pointers and slices.
func structOf(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t
}

// keyOf returns the YAML key of a field, "" if it has no yaml tag.
func keyOf(f reflect.StructField) string {
	key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return key
}

// fieldOf returns the type of the value that a key of a struct has.
func fieldOf(t reflect.Type, key string) (reflect.Type, bool) {
	if t.Kind() != reflect.Struct {
		return nil, false
	}
	for f := range t.Fields() {
		if keyOf(f) == key {
			return structOf(f.Type), true
		}
	}
	return nil, false
}

// keysOf returns the keys of a struct, sorted; nil for other types.
func keysOf(t reflect.Type) (list []string) {
	if t.Kind() != reflect.Struct {
		return nil
	}
	for f := range t.Fields() {
		if key := keyOf(f); key != "" && key != "-" {
			list = append(list, key)
		}
	}
	slices.Sort(list)
	return list
}
