package extract

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html/atom"

	"dowse"
	"dowse/internal/shareddata"
)

// suite returns a path in the collection of conformance cases.
func suite(t testing.TB, path ...string) string {
	t.Helper()
	last := len(path) - 1 // may be a pattern
	return filepath.Join(shareddata.Path(t, append([]string{"suites"}, path[:last]...)...), path[last])
}

// A treeCase is a page and the tree that a browser makes of it.
type treeCase struct {
	file string
	data []byte
	tree []string // lines without "| "
}

// readTrees reads the cases of the files, without those that concern fragments
// or need scripts.
func readTrees(t *testing.T, files []string) (cases []treeCase) {
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range strings.Split("\n"+string(b), "\n#data\n")[1:] {
			data, rest, ok := strings.Cut("\n"+s, "\n#errors")
			if !ok || strings.Contains(rest, "\n#document-fragment") || strings.Contains(rest, "\n#script-on") {
				continue
			}
			_, tree, ok := strings.Cut(rest, "\n#document\n")
			if !ok {
				continue
			}
			tree = strings.TrimPrefix("\n"+strings.TrimRight(tree, "\n"), "\n| ")
			cases = append(cases, treeCase{filepath.Base(file), []byte(strings.TrimPrefix(data, "\n")), strings.Split(tree, "\n| ")})
		}
	}
	return cases
}

// seen returns the hrefs and words that the tree holds where they can be seen.
func (c treeCase) seen() (hrefs, words []string) {
	type open struct {
		depth int
		name  string
		space string
	}
	var stack []open
	var text strings.Builder
	separate := func(o open) {
		k := tagOf([]byte(o.name)).kind()
		if o.space != "" {
			k = foreignKind(tagOf(bytes.ToLower([]byte(o.name))), map[string]space{"svg": inSVG, "math": inMath}[o.space])
		}
		if k&(block|apart) != 0 {
			text.WriteString("\n")
		}
	}
	unseen := func() bool {
		return slices.ContainsFunc(stack, func(o open) bool {
			a := atom.Lookup([]byte(o.name))
			return o.name == "script" || o.name == "style" || o.space == "" && (a == atom.Template || a.String() != "" && tag(a).kind()&unseen != 0)
		})
	}
	for _, line := range c.tree {
		depth := len(line) - len(strings.TrimLeft(line, " "))
		line = line[depth:]
		for len(stack) > 0 && stack[len(stack)-1].depth >= depth {
			separate(stack[len(stack)-1])
			stack = stack[:len(stack)-1]
		}
		switch {
		case strings.HasPrefix(line, "<!") || strings.HasPrefix(line, "<?"):
		case strings.HasPrefix(line, "<") && strings.HasSuffix(line, ">"):
			o := open{depth: depth, name: line[1 : len(line)-1]}
			if space, name, ok := strings.Cut(o.name, " "); ok {
				o.space, o.name = space, name
			}
			separate(o)
			stack = append(stack, o)
		case strings.HasPrefix(line, `"`):
			if !unseen() {
				text.WriteString(strings.TrimSuffix(line[1:], `"`))
			}
		default:
			name, value, _ := strings.Cut(line, `="`)
			in := ""
			if len(stack) > 0 {
				in = stack[len(stack)-1].name
			}
			if (in == "a" || in == "area") && (name == "href" || name == "xlink href") && !unseen() {
				hrefs = append(hrefs, strings.TrimSuffix(value, `"`))
			}
		}
	}
	for _, w := range dowse.Words(text.String()) {
		words = append(words, text.String()[w.Start:w.End])
	}
	return unique(hrefs), words
}

func unique(s []string) []string {
	slices.Sort(s)
	return slices.Compact(s)
}

// TestTrees holds the pass against the trees that browsers make: on at least 99
// of 100 pages it finds the same hrefs and the same words.
func TestTrees(t *testing.T) {
	files, _ := filepath.Glob(suite(t, "html", "*.dat"))
	files = slices.DeleteFunc(files, func(f string) bool { return strings.HasPrefix(filepath.Base(f), "scripted_") })
	cases := readTrees(t, files)
	if len(cases) < 1500 {
		t.Fatalf("only %d cases", len(cases))
	}
	good, inOrder := 0, 0
	for _, c := range cases {
		var hrefs, words []string
		doc := HTML(bytes.ToValidUTF8(c.data, []byte("\uFFFD")), "https://example.org/", Options{OnHref: func(h string) { hrefs = append(hrefs, h) }})
		for i := range doc.Words {
			words = append(words, doc.Word(i))
		}
		hrefs = unique(hrefs)
		wantHrefs, wantWords := c.seen()
		ordered := slices.Equal(words, wantWords)
		slices.Sort(words)
		slices.Sort(wantWords)
		if slices.Equal(hrefs, wantHrefs) && slices.Equal(words, wantWords) {
			good++
			if ordered {
				inOrder++
			}
			continue
		}
		t.Logf("%s: %q\n\t%s\n got %q %q\nwant %q %q", c.file, c.data, strings.Join(c.tree, "\n\t"), hrefs, words, wantHrefs, wantWords)
	}
	t.Logf("%d of %d pages with the same hrefs and words, %d of them in the same order", good, len(cases), inOrder)
	if good*100 < len(cases)*99 {
		t.Errorf("the same hrefs and words on %d of %d pages, want 99 %%", good, len(cases))
	}
}
