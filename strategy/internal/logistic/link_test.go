package logistic

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"dowse"
	"dowse/internal/linktext"
)

// TestPatternOf lists URLs of pages of one kind, line by line: those of a line have the same
// pattern, those of two lines have not.
func TestPatternOf(t *testing.T) {
	seen := map[uint64]int{}
	for i, line := range [][]dowse.URL{
		{"http://a.test/~ada/", "http://www.b.test/~ben7/"},
		{"http://a.test/~ada/cs540/", "http://b.test/~ben/math250/"},
		{"http://a.test/courses/cs101/", "http://b.test/courses/math-250/"},
		{"http://a.test/courses/cs101/homework3.html", "http://b.test/courses/1/2.html"},
		{"http://a.test/people/ada.html", "http://b.test/people/ben.html"},
		{"http://a.test/faculty/ada.html"},
		{"http://a.test/people/ada"},
		{"http://a.test/people/?id=7", "http://b.test/people/?id=9"},
		{"http://a.test/", "http://b.test", "https://c.test/", ""},
	} {
		want := patternOf(line[0])
		if other, ok := seen[want]; ok {
			t.Errorf("lines %d and %d have the same pattern", other, i)
		}
		seen[want] = i
		for _, u := range line {
			if got := patternOf(u); got != want {
				t.Errorf("%s has another pattern than %s", u, line[0])
			}
		}
	}
}

// A link to a URL that waits already is rated by what was read of the URL before, whatever the
// number of words that come before those of the URL.
func TestCopyURL(t *testing.T) {
	s := &auto{}
	s.begin()
	const u = "http://a.test/coast/tide-pools-of-the-north-7.html?view=all"
	var first, want, got link
	s.gather(&first, &clues{links: 1, na: 1, anchors: [mostAnchorWords]uint16{9}}, u)
	more := &clues{links: 2, na: 2, anchors: [mostAnchorWords]uint16{9, 8}, nw: mostWindowWords, n: 1, pages: [mostPages]uint32{3}}
	s.gather(&want, more, u)
	s.gatherClues(&got, more)
	got.copyURL(&first)
	if got != want || len(got.words(inURL)) == 0 {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestKeysOfFolders compares the keys of hosts and folders that are remembered with those of the names, for URLs of many
// folders in any order, and for URLs without a path, whose folder does not tell their host.
func TestKeysOfFolders(t *testing.T) {
	var f folders
	rng := rand.New(rand.NewPCG(8, 1))
	for range 20_000 {
		u := dowse.URL(fmt.Sprintf("http://h%d.test", rng.IntN(40)))
		switch rng.IntN(6) {
		case 0:
		case 1:
			u += "?q=a/b"
		case 2:
			u = u[len("http://"):] + "/x"
		case 3:
			u += "//"
		default:
			u += dowse.URL(fmt.Sprintf("/%d/%d.html", rng.IntN(30), rng.IntN(30)))
		}
		host, folder := f.keys(u)
		if host != keyOf(linktext.Host(u)) || folder != keyOf(folderOf(u)) {
			t.Fatalf("%s: keys %x and %x, want %x and %x", u, host, folder, keyOf(linktext.Host(u)), keyOf(folderOf(u)))
		}
	}
}
