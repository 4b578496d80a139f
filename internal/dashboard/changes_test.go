package dashboard

import (
	"encoding/csv"
	"html"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dowse/collection"
	"dowse/internal/facts"
	"dowse/internal/operations"
)

// shellProgram returns the path of a script that is run in place of dowse.
func shellProgram(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// madeReport is a report of the lab whose texts are hostile.
func madeReport(string) (*LabReport, error) {
	return &LabReport{
		Title: "Strategies <script>pwned=1</script>", Measures: []string{"recall@end"}, Rows: []LabRow{{ID: "a", Strategy: "breadth-first", Cells: []LabCell{{"0.391", "0.065", "b"}}}},
		Claims:  []LabClaim{{"holds", "words find more", "a > b", []string{"n=10"}}},
		Figures: []LabFigure{{"harvest", []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><script>pwned=1</script><rect width="40" height="20"/></svg>`), [][]string{{"pages", "harvest"}, {"10", "0.5"}}}},
		Setup:   [][2]string{{"topics", "10"}}, Command: "dowse lab run demo",
	}, nil
}

// withRun adds a run of the lab to a folder.
func withRun(t testing.TB, dir string) string {
	t.Helper()
	folder := filepath.Join(dir, "runs", "demo")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "manifest.yaml"), []byte("dowse: run/v1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// labSite serves a dashboard with reports of the lab, whose program is a script.
func labSite(t *testing.T, dir, script string) *site {
	return openFull(t, operations.Config{Dirs: []string{dir}, Executable: shellProgram(t, script)}, Config{
		LabDirs: []string{dir}, LabReport: madeReport, Experiments: func() []Experiment {
			return []Experiment{{"demo", "Simple strategies", 7, 2}, {"000-f2", "OTIE", 7, 9}}
		},
	})
}

// A report of the lab is shown, its pictures as images and its texts as text.
func TestLabReport(t *testing.T) {
	s := labSite(t, withRun(t, copied(t)), "exit 0\n")
	code, body, _ := s.get(t, "/lab/run?run=runs/demo")
	for _, want := range []string{"breadth-first", "0.391", "±0.065", "words find more", `src="data:image/svg&#43;xml;base64,`, "dowse </span>", "&lt;script&gt;", "<td class=\"n\">0.5</td>"} {
		if code != 200 || !strings.Contains(body, want) {
			t.Errorf("got %d without %q", code, want)
		}
	}
	if strings.Contains(body, "<script>pwned") {
		t.Error("a text of the report is markup")
	}
}

// A run of the lab is started by the form, and one that exists is replaced only if that is wanted.
func TestStartLab(t *testing.T) {
	dir := copied(t)
	seen := filepath.Join(dir, "seen")
	s := labSite(t, dir, "echo \"$@\" > "+seen+"\nmkdir -p runs/demo\necho x > runs/demo/manifest.yaml\n")
	if code, body, head := s.send(t, http.MethodPost, "/lab", url.Values{"experiment": {"demo"}, "pages": {"30"}, "demo": {"1"}}); code != 303 {
		t.Fatal(code, head, body)
	}
	text, err := os.ReadFile(seen)
	if err != nil || !strings.Contains(string(text), "lab run demo --out=") || !strings.Contains(string(text), "--pages=30") || !strings.Contains(string(text), "--web=demo") {
		t.Errorf("the process got %q, %v", text, err)
	}
	if _, body, _ := s.get(t, "/lab"); !strings.Contains(body, `<a href="/lab/run?run=runs%2Fdemo">demo</a>`) {
		t.Error("the run that was started is not listed with its report")
	}
	for form, want := range map[string]int{"experiment=demo": 409, "experiment=demo&again=1": 303, "experiment=../x": 400, "experiment=demo&pages=-1&again=1": 400} {
		q, _ := url.ParseQuery(form)
		if code, _, _ := s.send(t, http.MethodPost, "/lab", q); code != want {
			t.Errorf("%s: got %d, want %d", form, code, want)
		}
	}
}

// Several pages get a label by one form.
func TestBulkLabels(t *testing.T) {
	dir := copied(t)
	s := open(t, dir)
	_, list, _ := s.get(t, "/c/pools/pages?verdict=off")
	var urls []string
	for _, part := range strings.Split(list, `form="bulk" name="url" value="`)[1:4] {
		u, _, _ := strings.Cut(part, `"`)
		urls = append(urls, html.UnescapeString(u))
	}
	code, _, head := s.send(t, http.MethodPost, "/c/pools/label", url.Values{"url": urls, "label": {"off"}, "back": {"/c/pools/pages?verdict=off"}})
	if code != 303 || head.Get("Location") != "/c/pools/pages?verdict=off" {
		t.Errorf("got %d, %s", code, head.Get("Location"))
	}
	l, err := collection.ReadLabels(filepath.Join(dir, "pools.dowse"))
	if err != nil || len(l.Standing()) != 3 {
		t.Errorf("%d labels, %v", len(l.Standing()), err)
	}
	if code, body, _ := s.send(t, http.MethodPost, "/c/pools/label", url.Values{"label": {"off"}}); code != 400 || !strings.Contains(body, "tick the pages") {
		t.Errorf("nothing chosen: got %d", code)
	}
}

// Pending changes of the topic's words are in the address, and are applied by one form.
func TestTopicEdit(t *testing.T) {
	s := open(t, copied(t))
	_, body, _ := s.get(t, "/c/pools/topic")
	boost := html.UnescapeString(between(body, `<a class="button tiny" href="`, `"`))
	if !strings.HasPrefix(boost, "?boost=") || !strings.HasSuffix(boost, "#pending") {
		t.Fatalf("the first term can't be boosted: %q", boost)
	}
	boost = strings.TrimSuffix(boost, "#pending")
	if _, body, _ := s.get(t, "/c/pools/topic"+boost+"&ban=casino"); !strings.Contains(body, `<input type="hidden" name="ban" value="casino">`) || !strings.Contains(body, "Apply: judge every page again") {
		t.Error("the change is not offered")
	}
	if code, body, _ := s.get(t, "/c/pools/topic?boost=of+the"); code != 200 || !strings.Contains(body, "could not be used") || strings.Contains(body, "Apply:") {
		t.Errorf("a change that makes the topic useless: got %d", code)
	}
	if code, _, _ := s.send(t, http.MethodPost, "/c/pools/topic", url.Values{}); code != 400 {
		t.Errorf("no change: got %d, want 400", code)
	}
}

// The receipt has a line per host, and no cell that a spreadsheet would run.
func TestReceipt(t *testing.T) {
	s := open(t, copied(t))
	code, body, head := s.get(t, "/c/pools/receipt")
	rows, err := csv.NewReader(strings.NewReader(body)).ReadAll()
	if code != 200 || err != nil || len(rows) < 10 || rows[0][0] != "host" || !strings.HasPrefix(head.Get("Content-Disposition"), "attachment") {
		t.Errorf("got %d, %d rows, %v", code, len(rows), err)
	}
	for in, want := range map[string]string{"=1+1": "'=1+1", "@x": "'@x", "a.example": "a.example", "": ""} {
		if got := cell(in); got != want {
			t.Errorf("cell(%q) = %q, want %q", in, got, want)
		}
	}
}

// The fewest reasons that change a verdict together are found, the strongest first.
func TestTogether(t *testing.T) {
	part := func(what string, w float64) collection.Part {
		return collection.Part{Cause: facts.Cause{What: what, Weight: w}}
	}
	j := &collection.Ruling{OnTopic: true, Threshold: 0.5, Scale: "log-odds", Because: []collection.Part{part("12 other terms", 4), part(`"tide"`, 2), part("bias", -3.7), part(`"pool"`, 1), part(`"shop"`, -0.5), part(`"rock"`, 0.1)}}
	names, left := together(j) // the sum is 2.9; without tide 0.9, without pool -0.1
	if strings.Join(names, " ") != "“tide” “pool”" || left >= 0.5 {
		t.Errorf("got %q, %.3f", names, left)
	}
	j.Because = []collection.Part{part(`"tide"`, 2), part(`"pool"`, 2), part("bias", -3)}
	if names, left = together(j); strings.Join(names, " ") != "“tide”" || left >= 0.5 {
		t.Errorf("got %q, %.3f", names, left)
	}
	j.Scale = "change"
	if names, _ = together(j); names != nil {
		t.Errorf("weights that do not add up: %q", names)
	}
}
