package wordnet_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"dowse/internal/wordnet"
)

// An entry is a synset of a tiny dictionary: words, gloss, and pointers to other entries
// by their first word.
type entry struct {
	words    []string
	gloss    string
	pointers [][2]string
}

var tiny = []entry{
	{[]string{"lighthouse", "beacon"}, "a tower with a light", [][2]string{{"@", "tower"}}},
	{[]string{"tower"}, "a tall building", [][2]string{{"~", "lighthouse"}, {"~", "belfry"}, {"~i", "Eiffel_Tower"}, {"%p", "spire"}}},
	{[]string{"belfry"}, "a bell tower", [][2]string{{"@", "tower"}, {"~", "campanile"}, {"%p", "bell"}}},
	{[]string{"campanile"}, "a belfry apart from its church", nil},
	{[]string{"Eiffel_Tower"}, "of Paris", nil},
	{[]string{"spire"}, "the top of a tower", nil},
	{[]string{"bell"}, "it rings", nil},
	{[]string{"bell_mouse", "mouse"}, "a small animal", nil},
	{[]string{"tower", "column"}, "anything tall and thin", nil},
}

// writeTiny writes the dictionary as WNDB has it and returns the folder.
func writeTiny(t testing.TB) string {
	t.Helper()
	const licence = "  1 This line is in place of the licence.\n"
	at := make([]int, len(tiny))
	line := func(e entry, own int) string {
		s := fmt.Sprintf("%08d 06 n %02x", own, len(e.words))
		for _, w := range e.words {
			s += " " + w + " 0"
		}
		s += fmt.Sprintf(" %03d", len(e.pointers))
		for _, p := range e.pointers {
			to := slices.IndexFunc(tiny, func(x entry) bool { return x.words[0] == p[1] })
			s += fmt.Sprintf(" %s %08d n 0000", p[0], at[to])
		}
		return s + " | " + e.gloss + "  \n"
	}
	place := len(licence)
	for i, e := range tiny {
		at[i] = place
		place += len(line(e, 0)) // offsets are of a fixed width
	}
	data, places := licence, map[string][]string{}
	for i, e := range tiny {
		data += line(e, at[i])
		for _, w := range e.words {
			w = strings.ToLower(w)
			places[w] = append(places[w], fmt.Sprintf("%08d", at[i]))
		}
	}
	var lines []string
	for w, list := range places {
		lines = append(lines, fmt.Sprintf("%s n %d 1 ~ %d 0 %s  \n", w, len(list), len(list), strings.Join(list, " ")))
	}
	sort.Strings(lines)
	dir := t.TempDir()
	for name, text := range map[string]string{"data.noun": data, "index.noun": licence + strings.Join(lines, ""), "noun.exc": "mice mouse\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func open(t *testing.T, dir string) *wordnet.Dict {
	t.Helper()
	d, err := wordnet.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func TestSenses(t *testing.T) {
	d := open(t, writeTiny(t))
	for _, c := range []struct{ phrase, want string }{
		{"towers", "tower (a tall building): lighthouse, beacon, belfry, eiffel tower, spire, campanile; tower (anything tall and thin): column"},
		{"Lighthouse", "lighthouse (a tower with a light): beacon"},
		{"mice", "mouse (a small animal): bell mouse"},
		{"bell mouse", "bell mouse (a small animal): mouse"},
		{"bell", "bell (it rings): "},
		{"belfries", "belfry (a bell tower): campanile, bell"},
		{"zebra", ""},
		{"aardvark", ""},
		{"", ""},
	} {
		senses, err := d.Senses(c.phrase, 100)
		if err != nil {
			t.Errorf("%q: %v", c.phrase, err)
		}
		var parts []string
		for _, s := range senses {
			parts = append(parts, fmt.Sprintf("%s (%s): %s", s.Lemma, s.Gloss, strings.Join(s.Names, ", ")))
		}
		if got := strings.Join(parts, "; "); got != c.want {
			t.Errorf("%q: %s\nwant %s", c.phrase, got, c.want)
		}
	}
	if s, err := d.Senses("tower", 2); err != nil || len(s[0].Names) != 2 {
		t.Errorf("%+v, %v", s, err)
	}
}

// Every entry of the index is found, wherever it is.
func TestFindsAll(t *testing.T) {
	d := open(t, writeTiny(t))
	for _, e := range tiny {
		for _, w := range e.words {
			if s, err := d.Senses(strings.ReplaceAll(w, "_", " "), 1); err != nil || len(s) == 0 {
				t.Errorf("%s: %v, %v", w, s, err)
			}
		}
	}
}

func TestDamaged(t *testing.T) {
	if _, err := wordnet.Open(t.TempDir()); err == nil {
		t.Error("an empty folder is opened")
	}
	dir := writeTiny(t)
	if err := os.Truncate(filepath.Join(dir, "data.noun"), 100); err != nil {
		t.Fatal(err)
	}
	if s, err := open(t, dir).Senses("tower", 10); err == nil {
		t.Errorf("%+v of half a file", s)
	}
}

// TestInstalled looks words up in the WordNet of this machine, where there is one.
func TestInstalled(t *testing.T) {
	d, err := wordnet.Open(wordnet.Default)
	if err != nil {
		t.Skip("WordNet is not installed (Debian: wordnet-base)")
	}
	defer d.Close()
	for word, name := range map[string]string{"mammals": "lion", "musical instruments": "violin", "software": "browser", "entity": "horse", "zygote": "oospore", "mathematician": "gauss"} {
		senses, err := d.Senses(word, 3000)
		found := slices.ContainsFunc(senses, func(s wordnet.Sense) bool { return slices.Contains(s.Names, name) })
		if err != nil || !found && word != "entity" && word != "zygote" || len(senses) == 0 {
			t.Errorf("%s: no %s among %d senses, %v", word, name, len(senses), err)
		}
	}
}
