package crawler_test

import (
	"os"
	"path/filepath"
	"testing"

	"dowse/crawler"
	"dowse/topic"
)

// tinyWordNet writes a dictionary of two nouns.
func tinyWordNet(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"index.noun": "bread n 1 0 1 0 00000000\nsoup n 1 0 1 0 00000044\n",
		"data.noun":  "00000000 13 n 02 bread 0 loaf 0 000 | baked\n" + "00000044 13 n 02 soup 0 broth 0 000 | liquid\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// A phrase that the dictionary does not list is looked up in the parts that "and" joins.
func TestMeanings(t *testing.T) {
	dir := tinyWordNet(t)
	list, unknown, err := crawler.Meanings(dir, &topic.Topic{Name: "x", Words: []string{"Bread and soup", "zebra"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 || list[0].Of != "bread" || list[0].Names[0] != "loaf" || list[1].Of != "soup" || list[1].Gloss != "liquid" {
		t.Errorf("%+v", list)
	}
	if len(unknown) != 1 || unknown[0] != "zebra" {
		t.Errorf("unknown: %q", unknown)
	}
	if list, unknown, err := crawler.Meanings(dir, &topic.Topic{Name: "x", Words: []string{"bread"}, Languages: []string{"de"}}); len(list)+len(unknown) != 0 || err != nil {
		t.Errorf("a German topic: %v, %v, %v", list, unknown, err)
	}
	if _, _, err := crawler.Meanings(t.TempDir(), &topic.Topic{Name: "x", Words: []string{"bread"}}); err == nil {
		t.Error("an empty folder is a dictionary")
	}
}
