package topic

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// The limits of a topic file. The YAML parser needs time quadratic in the
// nesting and in the number of keys, so both are bounded before it sees the
// file.
const (
	MaxFile = 256 << 10 // bytes

	maxLine    = 16 << 10 // bytes
	maxNesting = 64       // open brackets
	maxDashes  = 16       // "- - -" on one line
	maxKeys    = 1000     // keys and documents
)

// Load reads a topic file. Paths in it are relative to its folder, and if
// something that it names can't be loaded ([Topic.Gather]), the error has the
// place in the file.
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
	r := &reader{file: path}
	t, err := r.parse(data)
	if err != nil {
		return nil, err
	}
	t.Dir, t.named = filepath.Dir(path), r.named
	return t, nil
}

// Parse reads a topic from the text of a file; name is the file's name in
// errors. It is strict: unknown keys, repeated keys and values of the wrong
// kind are errors, each an [*Error] with its place. The text may be hostile:
// size and nesting are bounded, and anchors and aliases are refused.
func Parse(data []byte, name string) (*Topic, error) {
	return (&reader{file: name}).parse(data)
}

func (r *reader) parse(data []byte) (*Topic, error) {
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
	if err := joinProblems(r.problems); err != nil {
		return nil, err
	}
	return t, nil
}

// bounds returns why a text is not given to the YAML parser; nil if it may be.
func (r *reader) bounds(data []byte) *Error {
	if len(data) > MaxFile {
		return r.at(1, 1, fmt.Sprintf("the file has more than %d KiB", MaxFile>>10), "put long lists of seeds into a file of their own")
	}
	var open, keys int
	for i, line := range bytes.Split(data, []byte("\n")) {
		line = bytes.TrimSuffix(line, []byte("\r"))
		opened, closed := count(line, "[{"), count(line, "]}")
		keys += keyMarks(line)
		if problem, fix := lineProblem(line, open+opened, keys); problem != "" {
			return r.at(i+1, 1, problem, fix)
		}
		open = max(open+opened-closed, 0)
	}
	return nil
}

// lineProblem returns what is wrong with a line; "" for nothing. brackets are
// open in it, and keys were counted up to its end.
func lineProblem(line []byte, brackets, keys int) (problem, fix string) {
	const oneToALine = `write one item per line, after "- "`
	switch {
	case !utf8.Valid(line):
		return "the line is not UTF-8", "save the file as UTF-8"
	case bytes.ContainsFunc(line, isForbidden):
		return "the line has control characters", "remove them"
	case len(line) > maxLine:
		return fmt.Sprintf("the line has more than %d KiB", maxLine>>10), oneToALine
	case brackets > maxNesting:
		return "too many brackets", oneToALine
	case dashes(line) > maxDashes:
		return "lists in lists in lists", oneToALine
	case keys > maxKeys:
		return fmt.Sprintf("more than %d keys", maxKeys), "a topic has about ten: remove the others"
	}
	return "", ""
}

func count(line []byte, chars string) int {
	n := 0
	for _, c := range line {
		if strings.IndexByte(chars, c) >= 0 {
			n++
		}
	}
	return n
}

// keyMarks counts what may make a key or a document of a line: colons before a
// space or after a quote, but not those of URLs.
func keyMarks(line []byte) int {
	n := 0
	if start := bytes.TrimLeft(line, " \t-"); len(start) > 0 && start[0] == '?' || bytes.HasPrefix(line, []byte("---")) {
		n++
	}
	for i, c := range line {
		if c != ':' {
			continue
		}
		last := i == len(line)-1
		if last || strings.IndexByte(" \t,[]{}\"'", line[i+1]) >= 0 || i > 0 && strings.IndexByte("\"']}", line[i-1]) >= 0 {
			n++
		}
	}
	return n
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

// isForbidden reports what no line of a topic file may have: control characters
// but the tab, of which the YAML parser complains itself.
func isForbidden(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

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
	return nil, r.at(line, column, "a second document begins here", "write one topic per file")
}

// syntax turns an error of the YAML parser into an Error.
func (r *reader) syntax(err error, data []byte) *Error {
	var e yaml.Error
	if !errors.As(err, &e) || e.GetToken() == nil || e.GetToken().Position == nil {
		return r.at(1, 1, "not YAML", "see docs/topics.md for an example")
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
