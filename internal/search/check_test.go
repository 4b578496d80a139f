package search_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"dowse/crawler"
	"dowse/internal/search"
	"dowse/settings"
)

// manyPages is a web of pages that link to each other in a row. Every tenth has a word of its own.
func manyPages(n int) pageWeb {
	web := pageWeb{}
	for i := range n {
		text := "A reef."
		if i%10 == 0 {
			text += fmt.Sprintf(" Only here: tenth%s.", spelled(uint64(i)))
		}
		web[fmt.Sprintf("h%d.example/", i)] = page(uint64(700+i), "en", fmt.Sprint("Page ", spelled(uint64(i))), text) +
			fmt.Sprintf("<a href=http://h%d.example/>next</a>", i+1)
	}
	return web
}

// answers returns the URLs that some queries find, in order. It opens the index without an update, so that nothing but
// damage is a reason to make it again.
func answers(t *testing.T, dir string) (list []string) {
	t.Helper()
	s := opened(t, search.Options{Key: key}, false, dir)
	for _, q := range []string{"reef", "tenth" + spelled(0), "tenth" + spelled(10), `"a reef"`, "title:" + spelled(7), "lang:en date:>2000"} {
		got := search1(t, s, search.Request{Query: q, Limit: 100, Facets: true})
		list = append(list, q, fmt.Sprint(got.Total, got.Facets))
		for _, h := range got.Hits {
			list = append(list, fmt.Sprintf("%s %.6f", h.Page.URL, h.Score))
		}
	}
	return list
}

// flip changes one bit of a file.
func flip(t *testing.T, path string, bit int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, 1)
	if _, err := f.ReadAt(b, bit/8); err != nil {
		t.Fatal(err)
	}
	b[0] ^= 1 << (bit % 8)
	if _, err := f.WriteAt(b, bit/8); err != nil {
		t.Fatal(err)
	}
}

// idOf returns the random number of an index, which changes when it is made again.
func idOf(t *testing.T, dir string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "search", "id"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// indexFiles returns the files of an index that searches read.
func indexFiles(t *testing.T, dir string) (list []string) {
	t.Helper()
	for _, pattern := range []string{"seal", "store/*.zap", "store/root.bolt"} {
		files, err := filepath.Glob(filepath.Join(dir, "search", pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v %v", pattern, files, err)
		}
		list = append(list, files...)
	}
	return list
}

// TestFlippedBitIsFound flips bits all over the files of an index, one at a time: none goes unnoticed.
func TestFlippedBitIsFound(t *testing.T) {
	dir := crawled(t, manyPages(40), byWord{}, 0, "http://h0.example/")
	if err := search.UpdateSlowly(dir, key); err != nil {
		t.Fatal(err)
	}
	dice := rand.New(rand.NewPCG(3, 3))
	for _, path := range indexFiles(t, dir) {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		bits := 8 * info.Size()
		places := []int64{0, bits - 1, bits - 8*5, bits / 2} // the end of a segment is its footer
		for range 60 {
			places = append(places, dice.Int64N(bits))
		}
		for _, bit := range places {
			flip(t, path, bit)
			if err := search.OpenIndex(dir, key); !search.IsDamaged(err) {
				t.Errorf("%s, bit %d of %d: got %v, want an index that is damaged", filepath.Base(path), bit, bits, err)
			}
			flip(t, path, bit)
		}
		if err := search.OpenIndex(dir, key); err != nil {
			t.Fatalf("the bits of %s are as they were, and it is refused: %v", path, err)
		}
	}
}

// TestFlippedBitChangesNoAnswer flips a bit in each file of an index in turn: the answers are those of before. Then it flips
// bits in segments before further pages are added, so that they are merged into others.
func TestFlippedBitChangesNoAnswer(t *testing.T) {
	if testing.Short() {
		t.Skip("short: other tests have the same goroutines")
	}
	web := manyPages(60)
	dir := crawled(t, web, byWord{}, 40, "http://h0.example/")
	if err := search.UpdateSlowly(dir, key); err != nil {
		t.Fatal(err)
	}
	want := answers(t, dir)
	dice := rand.New(rand.NewPCG(4, 4))
	for _, path := range append(indexFiles(t, dir), filepath.Join(dir, "search", "id"), filepath.Join(dir, "search", "mark")) {
		info, err := os.Stat(path)
		if err != nil {
			continue // the index was made again, and has other segments
		}
		flip(t, path, dice.Int64N(8*info.Size()))
		if got := answers(t, dir); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
	crawl(t, dir, crawler.Config{Judge: byWord{}, Transport: web, Settings: settings.Settings{Limits: settings.Limits{Pages: 60}}})
	other := crawled(t, web, byWord{}, 60, "http://h0.example/")
	if err := search.Update(t.Context(), other, search.Options{Key: key}); err != nil {
		t.Fatal(err)
	}
	want = answers(t, other)
	before := idOf(t, dir)
	for _, path := range indexFiles(t, dir) {
		if filepath.Ext(path) == ".zap" {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			flip(t, path, 8*info.Size()/2) // where the engine does not notice it
		}
	}
	if err := search.UpdateSlowly(dir, key); err != nil {
		t.Fatal(err)
	}
	if before == idOf(t, dir) {
		t.Error("a segment that had changed was merged into others")
	}
	if got := answers(t, dir); !slices.Equal(got, want) {
		t.Errorf("after more pages: got %v, want %v", got, want)
	}
}

// TestUnsealedIndexIsChecked removes the seal, as a round does that is then killed. A root that is sound is used; one that
// lists a segment less is not.
func TestUnsealedIndexIsChecked(t *testing.T) {
	web := manyPages(30)
	dir := crawled(t, web, byWord{}, 15, "http://h0.example/")
	if err := search.Update(t.Context(), dir, search.Options{Key: key}); err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, "search", "store", "root.bolt")
	early, err := os.ReadFile(root)
	if err != nil {
		t.Fatal(err)
	}
	before := idOf(t, dir)
	seal := filepath.Join(dir, "search", "seal")
	if err := os.Remove(seal); err != nil {
		t.Fatal(err)
	}
	want := answers(t, dir)
	if before != idOf(t, dir) {
		t.Error("a sound index without a seal was made again")
	}
	if _, err := os.Stat(seal); err != nil {
		t.Errorf("it was checked and not sealed: %v", err)
	}
	search.DropPage(t, dir, key, 3)
	if err := os.Remove(seal); err != nil {
		t.Fatal(err)
	}
	if got := answers(t, dir); !slices.Equal(got, want) {
		t.Errorf("a page was missing in an index without a seal: got %v, want %v", got, want)
	}
	if err := os.WriteFile(root, early, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := answers(t, dir); !slices.Equal(got, want) {
		t.Errorf("with an earlier root: got %v, want %v", got, want)
	}
}
