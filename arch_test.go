package dowse_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// allowed holds which packages of the module each may import. Imports go down
// only: what is not listed here is a mistake, or a decision to be written down.
var allowed = map[string][]string{
	"dowse":                     {},
	"dowse/weburl":              {"dowse"},
	"dowse/internal/text":       {"dowse"},
	"dowse/internal/frontier":   {"dowse", "dowse/internal/wire"},
	"dowse/internal/facts":      {"dowse", "dowse/internal/text", "dowse/weburl"},
	"dowse/internal/mistake":    {"dowse/internal/text"},
	"dowse/judge":               {"dowse", "dowse/internal/text", "dowse/internal/plain"},
	"dowse/topic":               {"dowse", "dowse/settings", "dowse/internal/facts", "dowse/internal/mistake", "dowse/internal/text", "dowse/judge", "dowse/weburl", "dowse/internal/predicate", "dowse/internal/directory", "dowse/internal/strictyaml", "dowse/internal/plain"},
	"dowse/internal/predicate":  {"dowse", "dowse/internal/facts", "dowse/internal/mistake", "dowse/internal/text", "dowse/judge", "dowse/weburl", "dowse/internal/plain"},
	"dowse/internal/directory":  {"dowse", "dowse/weburl"},
	"dowse/internal/judgetest":  {"dowse", "dowse/judge"},
	"dowse/internal/outside":    {"dowse", "dowse/judge", "dowse/weburl", "dowse/internal/durable"},
	"dowse/internal/site":       {"dowse", "dowse/internal/text", "dowse/judge", "dowse/weburl", "dowse/internal/wire", "dowse/internal/plain"},
	"dowse/internal/plain":      {},
	"dowse/internal/wire":       {},
	"dowse/internal/strictyaml": {"dowse/internal/mistake", "dowse/internal/plain"},
	"dowse/settings":            {},
	"dowse/strategy": {
		"dowse", "dowse/internal/text", "dowse/strategy/input",
		"dowse/strategy/internal/linkclass", "dowse/strategy/internal/treasure", "dowse/strategy/internal/interest", "dowse/strategy/internal/logistic",
		"dowse/strategy/internal/lead", "dowse/internal/linktext", "dowse/strategy/internal/state",
	},
	"dowse/strategy/internal/logistic": {
		"dowse/internal/vectors", // which words are alike
		"dowse/internal/wordnet", // what names are names of
		"dowse", "dowse/internal/text", "dowse/strategy/input",
		"dowse/strategy/internal/lead", "dowse/internal/linktext", "dowse/strategy/internal/state",
	},
	"dowse/strategy/internal/linkclass": {
		"dowse", "dowse/internal/text", "dowse/judge", "dowse/strategy/input",
		"dowse/strategy/internal/lead", "dowse/internal/linktext", "dowse/strategy/internal/state", "dowse/internal/wire",
	},
	"dowse/strategy/internal/treasure": {
		"dowse", "dowse/internal/text", "dowse/judge", "dowse/strategy/input", "dowse/internal/tgraph",
		"dowse/strategy/internal/lead", "dowse/internal/linktext", "dowse/strategy/internal/state", "dowse/strategy/internal/book", "dowse/internal/wire",
	},
	"dowse/strategy/internal/interest": {
		"dowse", "dowse/internal/text", "dowse/strategy/input",
		"dowse/strategy/internal/lead", "dowse/strategy/internal/state", "dowse/strategy/internal/book",
	},
	"dowse/internal/vectors":        {},
	"dowse/strategy/input":          {"dowse", "dowse/internal/plain", "dowse/judge", "dowse/internal/tgraph", "dowse/internal/vectors", "dowse/internal/wordnet", "dowse/internal/linktext"},
	"dowse/internal/tgraph":         {"dowse", "dowse/internal/linktext"},
	"dowse/strategy/internal/lead":  {"dowse"},
	"dowse/internal/linktext":       {"dowse"},
	"dowse/strategy/internal/state": {},
	"dowse/strategy/internal/book":  {"dowse/internal/text"},
	"dowse/internal/extract":        {"dowse", "dowse/weburl"},
	"dowse/internal/repeats":        {"dowse", "dowse/internal/wire"},
	"dowse/internal/linkrating":     {"dowse", "dowse/internal/repeats"},
	"dowse/internal/rawpage":        {"dowse", "dowse/weburl", "dowse/fetch", "dowse/internal/archive", "dowse/internal/extract"},
	"dowse/internal/maintext":       {"dowse", "dowse/internal/extract", "dowse/internal/repeats"},
	"dowse/internal/durable":        {},
	"dowse/internal/wordnet":        {"dowse"},
	"dowse/internal/archive":        {"dowse", "dowse/weburl", "dowse/internal/durable", "dowse/internal/plain"},
	"dowse/fetch":                   {"dowse", "dowse/weburl", "dowse/internal/extract"},
	"dowse/internal/requisite":      {"dowse", "dowse/weburl", "dowse/internal/archive", "dowse/internal/durable"},
	"dowse/internal/estimate":       {},
	"dowse/internal/garbage":        {},
	"dowse/internal/refresh":        {"dowse"},
	"dowse/internal/worddiff":       {},
	"dowse/internal/lab/freshness":  {"dowse", "dowse/internal/demo", "dowse/internal/refresh"},
	"dowse/internal/admission":      {"dowse", "dowse/weburl", "dowse/internal/frontier", "dowse/internal/wire"},
	"dowse/internal/ledger":         {"dowse", "dowse/settings", "dowse/internal/facts", "dowse/internal/frontier", "dowse/internal/durable", "dowse/internal/wire"},
	"dowse/crawl":                   {"dowse", "dowse/settings", "dowse/weburl", "dowse/internal/admission", "dowse/internal/estimate", "dowse/internal/frontier", "dowse/internal/ledger", "dowse/internal/refresh", "dowse/internal/repeats", "dowse/internal/wire"},
	"dowse/strategy/strategytest":   {"dowse", "dowse/crawl", "dowse/internal/frontier"},
	"dowse/collection": {
		"dowse/internal/admission", // which entry of block concerns a host
		"dowse/internal/text",      // which words of a model are those of a page that was taken down
		"dowse", "dowse/weburl", "dowse/internal/frontier", "dowse/crawl", "dowse/internal/archive", "dowse/internal/extract", "dowse/fetch", "dowse/judge", "dowse/internal/site", "dowse/internal/durable", "dowse/internal/facts", "dowse/internal/mistake", "dowse/internal/strictyaml", "dowse/internal/plain", "dowse/settings",
		"dowse/internal/maintext", "dowse/internal/predicate", // exports: the own text of pages, and conditions on them
		"dowse/internal/requisite", "dowse/internal/sink",
		"dowse/internal/ledger", // texts that are lost
	},
	"dowse/internal/search": {
		"dowse", "dowse/collection", "dowse/crawl", "dowse/internal/durable", "dowse/internal/facts", "dowse/internal/frontier",
		"dowse/internal/plain", "dowse/internal/text", "dowse/weburl",
		"dowse/internal/extract", "dowse/internal/maintext", // the own text of pages counts for more
	},
	"dowse/search": {"dowse", "dowse/collection", "dowse/internal/durable", "dowse/internal/search"},
	"dowse/internal/sink": {
		"dowse", "dowse/collection", "dowse/crawl", "dowse/internal/durable", "dowse/internal/facts", "dowse/internal/frontier", "dowse/internal/plain", "dowse/weburl",
	},
	"dowse/internal/cluster": {"dowse", "dowse/crawl", "dowse/internal/archive", "dowse/internal/durable", "dowse/internal/repeats", "dowse/internal/wire"},
	"dowse/internal/demo":    {"dowse", "dowse/weburl"},
	"dowse/lab":              {"dowse", "dowse/crawl", "dowse/internal/estimate", "dowse/internal/frontier", "dowse/strategy", "dowse/judge", "dowse/internal/text"},
	"dowse/crawler": {
		"dowse", "dowse/settings", "dowse/weburl", "dowse/internal/text", "dowse/judge", "dowse/topic", "dowse/strategy", "dowse/strategy/input", "dowse/internal/tgraph", "dowse/internal/frontier", "dowse/internal/vectors",
		"dowse/crawl", "dowse/fetch", "dowse/internal/extract", "dowse/internal/archive", "dowse/collection", "dowse/internal/trace",
		"dowse/internal/directory", "dowse/internal/outside", "dowse/internal/site", "dowse/internal/garbage", "dowse/internal/durable", "dowse/internal/plain", "dowse/internal/refresh", "dowse/internal/wordnet", "dowse/internal/requisite", "dowse/internal/admission", "dowse/internal/repeats",
		"dowse/internal/ledger", // inputs that are lost
		"dowse/internal/linkrating", "dowse/internal/rawpage",
		"dowse/internal/sink",    // a crawl of a Go program has its sinks, too
		"dowse/internal/cluster", // visits that workers make, commits that are published
	},
	// what the command line, the HTTP API, the dashboard and the tools for agents have in common
	"dowse/internal/operations": {
		"dowse/internal/admission",                        // which entry blocks a host
		"dowse/internal/requisite", "dowse/internal/sink", // their counts in the status
		"dowse", "dowse/settings", "dowse/weburl", "dowse/topic", "dowse/collection", "dowse/crawl", "dowse/crawler",
		"dowse/internal/facts", "dowse/internal/frontier", "dowse/internal/ledger", "dowse/internal/plain", "dowse/internal/search", "dowse/internal/site",
		"dowse/internal/extract", "dowse/internal/maintext", // one page as Markdown
		"dowse/internal/durable", // topics of crawls that are started
		"dowse/internal/tgraph",  // the T-Graph that a crawl was given
		"dowse/internal/text",    // how the words of a topic are read
	},
	"dowse/internal/api":         {"dowse/collection", "dowse/crawler", "dowse/internal/facts", "dowse/internal/operations", "dowse/internal/plain"},
	"dowse/internal/agents":      {"dowse", "dowse/internal/durable", "dowse/internal/facts", "dowse/internal/operations", "dowse/internal/plain", "dowse/topic"},
	"dowse/internal/lab/measure": {"dowse", "dowse/internal/estimate", "dowse/internal/text"},
	"dowse/internal/lab/web": {
		"dowse", "dowse/internal/plain", "dowse/weburl", "dowse/internal/text", "dowse/internal/extract", "dowse/fetch", "dowse/internal/archive", "dowse/crawl", "dowse/crawler", "dowse/internal/linkrating",
		"dowse/collection", "dowse/internal/demo", "dowse/internal/directory", "dowse/internal/mistake", "dowse/internal/durable", "dowse/internal/facts", "dowse/internal/repeats", "dowse/internal/wire",
	},
	"dowse/lab/experiment": {
		"dowse", "dowse/weburl", "dowse/crawl", "dowse/crawler", "dowse/judge", "dowse/strategy", "dowse/strategy/input", "dowse/internal/tgraph", "dowse/internal/trace", "dowse/internal/vectors", "dowse/internal/wordnet",
		"dowse/internal/predicate", "dowse/lab", "dowse/internal/lab/web", "dowse/internal/lab/measure", "dowse/internal/site", "dowse/internal/demo", "dowse/fetch",
		"dowse/collection", "dowse/internal/mistake", "dowse/internal/strictyaml", "dowse/internal/text", "dowse/internal/durable", "dowse/internal/plain",
		"dowse/internal/linkrating", // what strategies want rated
		"dowse/internal/repeats",    // what crawls do without the parts that pages of a host repeat
		"dowse/topic",               // a judge of words grows inside a simulated crawl by the code of live crawls
	},
	"dowse/internal/lab/report":       {"dowse", "dowse/internal/lab/measure", "dowse/internal/plain"},
	"dowse/internal/trace":            {"dowse", "dowse/weburl", "dowse/internal/wire"},
	"dowse/internal/hostile":          {"dowse", "dowse/internal/hostile/template"},
	"dowse/internal/hostile/template": {},
	"dowse/internal/dashboard": {
		"dowse", "dowse/collection", "dowse/crawler", "dowse/internal/facts", "dowse/internal/operations", "dowse/internal/plain", "dowse/internal/search",
		"dowse/internal/text", // which words of a page are runs, whose parts are marked
	},
	"dowse/internal/server": {"dowse/internal/durable"},
	"dowse/cmd/dowse":       {"*"},

	"dowse/internal/maintext/madepages": {}, // only tests and benchmarks import it

	"dowse/internal/golden":     {}, // only tests import it
	"dowse/internal/shareddata": {}, // only tests import it
	"dowse/internal/skips":      {},
	"dowse/internal/platforms":  {},

	// only tests import it
	"dowse/internal/fixture": {
		"dowse", "dowse/crawl", "dowse/internal/golden", "dowse/internal/trace",
		"dowse/strategy/input", "dowse/strategy/strategytest", "dowse/internal/tgraph",
	},
}

// modules holds in which folders a third-party module may be imported, and why it
// is there at all.
var modules = map[string]struct {
	why string
	in  []string
}{
	"github.com/nlnwa/whatwg-url":            {"URLs as browsers parse them", []string{"weburl"}},
	"golang.org/x/net/publicsuffix":          {"registrable domains", []string{"weburl"}},
	"golang.org/x/net/idna":                  {"international host names", []string{"weburl"}},
	"golang.org/x/net/html":                  {"the HTML tokenizer, names of elements and charsets", []string{"internal/extract", "internal/maintext", "internal/requisite", "fetch"}},
	"golang.org/x/net/http2":                 {"header blocks of HTTP/2 floods in tests", []string{"internal/hostile"}},
	"golang.org/x/net/dns":                   {"DNS answers in tests", []string{"fetch", "internal/hostile", "cmd/dowse"}},
	"golang.org/x/text":                      {"Unicode forms and encodings", []string{"internal/text", "fetch", "internal/search"}},
	"golang.org/x/sys":                       {"file locks, disk space, jobs of processes", []string{"internal/durable", "internal/outside"}},
	"golang.org/x/term":                      {"the live screen", []string{"cmd/dowse"}},
	"github.com/blevesearch/snowballstem":    {"stemmers", []string{"internal/text"}},
	"github.com/abadojack/whatlanggo":        {"languages by trigrams", []string{"internal/text"}},
	"cel.dev/cel-go":                         {"expressions in predicates", []string{"internal/predicate"}},
	"github.com/zeebo/xxh3":                  {"fast hashes", []string{"internal/requisite", "internal/frontier"}},
	"github.com/gogs/chardet":                {"charsets that are not declared", []string{"internal/extract"}},
	"github.com/ncruces/go-dns":              {"a DNS cache", []string{"fetch"}},
	"github.com/klauspost/compress":          {"gzip and zstd", []string{"fetch", "internal/archive", "collection", "internal/hostile", "internal/directory"}},
	"github.com/andybalholm/brotli":          {"brotli", []string{"fetch", "crawler", "internal/hostile"}},
	"github.com/goccy/go-yaml":               {"YAML with good errors", []string{"internal/strictyaml", "internal/api", "topic", "collection", "lab/experiment", "cmd/dowse"}},
	"github.com/blevesearch/bleve/v2":        {"the full-text index (scorch)", []string{"internal/search"}},
	"github.com/blevesearch/bleve_index_api": {"the types of the full-text index", []string{"internal/search"}},
	"github.com/prometheus/client_golang":    {"metrics for Prometheus, and promtool's rules for their names", []string{"internal/api"}},
	"gonum.org/v1/gonum":                     {"distributions of statistics", []string{"internal/lab/measure"}},
	"github.com/parquet-go/parquet-go":       {"Parquet", []string{"collection"}},
	"github.com/modelcontextprotocol/go-sdk": {"tools for agents", []string{"internal/agents", "cmd/dowse"}},
	"github.com/alecthomas/kong":             {"the command line", []string{"cmd/dowse"}},
	"github.com/nats-io/nats.go":             {"sinks that are NATS streams; the streams of a cluster", []string{"internal/sink", "internal/cluster", "cmd/dowse"}},
	"github.com/nats-io/nats-server/v2":      {"the embedded server of a cluster; tests of sinks", []string{"internal/sink", "internal/cluster", "cmd/dowse"}},
	"github.com/jimsmart/grobotstxt":         {"tests: the reference for robots.txt", []string{"fetch"}},
	"github.com/nlnwa/gowarc/v2":             {"tests: another reader of WARC", []string{"internal/archive"}},
	"github.com/internetarchive/gowarc":      {"tests: another reader of WARC", []string{"internal/archive"}},
	"pgregory.net/rapid":                     {"tests: properties", []string{"internal/frontier", "internal/ledger", "internal/site", "settings"}},
	"go.uber.org/goleak":                     {"tests: leaks", []string{"fetch", "crawl"}},
	"github.com/chromedp/chromedp":           {"tests: the dashboard in a real browser", []string{"internal/dashboard"}},
	"github.com/chromedp/cdproto":            {"tests: the protocol of that browser", []string{"internal/dashboard"}},
	"github.com/rogpeppe/go-internal":        {"tests: scripts", []string{"cmd/dowse"}},
	"github.com/google/go-cmp":               {"tests: differences", []string{"collection", "crawl", "crawler", "internal/ledger"}},
}

// pure packages use no clock, network, files, goroutines or global randomness.
// Files named here are the drivers of package crawl, and the files of its ledger.
var (
	pure = []string{
		".", "internal/text", "judge", "internal/site", "internal/facts", "internal/frontier", "internal/admission", "internal/estimate", "internal/refresh", "internal/worddiff", "internal/ledger", "crawl", "internal/extract", "internal/maintext", "internal/repeats", "weburl", "lab", "internal/lab/measure", "internal/lab/report", "internal/predicate", "internal/wire", "internal/plain", "settings",
		"strategy", "strategy/internal/linkclass", "strategy/internal/treasure", "internal/tgraph", "strategy/internal/interest", "strategy/internal/logistic", "strategy/input",
		"strategy/internal/lead", "internal/linktext", "strategy/internal/state", "strategy/internal/book",
	}
	drivers = []string{"crawl/live.go", "internal/ledger/journal.go", "internal/ledger/redact.go", "internal/ledger/leftover.go", "internal/ledger/scratch.go"}
)

// source is a Go file of the module.
type source struct {
	path string // from the root, with slashes
	dir  string
	file *ast.File
	test bool
}

func sources(t *testing.T) (list []source) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && path != "." && (strings.HasPrefix(name, ".") || name == "testdata" || isModule(path)) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		path = filepath.ToSlash(path)
		list = append(list, source{path, filepath.ToSlash(filepath.Dir(path)), f, strings.HasSuffix(name, "_test.go")})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

func imports(s source) (paths []string) {
	for _, i := range s.file.Imports {
		p, _ := strconv.Unquote(i.Path.Value)
		paths = append(paths, p)
	}
	return paths
}

func packageOf(dir string) string {
	if dir == "." {
		return "dowse"
	}
	return "dowse/" + dir
}

func TestImportsGoDown(t *testing.T) {
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		pkg := packageOf(s.dir)
		may, ok := allowed[pkg]
		if !ok {
			t.Errorf("%s: package %s is not in the table", s.path, pkg)
			continue
		}
		for _, p := range imports(s) {
			if (p == "dowse" || strings.HasPrefix(p, "dowse/")) && !slices.Contains(may, p) && !slices.Contains(may, "*") {
				t.Errorf("%s: %s may not import %s", s.path, pkg, p)
			}
		}
	}
}

func TestModulesInTheirRooms(t *testing.T) {
	type use struct{ module, dir string }
	used := map[use]bool{}
	for _, s := range sources(t) {
		for _, p := range imports(s) {
			if !strings.Contains(strings.Split(p, "/")[0], ".") {
				continue
			}
			m, ok := moduleOf(p)
			if !ok || !slices.Contains(modules[m].in, s.dir) {
				t.Errorf("%s: imports %s, which has no business in %s", s.path, p, s.dir)
			}
			used[use{m, s.dir}] = true
		}
	}
	for m, rule := range modules {
		for _, dir := range rule.in {
			if !used[use{m, dir}] {
				t.Errorf("the table lets %s import %s, which it does not", dir, m)
			}
		}
	}
}

// moduleOf returns the row of the table that an import belongs to.
func moduleOf(path string) (string, bool) {
	for m := range modules {
		if path == m || strings.HasPrefix(path, m+"/") {
			return m, true
		}
	}
	return "", false
}

// impure are uses that make code depend on more than its arguments.
var impure = map[string][]string{
	"time":         {"Now", "Since", "Until", "After", "Tick", "NewTimer", "NewTicker", "Sleep", "AfterFunc"},
	"math/rand":    {"*"},
	"math/rand/v2": {"Int", "IntN", "Float64", "Uint64", "Uint32", "Perm", "Shuffle", "N"},
	"os":           {"*"},
	"net":          {"*"},
	"net/http":     {"*"},
	"crypto/rand":  {"*"},

	"dowse/internal/durable": {"*"},
}

func TestPurity(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || !slices.Contains(pure, s.dir) || slices.Contains(drivers, s.path) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s: starts a goroutine", s.path)
			case *ast.SelectorExpr:
				if what := impureUse(s, n); what != "" {
					t.Errorf("%s: uses %s", s.path, what)
				}
			}
			return true
		})
	}
}

func impureUse(s source, sel *ast.SelectorExpr) string {
	x, ok := sel.X.(*ast.Ident)
	if !ok || x.Obj != nil {
		return ""
	}
	for path, names := range impure {
		base := path[strings.LastIndexByte(path, '/')+1:]
		if base == "v2" {
			base = "rand"
		}
		if x.Name != base || !slices.Contains(imports(s), path) {
			continue
		}
		if slices.Contains(names, "*") || slices.Contains(names, sel.Sel.Name) {
			return path + "." + sel.Sel.Name
		}
	}
	return ""
}

// writers are the calls of package os that make, change or rename files, and where they may
// be used: internal/durable keeps one promise for all files.
var writers = []string{"Create", "CreateTemp", "OpenFile", "WriteFile", "Rename", "Link", "Symlink", "Truncate"}

func TestFilesAreWrittenInOnePlace(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || s.dir == "internal/durable" {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && slices.Contains(writers, sel.Sel.Name) {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "os" && x.Obj == nil {
					t.Errorf("%s: uses os.%s; write through internal/durable", s.path, sel.Sel.Name)
				}
			}
			return true
		})
	}
}

// TestCollectionsAreReadInOnePlace: what is in a collection may come from a stranger.
func TestCollectionsAreReadInOnePlace(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || s.path == "collection/holder.go" { // it reads /proc
			continue
		}
		if s.dir != "collection" && s.dir != "internal/ledger" {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && slices.Contains([]string{"Open", "ReadFile", "Stat", "ReadDir", "Remove", "MkdirAll", "Mkdir"}, sel.Sel.Name) {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "os" && x.Obj == nil {
					t.Errorf("%s: uses os.%s, which follows links; use a durable.Dir", s.path, sel.Sel.Name)
				}
			}
			return true
		})
	}
}

// TestCrawlStaysSmall holds the state machine to a size that a reader can keep in the head.
// What would make it larger belongs into one of its parts.
func TestCrawlStaysSmall(t *testing.T) {
	const maxMethods, maxFields = 50, 15
	methods, fields := 0, 0
	for _, s := range sources(t) {
		if s.test || s.dir != "crawl" {
			continue
		}
		for _, d := range s.file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				methods += boolInt(receiverName(d) == "Crawl")
			case *ast.GenDecl:
				fields += fieldsOf(d, "Crawl")
			}
		}
	}
	if methods == 0 || methods > maxMethods || fields == 0 || fields > maxFields {
		t.Errorf("crawl.Crawl has %d methods and %d fields; want at most %d and %d", methods, fields, maxMethods, maxFields)
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// receiverName returns the type that a function is a method of, "" for none.
func receiverName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	typ := f.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if id, ok := typ.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// fieldsOf counts the fields of a struct type, if the declaration declares it.
func fieldsOf(d *ast.GenDecl, name string) (n int) {
	for _, spec := range d.Specs {
		ts, ok := spec.(*ast.TypeSpec)
		if !ok || ts.Name.Name != name {
			continue
		}
		if st, ok := ts.Type.(*ast.StructType); ok {
			for _, f := range st.Fields.List {
				n += max(1, len(f.Names))
			}
		}
	}
	return n
}

func TestEveryPackageIsDocumented(t *testing.T) {
	documented := map[string]bool{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		doc := s.file.Doc.Text()
		documented[s.dir] = documented[s.dir] || strings.HasPrefix(doc, "Package ") || strings.HasPrefix(doc, "Command ")
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("%s has no package comment", dir)
		}
	}
}

func TestExportedNamesAreDocumented(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || s.file.Name.Name == "main" {
			continue
		}
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.IsExported() && receiverExported(f) && f.Doc == nil && !isCustomary(f) {
				t.Errorf("%s: %s has no comment", s.path, f.Name.Name)
			}
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
				for _, spec := range g.Specs {
					if ts := spec.(*ast.TypeSpec); ts.Name.IsExported() && g.Doc == nil && ts.Doc == nil {
						t.Errorf("%s: type %s has no comment", s.path, ts.Name.Name)
					}
				}
			}
		}
	}
}

func receiverExported(f *ast.FuncDecl) bool {
	return f.Recv == nil || ast.IsExported(receiverName(f))
}

// isCustomary reports whether a method's name needs no comment.
func isCustomary(f *ast.FuncDecl) bool {
	return f.Recv != nil && slices.Contains([]string{"String", "Error", "Unwrap", "Len", "Less", "Swap", "Push", "Pop"}, f.Name.Name)
}

// maxExported bounds the exported names of the packages that programs outside the module can
// import: top-level names, and methods of exported types. What no other package needs is not
// exported; lower this number whenever fewer are left.
const maxExported = 900

func TestExportedNamesAreFew(t *testing.T) {
	names := map[string]int{}
	total := 0
	for _, s := range sources(t) {
		if s.test || s.file.Name.Name == "main" || slices.Contains(strings.Split(s.dir, "/"), "internal") {
			continue
		}
		n := exportedNames(s.file)
		names[s.dir] += n
		total += n
	}
	if total > maxExported {
		t.Errorf("%d exported names, want at most %d: %v", total, maxExported, names)
	}
}

// exportedNames counts the exported top-level names of a file, and the exported methods of
// exported types.
func exportedNames(f *ast.File) (n int) {
	count := func(id *ast.Ident) {
		if id.IsExported() {
			n++
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if receiverExported(d) {
				count(d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					count(spec.Name)
				case *ast.ValueSpec:
					for _, id := range spec.Names {
						count(id)
					}
				}
			}
		}
	}
	return n
}

// TestTypeNamesSurviveGrep: an unexported type whose name three packages use for three things
// cannot be searched for.
func TestTypeNamesSurviveGrep(t *testing.T) {
	dirs := map[string][]string{}
	for _, s := range sources(t) {
		for _, d := range s.file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || s.test || g.Tok != token.TYPE {
				continue
			}
			for _, spec := range g.Specs {
				if name := spec.(*ast.TypeSpec).Name; !name.IsExported() && !slices.Contains(dirs[name.Name], s.dir) {
					dirs[name.Name] = append(dirs[name.Name], s.dir)
				}
			}
		}
	}
	for name, in := range dirs {
		if len(in) > 2 {
			t.Errorf("type %s is declared in %s; rename it in one of them", name, strings.Join(in, ", "))
		}
	}
}
