// Package topic reads topic files: what a person wants a crawl to find.
//
// A topic file is a small YAML document, schema topic/v1, in which the key says the
// kind of evidence: words, pages like and unlike what is wanted, a category of a
// directory, a model; where is a gate. Files are read strictly, and an error names the
// place, the cause and what to do. What a topic names and does not hold, a [Loader]
// brings ([Topic.Gather]), and all of it together makes a judge ([Topic.NewJudge]).
package topic

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dowse"
	"dowse/internal/plain"
	"dowse/judge"
	"dowse/text"
)

// Schema is what a topic file names itself in its key "dowse".
const Schema = "topic/v1"

// Topic is what a crawl looks for. The zero value of a field means that the file
// does not say.
type Topic struct {
	Name      string   // lower case, fit for a file name
	About     string   // for people; its words are weak signs
	Words     []string // words and phrases
	Also      []string // good signs, not required
	Not       []string // what looks alike and is not
	Like      []Source // examples on topic
	Unlike    []Source // examples that are not
	Category  *Category
	Where     any      // a gate: clauses or an expression, as package predicate takes them; nil for none
	Model     string   // file with a model
	Outside   *Outside // a judge of the user's own, for the unsure
	Languages []string // BCP 47, lower case; the first one says how words are stemmed
	Only      bool     // Languages are required, not just preferred
	Threshold float64  // relevance from which a page is on topic; 0 means 0.5
	Seeds     []string // absolute http and https URLs, as written
	SeedsFrom string   // FromLike or FromCategory: where further seeds come from; "" means nowhere
	SeedLimit int      // of SeedsFrom; 0 means all
	Scope     Scope    // "" means the whole web
	PerHost   int      // pages of one host at most; 0 means no limit
	Strategy  string   // NAME or NAME:key=value,…; "" and auto mean the default
	Explore   *float64 // share of visits that try what the order would not; nil means the strategy's own
	Tunnel    *int     // off-topic pages in a row at most; nil means no limit

	// Dir is the folder from which paths in the topic go out; "" is the working one.
	// It is where the file is, and no part of it.
	Dir string

	named map[string]Error // where the file that was loaded names its sources
}

// kinds returns the kinds of evidence that a topic may give, in the order of files.
func kinds() []evidenceKind {
	return []evidenceKind{wordsKind(), likeKind(), unlikeKind(), categoryKind(), whereKind(), modelKind(), outsideKind()}
}

// Where seeds may come from, beside a list.
const (
	FromLike     = "like"     // the examples and the first pages of their hosts
	FromCategory = "category" // the entries of the category
)

// Scope says how far from the seeds a crawl may go.
type Scope string

// The scopes, from wide to narrow.
const (
	Web    Scope = "web"
	Domain Scope = "domain" // the registrable domains of the seeds
	Host   Scope = "host"
	Prefix Scope = "prefix" // URLs that begin with a seed
)

func scopes() []string {
	return []string{string(Web), string(Domain), string(Host), string(Prefix)}
}

// FromWords returns the topic of words typed on a command line. Several single
// words are one phrase, as people leave out the quotes: coral bleaching. If one of
// them has more than one word, each is a phrase of its own.
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

// OnTopic returns the relevance from which a page is on topic.
func (t *Topic) OnTopic() float64 {
	if t.Threshold > 0 {
		return t.Threshold
	}
	return judge.Threshold
}

// auto is the strategy of whoever leaves the choice to the program.
const auto = "auto"

// Follows returns the strategy that the topic asks for, "" if it leaves the choice to
// the crawl.
func (t *Topic) Follows() string {
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

// Wants reports whether pages in a language, as BCP 47, may be taken in. A page
// that does not tell its language may.
func (t *Topic) Wants(language string) bool {
	return !t.Only || language == "" || t.speaks(language)
}

// LanguageOf returns the language of a page: as it declares it or, if the topic asks for
// languages at all, as its text tells; "" for unknown.
func (t *Topic) LanguageOf(p *dowse.Page) string {
	if p.Language != "" || len(t.Languages) == 0 {
		return p.Language
	}
	language, _ := text.Detect(p.Text, nil)
	return language
}

// speaks reports whether a language is one of the topic's.
func (t *Topic) speaks(language string) bool {
	return slices.ContainsFunc(t.Languages, func(l string) bool {
		return strings.EqualFold(l, language) || strings.HasPrefix(strings.ToLower(language), l+"-")
	})
}

func (t *Topic) wanted() judge.Wanted {
	return judge.Wanted{Words: t.Words, Also: t.Also, Not: t.Not, About: t.About, Language: t.Language()}
}

// maxName is the length of a name in runes.
const maxName = 64

// slug makes a name of any text: lower case letters and digits, joined by hyphens.
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

// isName reports whether s can be the name of a topic, and so of a directory.
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
