package topic

import (
	"context"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"dowse"
)

// An evidenceKind is one key of a topic file under which evidence of the topic is given, with all that
// this package does with it. A new kind takes a file with these functions, a field of [Topic]
// besides its line in [kinds], and its key in schema.json; docs/topics.md describes it.
type evidenceKind struct {
	key     string
	alone   bool // the key is enough: the topic needs no other kind
	present func(*Topic) bool

	read  func(r *reader, n ast.Node, t *Topic) // reads the value of the key
	write func(w *writer, t *Topic)             // writes key and value, if there is one, in canonical form

	// Optional.
	counted  func(*Topic) string                                              // in [Topic.Counts]; the key, if nil and present
	gist     func(*Topic) string                                              // what is wanted, in a few words
	files    func(*Topic) []string                                            // files and patterns of files that it reads
	gather   func(ctx context.Context, t *Topic, l Loader, m *Material) error // loads what the key names
	evidence func(*Topic) (dowse.WindowJudge, error)                          // a judge of its own, next to words and examples
	comments []comment                                                        // for [Topic.Commented]
}

// A comment is what a new topic file has to say of a key.
type comment struct{ key, says, like string }

// Kinds returns the keys of the kinds of evidence that the topic has, in the order of files.
func (t *Topic) Kinds() (keys []string) {
	for _, k := range kinds() {
		if k.present(t) {
			keys = append(keys, k.key)
		}
	}
	return keys
}

// aloneKeys returns the keys of which a topic needs one.
func aloneKeys() (keys []string) {
	for _, k := range kinds() {
		if k.alone {
			keys = append(keys, k.key)
		}
	}
	return keys
}

// Gist returns in a few words what is wanted: the words or the category, else the name.
func (t *Topic) Gist() string {
	for _, k := range kinds() {
		if k.gist != nil && k.present(t) {
			return k.gist(t)
		}
	}
	return t.Name
}

// Files returns the files and patterns of files that the topic reads, as it names them.
func (t *Topic) Files() (names []string) {
	for _, k := range kinds() {
		if k.files == nil || !k.present(t) {
			continue
		}
		for _, name := range k.files(t) {
			if name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// Needs reports whether there is anything to gather for the topic. A category of which
// nothing is known counts: [Topic.Gather] returns an error for it.
func (t *Topic) Needs() bool {
	for _, k := range kinds() {
		if k.gather != nil && k.present(t) {
			return true
		}
	}
	return len(t.unknownCategories()) > 0
}

// wordsKind is a topic in words, with good signs (also) and signs against it (not).
func wordsKind() evidenceKind {
	return evidenceKind{
		key: "words", alone: true,
		present: func(t *Topic) bool { return len(t.Words) > 0 },
		read:    func(r *reader, n ast.Node, t *Topic) { t.Words = r.words(n, "words") },
		write: func(w *writer, t *Topic) {
			w.list("words", t.Words)
			w.list("also", t.Also)
			w.list("not", t.Not)
		},
		counted: func(t *Topic) string {
			return fmt.Sprintf("words %d, also %d, not %d", len(t.Words), len(t.Also), len(t.Not))
		},
		gist: func(t *Topic) string { return strings.Join(t.Words, ", ") },
		comments: []comment{
			{"words", "phrases as you would say them", ""},
			{"also", "good signs, not required", "also: [another word, a phrase]"},
			{"not", "what looks alike and is not wanted", "not: [something else]"},
		},
	}
}

// likeKind is examples of wanted pages; alone they are enough for a topic.
func likeKind() evidenceKind {
	k := sourcesKind(inLike, true, func(t *Topic) *[]Source { return &t.Like })
	k.alone = true
	k.counted = func(t *Topic) string {
		if len(t.Like)+len(t.Unlike) == 0 {
			return ""
		}
		return fmt.Sprintf("like %d, unlike %d", len(t.Like), len(t.Unlike))
	}
	k.comments = []comment{{inLike, "URLs, {file: dir/*.html}, {collection: DIR}", "like: [https://example.org/page]"}}
	return k
}

// unlikeKind is examples of unwanted pages. They need something wanted next to them.
func unlikeKind() evidenceKind {
	k := sourcesKind(inUnlike, false, func(t *Topic) *[]Source { return &t.Unlike })
	k.counted = func(*Topic) string { return "" } // counted with like
	k.comments = []comment{{inUnlike, "examples of what is not wanted", "unlike: [{file: off/*.html}]"}}
	return k
}

// sourcesKind is a list of examples.
func sourcesKind(key string, relevant bool, of func(*Topic) *[]Source) evidenceKind {
	return evidenceKind{
		key:     key,
		present: func(t *Topic) bool { return len(*of(t)) > 0 },
		read:    func(r *reader, n ast.Node, t *Topic) { *of(t) = r.sources(n, key) },
		write:   func(w *writer, t *Topic) { w.sources(key, *of(t)) },
		files: func(t *Topic) (names []string) {
			for _, s := range *of(t) {
				names = append(names, s.File, s.WARC, s.Collection)
			}
			return names
		},
		gather: func(ctx context.Context, t *Topic, l Loader, m *Material) error {
			for _, s := range *of(t) {
				if err := m.gather(ctx, l, s, relevant); err != nil {
					return t.missing(key, s.String(), s.fix(err), err)
				}
			}
			return nil
		},
	}
}

// categoryKind is a category of a directory: its entries are examples, and other entries of
// the directory are contrast.
func categoryKind() evidenceKind {
	return evidenceKind{
		key: inCategory, alone: true,
		present: func(t *Topic) bool { return t.Category != nil },
		read:    func(r *reader, n ast.Node, t *Topic) { t.Category = r.category(n) },
		write:   func(w *writer, t *Topic) { w.category(t.Category) },
		gist:    func(t *Topic) string { return t.Category.Path },
		files:   func(t *Topic) []string { return []string{t.Category.Directory} },
		gather: func(ctx context.Context, t *Topic, l Loader, m *Material) error {
			if err := m.category(ctx, l, *t.Category); err != nil {
				return t.missing(inCategory, t.Category.String(), fixCategory, err)
			}
			return nil
		},
		comments: []comment{{inCategory, "entries of a directory of the web", ""}},
	}
}

// whereKind is a condition that every page on topic must meet.
func whereKind() evidenceKind {
	return evidenceKind{
		key: "where", alone: true,
		present:  func(t *Topic) bool { return t.Where != nil },
		read:     func(r *reader, n ast.Node, t *Topic) { t.Where = r.where(n) },
		write:    func(w *writer, t *Topic) { w.value("where", t.Where, 0) },
		comments: []comment{{"where", "what must hold of a page", "where: {all: [{lang: en}, {words: \"120..\"}]}"}},
	}
}

// modelKind is a model that was trained elsewhere and is read from a file.
func modelKind() evidenceKind {
	return evidenceKind{
		key: inModel, alone: true,
		present: func(t *Topic) bool { return t.Model != "" },
		read:    func(r *reader, n ast.Node, t *Topic) { r.model(n, t) },
		write: func(w *writer, t *Topic) {
			value := "{file: " + scalar(t.Model) + "}"
			if t.OwnScale {
				value = "{file: " + scalar(t.Model) + ", scale: " + scaleOwn + "}"
			}
			w.optional(inModel, value, t.Model != "")
		},
		files: func(t *Topic) []string { return []string{t.Model} },
		gather: func(ctx context.Context, t *Topic, l Loader, m *Material) (err error) {
			if m.Model, err = l.Model(ctx, t.Model); err != nil {
				return t.missing(inModel, "model "+t.Model, fixModel, err)
			}
			return nil
		},
	}
}

// outsideKind is a program or service that judges pages about which the topic is unsure.
func outsideKind() evidenceKind {
	return evidenceKind{
		key:     "judge",
		present: func(t *Topic) bool { return t.Outside != nil },
		read:    func(r *reader, n ast.Node, t *Topic) { t.Outside = r.outside(n) },
		write:   func(w *writer, t *Topic) { w.outside(t.Outside) },
		counted: func(t *Topic) string {
			if t.Outside == nil {
				return ""
			}
			return "outside judge"
		},
	}
}
