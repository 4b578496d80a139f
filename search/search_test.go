package search_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dowse"
	"dowse/crawler"
	"dowse/search"
)

// opened returns a collection that was crawled, opened to be read.
func opened(t *testing.T) *crawler.Crawler {
	t.Helper()
	dir, err := crawled(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	v, err := crawler.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	return v
}

// urls returns the URLs of hits.
func urls(r *search.Result) (list []dowse.URL) {
	for _, h := range r.Hits {
		list = append(list, h.URL)
	}
	return list
}

func TestSearch(t *testing.T) {
	a, b := opened(t), opened(t)
	key, err := search.Key(filepath.Join(t.TempDir(), "new", "search-key"))
	if err != nil {
		t.Fatal(err)
	}
	for name, key := range map[string][]byte{"with a key": key, "without a key": nil} {
		s, err := search.Open(t.Context(), key, a.Collection, b.Collection)
		if err != nil {
			t.Fatal(err)
		}
		_, err = os.Stat(filepath.Join(a.Collection.Dir, "search"))
		if kept := err == nil; kept != (key != nil) {
			t.Errorf("%s: the index is kept: %v", name, kept)
		}
		find := func(r search.Request) *search.Result {
			t.Helper()
			found, err := s.Search(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if found.Missing != 0 {
				t.Errorf("%s: %d pages are missing", name, found.Missing)
			}
			return found
		}
		on, all := find(search.Request{Query: "crab"}), find(search.Request{Query: "crab", All: true})
		if len(on.Hits) == 0 || len(on.Hits) >= len(all.Hits) || len(all.Hits) != 4 {
			t.Errorf("%s: %v on topic, %v in all, want some of 4 pages, each once", name, urls(on), urls(all))
		}
		one, rest := find(search.Request{Query: "crab", All: true, Limit: 1}), find(search.Request{Query: "crab", All: true, Offset: 1})
		if got := append(urls(one), urls(rest)...); !slices.Equal(got, urls(all)) {
			t.Errorf("%s: got %v one by one, want %v", name, got, urls(all))
		}
		hit := all.Hits[0]
		if hit.Dir != a.Collection.Dir || hit.Page.URL != hit.URL || hit.Score <= 0 || len(hit.InTitle) != 1 || !strings.EqualFold(hit.Title[hit.InTitle[0].Start:hit.InTitle[0].End], "crabs") {
			t.Errorf("%s: got %+v", name, hit)
		}
		if like := find(search.Request{Similar: hit.URL, All: true}); len(like.Hits) == 0 || slices.Contains(urls(like), hit.URL) {
			t.Errorf("%s: similar to %s: %v", name, hit.URL, urls(like))
		}
		if odd := find(search.Request{Query: "colour:green crab"}); len(odd.Notes) != 1 {
			t.Errorf("%s: got the notes %v, want that colour is no field", name, odd.Notes)
		}
		for _, r := range []search.Request{{}, {Query: "score:high"}, {Query: "-crab"}} {
			if _, err := s.Search(t.Context(), r); !errors.Is(err, search.ErrQuery) {
				t.Errorf("%s: %+v: got %v, want a bad query", name, r, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		os.RemoveAll(filepath.Join(a.Collection.Dir, "search"))
	}
	if _, err := search.Open(t.Context(), key); err == nil {
		t.Error("no collection is no error")
	}
}

// A key is made once. What is no key is an error, and stays as it is.
func TestKey(t *testing.T) {
	file := filepath.Join(t.TempDir(), "key")
	first, err := search.Key(file)
	if err != nil || len(first) < 32 {
		t.Fatal(first, err)
	}
	if again, err := search.Key(file); err != nil || string(again) != string(first) {
		t.Errorf("got %x, then %x (%v)", first, again, err)
	}
	if err := os.WriteFile(file, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := search.Key(file); err == nil || !strings.Contains(err.Error(), "not a key") {
		t.Errorf("got %v, want that it is no key", err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "short" {
		t.Errorf("the file has become %q (%v)", text, err)
	}
}
