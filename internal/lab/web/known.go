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
	Name string `json:"name"` // as experiments and commands take it
	What string `json:"what"` // for people
}

// Known lists the webs in folders: files of archives, collections and recorded webs. A
// folder that is not there has none.
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

// kindOf tells what kind of web a file or folder is; "" for none.
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

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func labelled(path string) string {
	if (Source{Paths: []string{path}}).beside() != "" {
		return ", with labels"
	}
	return ""
}

// Cached lists the webs that were read before and are kept as features. What they were
// made of is not known any more, so they stand by what they hold.
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
