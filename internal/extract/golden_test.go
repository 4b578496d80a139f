package extract

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dowse"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGolden reads whole pages. The expected documents are next to them and are
// written anew by -update.
func TestGolden(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.html")
	if len(files) == 0 {
		t.Fatal("no pages")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			body, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			doc := HTML(body, page, Options{})
			sound(t, doc, Options{}.withDefaults())
			got, golden := describeDocument(doc), strings.TrimSuffix(file, ".html")+".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// describeDocument writes a document down for people to read.
func describeDocument(doc *dowse.Document) string {
	var b strings.Builder
	show := func(what string, value any) {
		if s := fmt.Sprint(value); s != "" && s != "[]" && s != "false" {
			fmt.Fprintf(&b, "%s: %s\n", what, s)
		}
	}
	show("title", doc.Title)
	show("description", doc.Description)
	show("keywords", doc.Keywords)
	show("language", doc.Language)
	show("canonical", doc.Canonical)
	show("types", doc.Types)
	if !doc.Published.IsZero() {
		show("published", doc.Published.Format(time.RFC3339))
	}
	show("licences", doc.Licences)
	show("nofollow", doc.NoFollow)
	show("noindex", doc.NoIndex)
	show("noarchive", doc.NoArchive)
	show("cut", doc.Cut)
	b.WriteString("\n" + doc.Text + "\n\n")
	for _, h := range doc.Headings {
		fmt.Fprintf(&b, "h%d at word %d: %s\n", h.Level, h.At, h.Text)
	}
	for _, l := range doc.Links {
		fmt.Fprintf(&b, "\n%s\n", l.URL)
		show("  nofollow", l.NoFollow)
		for _, m := range append([]dowse.Mention{l.Mention}, l.More...) {
			fmt.Fprintf(&b, "  %q at %d-%d %q\n", m.Anchor, m.At.Start, m.At.End, spanText(doc, m.At))
			fmt.Fprintf(&b, "    in %q\n", spanText(doc, m.Block))
			for rank, h := range m.Above {
				if h >= 0 {
					fmt.Fprintf(&b, "    under %s %q\n", []string{"h1", "h2", "h3-6"}[rank], doc.Headings[h].Text)
				}
			}
		}
	}
	return b.String()
}

func spanText(doc *dowse.Document, s dowse.Span) string {
	var words []string
	for i := s.Start; i < s.End; i++ {
		words = append(words, doc.Word(int(i)))
	}
	return strings.Join(words, " ")
}
