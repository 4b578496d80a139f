// Package strictyaml reads YAML that people write or that strangers hand over: bounded before
// it is parsed, one document, no unknown or repeated keys, and every fault an error with its
// line and column and with what to do.
//
// The YAML parser takes time in the square of the nesting and of the number of keys, and an
// anchor lets a small file define a huge value. A [Form] therefore states how large and
// deep a kind of file may be, and tokens are checked against it before they are parsed.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"dowse/internal/mistake"
	"dowse/internal/plain"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// A Form describes one kind of file. Every limit must be set: a limit of 0 refuses
// everything.
type Form struct {
	Bytes    int // bytes of the file
	Line     int // bytes of one line
	Brackets int // open at a time
	Dashes   int // lists that begin on one line, as in "- - -"
	Indent   int // columns
	Keys     int // keys and documents, in all

	// What to do about a file that has too many bytes or keys, is empty, or holds a second
	// document, and where an example can be seen.
	FixLarge, FixKeys, FixEmpty, FixSecond, FixOther string

	// Lenient leaves repeated keys, anchors, aliases, tags and merge keys in the tree, for a
	// caller that reports them itself, with all other faults of the file.
	Lenient bool

	MayBeEmpty bool // a file without a value is not an error: Parse returns nil for it
}

// oneToALine is what to do about a line or a nesting that is too large. Such files are
// mostly lists that a program wrote on one line.
const oneToALine = `write one item to a line, after "- "`

// Parse returns the only document of a file; name is the file's name in errors. Its time
// is bounded by the limits of the form, whatever the bytes are.
func (f *Form) Parse(data []byte, name string) (ast.Node, *mistake.Error) {
	root, e := f.parse(data)
	if e != nil {
		e.File = name
		return nil, e
	}
	return root, nil
}

// parse checks lines, then tokens, and only then parses: the parser is slow on hostile
// input, so its input must be bounded before.
//
// A byte order mark, which some editors of Windows write, is passed over. The parser would take
// it for a part of the first key.
func (f *Form) parse(data []byte) (ast.Node, *mistake.Error) {
	data = bytes.TrimPrefix(data, []byte(plain.Mark))
	if e := f.lines(data); e != nil {
		return nil, e
	}
	tokens := lexer.Tokenize(string(data))
	if e := f.tokens(tokens); e != nil {
		return nil, e
	}
	var options []parser.Option
	if f.Lenient {
		options = append(options, parser.AllowDuplicateMapKey())
	}
	file, err := parser.Parse(tokens, 0, options...)
	if err != nil {
		return nil, f.syntax(err, data)
	}
	return f.document(file)
}

// lines checks the size of the file and of its lines, their encoding and control
// characters. It comes first, because it is linear in the size and needs no memory.
func (f *Form) lines(data []byte) *mistake.Error {
	if len(data) > f.Bytes {
		return at(1, 1, fmt.Sprintf("the file has more than %d KiB", f.Bytes>>10), f.FixLarge)
	}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		line = bytes.TrimRight(line, "\r\n")
		switch {
		case !utf8.Valid(line):
			return at(n, 1, "the line is not UTF-8", "save the file as UTF-8")
		case bytes.ContainsFunc(line, isControl):
			return at(n, 1, "the line has control characters", "remove them")
		case len(line) > f.Line:
			return at(n, 1, fmt.Sprintf("the line has more than %d KiB", f.Line>>10), oneToALine)
		}
	}
	return nil
}

// isControl reports whether a character may not be in a file. The YAML parser complains of
// tabs itself, where they matter.
func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

// tokens checks nesting and number of keys, and refuses what lets a small file define a
// large value: anchors with aliases, and merge keys. Nesting is bounded in each of the
// ways in which YAML can express it: brackets, dashes on one line, and indentation.
func (f *Form) tokens(tokens token.Tokens) *mistake.Error {
	var open, keys, dashes, line int
	for _, t := range tokens {
		if t.Position.Line != line {
			line, dashes = t.Position.Line, 0
		}
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			open++
		case token.SequenceEndType, token.MappingEndType:
			open = max(open-1, 0)
		case token.SequenceEntryType:
			dashes++
		case token.MappingValueType, token.DocumentHeaderType:
			keys++
		case token.MappingKeyType:
			keys++
			if !f.Lenient {
				return unclever(t)
			}
		case token.AnchorType, token.AliasType, token.MergeKeyType, token.TagType, token.DirectiveType:
			if !f.Lenient {
				return unclever(t)
			}
		}
		switch {
		case open > f.Brackets:
			return at(line, 1, "values are nested too deeply: too many brackets", oneToALine)
		case dashes > f.Dashes || t.Position.IndentNum > f.Indent:
			return at(line, 1, "values are nested too deeply: lists in lists", oneToALine)
		case keys > f.Keys:
			return at(line, 1, fmt.Sprintf("more than %d keys", f.Keys), f.FixKeys)
		}
	}
	return nil
}

// unclever returns the error for YAML features that are not permitted. People meet it
// mostly with a text that begins with such a sign, so the fix is to quote it.
func unclever(t *token.Token) *mistake.Error {
	return at(t.Position.Line, t.Position.Column, "anchors, aliases, merge keys, tags and directives are not used here",
		"write the value out, in quotes if it begins with such a sign")
}

// document returns the only document of a file. A document without a value, such as one
// of comments only, does not count.
func (f *Form) document(file *ast.File) (ast.Node, *mistake.Error) {
	var bodies []ast.Node
	for _, d := range file.Docs {
		if d.Body != nil {
			bodies = append(bodies, d.Body)
		}
	}
	switch len(bodies) {
	case 0:
		if f.MayBeEmpty {
			return nil, nil
		}
		return nil, at(1, 1, "the file is empty", f.FixEmpty)
	case 1:
		return bodies[0], nil
	}
	line, column := Place(bodies[1])
	return nil, at(line, column, "a second document begins here", f.FixSecond)
}

// syntax turns an error of the YAML parser into one with a place and with what to do. The
// parser reports repeated keys as errors of syntax, too; these get a message of their own.
func (f *Form) syntax(err error, data []byte) *mistake.Error {
	var e yaml.Error
	if !errors.As(err, &e) || e.GetToken() == nil || e.GetToken().Position == nil {
		return at(1, 1, "not YAML", f.FixOther)
	}
	pos, message := e.GetToken().Position, firstLine(e.GetMessage())
	if key, ok := strings.CutPrefix(message, "mapping key "); ok { // "name" already defined at [2:1]
		return at(pos.Line, pos.Column, "the key "+key, "remove one of them, or merge their values")
	}
	return at(pos.Line, pos.Column, "not YAML: "+message, syntaxFix(message, lineOf(data, pos.Line)))
}

// syntaxFix returns what usually helps against a message of the YAML parser. It matches
// parts of messages; if a newer parser words them otherwise, the last advice remains.
func syntaxFix(message, line string) string {
	switch {
	case strings.Contains(line, "\t"):
		return "indent with spaces, not with tabs"
	case strings.Contains(message, "quoted text"):
		return "close the quote"
	case strings.Contains(message, "sequence end token"):
		return "close the list with ]"
	case strings.Contains(message, "map"), strings.Contains(message, "reserved character"), strings.Contains(message, "directive"):
		return "put the text in quotes if it has : # @ ` % or begins with a sign"
	case strings.Contains(message, "unexpected key name"):
		return "write a colon and a space after the key"
	}
	return "check the indentation: items of one list begin in one column"
}

// lineOf returns the n-th line of a file, counted from 1; "" if there is none. It splits
// no further than that line.
func lineOf(data []byte, n int) string {
	lines := strings.SplitN(string(data), "\n", n+1)
	if n < 1 || n > len(lines) {
		return ""
	}
	return lines[n-1]
}

// firstLine returns a text up to its first line break: the parser appends an excerpt of
// the file to its messages.
func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// at returns an error at a place. Lines and columns are at least 1, also where the
// parser has none.
func at(line, column int, problem, fix string) *mistake.Error {
	return &mistake.Error{Line: max(line, 1), Column: max(column, 1), Problem: problem, Fix: fix}
}
