package main

import (
	"path/filepath"
	"slices"
	"strings"

	"dowse/collection"
	"dowse/crawler"
)

// view opens a collection for reading. A crawl may run in it at the same time; the
// caller sees the state as of now. Commands that only read use it.
func view(dir string) (*crawler.Crawler, error) {
	if !collection.IsCollection(dir) && !collection.Remains(dir) {
		return nil, usage("%s is not a collection", dir)
	}
	cr, err := crawler.View(dir)
	if err != nil {
		return nil, inCollection(err)
	}
	return cr, nil
}

// collectionsHere returns the collections in this directory; none is an error.
func collectionsHere() ([]string, error) {
	found, err := filepath.Glob("*.dowse")
	if err != nil {
		return nil, err
	}
	dirs := slices.DeleteFunc(found, func(d string) bool { return !collection.IsCollection(d) })
	if len(dirs) == 0 {
		return nil, usage("there is no collection here; name one, or make one with dowse demo")
	}
	return dirs, nil
}

// onlyCollection returns the collection in this directory if there is exactly one.
func onlyCollection() (string, error) {
	dirs, err := collectionsHere()
	if err != nil {
		return "", err
	}
	if len(dirs) > 1 {
		return "", usage("several collections here: name one of %s", strings.Join(dirs, ", "))
	}
	return dirs[0], nil
}
