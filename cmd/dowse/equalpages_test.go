package main

import (
	"encoding/json"
	"html"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// An equalPage is a page of the dashboard, and what of it the output of its command must have, in the same order: what the groups
// of a regular expression match in the page.
type equalPage struct {
	path string
	item string // "" if it is enough that the command runs: the page lists nothing here
	// more is added to the command, for one that asks a person without it.
	more string
	// file is what the command writes, if it prints nothing.
	file string
}

var (
	footCommand = regexp.MustCompile(`(?s)<code id="command">(.*?)</code>`)
	htmlTags    = regexp.MustCompile(`<[^>]*>`)
	navLinks    = regexp.MustCompile(`(?s)<nav class="(?:global|tabs|choices)"[^>]*>(.*?)</nav>`)
	hrefs       = regexp.MustCompile(`href="([^"]*)"`)
)

// Items of pages.
const (
	pageItems     = `class="name" href="[^"]*page\?url=([^"]*)"`
	hitItems      = `<h3><a href="[^"]*page\?url=([^"]*)"`
	hostItems     = `class="host-cell"><a href="[^"]*" dir="ltr" title="([^"]*)"`
	siteItems     = `class="host-cell"><a href="[^"]*pages\?host=([^"]*)"`
	settingItems  = `<label for="s-([a-z-]+)">[a-z-]+</label></td><td><bdi>([^<]+)<`
	strategyItems = `<td class="strategy-cell"><strong>([^<]+)</strong>`
)

// TestEqualPages runs the command that each page of the dashboard names, as it is printed, and checks that it prints what the
// page shows.
func TestEqualPages(t *testing.T) {
	root := t.TempDir()
	shell := func(line string) ([]byte, error) {
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = root
		return cmd.CombinedOutput()
	}
	must := func(line string) {
		t.Helper()
		if out, err := shell(line); err != nil {
			t.Fatalf("%s: %v: %s", line, err, out)
		}
	}
	must("dowse crawl 'tide pools' --demo --pages 80 --delay 0s -q --exclude /field/ -o pools.dowse")
	must("dowse crawl 'tide pools' --demo --pages 40 --delay 0s -q -o 'other ones.dowse' --strategy breadth-first")
	must("dowse forget pools.dowse --host kelp.demo --because asked --yes")
	const small = "dowse: lab/v1\nname: small\nweb: {demo: {pages: 1000}}\ntopics: {from: web, limit: 2}\ntraining: {positives: 5}\nbudget: {pages: 30}\nstrategies: [breadth-first, link-context]\n"
	if err := os.WriteFile(filepath.Join(root, "small.yaml"), []byte(small), 0o600); err != nil {
		t.Fatal(err)
	}
	must("dowse lab run small.yaml -o runs/small -q")
	base, token, end := serving(t, "serve", root, "--listen", "127.0.0.1:0")
	defer end()

	out, err := shell("dowse pages pools.dowse -n 1 --format '{judge}'")
	if err != nil {
		t.Fatal(err)
	}
	judgedBy := url.QueryEscape(strings.TrimSpace(string(out)))
	_, list := answer(t, base+"/c/pools/pages?sort=score", token)
	first := regexp.MustCompile(pageItems).FindStringSubmatch(list)[1]
	second := regexp.MustCompile(`class="button" href="([^"]*)" rel="next"`)
	filtered := "/c/pools/pages?lang=en&sort=host"
	_, list = answer(t, base+filtered, token)
	next := second.FindStringSubmatch(list)
	if next == nil {
		t.Fatalf("%s: there is no second part", filtered)
	}
	pages := []equalPage{
		{path: "/collections", item: `<strong><bdi>([^<]+)</bdi></strong></a><span class="url mono"`},
		{path: "/c/pools/", item: `<span class="big">([\d,]+) <small>/ ([\d,]+)|([\d,]+) URLs known`},
		{path: "/c/pools/pages", item: pageItems}, {path: "/c/pools/pages?verdict=on&sort=score", item: pageItems},
		{path: "/c/pools/pages?verdict=off&sort=fetched", item: pageItems}, {path: "/c/pools/pages?sort=surprise", item: pageItems},
		{path: "/c/pools/pages?sort=uncertainty&host=shorewalks.demo", item: pageItems}, {path: "/c/pools/pages?sort=host", item: pageItems},
		{path: "/c/pools/pages?verdict=skipped", item: pageItems}, {path: "/c/pools/pages?skipped=scope.exclude&sort=score", item: pageItems},
		{path: "/c/pools/pages?verdict=failed&sort=host", item: pageItems}, {path: "/c/pools/pages?text=-tide&sort=score", item: pageItems},
		{path: "/c/pools/pages?reason=tide&verdict=on", item: pageItems}, {path: "/c/pools/pages?model=" + judgedBy + "&since=168h", item: pageItems},
		{path: "/c/pools/pages?verdict=failed&text=old", item: pageItems},
		{path: filtered, item: pageItems}, {path: "/c/pools/pages" + html.UnescapeString(next[1]), item: pageItems},
		{path: "/c/pools/page?url=" + first, item: `<p class="quiet"><span dir="ltr">([^<]+)</span></p>|<strong>([01]\.\d\d)</strong><span class="quiet">threshold`},
		{path: "/c/pools/search", item: `(score:) verdict:`}, {path: "/c/pools/search?q=tide+pools&all=1", item: hitItems},
		{path: "/c/pools/search?q=tide+-price", item: hitItems}, {path: "/c/pools/search?q=tide&offset=20", item: hitItems},
		{path: "/c/pools/search?similar=" + first, item: hitItems},
		{path: "/c/pools/labels", item: `<input type="hidden" name="url" value="([^"]*)"><input type="hidden" name="queue"`, more: " --json"},
		{path: "/c/pools/labels?queue=audit", item: `<input type="hidden" name="url" value="([^"]*)"><input type="hidden" name="queue"`, more: " --json"},
		{path: "/c/pools/labels?queue=disagreements", more: " --json"},
		{path: "/c/pools/topic", item: `<bdi>([^<]+)</bdi></a> <span class="quiet small wide-only">`},
		{path: "/c/pools/frontier", item: `data-rank="([^"]*)"`}, {path: "/c/pools/frontier?host=tidewatch.demo", item: `data-rank="([^"]*)"`},
		{path: "/c/pools/hosts", item: hostItems}, {path: "/c/pools/hosts?show=on&sort=share", item: hostItems}, {path: "/c/pools/hosts?text=tide&sort=name", item: hostItems},
		{path: "/c/pools/hosts?show=off", item: hostItems}, {path: "/c/pools/hosts?show=problems"},
		{path: "/c/pools/graph", item: `<tr><td class="host-cell"><a href="[^"]*" dir="ltr">([^<]+)</a>`, file: "hosts.gexf"},
		{path: "/c/pools/sites", item: siteItems}, {path: "/c/pools/sites?sort=pages", item: siteItems},
		{path: "/c/pools/problems", item: `<div class="hit"><h3>([^<]+)</h3>`},
		{path: "/c/pools/export", item: `<span class="sub">(\d+) pages on topic`, file: "pools.jsonl"},
		{path: "/c/pools/settings", item: settingItems},
		{path: "/compare", item: `<bdi>([^<]+)</bdi>`}, {path: "/compare?c=pools&c=other_ones", item: `<td class="n">(\d\.\d{3})</td><td class="n quiet wide-only">([^<]+)<`},
		{path: "/lab", item: `<strong>(runs/small)</strong>`}, {path: "/lab/run?run=runs/small", item: strategyItems},
		{path: "/new", item: `<h1>New (crawl)`},
		{path: "/new?words=tide+pools&seeds=http%3A%2F%2Fshorewalks.demo%2F&pages=5&name=fresh&demo=1", item: `id="pages"[^>]* value="(\d+)"`},
	}
	covered := map[string]bool{}
	for _, p := range pages {
		covered[strings.Split(p.path, "?")[0]] = true
	}
	for _, p := range pages {
		code, body := answer(t, base+p.path, token)
		m := footCommand.FindStringSubmatch(body)
		if code != 200 || m == nil {
			t.Errorf("%s: got %d, and no command: %v", p.path, code, m)
			continue
		}
		for _, nav := range navLinks.FindAllStringSubmatch(body, -1) {
			for _, h := range hrefs.FindAllStringSubmatch(nav[1], -1) {
				if path, _, _ := strings.Cut(h[1], "?"); path != "" && !covered[path] {
					t.Errorf("%s leads to %s, of which no command is tried", p.path, path)
				}
			}
		}
		line := html.UnescapeString(htmlTags.ReplaceAllString(m[1], ""))
		out, err := shell(line + p.more)
		if err != nil {
			t.Errorf("%s: %s: %v: %s", p.path, line, err, out)
			continue
		}
		text := string(out)
		if p.file != "" {
			data, err := os.ReadFile(filepath.Join(root, p.file))
			if err != nil {
				t.Errorf("%s: %s: %v", p.path, line, err)
				continue
			}
			text += string(data)
		}
		if missing := notInOrder(t, p, html.UnescapeString(body), text); missing != "" {
			t.Errorf("%s: %s\n%s is not in its place in\n%s", p.path, line, missing, text)
		}
	}
	if out, err := os.ReadFile(filepath.Join(root, "pools.jsonl")); err != nil || strings.Count(string(out), "\n") == 0 || !json.Valid(out[:strings.IndexByte(string(out), '\n')]) {
		t.Errorf("the export: %v", err)
	}
}

// notInOrder returns the first item of a page that does not follow the one before in a text; "" if all do.
func notInOrder(t *testing.T, p equalPage, body, text string) string {
	t.Helper()
	if p.item == "" {
		return ""
	}
	var items []string
	for _, m := range regexp.MustCompile(p.item).FindAllStringSubmatch(body, -1) {
		for _, x := range slices.DeleteFunc(m[1:], func(s string) bool { return s == "" }) {
			if u, err := url.QueryUnescape(x); err == nil && strings.HasPrefix(u, "http") {
				x = u
			}
			items = append(items, x)
		}
	}
	if len(items) == 0 {
		return "anything that the page shows"
	}
	whole, ordered := text, strings.Contains(p.path, "/pages") || strings.Contains(p.path, "/hosts") || strings.Contains(p.path, "/search") || strings.Contains(p.path, "/sites")
	for _, x := range items {
		in := whole
		if ordered {
			in = text
		}
		i := strings.Index(in, x)
		if i < 0 {
			return x
		}
		text = in[i+len(x):]
	}
	return ""
}
