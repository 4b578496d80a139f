package directory_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"dowse/internal/directory"
)

func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "labels.tsv")
	labels := "url\ttopic\nhttps://example.org/lights\tTop/Recreation/Lighthouses\nhttps://example.org/stamps\tTop/Recreation/Stamps\n"
	if err := os.WriteFile(path, []byte(labels), 0o644); err != nil {
		log.Fatal(err)
	}
	d, err := directory.Open(path, directory.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for e, err := range d.Entries(directory.Category{Path: "Recreation/Lighthouses"}) {
		fmt.Println(e.Path, e.URL, err)
	}
	// Output: Top/Recreation/Lighthouses https://example.org/lights <nil>
}
