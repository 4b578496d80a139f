package topic

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// The limits of a topic file. The YAML parser takes time in the square of what is
// nested or on one line, so those are bounded before it sees the file.
const (
	MaxFile = 256 << 10 // bytes

	maxLine    = 16 << 10 // bytes
	maxNesting = 64       // open brackets
	maxDashes  = 16       // "- - -" on one line
)

// Load reads a topic file.
func Load(path string) (*Topic, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("topic: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("topic: read %s: %w", path, err)
	}
	return Parse(data, path)
}

// Parse reads a topic from the text of a file; name is the file's name in errors.
// It is strict: unknown keys, repeated keys and values of the wrong kind are
// errors, each an [*Error] with its place. The text may be hostile: size and
// nesting are bounded, and anchors and aliases are refused.
func Parse(data []byte, name string) (*Topic, error) {
	r := &reader{file: name}
	if p := r.bounds(data); p != nil {
		return nil, p
	}
	root, p := r.document(data)
	if p != nil {
		return nil, p
	}
	t := &Topic{}
	r.topic(root, t)
	if len(r.problems) == 0 && len(t.YAML()) > MaxFile {
		r.fail(root, fmt.Sprintf("the topic has more than %d KiB in canonical form", MaxFile>>10), "put long lists of seeds into a file of their own")
	}
	if err := joined(r.problems); err != nil {
		return nil, err
	}
	return t, nil
}

// bounds returns why a text is not given to the YAML parser, nil for nothing.
func (r *reader) bounds(data []byte) *Error {
	if len(data) > MaxFile {
		return r.at(1, 1, fmt.Sprintf("the file has more than %d KiB", MaxFile>>10), "put long lists of seeds into a file of their own")
	}
	open := 0
	for i, line := range bytes.Split(data, []byte("\n")) {
		open += bytes.Count(line, []byte("[")) + bytes.Count(line, []byte("{"))
		open -= bytes.Count(line, []byte("]")) + bytes.Count(line, []byte("}"))
		depth := max(open, bytes.Count(line, []byte("[")), bytes.Count(line, []byte("{")))
		switch {
		case !utf8.Valid(line):
			return r.at(i+1, 1, "the line is not UTF-8", "save the file as UTF-8")
		case bytes.ContainsFunc(line, isForbidden):
			return r.at(i+1, 1, "the line has control characters", "remove them")
		case len(line) > maxLine:
			return r.at(i+1, 1, fmt.Sprintf("the line has more than %d KiB", maxLine>>10), "write one item to a line, after \"- \"")
		case depth > maxNesting:
			return r.at(i+1, 1, "too many brackets are open", "write lists one item to a line, after \"- \"")
		case dashes(line) > maxDashes:
			return r.at(i+1, 1, "lists in lists in lists", "write one item to a line, after \"- \"")
		}
	}
	return nil
}

// dashes counts the lists that a line opens with "- - -".
func dashes(line []byte) int {
	n := 0
	for i, c := range line {
		switch {
		case c == ' ' || c == '\t':
			if i > 0 && line[i-1] == '-' {
				n++
			}
		case c != '-':
			return n
		}
	}
	return n
}

// isForbidden reports what no line of a topic file may have: YAML allows no
// control characters but tab and the carriage return before a line feed.
func isForbidden(r rune) bool { return r < ' ' && r != '\t' && r != '\r' || r == 0x7f }

// document returns the only document of the file.
func (r *reader) document(data []byte) (ast.Node, *Error) {
	f, err := parser.ParseBytes(data, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, r.syntax(err, data)
	}
	var bodies []ast.Node
	for _, d := range f.Docs {
		if d.Body != nil {
			bodies = append(bodies, d.Body)
		}
	}
	switch len(bodies) {
	case 0:
		return nil, r.at(1, 1, "the file is empty", "begin with \"dowse: "+Schema+"\", \"name: …\" and \"words: […]\"")
	case 1:
		return bodies[0], nil
	}
	line, column := position(bodies[1])
	return nil, r.at(line, column, "a second document begins here", "write one topic to a file")
}

// syntax makes an Error of what the YAML parser says.
func (r *reader) syntax(err error, data []byte) *Error {
	var e yaml.Error
	if !errors.As(err, &e) || e.GetToken() == nil || e.GetToken().Position == nil {
		return r.at(1, 1, "not YAML", "compare the file with dowse help topics")
	}
	pos := e.GetToken().Position
	line := lineOf(data, pos.Line)
	return r.at(max(pos.Line, 1), max(pos.Column, 1), "not YAML: "+e.GetMessage(), syntaxFix(e.GetMessage(), line))
}

// syntaxFix returns what usually helps against a message of the YAML parser.
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

func lineOf(data []byte, n int) string {
	lines := strings.SplitN(string(data), "\n", n+1)
	if n < 1 || n > len(lines) {
		return ""
	}
	return lines[n-1]
}

// position returns where a node begins in the file: a mapping without braces at
// its first key, not at the colon after it.
func position(n ast.Node) (line, column int) {
	if values, ok := pairs(n); ok && len(values) > 0 && n.GetToken() != nil && n.GetToken().Value != "{" {
		n = values[0].Key
	}
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return 1, 1
	}
	p := n.GetToken().Position
	return max(p.Line, 1), max(p.Column, 1)
}
