package collection_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/demo"
	"dowse/internal/facts"
	"dowse/internal/site"
	"dowse/settings"
)

// Every column has the same values in a .jsonl, in a .csv and in a list, for a page that is on
// topic and for one that is off.
func TestEveryColumnInEveryExport(t *testing.T) {
	_, dir, err := crawledWeb("shore")
	if err != nil {
		t.Fatal(err)
	}
	c := open(t, dir, true)
	names := collection.ExportFields()
	path, n := export(t, c, "all.jsonl", collection.ExportOptions{All: true, Fields: names, Distinct: "none"})
	lines := jsonLines(t, unpacked(t, path))
	path, m := export(t, c, "all.csv", collection.ExportOptions{All: true, Fields: names, Distinct: "none"})
	cells, err := csv.NewReader(bytes.NewReader(readAll(t, path))).ReadAll()
	if err != nil || n != m || len(cells) != n+1 || len(lines) != n || strings.Join(cells[0], " ") != strings.Join(names, " ") {
		t.Fatalf("%d and %d pages, %d rows, header %v, %v", n, m, len(cells), cells[0], err)
	}
	rows := list(t, c, collection.Filter{})
	filled := map[string]bool{}
	for i, line := range lines {
		if len(line) != len(names) {
			t.Errorf("%d members, want %d", len(line), len(names))
		}
		for k, name := range names {
			cell := cells[i+1][k]
			if want := cellOf(t, line[name], name, rows[i]); cell != want {
				t.Errorf("%s of %s: %q in the table, want %q", name, rows[i].URL, cell, want)
			}
			filled[name] = filled[name] || cell != ""
		}
		printed := jsonOf(t, rows[i])
		for name, v := range printed {
			if name == "schema" {
				continue
			}
			if got, want := must(json.Marshal(line[name])), must(json.Marshal(v)); string(got) != string(want) {
				t.Errorf("%s of %s: %s in the export, %s in the list", name, rows[i].URL, got, want)
			}
		}
	}
	for _, name := range []string{"url", "title", "host", "state", "relevance", "lang", "status", "words", "links_out", "licence", "robots_flags", "parent", "near", "warc", "offset", "because", "text", "headings", "meta"} {
		if !filled[name] {
			t.Errorf("%s is empty for every page: the test shows nothing of it", name)
		}
	}
}

// cellOf returns the cell of a table that a JSON value becomes.
func cellOf(t *testing.T, v any, name string, row *collection.Row) string {
	t.Helper()
	s := ""
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		s = v
	case []any:
		var parts []string
		for _, e := range v {
			text, ok := e.(string)
			if !ok { // reasons
				return guarded(collection.ReasonLine(row.Page.Verdict.Because, 10))
			}
			parts = append(parts, text)
		}
		s = strings.Join(parts, " ")
	default:
		raw, err := facts.Encode(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	return guarded(s)
}

// guarded is a text that no spreadsheet takes for a formula.
func guarded(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

func jsonOf(t *testing.T, v any) (m map[string]any) {
	t.Helper()
	if err := json.Unmarshal(must(json.Marshal(v)), &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A crawl for sites: its sites, the story of one of them, the graph, and each export of it.
func TestSites(t *testing.T) {
	sequential(t)
	town := demo.NewTown(demo.TownConfig{Sites: 20, Seed: 77})
	dir := filepath.Join(t.TempDir(), "town.dowse")
	cfg := crawler.Config{
		Words: town.Topic().Words, Unit: crawler.UnitSite, Transport: town.RoundTripper(),
		Settings: settings.Settings{
			Key: 7, Order: settings.Order{Strategy: "site"}, Limits: settings.Limits{Pages: 60},
			Identity: settings.Identity{Contact: "http://127.0.0.1/"}, Politeness: settings.Politeness{Delay: settings.None, InFlight: 1},
		},
	}
	for _, s := range town.Training(2, 0) {
		cfg.Seeds = append(cfg.Seeds, "http://"+s.Host+"/")
	}
	c, err := crawler.Open(dir, cfg)
	if err != nil {
		t.Fatal(err)
	}
	for range c.Crawl(t.Context()) {
	}
	if err := errors.Join(c.Err(), c.Close()); err != nil {
		t.Fatal(err)
	}
	v, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	col := v.Collection
	sites, err := col.Sites()
	if err != nil || len(sites) < 3 {
		t.Fatalf("%d sites, %v", len(sites), err)
	}
	relevant, read := 0, 0
	for _, s := range sites {
		if s.Verdict == site.Relevant {
			relevant++
		}
		if s.Order > 0 {
			read++
		}
	}
	story := siteStory(t, col, sites)
	graph, err := col.SiteGraph()
	if err != nil || len(graph.Nodes) != len(sites) || len(graph.Edges) == 0 {
		t.Fatalf("%d nodes of %d sites, %v", len(graph.Nodes), len(sites), err)
	}
	for _, e := range graph.Edges {
		if e.From == e.To || e.Pages < 1 || e.Weight < 0 || e.Weight > 1 {
			t.Errorf("edge %+v", e)
		}
	}
	if len(story.Targets)+len(story.Linkers) == 0 {
		t.Error("the story has no links, and the graph has")
	}
	for _, e := range []struct {
		name string
		all  bool
		n    int
	}{{"a.sites.jsonl", false, relevant}, {"b.sites.jsonl", true, read}, {"a.sites.csv", false, relevant}, {"b.sites.csv", true, read}} {
		path, n := export(t, col, e.name, collection.ExportOptions{All: e.all})
		lines := bytes.Count(readAll(t, path), []byte("\n"))
		if strings.HasSuffix(e.name, ".csv") {
			lines--
		}
		if n != e.n || lines != e.n {
			t.Errorf("%s, all %v: %d sites in %d lines, want %d", e.name, e.all, n, lines, e.n)
		}
	}
	for _, name := range []string{"a.gexf", "a.graphml", "a.svg", "a.dot"} {
		path, n := export(t, col, name, collection.ExportOptions{All: true})
		some, m := export(t, col, name, collection.ExportOptions{})
		if n != len(sites) || m > read || m < 1 || m < n && len(readAll(t, some)) > len(readAll(t, path)) {
			t.Errorf("%s: %d nodes of %d sites, %d of %d that were read", name, n, len(sites), m, read)
		}
		if name != "a.dot" && !isXML(readAll(t, path)) || !strings.Contains(string(readAll(t, path)), sites[0].Name) {
			t.Errorf("%s is not well-formed, or does not name %s", name, sites[0].Name)
		}
	}
}

// siteStory checks the story of the first site that was judged by its pages.
func siteStory(t *testing.T, col *collection.Collection, sites []site.Site) *collection.SiteStory {
	t.Helper()
	if _, err := col.SiteWhy("never.test"); !errors.Is(err, collection.ErrUnknown) {
		t.Errorf("of a site that is not known: %v", err)
	}
	for _, s := range sites {
		if s.Pages == 0 || s.Judged == 0 {
			continue
		}
		story, err := col.SiteWhy(s.Name)
		if err != nil || len(story.Read) != s.Pages {
			t.Fatalf("%s: %d pages, want %d, %v", s.Name, len(story.Read), s.Pages, err)
		}
		for i, p := range story.Read {
			if p.Decided != (i+1 == s.Judged) || p.Posterior < 0 || p.Posterior > 1 {
				t.Errorf("%s, page %d: %+v; judged after %d", s.Name, i+1, p, s.Judged)
			}
		}
		for _, raw := range []string{s.Name, "http://" + s.Name + "/x", "www." + s.Name} {
			if got, ok := col.SiteName(raw); !ok || got != s.Name {
				t.Errorf("%q means %q, %v, want %s", raw, got, ok, s.Name)
			}
		}
		if _, ok := col.SiteName("never.test"); ok {
			t.Error("never.test is a known site")
		}
		return story
	}
	t.Fatal("no site was judged by its pages")
	return nil
}

// isXML reports whether a text is well-formed XML.
func isXML(data []byte) bool {
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		if _, err := d.Token(); err != nil {
			return err == io.EOF
		}
	}
}
