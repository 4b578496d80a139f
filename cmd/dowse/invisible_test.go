package main

import (
	"archive/zip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
)

// TestInvisibleTitles crawls a page with invisible characters in its title and looks
// for them in every form in which a collection is shown or taken away.
func TestInvisibleTitles(t *testing.T) {
	const title = "\u200bCoral\u2060 blea\u00adching\u202e \u200egnp.exe\U000E0041\u3164"
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, "<html lang=en><title>%s</title><nav><a href=/>Home</a></nav><p>%s <a href=/two>%s</a> %s", title, r.URL.Path, title, strings.Repeat("Coral bleaching harms the reefs. ", 30))
	}))
	defer web.Close()
	dir := t.TempDir()
	run := func(args ...string) []byte {
		t.Helper()
		cmd := exec.Command("dowse", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME=")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("dowse %v: %v: %s", args, err, out)
		}
		return out
	}
	shows := map[string][]byte{"crawl": run("crawl", "coral bleaching", "--seed", web.URL, "--allow-net", "127.0.0.1", "--delay", "0s", "-o", "c.dowse", "--print", "jsonl")}
	shows["pages"] = run("pages", "c.dowse")
	shows["why"] = run("why", "c.dowse", web.URL+"/two", "--json")
	for _, name := range []string{"x.jsonl", "x.csv", "x.wacz"} {
		run("export", "c.dowse", name)
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		shows[name] = data
	}
	shows["x.wacz"] = unzip(t, filepath.Join(dir, "x.wacz"), "pages/pages.jsonl")
	for name, data := range shows {
		if !strings.Contains(string(data), "Coral bleaching gnp.exe") {
			t.Errorf("%s does not have the title: %.300q", name, data)
		}
		for _, r := range string(data) {
			if unicode.Is(unicode.Cf, r) || r == 0x3164 {
				t.Errorf("%s has %U", name, r)
			}
		}
	}
}

func unzip(t *testing.T, path, name string) []byte {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	f, err := z.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
