package topic

import (
	"errors"
	"io/fs"
	"regexp"

	"github.com/goccy/go-yaml/ast"

	"dowse/internal/strictyaml"
)

// A SourceError reports that something which a topic names can't be loaded.
type SourceError struct {
	topic, Source string
	Err           error
	// At is the same error as a mistake in the topic's file, with its place and
	// what to do; nil for a topic that was not read by [Load].
	At *Error
}

// Error returns the mistake in the topic's file, if the topic was read from one; otherwise the
// topic, the source and the cause.
func (e *SourceError) Error() string {
	if e.At != nil {
		return e.At.Error()
	}
	return "topic: " + e.topic + ": " + e.Source + ": " + e.Err.Error()
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

// place records where the file names a source.
func (r *reader) place(n ast.Node, key, source string) {
	if r.named == nil {
		r.named = map[string]Error{}
	}
	line, column := strictyaml.Place(n)
	r.named[key+" "+source] = *r.at(line, column, "", "")
}

// missing returns the error for a source that can't be loaded.
func (t *Topic) missing(key, source, fix string, err error) *SourceError {
	e := &SourceError{topic: t.Name, Source: source, Err: err}
	if at, ok := t.named[key+" "+source]; ok {
		at.Problem, at.Fix = key+": "+withoutKey(key, source)+": "+cause(err), fix
		e.At = &at
	}
	return e
}

// withoutKey removes the key with which the names of categories and models
// begin.
func withoutKey(key, source string) string {
	if len(source) > len(key) && source[:len(key)+1] == key+" " {
		return source[len(key)+1:]
	}
	return source
}

// packages matches the names of packages with which errors of loaders begin;
// they mean nothing to users.
var packages = regexp.MustCompile(`^((archive|collection|crawler|directory|judge): )+`)

// cause returns an error without the names of packages in front.
func cause(err error) string { return packages.ReplaceAllString(err.Error(), "") }

// fix returns what to do about a source that can't be loaded.
func (s Source) fix(err error) string {
	const from = "correct the name; it is relative to the folder of the topic file"
	absent := errors.Is(err, fs.ErrNotExist)
	switch {
	case s.Collection != "" && errors.Is(err, errNoPages):
		return "label some of its pages, or name another collection"
	case s.Collection != "":
		return "name the folder of a crawl, the one with crawl.yaml in it, as seen from the folder of the topic file"
	case s.File != "":
		return from + "; * matches any text"
	case s.WARC != "" && absent:
		return from
	case s.WARC != "" && s.Match != "" && errors.Is(err, errNoPages):
		return "make match: less strict, or leave it out"
	case s.WARC != "":
		return "name a WARC file (.warc, .warc.gz) with HTML pages in it"
	case s.Site != "":
		return "name another site, or the URL of its first page; a saved page goes under file:"
	}
	return "open it in a browser; name another page, or save it and write {file: NAME}"
}

// What to do about a category or a model that can't be loaded.
const (
	fixCategory = "correct directory: and path:, as the directory has them; files are relative to the folder of the topic file"
	fixModel    = "name a file that dowse wrote, such as models/m0001.json of a collection; it is relative to the folder of the topic file"
)
