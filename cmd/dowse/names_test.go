package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// A mention is a place that names parts of the command line.
type mention struct{ place, text string }

// TestNamesExist checks that every command, flag, help topic and file that a
// document or a string of the program names exists.
func TestNamesExist(t *testing.T) {
	k := knownNames(t)
	for _, n := range append(documents(t), programStrings(t)...) {
		k.check(t, n)
	}
}

// names are what the command line has.
type names struct {
	commands map[string]bool // "lab run"
	flags    map[string]bool // "--pages"
	topics   map[string]bool // of help
}

func knownNames(t *testing.T) names {
	t.Helper()
	var c cli
	p, err := newParser(&c, &world{out: io.Discard, err: io.Discard, env: func(string) string { return "" }}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	k := names{commands: map[string]bool{}, flags: map[string]bool{"--help": true}, topics: map[string]bool{}}
	var walk func(n *kong.Node, path string)
	walk = func(n *kong.Node, path string) {
		for _, f := range n.Flags {
			k.flags["--"+f.Name] = true
		}
		for _, child := range n.Children {
			for _, name := range append([]string{child.Name}, child.Aliases...) {
				at := strings.TrimSpace(path + " " + name)
				k.commands[at] = true
				walk(child, at)
			}
		}
	}
	walk(p.Model.Node, "")
	for _, topic := range helpTopics() {
		k.topics[topic.name] = true
	}
	return k
}

// Flags of other programs, and flags that are gone, which documents mention.
var foreignFlags = []string{"--allow-exec", "--fsize", "--headless", "--no-sandbox"}

var (
	flagName    = regexp.MustCompile(`(?:^|[\s` + "`" + `"'(\[|/])(--[a-z][a-z-]*[a-z])\b`)
	commandName = regexp.MustCompile(`(?:^|\$ |` + "`" + `|\n\s*|"|: |; |see )dowse ([a-z-]+(?: [a-z-]+)?)`)
	mdLink      = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
)

func (k names) check(t *testing.T, n mention) {
	t.Helper()
	for _, m := range flagName.FindAllStringSubmatch(n.text, -1) {
		if !k.flags[m[1]] && !strings.Contains(n.text, "var("+m[1]) && !strings.Contains(n.text, m[1]+":") && !slices.Contains(foreignFlags, m[1]) && !isGoFlag(n.text, m[1]) {
			t.Errorf("%s: there is no flag %s", n.place, m[1])
		}
	}
	for _, m := range commandName.FindAllStringSubmatch(n.text, -1) {
		words := strings.Fields(m[1])
		switch {
		case words[0] == "help" && len(words) > 1:
			if !k.topics[words[1]] && !k.commands[words[1]] {
				t.Errorf("%s: there is no help on %q", n.place, words[1])
			}
		case !k.commands[words[0]] && !isProse(words[0]) && !strings.HasPrefix(n.text, "dowse trail/"):
			t.Errorf("%s: there is no command %q", n.place, words[0])
		}
	}
	if strings.HasSuffix(n.place, ".md") {
		for _, m := range mdLink.FindAllStringSubmatch(n.text, -1) {
			if _, err := os.Stat(filepath.Join("../..", filepath.Dir(n.place), m[1])); err != nil {
				t.Errorf("%s: there is no file %s", n.place, m[1])
			}
		}
	}
}

// isGoFlag reports whether a flag stands in a command of another program.
func isGoFlag(text, flag string) bool {
	for line := range strings.Lines(text) {
		if strings.Contains(line, flag) && !strings.Contains(line, "go test") && !strings.Contains(line, "systemd") {
			return false
		}
	}
	return true
}

// isProse reports whether a word after "dowse" belongs to a sentence.
func isProse(word string) bool {
	return slices.Contains([]string{"is", "finds", "for", "can", "does", "has", "itself", "will", "of", "on", "and", "with", "in", "to", "that", "writes", "reads", "follows", "crawls", "obeys", "tries"}, word)
}

// documents returns every Markdown file of the project, from its root.
func documents(t *testing.T) (list []mention) {
	t.Helper()
	err := fs.WalkDir(os.DirFS("../.."), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".md") || strings.Contains(path, "testdata/") {
			return err
		}
		data, err := os.ReadFile(filepath.Join("../..", path))
		list = append(list, mention{path, string(data)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 20 {
		t.Fatalf("only %d documents", len(list))
	}
	return list
}

// programStrings returns every string literal of the program, help and errors
// among them.
func programStrings(t *testing.T) (list []mention) {
	t.Helper()
	err := fs.WalkDir(os.DirFS("../.."), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "bench/") || strings.HasPrefix(path, "hostile/") {
			return err
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, filepath.Join("../..", path), nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil {
					list = append(list, mention{path + ":" + strconv.Itoa(files.Position(lit.Pos()).Line), s})
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
