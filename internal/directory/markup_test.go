package directory

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// TestMarkup cuts pieces of RDF, sound and broken, into text and tags. A bar is the
// end of a tag.
func TestMarkup(t *testing.T) {
	for _, c := range []struct {
		name, rdf, want string
		broken, long    int
	}{
		{"elements", "<a>x</a> <b/>", "<a>|x</a>| <b/>|", 0, 0},
		{"attributes with marks in them", `<a b="1>2" c='"'>x`, `<a b="1>2" c='"'>|`, 0, 0},
		{"a quote that begins no value", `<a "b>x</a>`, `<a "b>|x</a>|`, 0, 0},
		{"comments", "<!-- <a> - -- >--><b>", "<b>|", 0, 0},
		{"a comment with many dashes", "<!------><b>", "<b>|", 0, 0},
		{"a tag in which another begins", "x<a <b>y", "x<b>|", 1, 0},
		{"an unclosed quote ends at the next tag", `<a b="x <b>y</b>`, "<b>|y</b>|", 1, 0},
		{"no end of a tag", "x<a", "", 1, 0},
		{"no end of a comment", "<!-- x", "", 1, 0},
		{"no tags", "x", "", 0, 0},
		{"nothing", "", "", 0, 0},
		{"a tag that is too long", "<" + strings.Repeat("a", maxTag+1) + "><b>", strings.Repeat("a", 0) + "><b>|", 0, 1},
		{"bytes that are no UTF-8", "\xff<a>\xfe</a>", "\xff<a>|\xfe</a>|", 0, 0},
	} {
		var dirt Dirt
		var got strings.Builder
		m := newMarkup(strings.NewReader(c.rdf), &dirt)
		for err := m.next(); !errors.Is(err, io.EOF); err = m.next() {
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			got.WriteString(string(m.text) + "<" + string(m.tag) + ">|")
		}
		if got.String() != c.want || dirt.Broken != c.broken || dirt.Long != c.long {
			t.Errorf("%s: got %q, %d broken, %d long; want %q, %d, %d", c.name, got.String(), dirt.Broken, dirt.Long, c.want, c.broken, c.long)
		}
	}
}

func TestTag(t *testing.T) {
	m := &markup{tag: []byte("Topic r:id=\"Top/A\"\n b = 'x \"y\"' c=z d=\"w\"")}
	if string(m.name()) != "Topic" || m.empty() {
		t.Errorf("name %q, empty %v; want Topic, false", m.name(), m.empty())
	}
	for name, want := range map[string]string{"r:id": "Top/A", "b": `x "y"`, "c": "", "d": "", "id": "", "B": ""} {
		got, ok := m.attribute(name)
		if string(got) != want || ok != (want != "") { // a value without quotes ends the list
			t.Errorf("attribute %s is %q (%v), want %q", name, got, ok, want)
		}
	}
	for tag, want := range map[string]string{"/Topic": "/Topic", "br/": "br", "": "", "a\tb": "a"} {
		m.tag = []byte(tag)
		if got := string(m.name()); got != want || m.empty() != strings.HasSuffix(tag, "/") {
			t.Errorf("name of <%s> is %q, want %q", tag, got, want)
		}
	}
}

func TestPaths(t *testing.T) {
	for _, c := range []struct {
		path   string
		level  int
		parent string
		first  string // the ancestor at level 1
	}{
		{"Top", 0, "Top", "Top"},
		{"Top/A", 1, "Top", "Top/A"},
		{"Top/A/B", 2, "Top/A", "Top/A"},
		{"Top/A/B/C", 3, "Top/A/B", "Top/A"},
	} {
		if Level(c.path) != c.level || parent(c.path) != c.parent || ancestor(c.path, 1) != c.first {
			t.Errorf("%s: level %d, parent %s, first %s; want %d, %s, %s", c.path, Level(c.path), parent(c.path), ancestor(c.path, 1), c.level, c.parent, c.first)
		}
	}
	for _, c := range []struct {
		root, path string
		within     bool
		shared     int
	}{
		{"Top/A/B", "Top/A/B", true, 1},
		{"Top/A/B", "Top/A/B/C", true, 1},
		{"Top/A/B", "Top/A/BC", false, 1},
		{"Top/A/B", "Top/A", false, 1},
		{"Top/A/B", "Top/X/B", false, 0},
		{"Top/A", "Top/AB", false, 0},
	} {
		if within(c.root, c.path) != c.within || shared(c.root, c.path) != c.shared {
			t.Errorf("%s and %s: within %v, shared level %d; want %v, %d", c.root, c.path, within(c.root, c.path), shared(c.root, c.path), c.within, c.shared)
		}
	}
}

func TestLikeness(t *testing.T) {
	for _, c := range []struct {
		a, b     string
		min, max float64
	}{
		{"Animation", "animation", 1, 1},
		{"Arts_and_Crafts", "arts and crafts", 1, 1},
		{"Animation", "Anmation", 0.8, 0.99},
		{"Animation", "Anination", 0.8, 0.99},
		{"Animation", "Chess", 0, 0.2},
		{"naïve", "naive", 0.8, 0.8}, // whole characters are compared
		{"", "x", 0, 0},
		{"", "", 0, 0},
		{"aa", "a", 0.5, 0.5}, // nothing is counted twice
	} {
		if got := likeness(c.a, c.b); got < c.min || got > c.max || got != likeness(c.b, c.a) {
			t.Errorf("likeness of %q and %q is %g (%g in reverse), want %g to %g", c.a, c.b, got, likeness(c.b, c.a), c.min, c.max)
		}
	}
}
