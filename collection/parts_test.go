package collection

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
	"dowse/internal/durable"
	"dowse/internal/frontier"
	"dowse/internal/text"
	"dowse/settings"
)

// Every field that the program maintains is refused with a value that no crawl can have, on
// reading as on writing; the error names the field, the value and what it may be.
func TestOwnSettingsAreRefused(t *testing.T) {
	long := strings.Repeat("x", 201)
	print := strings.Repeat("0", 32)
	for _, c := range []struct {
		field  string
		change func(s *Settings)
		want   string
	}{
		{"name", func(s *Settings) { s.Name = "a/b" }, `got "a/b", want a name without slashes`},
		{"name", func(s *Settings) { s.Name = `a\b` }, "want a name without slashes"},
		{"name", func(s *Settings) { s.Name = ".." }, `got "..", want`},
		{"name", func(s *Settings) { s.Name = "a\nb" }, `got "a\nb", want`},
		{"name", func(s *Settings) { s.Name = long }, "at most 200 bytes"},
		{"name", func(s *Settings) { s.Name = "\xff" }, "want a name"},
		{"version", func(s *Settings) { s.Version = "0.1\x1b[31m" }, "one line of at most 200 bytes"},
		{"version", func(s *Settings) { s.Version = long }, "one line of at most 200 bytes"},
		{"formula", func(s *Settings) { s.Formula = "a\tb" }, "one line of at most 200 bytes"},
		{"model", func(s *Settings) { s.Model = "m1" }, `got "m1", want a model such as m0001`},
		{"model", func(s *Settings) { s.Model = "m0001.json" }, "want a model such as m0001"},
		{"topic_dir", func(s *Settings) { s.TopicDir = "here" }, `got "here", want an absolute path`},
		{"topic_dir", func(s *Settings) { s.TopicDir = "/a\nb" }, "want an absolute path"},
		{"needs.tgraph", func(s *Settings) { s.Needs.TGraph = "needs/../crawl.yaml" }, "want a file in needs/"},
		{"needs.trace", func(s *Settings) { s.Needs.Trace = "/etc/passwd" }, "want a file in needs/"},
		{"needs.links", func(s *Settings) { s.Needs.Links = "needs/" }, "want a file in needs/"},
		{"needs.classes", func(s *Settings) { s.Needs.Classes = "needs/.hidden" }, "want a file in needs/"},
		{"needs.learnt", func(s *Settings) { s.Needs.Learnt = "other/learnt" }, "want a file in needs/"},
		{"forgotten", func(s *Settings) { s.Forgotten = []string{print, "xyz"} }, `got "xyz", want a fingerprint: 32 hexadecimal digits`},
		{"forgotten", func(s *Settings) { s.Forgotten = []string{strings.Repeat("g", 32)} }, "want a fingerprint"},
		{"forgotten", func(s *Settings) { s.Forgotten = slices.Repeat([]string{print}, maxForgotten+1) }, "at most 131072 fingerprints"},
		{"seeds", func(s *Settings) { s.Seeds = []string{"http://a.test/", "http://b.test/\x00"} }, "without control characters"},
		{"seeds", func(s *Settings) { s.Seeds = []string{strings.Repeat("x", 64<<10+1)} }, "at most 65536 bytes"},
		{"seeds", func(s *Settings) { s.Seeds = make([]string, maxSeeds+1) }, "at most 1048576"},
		{"demo.pages", func(s *Settings) { s.Demo = &Demo{Pages: -1} }, `got "-1", want 0 to 1000000`},
		{"demo.sites", func(s *Settings) { s.Demo = &Demo{Sites: 1_000_001} }, "want 0 to 1000000"},
		{"threshold", func(s *Settings) { s.Threshold = -0.1 }, `got "-0.1", want 0 to 1`},
		{"limits.pages", func(s *Settings) { s.Limits.Pages = -1 }, "want 0 to"},
	} {
		s := Settings{Name: "reefs", Version: "0.1"}
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		c.change(&s)
		err := s.Check()
		if !errors.Is(err, ErrSettings) || !strings.Contains(err.Error(), c.field+": ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.field, err, c.want)
		}
		if err != nil && len(err.Error()) > 300 {
			t.Errorf("%s: an error of %d bytes", c.field, len(err.Error()))
		}
		dir := t.TempDir()
		if err := writeSettings(dir, s); !errors.Is(err, ErrSettings) || IsCollection(dir) {
			t.Errorf("%s: it was written: %v", c.field, err)
		}
	}
}

// A crawl.yaml is refused with its place: the file, and the line and column where YAML is wrong.
func TestPlacesOfMistakesInSettings(t *testing.T) {
	for more, want := range map[string]string{
		"politeness:\n  delay: soon\n":    "line 9, column 10",
		"limits:\n  pages: [1]\n":         "line 9",
		"limits:\n  pages: 5\n  pages: 6": "line 10",
		"colour: red\n":                   `line 8, column 1: there is no key "colour"`,
		"scope:\n  reech: web\n":          `line 9, column 3: there is no key "reech"`,
		"seeds: {a: b}\n":                 "line 8",
		"seeds:\n- a\n- [b]\n":            "line 10",
		"needs: needs/x\n":                "line 8",
		"demo: true\n":                    "line 8",
		"\t- x\n":                         "line 8",
		"name: \"\\x\"\n":                 "line 8",
		"forgotten: [" + strings.Repeat("0", 31) + "]\n": "forgotten",
	} {
		_, err := readText(t, soundSettings(more))
		if !errors.Is(err, ErrSettings) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "crawl.yaml") || !strings.Contains(err.Error(), badSettingsFix) {
			t.Errorf("%q: %v, want %q and what to do", more, err, want)
		}
	}
	for text, want := range map[string]error{
		"":                       ErrSettings,
		"dowse: collection/v1\n": ErrFormat,
		"dowse: 5\nsurprise: 1":  ErrFormat,
		"name: x\n":              ErrFormat,
		"- a\n":                  ErrSettings,
		"\xff\xfe":               ErrSettings,
	} {
		if _, err := readText(t, text); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
	var f *FormatError
	if _, err := readText(t, "dowse: collection/v9\nversion: \"7.3\"\n"); !errors.As(err, &f) || f.Version != "7.3" || !strings.Contains(err.Error(), "use the program that wrote it (7.3)") {
		t.Errorf("%v", err)
	}
}

// crawl.yaml has its keys in a fixed order, whatever is set, and leaves out what is not.
func TestOrderOfSettings(t *testing.T) {
	dir := t.TempDir()
	s := Settings{
		Dowse: format, Name: "reefs", Version: "0.1", Seeds: []string{"http://a.test/"}, Model: "m0001", Forgotten: []string{strings.Repeat("a", 32)},
		Needs: Needs{Links: "needs/links.tsv"}, Demo: &Demo{Pages: 5},
		Settings: settings.Settings{Key: 7, Limits: settings.Limits{Pages: 3}, Identity: settings.Identity{Agent: "bot"}},
	}
	if err := writeSettings(dir, s); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, settingsName))
	if err != nil {
		t.Fatal(err)
	}
	last := -1
	for line := range strings.Lines(string(data)) {
		key, _, isKey := strings.Cut(line, ":")
		if !isKey || strings.HasPrefix(line, " ") || strings.HasPrefix(line, "-") {
			continue
		}
		at := slices.Index(settingsOrder, key)
		if at <= last {
			t.Errorf("%s is out of order in\n%s", key, data)
		}
		last = at
	}
	for _, absent := range []string{"scope", "network", "shadows", "predicate", "topic_dir"} {
		if strings.Contains(string(data), absent+":") {
			t.Errorf("%s is written, and is not set", absent)
		}
	}
	again, err := ReadSettings(dir)
	if err != nil || again.Needs != s.Needs || *again.Demo != *s.Demo || again.Key != 7 || again.Limits.Pages != 3 || again.Model != s.Model {
		t.Errorf("%+v, %v, want what was written", again, err)
	}
}

// Create refuses what is a collection already, what belongs to others, and files that have no
// place in a collection. What it refuses it does not change.
func TestCreateRefuses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x.dowse")
	files := []File{{"models/m0001.json", []byte("{}")}, {NeedsName("links.tsv"), []byte("a\tb\n")}, {ExamplesName, nil}}
	c, err := Create(dir, Settings{Name: "x"}, []byte("name: x\n"), nil, files...)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, f := range files {
		if got, err := os.ReadFile(filepath.Join(dir, f.Name)); err != nil || !bytes.Equal(got, f.Data) {
			t.Errorf("%s: %q, %v", f.Name, got, err)
		}
	}
	if topic, err := c.Topic(); err != nil || string(topic) != "name: x\n" {
		t.Errorf("topic %q, %v", topic, err)
	}
	if _, err := Create(dir, Settings{Name: "y"}, nil, nil); err == nil || !strings.Contains(err.Error(), "is a collection already") {
		t.Errorf("created twice: %v", err)
	}
	for _, name := range []string{"../x", "notes.txt", "archive/x.txt", "/etc/x", "models/x.exe"} {
		at := filepath.Join(t.TempDir(), "y.dowse")
		if _, err := Create(at, Settings{Name: "y"}, nil, nil, File{Name: name}); err == nil || !strings.Contains(err.Error(), "has no place in a collection") {
			t.Errorf("%s: %v", name, err)
		}
		if IsCollection(at) {
			t.Errorf("%s: there is a collection though it was refused", name)
		}
	}
	if _, err := Create(filepath.Join(t.TempDir(), "z"), Settings{Name: "a/b"}, nil, nil); !errors.Is(err, ErrSettings) {
		t.Errorf("settings that can't be used: %v", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	os.WriteFile(file, []byte("mine"), 0o644)
	if _, err := Create(file, Settings{Name: "x"}, nil, nil); !errors.Is(err, ErrMake) {
		t.Errorf("in the place of a file: %v", err)
	}
}

// A directory is unfinished if it holds nothing but what Create writes before the settings.
func TestUnfinished(t *testing.T) {
	for _, c := range []struct {
		files []string
		want  bool
	}{
		{nil, true}, {[]string{"archive/"}, true}, {[]string{"topic.yaml", "examples.jsonl.zst.tmp"}, true}, {[]string{"models/m0001.json"}, true},
		{[]string{"models/given.json.tmp", "needs/links.tsv"}, true}, {[]string{"crawl.yaml.tmp"}, true},
		{[]string{"models/notes.txt"}, false}, {[]string{"archive/a.warc.gz"}, false}, {[]string{"README.md"}, false}, {[]string{"src/"}, false}, {[]string{"state/journal-1.log"}, false},
	} {
		dir := t.TempDir()
		for _, f := range c.files {
			os.MkdirAll(filepath.Join(dir, filepath.Dir(f)), 0o755)
			if strings.HasSuffix(f, "/") {
				os.MkdirAll(filepath.Join(dir, f), 0o755)
			} else if err := os.WriteFile(filepath.Join(dir, f), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := Unfinished(dir); err != nil || got != c.want {
			t.Errorf("%v: %v, %v, want %v", c.files, got, err, c.want)
		}
	}
	if got, err := Unfinished(filepath.Join(t.TempDir(), "absent")); err != nil || !got {
		t.Errorf("absent: %v, %v", got, err)
	}
}

// The layout knows the files of a collection and what a kill leaves of them, and nothing else.
func TestLayout(t *testing.T) {
	for name, want := range map[string]bool{
		"crawl.yaml": true, "dowse.lock": true, "models/m0001.json": true, "models/log.jsonl": true, "archive/A-1.warc.gz": true, "state/journal-00000000000000000000.log": true,
		"state/uncommitted-a-1-00000000.warc.gz": true, "needs/anything": true, "log/sittings.jsonl": true, "state/change.json": true,
		"notes.txt": false, "archive/x/y.warc.gz": false, "needs/a/b": false, "state/journal": false, "Crawl.yaml": false, "crawl.yaml.bak": false, "": false,
	} {
		if belongs(name) != want {
			t.Errorf("%q belongs to a collection: %v, want %v", name, !want, want)
		}
	}
	for name, want := range map[string]bool{
		"crawl.yaml.tmp": true, "state/snapshot-1.snap.tmp": true, "state/.dowse-x.tmp": true, "notes.tmp": false, "crawl.yaml": false, "a/.dowse-x": false,
	} {
		if isLeftover(name) != want {
			t.Errorf("%q is a leftover: %v, want %v", name, !want, want)
		}
	}
}

// Plain refuses a collection in which a file is a link or a pipe, and lets foreign files be.
func TestPlain(t *testing.T) {
	make := func() string {
		dir := filepath.Join(t.TempDir(), "x.dowse")
		c, err := Create(dir, Settings{Name: "x"}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		return dir
	}
	dir := make()
	os.Symlink("/etc/hostname", filepath.Join(dir, "foreign"))
	if err := Plain(dir); err != nil {
		t.Errorf("a sound collection: %v", err)
	}
	os.Symlink("/etc/hostname", filepath.Join(dir, labelsName))
	if err := Plain(dir); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("with a link: %v", err)
	}
	dir = make()
	os.RemoveAll(filepath.Join(dir, "log"))
	os.Symlink(t.TempDir(), filepath.Join(dir, "log"))
	if err := Plain(dir); err == nil {
		t.Error("a folder that is a link was accepted")
	}
}

// Examples are read as they were written; a broken line is named, since a judge that is trained
// on fewer examples would be another judge.
func TestExamples(t *testing.T) {
	list := []Example{{URL: "http://a.test/", Relevant: true, Title: "A <b>", Text: "words"}, {Contrast: true, Source: "everyday", Text: "other", Fetched: time.Unix(100, 0).UTC()}}
	data, err := EncodeExamples(list)
	if err != nil {
		t.Fatal(err)
	}
	same, _ := EncodeExamples(list)
	if !bytes.Equal(data, same) {
		t.Error("the same examples are encoded in two ways")
	}
	got, err := DecodeExamples(bytes.NewReader(data))
	if err != nil || fmt.Sprint(got) != fmt.Sprint(list) {
		t.Errorf("%+v, %v, want %+v", got, err, list)
	}
	if got, err := DecodeExamples(bytes.NewReader(data[:len(data)-4])); err == nil {
		t.Errorf("cut off: %+v", got)
	}
	if _, err := DecodeExamples(strings.NewReader("not packed")); err == nil {
		t.Error("a text that is not packed was read")
	}
	broken := bytes.Clone(data)
	broken[len(broken)-1] ^= 1
	if _, err := DecodeExamples(bytes.NewReader(broken)); err == nil {
		t.Error("a wrong checksum was not noticed")
	}
	c := &Collection{Dir: t.TempDir()}
	if list, err := c.Examples(); list != nil || err != nil {
		t.Errorf("without a file: %v, %v", list, err)
	}
	os.WriteFile(filepath.Join(c.Dir, ExamplesName), []byte("x"), 0o644)
	if _, err := c.Examples(); err == nil || !strings.Contains(err.Error(), ExamplesName) {
		t.Errorf("%v, want the name of the file", err)
	}
}

// crawl.log has the numbers that tools for Heritrix know, and one line per visit whatever a
// server sent.
func TestCrawlLog(t *testing.T) {
	for reason, want := range map[dowse.Reason]int{
		dowse.FailDNS: -1, dowse.FailConnect: -2, dowse.FailTLS: -2, dowse.FailTimeout: -4, dowse.FailProtocol: -3, dowse.FailEncoding: -3,
		dowse.SkipRobotsTxt: -9998, dowse.SkipBudgetHost: -5003, dowse.SkipBudgetCrawl: -5003, dowse.SkipHostBlocked: -5001, dowse.SkipUserBlocked: -5001,
		dowse.SkipTrapPattern: -4000, dowse.SkipTrapFarm: -4000, "": 0, "another": -5000,
	} {
		if got := logStatus(&dowse.Page{Reason: reason}); got != want {
			t.Errorf("%q: %d, want %d", reason, got, want)
		}
	}
	if got := logStatus(&dowse.Page{Reason: dowse.FailTimeout, Fetch: dowse.Fetch{Status: 200}}); got != 200 {
		t.Errorf("an answer that broke off: %d, want its status", got)
	}
	for depth, want := range map[int]string{0: "", 3: "LLL", 50: strings.Repeat("L", 50), 53: "3+" + strings.Repeat("L", 50)} {
		if got := hopPath(depth); got != want {
			t.Errorf("depth %d: %s, want %s", depth, got, want)
		}
	}
	page := &dowse.Page{
		URL: "http://a.test/x y\u2028z", Depth: 1, Outcome: dowse.Fetched, Near: "http://a.test/n", Verdict: dowse.Verdict{Relevance: 0.25},
		Fetch: dowse.Fetch{At: time.Unix(100, 5e6).UTC(), Took: 1500 * time.Millisecond, Status: 200, Bytes: 7, Type: "text/html\n9"},
	}
	var b bytes.Buffer
	if err := logEntry(&b, &crawl.Entry{Kind: crawl.EntryPage, At: time.Unix(200, 0).UTC(), Page: page}, "http://a.test/"); err != nil {
		t.Fatal(err)
	}
	want := "1970-01-01T00:03:20.000Z   200          7 http://a.test/xyz L http://a.test/ text/html9 #000 19700101000140005+1500 - - relevance:0.250,near:http://a.test/n\n"
	if b.String() != want || len(strings.Fields(b.String())) != 12 {
		t.Errorf("%q, want %q", b.String(), want)
	}
	for _, c := range []struct {
		entry crawl.Entry
		want  string
	}{
		{crawl.Entry{Kind: crawl.EntryRobots, Page: &dowse.Page{URL: "http://a.test/robots.txt"}}, " P - - #000 - - - -\n"},
		{crawl.Entry{Kind: crawl.EntryPage, Page: &dowse.Page{URL: "http://a.test/", Reason: dowse.FailDNS}}, "    -1          - http://a.test/ - - - #000 - - - net.dns\n"},
		{crawl.Entry{Kind: crawl.EntryRequeue}, ""},
	} {
		b.Reset()
		if err := logEntry(&b, &c.entry, ""); err != nil || !strings.HasSuffix(b.String(), c.want) || c.want == "" && b.Len() > 0 {
			t.Errorf("%q, %v, want %q", b.String(), err, c.want)
		}
	}
}

// Nothing from outside can begin markup in the data card, and long lists are cut.
func TestDataCardIsPlain(t *testing.T) {
	for text, want := range map[string]string{
		"a|b": "a_b", "<script>": "_script_", "`x`": "_x_", "line\nbreak\ttab\x7f": "line break tab ", "ok ü": "ok ü", "\xff": "\uFFFD",
	} {
		if got := inMarkdown(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	counts := map[string]int{}
	for i := range 60 {
		counts[fmt.Sprintf("https://l%02d.test/", i)] = i % 3
	}
	list := byCount(counts)
	if len(list) != 60 || list[0] != "https://l02.test/" || list[1] != "https://l05.test/" || list[59] != "https://l57.test/" {
		t.Errorf("%v", list)
	}
	c := &Collection{Settings: Settings{Name: "x"}}
	var b bytes.Buffer
	c.cardRights(&b, &summary{Facts: cardFacts{Licences: counts}})
	if n := strings.Count(b.String(), "https://l"); n != 50 || !strings.Contains(b.String(), "| others | |") {
		t.Errorf("%d licences in\n%s", n, b.String())
	}
}

// Figures of the data card: first and last visit in any order, licences that JSON can't hold,
// and a bound on how many are counted by name.
func TestCardFacts(t *testing.T) {
	var f cardFacts
	for _, at := range []int64{200, 100, 300} {
		f.count(&dowse.Page{Fetch: dowse.Fetch{At: time.Unix(at, 0)}, Document: dowse.Document{NoIndex: at == 100, Licences: []dowse.URL{"http://l.test/", "\xff"}}})
	}
	if f.First != "1970-01-01T00:01:40Z" || f.Last != "1970-01-01T00:05:00Z" || f.NoIndex != 1 || f.NoArch != 0 || f.Licences["http://l.test/"] != 3 || f.Licences["\ufffd"] != 3 {
		t.Errorf("%+v", f)
	}
	for i := range 2 * maxLicences {
		f.count(&dowse.Page{Document: dowse.Document{Licences: []dowse.URL{dowse.URL(fmt.Sprint("l", i))}}})
	}
	if len(f.Licences) != maxLicences {
		t.Errorf("%d licences, want %d", len(f.Licences), maxLicences)
	}
}

// Problems are listed up to a bound and counted beyond it; what is unread is listed once.
func TestProblemsAreBounded(t *testing.T) {
	v := &Verification{}
	var u Unread
	for i := range maxProblems + 5 {
		v.problem(fmt.Sprint(i), "mend it", "broken %d", i)
		for range 2 {
			u.add(Problem{Place: fmt.Sprint(i), What: "broken", Do: "mend it"})
		}
	}
	if len(v.Problems) != maxProblems || v.More != 5 || v.OK() {
		t.Errorf("%d problems and %d more", len(v.Problems), v.More)
	}
	if v.Problems[3].String() != "3: broken 3; mend it" {
		t.Errorf("%s", v.Problems[3])
	}
	if len(u.Problems) != maxProblems || u.Count() < maxProblems+5 {
		t.Errorf("%d unread, %d in all", len(u.Problems), u.Count())
	}
}

// What remains of a line fills its place exactly, so that no line moves.
func TestPadded(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{{"ab", 4, "ab  "}, {"ab", 2, "ab"}, {"abc", 2, "  "}, {"", 3, "   "}, {"", 0, ""}} {
		if got := string(padded([]byte(c.text), c.n)); got != c.want {
			t.Errorf("%q in %d: %q, want %q", c.text, c.n, got, c.want)
		}
	}
}

// A model whose format can't lose terms gets placeholders, which sort where the terms did. Keys
// and terms that other pages have stay.
func TestRenamedTerms(t *testing.T) {
	data := []byte(`{"reef":1, "terms": ["coral", "reef", "sea\u00e9", "tide"], "kind": "other", "n": [1, "reef"]}`)
	l := &lexicon{data: data, only: map[string]bool{"reef": true, "seaé": true}, read: text.NewAnalyzer(text.Options{})}
	got := string(l.renamed())
	want := `{"reef":1, "terms": ["coral", "coral\u0001", "coral\u0001\u0001", "tide"], "kind": "other", "n": [1, "other\u0001"]}`
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	var found []string
	eachString([]byte(`{"a": "b\"c", "d" : ["e", "\ud800", 5, "f`), func(_, _ int, s string) { found = append(found, s) })
	if fmt.Sprint(found) != "[b\"c e \ufffd]" {
		t.Errorf("%q", found)
	}
}

// A seed that is taken down leaves the part of its address that the scope depends on.
func TestHomeOfASeed(t *testing.T) {
	for _, c := range []struct {
		reach crawl.Reach
		seed  dowse.URL
		want  dowse.URL
	}{
		{crawl.ReachHost, "http://a.test/x/y?z=/1", "http://a.test/"}, {crawl.ReachDomain, "https://a.test:8080/x", "https://a.test:8080/"},
		{crawl.ReachPrefix, "http://a.test/x/y", "http://a.test/x/"}, {crawl.ReachPrefix, "http://a.test/x/y?q=/z/w", "http://a.test/x/"},
		{crawl.ReachPrefix, "http://a.test/", "http://a.test/"}, {crawl.ReachHost, "http://a.test", "http://a.test"}, {crawl.ReachHost, "http://gone.test/x", ""},
	} {
		td := &takedown{c: &Collection{}, pending: pending{Hosts: []string{"gone.test"}}}
		td.c.Settings.Scope.Reach = string(c.reach)
		if got := td.home(c.seed); got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.reach, c.seed, got, c.want)
		}
	}
}

// An entry loses the URLs that were taken down wherever it has them as strings.
func TestEditURLs(t *testing.T) {
	td := &takedown{c: &Collection{}, urls: map[dowse.URL]bool{"http://a.test/x": true}, ids: map[frontier.ID]bool{3: true}, pending: pending{Hosts: []string{"gone.test"}, From: 1 << 40}}
	e := &crawl.Entry{
		Seeds: []dowse.URL{"http://b.test/", "http://a.test/x"}, Homes: []dowse.URL{"http://gone.test/", "http://c.test/"},
		Page:    &dowse.Page{Document: dowse.Document{Canonical: "http://a.test/x"}, Near: "http://a.test/x", Maps: []dowse.URL{"http://a.test/x", "http://a.test/y"}},
		Rulings: []crawl.Ruling{{ID: 3}, {ID: 4}}, Host: "gone.test",
	}
	if !td.edit(e) {
		t.Error("nothing changed")
	}
	if got := fmt.Sprintf("%v %v %q %q %v %d %q", e.Seeds, e.Homes, e.Page.Canonical, e.Page.Near, e.Page.Maps, len(e.Rulings), e.Host); got != `[http://b.test/] [http://c.test/ http://a.test/] "" "" [http://a.test/y] 1 ""` {
		t.Errorf("left: %s", got)
	}
	if td.edit(e) {
		t.Error("it changed once more")
	}
}

// The process that holds a collection is named only if the lock file proves it.
func TestHolder(t *testing.T) {
	dir := t.TempDir()
	if pid, _, err := Holder(dir); pid != 0 || err != nil {
		t.Errorf("without a lock: %d, %v", pid, err)
	}
	path := filepath.Join(dir, lockName)
	os.WriteFile(path, []byte("12345\ncollection/v2\n"), 0o644)
	if pid, _, err := Holder(dir); pid != 0 || err != nil {
		t.Errorf("a lock that is not held: %d, %v", pid, err)
	}
	f, err := lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	if pid, _, err := Holder(dir); !errors.Is(err, ErrHolder) || pid != 0 || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
		t.Errorf("held by this process, which is never signalled: %d, %v", pid, err)
	}
	if pid, crawls := Running(dir); pid != os.Getpid() || crawls {
		t.Errorf("running: %d, crawls %v, want this process, which does not crawl", pid, crawls)
	}
	(&Collection{lock: f}).MarkCrawl()
	if pid, crawls := Running(dir); pid != os.Getpid() || !crawls {
		t.Errorf("running: %d, crawls %v, want this process, which crawls", pid, crawls)
	}
	for text, want := range map[string]string{"1\ncollection/v2\n": "names process 1", "999999\nother\n": "not a lock of dowse", "999999\ncollection/v2\n": "does not work on it"} {
		os.WriteFile(path, []byte(text), 0o644)
		if pid, _, err := Holder(dir); !errors.Is(err, ErrHolder) || pid != 0 || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %d, %v, want %q", text, pid, err, want)
		}
	}
	f.Close()
	os.Link(path, filepath.Join(dir, "second"))
	if _, _, err := Holder(dir); !errors.Is(err, ErrHolder) || !strings.Contains(err.Error(), "not a file of its own") {
		t.Errorf("with a second name: %v", err)
	}
	os.Remove(path)
	os.Symlink("second", path)
	if _, _, err := Holder(dir); !errors.Is(err, ErrHolder) {
		t.Errorf("a link: %v", err)
	}
}

// Tails of the archive that were cut off are kept by content, the newest of them only.
func TestTails(t *testing.T) {
	c := &Collection{Dir: t.TempDir()}
	os.MkdirAll(c.state(), 0o755)
	at := time.Unix(1_000_000, 0)
	for i := range maxTails + 3 {
		name := filepath.Join(c.state(), fmt.Sprintf("%sa-%d-%08x.warc.gz", tailPrefix, i, i))
		os.WriteFile(name, []byte("x"), 0o644)
		os.Chtimes(name, at, at.Add(-time.Duration(i)*time.Hour)) // the higher the number the older
	}
	if err := c.dropTails(maxTails); err != nil {
		t.Fatal(err)
	}
	left := (&Wreck{Dir: c.Dir}).Tails()
	if len(left) != maxTails || !strings.Contains(left[0], "a-0-") || slices.ContainsFunc(left, func(p string) bool { return strings.Contains(p, fmt.Sprintf("a-%d-", maxTails)) }) {
		t.Errorf("%v", left)
	}
	if err := c.dropTails(0); err != nil || len((&Wreck{Dir: c.Dir}).Tails()) != 0 {
		t.Errorf("%v", err)
	}
	if s := (savedTails{"a.warc.gz": "state/x"}); s.where("a.warc.gz") == "" || s.where("b.warc.gz") != "" {
		t.Error("a saved tail is named where there is none, or not where there is one")
	}
}

// A wreck is read as far as it can be, whatever its version; what can't be read is noted.
func TestWreck(t *testing.T) {
	dir := t.TempDir()
	if _, err := OpenWreck(filepath.Join(dir, "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("of nothing: %v", err)
	}
	w, err := OpenWreck(dir)
	if err != nil || w.Frozen || w.Current || w.Topic != nil || len(w.Notes) != 2 || len(w.Files()) != 0 {
		t.Errorf("of an empty folder: %+v, %v", w, err)
	}
	write := func(name, text string) {
		os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(settingsName, "dowse: collection/v7\nname: x\nfuture: 5\nforgotten: ["+strings.Repeat("a", 32)+", short]\n")
	write("topic.yaml", "name: x\n")
	write("needs/b", "2")
	write("needs/a", "1")
	write("models/m0000.json", "{}")
	os.Symlink("/etc/hostname", filepath.Join(dir, AnswersName))
	w, err = OpenWreck(dir)
	if err != nil || !w.Frozen || w.Current || w.Settings.Name != "x" || string(w.Topic) != "name: x\n" {
		t.Fatalf("%+v, %v", w, err)
	}
	var names []string
	for _, f := range w.Files() {
		names = append(names, f.Name)
	}
	if strings.Join(names, " ") != "models/m0000.json needs/a needs/b" {
		t.Errorf("files %v", names)
	}
	if got := w.Forgotten(); len(got) != 1 {
		t.Errorf("%d fingerprints", len(got))
	}
	notes := strings.Join(w.Notes, "\n")
	if !strings.Contains(notes, AnswersName+" can't be read") || !strings.Contains(notes, "1 fingerprints of URLs") {
		t.Errorf("notes:\n%s", notes)
	}
	write(settingsName, "name: x\n")
	if w, err = OpenWreck(dir); err != nil || w.Frozen || !strings.Contains(strings.Join(w.Notes, "\n"), "it has no version") {
		t.Errorf("without a version: %+v, %v", w, err)
	}
}

// The checksum of a summary covers all of it.
func TestSummaryIsSealed(t *testing.T) {
	c := &Collection{Dir: t.TempDir()}
	if _, err := c.savedSummary(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without one: %v", err)
	}
	for text, want := range map[string]error{"": errBrokenSummary, "{": errBrokenSummary, `{"version": 1}`: errOldSummary, `{"version": 2}`: errBrokenSummary, `{"version": 3}`: errBrokenSummary} {
		durable.In(c.Dir).Mkdir("state")
		os.WriteFile(filepath.Join(c.Dir, summaryName), []byte(text), 0o644)
		if _, err := c.savedSummary(); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
	s := summary{Version: summaryVersion, Journal: 5, Files: map[string]int64{logName: 7}, Facts: cardFacts{NoIndex: 2}}
	first, err := s.seal()
	if err != nil {
		t.Fatal(err)
	}
	for i, change := range []func(s *summary){
		func(s *summary) { s.Journal++ }, func(s *summary) { s.Files = map[string]int64{logName: 8} }, func(s *summary) { s.Facts.NoIndex++ },
		func(s *summary) { s.Rulings++ }, func(s *summary) { s.Indexed++ }, func(s *summary) { s.Sums = map[string]uint32{logName: 1} },
	} {
		other := s
		if change(&other); first == sum(t, other) {
			t.Errorf("change %d leaves the checksum as it was", i)
		}
	}
	other := s
	if other.Sum = 99; sum(t, other) != first {
		t.Error("the checksum covers itself")
	}
}

func sum(t *testing.T, s summary) uint32 {
	t.Helper()
	n, err := s.seal()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Reasons on one line: the strongest first, with their counts.
func TestReasonLine(t *testing.T) {
	list := []dowse.Because{{What: "a", Weight: 0.1}, {What: "b", Weight: -2, Count: 3}, {What: "c", Weight: 1, Count: 1}, {What: "d", Weight: 2}}
	for n, want := range map[int]string{0: "", -1: "", 2: "-2.00 b ×3, +2.00 d", 9: "-2.00 b ×3, +2.00 d, +1.00 c, +0.10 a"} {
		if got := ReasonLine(list, n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	if list[0].What != "a" {
		t.Error("the list was changed")
	}
}

// Names of models count on from the highest, as numbers and not as texts.
func TestNamesOfModels(t *testing.T) {
	dir := t.TempDir()
	name := func(list ...Model) string {
		got, err := NameModel(dir, list)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := name(); got != "m0001" {
		t.Errorf("the first is %s", got)
	}
	if got := name(Model{Model: "m0009"}, Model{Model: "m0003"}); got != "m0010" {
		t.Errorf("after m0009 comes %s", got)
	}
	os.MkdirAll(filepath.Join(dir, "models"), 0o755)
	for _, f := range []string{"m10000.json", "m9999.json", "given.json", "notes.txt"} {
		os.WriteFile(filepath.Join(dir, "models", f), nil, 0o644)
	}
	if got := name(Model{Model: "m0002"}); got != "m10001" {
		t.Errorf("after m10000 comes %s", got)
	}
	if _, err := SaveModel(dir, "../m0001", nil); err == nil {
		t.Error("a model outside of its folder was written")
	}
}
