package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"dowse/crawler"
	"dowse/internal/text"
)

// A mention is a text that may name parts of the program, and where it is: a document
// from the root of the repository, or a file and line.
type mention struct {
	place, text string
	comment     bool // a comment of the program, which is mostly prose
}

// isDocument reports whether a mention is a whole document, not a string of the program.
func (n mention) isDocument() bool { return !strings.Contains(n.place, ".go:") }

// TestNamesExist checks that every command, flag, help topic, environment variable and
// file that a document, the Makefile, or a string or comment of the program names exists.
func TestNamesExist(t *testing.T) {
	k := knownNames(t)
	for _, n := range slices.Concat(documents(t), programStrings(t), programComments(t)) {
		for _, problem := range k.problems(n) {
			t.Errorf("%s: %s", n.place, problem)
		}
	}
}

// TestNamesAreChecked checks that a wrong name is found wherever it is: in a document, in
// help, in an error.
func TestNamesAreChecked(t *testing.T) {
	k := knownNames(t)
	for text, want := range map[string]string{
		"Use `--pagse 5` to stop.":                   "there is no flag --pagse",
		"**--pagse**: stop":                          "there is no flag --pagse",
		"stop (--pagse=5), or wait":                  "there is no flag --pagse",
		"--pagse: got 5, want more":                  "there is no flag --pagse",
		"Run `dowse crwal x` first.":                 `there is no command "crwal"`,
		"try it with dowse crwal":                    `there is no command "crwal"`,
		"see (dowse lab rnu demo)":                   `there is no command "lab rnu"`,
		"    dowse lab rnu demo":                     `there is no command "lab rnu"`,
		"a line\n  dowse pages x --trace y":          "dowse pages has no flag --trace",
		"`dowse topic check x --lock --pages 3`":     "dowse topic check has no flag --pages",
		"dowse crawl a --pages 3 | dowse why --demo": "dowse why has no flag --demo",
		"see dowse help reason":                      `there is no help on "reason"`,
		"dowse help strategies sharc has more":       `there is no strategy "sharc"`,
		"set DOWSE_CRAWL_PAGSE=3":                    "there is no variable DOWSE_CRAWL_PAGSE",
		"see docs/lba.md":                            "there is no file docs/lba.md",
		"see [the lab](lba.md)":                      "there is no file lba.md",
		"it is in `crawl/lvie.go`":                   "there is no file crawl/lvie.go",
		"it is in lvie.go":                           "there is no file lvie.go",
		"package `internal/palin`":                   "there is no file internal/palin",
	} {
		for _, place := range []string{"docs/lab.md", "cmd/dowse/main.go:1"} {
			got := k.problems(mention{place: place, text: text})
			if strings.Contains(text, "](") && strings.Contains(place, ".go") {
				continue // links are for documents
			}
			if !slices.Contains(got, want) {
				t.Errorf("%s: %q: %q, want %q", place, text, got, want)
			}
		}
	}
	for _, right := range []string{
		"dowse is a crawler", "`dowse crawl x --pages 3`", "dowse lab run demo --jobs 2 | dowse why --json", "see docs/lab.md",
		"dowse help strategies shark", "DOWSE_CRAWL_PAGES", "go test -run '^$' --foo", "--c:var(--ink)", "`internal/plain`",
	} {
		if got := k.problems(mention{place: "docs/lab.md", text: right}); len(got) > 0 {
			t.Errorf("%q: %q", right, got)
		}
	}
}

// A permittedName is a string outside of this package that may name a flag or command:
// the file it is in, a part of it, and why it may.
type permittedName struct{ path, part, why string }

// shownCommand is why pages of the dashboard name commands: each shows the one that does the same.
const shownCommand = "pages of the dashboard show the command that does the same"

var permittedNames = []permittedName{
	{"settings/settings.go", `help:"`, "the table of settings holds the help of their flags"},
	{"collection/datacard.go", "dowse export . ", "README.md of a collection is for people who got the directory, and may have the program"},
	{"internal/operations/commands.go", "", "it starts crawls as processes of the command line, and answers show the commands that do the same"},
	{"internal/dashboard/lab.go", "dowse lab list", shownCommand},
	{"internal/dashboard/lab.go", "--web", shownCommand},
	{"internal/dashboard/labels.go", "--", shownCommand},
	{"internal/dashboard/lists.go", "--top", shownCommand},
	{"internal/dashboard/lists.go", "--problems", shownCommand},
	{"internal/dashboard/out.go", "dowse crawl 'coral bleaching'", shownCommand},
	{"internal/dashboard/out.go", "--help", shownCommand},
	{"internal/dashboard/overview.go", "dowse status", shownCommand},
	{"internal/dashboard/search.go", "--", shownCommand},
	{"internal/dashboard/threshold.go", "--threshold", shownCommand},
	{"internal/dashboard/topic.go", "--used", shownCommand},
	{"lab/experiment/bundle.go", "dowse lab verify", "README.md of a bundle is for people who got the file, and may have the program"},
	{"lab/experiment/traces.go", "dowse lab traces", "it is a salt, which must stay as it is"},
}

// has reports whether a text in a file is permitted.
func (p permittedName) has(path, text string) bool {
	return p.path == path && strings.Contains(text, p.part)
}

// TestOnlyTheCommandLineNamesItself checks that strings of the other packages name
// neither flags nor commands of dowse. Go programs that embed a crawl print these
// strings, and have no flags; hints.go adds the flags for the command line.
func TestOnlyTheCommandLineNamesItself(t *testing.T) {
	k := knownNames(t)
	for _, n := range programStrings(t) {
		file, _, _ := strings.Cut(n.place, ":")
		permitted := func(p permittedName) bool { return p.has(file, n.text) }
		if strings.HasPrefix(file, "cmd/") || slices.ContainsFunc(permittedNames, permitted) {
			continue
		}
		for _, m := range flagName.FindAllString(n.text, -1) {
			if k.flags[m] {
				t.Errorf("%s: %q names the flag %s; return an error that cmd/dowse recognises, and add the hint there", n.place, n.text, m)
			}
		}
		for _, m := range commandName.FindAllStringSubmatch(n.text, -1) {
			if k.commands[m[1]] != nil {
				t.Errorf("%s: %q names the command dowse %s; return an error that cmd/dowse recognises, and add the hint there", n.place, n.text, m[1])
			}
		}
	}
}

// names are what the program and the repository have.
type names struct {
	commands   map[string]*kong.Node // "lab run"
	flags      map[string]bool       // "--pages", of any command
	topics     map[string]bool       // of help
	strategies []string
	variables  map[string]bool // of the environment
	files      map[string]bool // and folders, from the root of the repository
	bases      map[string]bool // names of files without their folder
}

func knownNames(t *testing.T) names {
	t.Helper()
	var c cli
	p, err := newParser(&c, &world{out: io.Discard, err: io.Discard, env: noEnv}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	k := names{
		commands: map[string]*kong.Node{}, flags: map[string]bool{"--help": true, "--version": true}, topics: map[string]bool{},
		variables: map[string]bool{}, files: map[string]bool{}, bases: map[string]bool{},
	}
	var walk func(n *kong.Node, path string)
	walk = func(n *kong.Node, path string) {
		for _, f := range n.Flags {
			k.flags["--"+f.Name] = true
		}
		for _, child := range n.Children {
			for _, name := range append([]string{child.Name}, child.Aliases...) {
				at := strings.TrimSpace(path + " " + name)
				k.commands[at] = child
				walk(child, at)
			}
		}
	}
	walk(p.Model.Node, "")
	for _, topic := range helpTopics() {
		k.topics[topic.name] = true
	}
	for _, v := range envVars(p.Model.Node) {
		k.variables[v.name] = true
	}
	k.strategies = strategyNames(crawler.Strategies())
	walkRepository(t, func(name string, _ fs.DirEntry) {
		k.files[name] = true
		k.bases[path.Base(name)] = true
	})
	return k
}

// Flags of other programs, and flags that are gone, which documents mention.
var foreignFlags = []string{"--allow-exec", "--fsize", "--headless", "--long", "--no-sandbox"}

// Variables that are no settings: those of tests, and the one by which the program finds
// processes that it has started.
var otherVariables = []string{"DOWSE_SINK_AUTH", "DOWSE_SINK_AUTH_FILE", "DOWSE_ALL_FAULTS", "DOWSE_LONG", "DOWSE_OUTSIDE_ID"}

var (
	flagName     = regexp.MustCompile(`--[a-z][a-z-]*[a-z]\b`)
	commandName  = regexp.MustCompile(`(?:^|[^\w./-])dowse ([a-z][a-z-]*)\b(?: ([a-z][a-z-]*))?(?: ([a-z][a-z-]*))?`)
	variableName = regexp.MustCompile(`\bDOWSE_[A-Z_]+[A-Z]\b`)
	fileName     = regexp.MustCompile(`(?:[\w.-]+/)*[\w-]+\.(?:go|md|txtar)\b`)
	folderName   = regexp.MustCompile("`((?:cmd|internal|strategy|lab|docs)/[a-z/]+)`")
	mdLink       = regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
	// commandLine is a command with its arguments: up to the end of the line, of the code
	// in a document, or of the command in a pipe.
	commandLine = regexp.MustCompile("(?:^|[^\\w./-])dowse [a-z][^\\n`|;()\"]*")
	// commandEnd ends a command within a line: a sentence goes on, or a column of the help
	// follows.
	commandEnd = regexp.MustCompile(`, |  | and | or `)
)

// problems lists the names in a text that do not exist.
func (k names) problems(n mention) []string {
	return slices.Concat(k.wrongFlags(n), k.wrongCommands(n), k.wrongCommandLines(n), k.wrongVariables(n), k.wrongFiles(n))
}

// wrongFlags lists the flags that no command has. Custom properties of style sheets look
// alike and are no flags, and lines that call other programs are skipped.
func (k names) wrongFlags(n mention) (list []string) {
	for line := range strings.Lines(n.text) {
		if strings.Contains(line, "go test") || strings.Contains(line, "systemd") || strings.HasPrefix(line, "$ docker ") || strings.HasPrefix(line, "COPY ") || strings.Contains(line, "var(--") || strings.Contains(n.text, ":root{") || strings.Contains(n.place, "lab/report/style.go") {
			continue
		}
		for _, flag := range flagName.FindAllString(line, -1) {
			if !k.flags[flag] && !slices.Contains(foreignFlags, flag) {
				list = append(list, "there is no flag "+flag)
			}
		}
	}
	return list
}

// wrongCommands lists the commands, subcommands, topics of help and strategies that do
// not exist. In a comment a word that is not like any command is prose.
func (k names) wrongCommands(n mention) (list []string) {
	for _, m := range commandName.FindAllStringSubmatch(n.text, -1) {
		first, second, third := m[1], m[2], m[3]
		node := k.commands[first]
		switch {
		case node == nil && n.comment && text.Nearest(first, slices.Sorted(maps.Keys(k.commands))) == "": // no command at all
		case node == nil && !isProse(first):
			list = append(list, strconv.Quote(first))
		case first == "help" && second != "" && !isProse(second):
			if !k.topics[second] && k.commands[second] == nil {
				list = append(list, "help "+strconv.Quote(second))
			}
			if second == "strategies" && third != "" && !isProse(third) && !slices.Contains(k.strategies, third) {
				list = append(list, "strategy "+strconv.Quote(third))
			}
		case node != nil && len(node.Children) > 0 && second != "" && !isProse(second) && k.commands[first+" "+second] == nil:
			list = append(list, strconv.Quote(first+" "+second))
		}
	}
	for i, name := range list {
		switch kind, rest, _ := strings.Cut(name, " \""); {
		case kind == "help":
			list[i] = `there is no help on "` + rest
		case kind == "strategy":
			list[i] = `there is no strategy "` + rest
		default:
			list[i] = "there is no command " + name
		}
	}
	return list
}

// wrongCommandLines lists the flags that are given to a command which does not have them.
func (k names) wrongCommandLines(n mention) (list []string) {
	for _, line := range commandLine.FindAllString(n.text, -1) {
		line = commandEnd.Split(line[strings.Index(line, "dowse ")+len("dowse "):], 2)[0]
		words := append(strings.Fields(line), "")
		command := words[0]
		node := k.commands[command]
		if node != nil && len(words) > 1 && k.commands[command+" "+words[1]] != nil {
			command += " " + words[1]
			node = k.commands[command]
		}
		if node == nil || command == "help" {
			continue
		}
		for _, flag := range flagName.FindAllString(line, -1) {
			if k.flags[flag] && flag != "--help" && !hasFlag(node, flag) {
				list = append(list, "dowse "+command+" has no flag "+flag)
			}
		}
	}
	return list
}

// hasFlag reports whether a command, or one below it, has a flag.
func hasFlag(n *kong.Node, flag string) bool {
	return slices.ContainsFunc(n.Flags, func(f *kong.Flag) bool { return "--"+f.Name == flag }) ||
		slices.ContainsFunc(n.Children, func(c *kong.Node) bool { return hasFlag(c, flag) })
}

// isHistory reports whether a mention is a decision, which may name variables and files
// that it abolished.
func (n mention) isHistory() bool { return strings.HasPrefix(n.place, "docs/decisions/") }

// wrongVariables lists the environment variables that neither the program nor a test
// reads.
func (k names) wrongVariables(n mention) (list []string) {
	if n.isHistory() {
		return nil
	}
	for _, name := range variableName.FindAllString(n.text, -1) {
		begins := func(known string) bool { return strings.HasPrefix(known, name+"_") }
		if !k.variables[name] && !slices.Contains(otherVariables, name) && !slices.ContainsFunc(slices.Collect(maps.Keys(k.variables)), begins) {
			list = append(list, "there is no variable "+name)
		}
	}
	return list
}

// wrongFiles lists the files and folders of the repository that do not exist: targets of
// links, paths, and names of Go files. Other names of files may be the reader's own.
func (k names) wrongFiles(n mention) (list []string) {
	wrong := func(name string) { list = append(list, "there is no file "+name) }
	if n.isDocument() {
		for _, m := range mdLink.FindAllStringSubmatch(n.text, -1) {
			if !k.files[path.Join(path.Dir(n.place), m[1])] {
				wrong(m[1])
			}
		}
	}
	if n.isHistory() {
		return list
	}
	for _, name := range fileName.FindAllString(n.text, -1) {
		folder, _, deep := strings.Cut(name, "/")
		switch {
		case strings.Contains(name, "NAME"), strings.HasPrefix(name, "_"): // a placeholder
		case deep && k.files[folder] && !k.files[name] && !k.files[path.Join(path.Dir(n.place), name)]:
			wrong(name)
		case !deep && strings.HasSuffix(name, ".go") && !k.bases[name]:
			wrong(name)
		}
	}
	for _, m := range folderName.FindAllStringSubmatch(n.text, -1) {
		if !k.files[strings.TrimSuffix(m[1], "/")] {
			wrong(m[1])
		}
	}
	return list
}

// isProse reports whether a word after "dowse" or after a command belongs to a sentence.
func isProse(word string) bool {
	return slices.Contains([]string{
		"is", "finds", "for", "can", "does", "has", "itself", "will", "of", "on", "and", "with", "in", "to", "that", "writes", "reads", "follows", "crawls", "obeys", "tries",
		"a", "are", "as", "asks", "at", "holds", "lists", "must", "shows", "without", "distinguishes", "had", "keeps", "knows", "looked", "may", "remembers", "takes", "traces", "trail", "used", "wrote",
	}, word)
}

// walkRepository calls f for every file and folder of the repository, except those of
// git and those that tests use as data.
func walkRepository(t *testing.T, f func(name string, d fs.DirEntry)) {
	t.Helper()
	err := fs.WalkDir(os.DirFS("../.."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		f(name, d)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// documents returns the Makefile and every Markdown file of the project.
func documents(t *testing.T) (list []mention) {
	t.Helper()
	walkRepository(t, func(name string, d fs.DirEntry) {
		if d.IsDir() || strings.Contains(name, "testdata/") || !strings.HasSuffix(name, ".md") && name != "Makefile" {
			return
		}
		data, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, mention{place: name, text: string(data)})
	})
	for _, name := range []string{"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/README.md", "Makefile"} {
		if !slices.ContainsFunc(list, func(n mention) bool { return n.place == name }) {
			t.Fatalf("%s is not among the documents", name)
		}
	}
	return list
}

// programStrings returns every string literal of the program, among them help, which is
// in the tags of structs, and errors.
func programStrings(t *testing.T) (list []mention) {
	t.Helper()
	eachSource(t, func(f *ast.File, place func(ast.Node) string) {
		ast.Inspect(f, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if s, err := strconv.Unquote(lit.Value); err == nil {
					list = append(list, mention{place: place(lit), text: s})
				}
			}
			return true
		})
	})
	return list
}

// programComments returns every comment of the program: a reader follows the names in
// them as well.
func programComments(t *testing.T) (list []mention) {
	t.Helper()
	eachSource(t, func(f *ast.File, place func(ast.Node) string) {
		for _, c := range f.Comments {
			list = append(list, mention{place(c), c.Text(), true})
		}
	})
	return list
}

// eachSource calls f for every Go file of the program, tests and hostile sites excepted,
// with a function that returns the place of a node.
func eachSource(t *testing.T, f func(file *ast.File, place func(ast.Node) string)) {
	t.Helper()
	walkRepository(t, func(name string, d fs.DirEntry) {
		if d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "bench/") || strings.HasPrefix(name, "internal/hostile/") {
			return
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, filepath.Join("../..", name), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		f(file, func(n ast.Node) string { return name + ":" + strconv.Itoa(files.Position(n.Pos()).Line) })
	})
}
