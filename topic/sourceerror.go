package topic

import (
	"errors"
	"io/fs"
	"regexp"

	"github.com/goccy/go-yaml/ast"

	"dowse/internal/strictyaml"
)

// A SourceError tells that what a topic names can't be had.
type SourceError struct {
	Topic, Source string
	Err           error
	// At is the same as a mistake in the topic's file, with its place and what to do; nil
	// for a topic that [Load] did not read.
	At *Error
}

func (e *SourceError) Error() string {
	if e.At != nil {
		return e.At.Error()
	}
	return "topic: " + e.Topic + ": " + e.Source + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *SourceError) Unwrap() error { return e.Err }

// The keys under which a topic names what it does not hold.
const (
	inLike     = "like"
	inUnlike   = "unlike"
	inCategory = "category"
	inModel    = "model"
)

// place remembers where the file names a source.
func (r *reader) place(n ast.Node, key, source string) {
	if r.named == nil {
		r.named = map[string]Error{}
	}
	line, column := strictyaml.Place(n)
	r.named[key+" "+source] = *r.at(line, column, "", "")
}

// missing tells that a source can't be had.
func (t *Topic) missing(key, source, fix string, err error) *SourceError {
	e := &SourceError{Topic: t.Name, Source: source, Err: err}
	if at, ok := t.named[key+" "+source]; ok {
		at.Problem, at.Fix = key+": "+withoutKey(key, source)+": "+cause(err), fix
		e.At = &at
	}
	return e
}

// withoutKey leaves out the key with which the names of categories and models begin.
func withoutKey(key, source string) string {
	if len(source) > len(key) && source[:len(key)+1] == key+" " {
		return source[len(key)+1:]
	}
	return source
}

// packages are those that errors of loaders begin with, which tells people nothing.
var packages = regexp.MustCompile(`^((archive|collection|crawler|directory|judge): )+`)

func cause(err error) string { return packages.ReplaceAllString(err.Error(), "") }

// fix tells what to do about a source that can't be had.
func (s Source) fix(err error) string {
	const from = "correct the name; files are looked for from the folder of the topic file on"
	absent := errors.Is(err, fs.ErrNotExist)
	switch {
	case s.Collection != "" && errors.Is(err, errNoPages):
		return "label some of its pages (dowse label), or name another collection"
	case s.Collection != "":
		return "name the folder of a crawl, the one with crawl.yaml in it, as seen from the folder of the topic file"
	case s.File != "":
		return from + "; * stands for any text"
	case s.WARC != "" && absent:
		return from
	case s.WARC != "" && s.Match != "" && errors.Is(err, errNoPages):
		return "let match: find more, or leave it out"
	case s.WARC != "":
		return "name a WARC file (.warc, .warc.gz) with HTML pages in it"
	case s.Site != "":
		return "name another site, or the URL of its first page; a saved page goes under file:"
	}
	return "open it in a browser; name another page, or save it and write {file: NAME}"
}

// What to do about a category, or a model, that can't be had.
const (
	fixCategory = "correct directory: and path:, as the directory has them; files are looked for from the folder of the topic file on"
	fixModel    = "name a file that dowse wrote, such as models/m0001.json of a collection; it is looked for from the folder of the topic file on"
)
