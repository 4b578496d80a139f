package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/plain"
)

// view opens a collection for reading. A crawl may run in it at the same time; the caller
// sees the state as of now. Commands that only read use it; they need no lock and cannot
// harm a crawl.
func view(dir string) (*crawler.Crawler, error) {
	// A directory that was a collection gets the error of its damage, not "not a
	// collection".
	if !collection.IsCollection(dir) && !collection.Remains(dir) {
		return nil, usage("%s is not a collection", dir)
	}
	cr, err := crawler.View(dir)
	if err != nil {
		return nil, inCollection(err)
	}
	return cr, nil
}

// view opens a collection to look at it, and prints a note if the journal lost its end:
// what is listed is then not all that was crawled. A reader is not refused for that,
// since looking at what is left is what the user needs next.
func (w *world) view(dir string) (*crawler.Crawler, error) {
	cr, err := view(dir)
	if err != nil {
		return nil, err
	}
	if note := behind(cr.Collection); note != "" {
		fmt.Fprintf(w.err, "note: %s\n", oneLine(note))
	}
	return cr, nil
}

// behind returns what a person should know if a crawl could not go on from the collection,
// "" if it could.
func behind(col *collection.Collection) string {
	err := col.Damage()
	switch {
	case err == nil:
		return ""
	case col.Lost != nil: // all that was crawled is there
		return fmt.Sprintf("%s; see dowse collection verify %s", plain.Error(err), shellWord(col.Dir))
	}
	return fmt.Sprintf("%s is damaged, and this is not all of it: %v; see dowse collection verify %s", col.Dir, err, shellWord(col.Dir))
}

// collectionsHere lists the collections in this directory.
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
// Commands that need one may then leave it out; with several, choosing one silently would
// answer a question about the wrong crawl.
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
