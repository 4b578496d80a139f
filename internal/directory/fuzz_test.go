package directory

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzContent(f *testing.F) {
	f.Add([]byte(`<RDF><Topic r:id="Top/A"/><ExternalPage about="http://a.example/"><d:Title>A &amp; B</d:Title><topic>Top/A/B</topic></ExternalPage></RDF>`))
	f.Add([]byte("<!-- -- --><ExternalPage about='http://a.example/?x=\"' x=\"<topic>Top/A</topic>\xff</ExternalPage>"))
	f.Add([]byte("<ExternalPage about=\"http://a.example/\"><topic>A</topic><ExternalPage about"))
	f.Fuzz(func(t *testing.T, data []byte) { checkScan(t, RDF, data) })
}

func FuzzJSONL(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("\xef\xbb\xbf{\"path\":\"A\",\"url\":\"http://a.example/\"}\n{\n\"\xff\"\n{\"url\":\"http://é.example/\",\"path\":\"\\u0000/B\"}"))
	f.Fuzz(func(t *testing.T, data []byte) { checkScan(t, JSONL, data) })
}

func FuzzLabels(f *testing.F) {
	f.Add([]byte("url\ttopic\nhttp://a.example/\tTop/A\n"))
	f.Add([]byte("#\n\ntopic\tx\turl\nA\t\thttp://a.example/\n\t\t\t"))
	f.Fuzz(func(t *testing.T, data []byte) { checkScan(t, Labels, data) })
}

// checkScan checks that every entry is sound, and that the books balance: what was
// read is passed on, or counted.
func checkScan(t *testing.T, k Kind, data []byte) {
	var list []Entry
	s := &sieve{yield: func(e Entry, err error) bool {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
		return true
	}}
	if err := scan(k, bytes.NewReader(data), s); err != nil {
		t.Fatal(err)
	}
	if len(list)+s.dirt.URLs != s.dirt.Entries {
		t.Errorf("%d entries, %+v", len(list), s.dirt)
	}
	for _, e := range list {
		for _, text := range []string{e.Path, e.Title, e.Description} {
			if !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return plain(r) != r }) {
				t.Errorf("%q", text)
			}
		}
		if e.URL == "" || Clean(e.Path) != e.Path || e.Path == Top || Level(e.Path) > maxDepth {
			t.Errorf("%+v", e)
		}
	}
	tree := newTree()
	if err := scan(k, bytes.NewReader(data), &sieve{count: tree.counter()}); err != nil {
		t.Fatal(err)
	}
	tree.sum()
	if _, all := tree.Count(Top); all != s.dirt.Entries {
		t.Errorf("the tree has %d entries, %+v", all, s.dirt)
	}
	for _, e := range list {
		if !tree.Has(e.Path) {
			t.Errorf("the tree has no %q", e.Path)
		}
		tree.Near(e.Path + "x")
	}
}

func FuzzStructure(f *testing.F) {
	f.Add([]byte(`<Topic r:id="Top/A"><narrow r:resource="Top/A/B"/><narrow2 r:resource="Top/A/C"></narrow2><symbolic r:resource="X:Top/D"/></Topic>`))
	f.Add([]byte("<Topic r:id=''><Topic r:id=\"\xff/&#0;\"><narrow><Topic/></Topic>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		tree := newTree()
		var dirt Dirt
		err := scanStructure(bytes.NewReader(data), &dirt, func(path string, children []string) {
			tree.hang(path, children)
			for _, p := range append(children, path) {
				if Clean(p) != p || !tree.Has(p) {
					t.Errorf("%q", p)
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzOpen(f *testing.F) {
	f.Add([]byte("\x1f\x8b\x08\x00"))
	f.Add([]byte("\x28\xb5\x2f\xfd\x00"))
	f.Add([]byte("<Topic>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := kindOf(data); err == nil && len(bytes.TrimSpace(data)) == 0 {
			t.Error("nothing is something")
		}
		if r, err := unpack(bytes.NewReader(data)); err == nil {
			n, _ := r.Read(make([]byte, 100))
			if n > 100 {
				t.Error(n)
			}
		}
	})
}
