// Package topic reads topic files: descriptions of what a crawl should find.
//
// A topic file is a small YAML document, schema topic/v1, in which each key is
// a kind of evidence: words, pages like and unlike what is wanted, a category
// of a directory, a model; "where" is a gate of hard conditions. Files are
// parsed strictly, and an error has its line and column, the problem and what
// to do. What a topic names and does not contain is supplied by a [Loader]
// ([Topic.Gather]); all of it together makes a judge ([Topic.NewJudge]).
//
// The one idea: all evidence is combined on the scale of log-odds. Words, a
// model that is trained on examples, and a model that the topic names each
// contribute log-odds relative to a zero of their own; a gate subtracts enough
// to put a page off topic. The reasons of a verdict add up to its log-odds, so
// that every rating can be explained term by term.
//
// How the parts fit: parse.go, read.go, readsource.go and where.go turn a file
// into a [Topic]; yaml.go writes it back in canonical form; check.go and
// checkmaterial.go find probable mistakes; material.go and contrast.go gather
// training data; train.go, judge.go and gate.go build and apply the judge;
// separation.go, trial.go and learnt.go report how good it is and what it
// learnt.
//
// Few examples are the normal case: people give three pages, and none that are
// off topic. Then pages that were seen in a crawl, or everyday texts, are used
// as negative examples (substitutes), and the zero of the model is corrected
// for that (train.go).
//
// A topic file may come from anybody: size, nesting and numbers of keys are
// bounded before it is parsed, anchors and aliases are refused, and this
// package never opens what the file names; it has no network and runs no
// program. A Topic is a plain value; a [Judge] does not change and may be used
// by many goroutines.
package topic

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dowse"
	"dowse/internal/plain"
	"dowse/internal/text"
	"dowse/judge"
)

// Schema is the value of the key "dowse" in a topic file.
const Schema = "topic/v1"

// A Topic is what a crawl looks for. The zero value of a field means that the
// file does not set it.
type Topic struct {
	Name     string   // lower case, fit for a file name
	About    string   // description for people; its words are weak signs
	Words    []string // words and phrases
	Also     []string // good signs, not required
	Not      []string // what looks similar and is not wanted
	Like     []Source // examples on topic
	Unlike   []Source // examples off topic
	Category *Category
	// Categories that category(NAME) in Where can name, other than the topic itself.
	Categories map[string]Category
	Where      any      // a gate: clauses or an expression of package predicate; nil for none
	Model      string   // file with a model
	OwnScale   bool     // relevance is the rating by Model as it is; Threshold is on its scale
	Outside    *Outside // a judge of the user's own, for uncertain pages
	Languages  []string // BCP 47, lower case; the first one selects the stemmer
	Only       bool     // Languages are required, not just preferred
	Threshold  float64  // least relevance of a page on topic; default 0.5
	Seeds      []string // absolute http and https URLs, as written
	SeedsFrom  string   // FromLike or FromCategory: where further seeds come from; "" for none
	SeedLimit  int      // seeds from SeedsFrom at most; default all
	Scope      Scope    // default the whole web
	PerHost    int      // pages per host at most; default no limit
	Until      string   // rules that end a crawl, as recall>0.8; default none
	Strategy   string   // NAME or NAME:key=value,…; "" and auto mean the default
	// Share of visits to pages that the strategy would not choose; nil means the
	// strategy's own.
	Explore *float64
	Tunnel  *int // consecutive off-topic pages at most; nil means no limit

	// Dir is the folder to which paths in the topic are relative; "" is the
	// working directory. It is where the file is, and not part of the file.
	Dir string

	named map[string]Error // by key and source, the place in the file that was loaded
}

// kinds returns the kinds of evidence that a topic may give, in the order of files.
func kinds() []evidenceKind {
	return []evidenceKind{wordsKind(), likeKind(), unlikeKind(), categoryKind(), categoriesKind(), whereKind(), modelKind(), outsideKind()}
}

// Where seeds may come from, apart from a list.
const (
	FromLike     = "like"     // the examples and the first pages of their hosts
	FromCategory = "category" // the entries of the category
)

// A Scope limits how far from the seeds a crawl may go.
type Scope string

// The scopes, from wide to narrow.
const (
	scopeWeb    Scope = "web"
	scopeDomain Scope = "domain" // the registrable domains of the seeds
	scopeHost   Scope = "host"
	scopePrefix Scope = "prefix" // URLs that begin with a seed
)

// scopes returns the values that scope may have in a file.
func scopes() []string {
	return []string{string(scopeWeb), string(scopeDomain), string(scopeHost), string(scopePrefix)}
}

// FromWords returns the topic of words from a command line. Several single
// words are one phrase, since people omit the quotes: coral bleaching. If one
// of them contains a space, each is a phrase of its own.
func FromWords(words []string) *Topic {
	var entries []string
	phrases := false
	for _, w := range words {
		if w = plain.Words(w); w != "" {
			entries = append(entries, w)
			phrases = phrases || strings.Contains(w, " ")
		}
	}
	whole := strings.Join(entries, " ")
	if !phrases && len(entries) > 1 && len(entries) <= judge.MaxPhrase {
		entries = []string{whole}
	}
	return &Topic{Name: slug(whole), Words: entries}
}

// OnTopic returns the least relevance of a page that counts as on topic.
func (t *Topic) OnTopic() float64 {
	if t.Threshold > 0 {
		return t.Threshold
	}
	return judge.Threshold
}

// auto as the strategy leaves the choice to the program.
const auto = "auto"

// PreferredStrategy returns the strategy that the topic names, and "" if it
// leaves the choice to the crawl.
func (t *Topic) PreferredStrategy() string {
	if t.Strategy == auto {
		return ""
	}
	return t.Strategy
}

// Language returns the language of the topic's words.
func (t *Topic) Language() string {
	if len(t.Languages) > 0 {
		return t.Languages[0]
	}
	return "en"
}

// AcceptsLanguage reports whether pages in a language, as BCP 47, may be kept.
// A page without a known language may.
func (t *Topic) AcceptsLanguage(language string) bool {
	return !t.Only || language == "" || t.hasLanguage(language)
}

// LanguageOf returns the language of a page: the declared one or, if the topic
// has languages at all, the one detected from its text; "" for unknown.
func (t *Topic) LanguageOf(p *dowse.Page) string {
	if p.Language != "" || len(t.Languages) == 0 {
		return p.Language
	}
	language, _ := text.Detect(p.Text, nil)
	return language
}

// hasLanguage reports whether a language is one of the topic's, with or without
// a region.
func (t *Topic) hasLanguage(language string) bool {
	return slices.ContainsFunc(t.Languages, func(l string) bool {
		return strings.EqualFold(l, language) || strings.HasPrefix(strings.ToLower(language), l+"-")
	})
}

// wanted returns the words of the topic as the judge of words takes them.
func (t *Topic) wanted() judge.Wanted {
	return judge.Wanted{Words: t.Words, Also: t.Also, Not: t.Not, About: t.About, Language: t.Language()}
}

// maxName bounds a name, in characters.
const maxName = 64

// slug makes a name from any text: lower case letters and digits, joined by
// hyphens.
func slug(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if utf8.RuneCountInString(b.String()) >= maxName {
			break
		}
	}
	if name := strings.Trim(b.String(), "-"); name != "" {
		return name
	}
	return "topic"
}

// isName reports whether s may be the name of a topic, which becomes the name
// of a directory.
func isName(s string) bool {
	if s == "" || utf8.RuneCountInString(s) > maxName || strings.HasSuffix(s, ".") {
		return false
	}
	for i, r := range s {
		ok := unicode.IsLetter(r) && r == unicode.ToLower(r) || unicode.IsDigit(r) || i > 0 && strings.ContainsRune("-_.", r)
		if !ok {
			return false
		}
	}
	return true
}
