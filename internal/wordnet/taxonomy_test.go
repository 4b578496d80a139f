package wordnet_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dowse/internal/wordnet"
)

func taxonomy(t testing.TB, dir string) *wordnet.Taxonomy {
	t.Helper()
	x, err := wordnet.OpenTaxonomy(dir)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// said returns the words of the kinds of a name with their shares.
func said(x *wordnet.Taxonomy, name string) string {
	var list []string
	for _, k := range x.Of(x.Find(strings.Fields(name))) {
		list = append(list, fmt.Sprintf("%s %.2f", x.Word(k.Number), k.Share))
	}
	return strings.Join(list, ", ")
}

// TestTaxonomy finds names as links have them: whole, in the plural, by their last or first words.
func TestTaxonomy(t *testing.T) {
	x := taxonomy(t, writeTiny(t))
	for _, c := range []struct {
		name, want string
		whole      bool
	}{
		{"lighthouse", "lighthouse 1.00, tower 1.00", true},
		{"lighthouses", "lighthouse 1.00, tower 1.00", true},
		{"mice", "bell mouse 1.00", true},
		{"bell mouse", "bell mouse 1.00", true},
		{"old beacon", "lighthouse 1.00, tower 1.00", false},
		{"beacon hill", "lighthouse 1.00, tower 1.00", false},
		{"tower", "tower 0.67, tower 0.33", true}, // two senses, the second one rarer
		{"zebra", "", false},
		{"", "", false},
	} {
		if got := said(x, c.name); got != c.want {
			t.Errorf("%q: %s, want %s", c.name, got, c.want)
		}
		if got := x.Find(strings.Fields(c.name)).Whole(); got != c.whole {
			t.Errorf("%q is found whole: %v, want %v", c.name, got, c.whole)
		}
	}
	part, whole := x.Find([]string{"old", "beacon"}), x.Find([]string{"belfry"})
	if part.Better(whole) != whole || whole.Better(part) != whole || part.Better(0) != part || wordnet.Name(0).Better(part) != part {
		t.Errorf("of %x and %x the better name is %x", part, whole, part.Better(whole))
	}
	if list := x.Of(1 << 20); list != nil {
		t.Errorf("a name of another taxonomy has kinds: %v", list)
	}
}

// TestTaxonomyIsKept reads what was written, and refuses what is damaged or hostile.
func TestTaxonomyIsKept(t *testing.T) {
	x := taxonomy(t, writeTiny(t))
	var b bytes.Buffer
	if err := x.Write(&b); err != nil {
		t.Fatal(err)
	}
	y, err := wordnet.ReadTaxonomy(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if x.Sum() != y.Sum() || x.Kinds() != y.Kinds() || said(x, "mice") != said(y, "mice") || said(y, "lighthouses") == "" {
		t.Errorf("read %x with %d kinds, wrote %x with %d", y.Sum(), y.Kinds(), x.Sum(), x.Kinds())
	}
	for n := range b.Len() {
		if _, err := wordnet.ReadTaxonomy(bytes.NewReader(b.Bytes()[:n])); err == nil {
			t.Fatalf("the first %d of %d bytes are read", n, b.Len())
		}
	}
	for _, hostile := range []string{"", "dowsek1\n", "dowsek1\n\x00\x01", "dowsek1\n\xff\xff\xff\xff\x7f", "dowsek1\n\x01\x01a\x01\x05", "dowsek1\n\x01\x01a\x00\x01\x01\x02\x03\x04\x05\x06\x07\x08\x01\x01"} {
		var z bytes.Buffer
		w := gzip.NewWriter(&z)
		w.Write([]byte(hostile))
		w.Close()
		if _, err := wordnet.ReadTaxonomy(&z); err == nil {
			t.Errorf("%q is read", hostile)
		}
	}
}

// TestDamagedDirectory names the file and the line.
func TestDamagedDirectory(t *testing.T) {
	dir := writeTiny(t)
	path := filepath.Join(dir, "data.noun")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(data, "12345 no synset\n"...), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := wordnet.OpenTaxonomy(dir); err == nil || !strings.Contains(err.Error(), "data.noun: line 11: ") {
		t.Errorf("a damaged line: %v", err)
	}
	for _, index := range []string{"", "  licence\n", "garbage in every line\nand more of it\n", "beacon n 1 1 ~ 1 0 00000042  \n"} {
		dir := writeTiny(t)
		if err := os.WriteFile(filepath.Join(dir, "index.noun"), []byte(index), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := wordnet.OpenTaxonomy(dir); err == nil || !strings.Contains(err.Error(), "index.noun has no name for") {
			t.Errorf("index %q: %v", index, err)
		}
	}
	if _, err := wordnet.OpenTaxonomy(t.TempDir()); err == nil || !strings.Contains(err.Error(), "data.noun") {
		t.Errorf("an empty folder: %v", err)
	}
}

func FuzzReadTaxonomy(f *testing.F) {
	x := taxonomy(f, writeTiny(f))
	var b bytes.Buffer
	if err := x.Write(&b); err != nil {
		f.Fatal(err)
	}
	z, err := gzip.NewReader(&b)
	if err != nil {
		f.Fatal(err)
	}
	var plain bytes.Buffer
	if _, err := plain.ReadFrom(z); err != nil {
		f.Fatal(err)
	}
	f.Add(plain.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write(data)
		w.Close()
		x, err := wordnet.ReadTaxonomy(&b)
		if err != nil {
			return
		}
		for n := range wordnet.Name(20) {
			for _, k := range x.Of(n) {
				x.Word(k.Number)
			}
		}
	})
}

// BenchmarkFind looks up a name of three words of which the last one is known, with WordNet if it is installed.
func BenchmarkFind(b *testing.B) {
	if _, err := os.Stat(filepath.Join(wordnet.Default, "index.noun")); err != nil {
		b.Skip("needs WordNet in " + wordnet.Default)
	}
	x := taxonomy(b, wordnet.Default)
	words := []string{"very", "large", "whales"}
	for b.Loop() {
		x.Find(words)
	}
}
