package web

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"dowse/collection"
)

// A KnownWeb is a web that was found on this machine.
type KnownWeb struct {
	Name string `json:"name"` // path, as experiments and commands accept it
	What string `json:"what"` // description
}

// Known lists the webs in folders: archives, collections and recorded webs. A
// folder that cannot be read has none, since a list for a person is better
// short than refused.
func Known(dirs ...string) (list []KnownWeb) {
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			if what := kindOf(path, e); what != "" {
				list = append(list, KnownWeb{path, what + labelled(path)})
			}
		}
	}
	return list
}

// kindOf returns what kind of web a file or folder is; "" for none.
func kindOf(path string, e os.DirEntry) string {
	switch name := e.Name(); {
	case e.IsDir() && exists(filepath.Join(path, "web.yaml")):
		return "recorded web"
	case e.IsDir() && collection.IsCollection(path):
		return "collection"
	case e.IsDir():
		return ""
	case strings.HasSuffix(name, ".warc.gz") || strings.HasSuffix(name, ".warc"):
		return "WARC file"
	case strings.HasSuffix(name, ".wacz"):
		return "WACZ file"
	}
	return ""
}

// exists reports whether a file can be seen.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// labelled returns a note if labels are found next to a web: without them no
// experiment can run on it.
func labelled(path string) string {
	if (Source{Paths: []string{path}}).LabelsFile() != "" {
		return ", with labels"
	}
	return ""
}

// Cached lists the feature files of a cache. A feature file does not record its
// source, so it is described by its size and its first URL. Damaged files are
// left out; they are built again when they are needed.
func Cached(cache string) (list []KnownWeb) {
	files, err := filepath.Glob(filepath.Join(cache, "*.features"))
	if err != nil {
		return nil
	}
	for _, path := range files {
		f, err := openFeatures(path)
		if err != nil {
			continue
		}
		first := ""
		if len(f.index) > 0 {
			first = string(f.urls[f.index[0].url])
		}
		what := fmt.Sprintf("read before: %d answers, the first %s", len(f.index), first)
		if f.closer != nil {
			f.closer.Close()
		}
		list = append(list, KnownWeb{filepath.Base(path), what})
	}
	return list
}
