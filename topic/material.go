package topic

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"dowse"
	"dowse/judge"
	"dowse/weburl"
)

// A Loader supplies what a topic names and does not contain. It is passed in,
// so that this package reads no web and no archive. An error means that a
// source can't be read at all; pages that could not be fetched are left out and
// reported as notes.
type Loader interface {
	// Pages returns the pages of a source, at most s.Most of them.
	Pages(ctx context.Context, s Source) (pages []*dowse.Page, notes []string, err error)
	// Category returns the entries of a category, and others as contrast, as
	// pages with title and description. The URLs are those of the entries.
	Category(ctx context.Context, c Category) (in, out []*dowse.Page, err error)
	// Others returns at most n random pages of a collection that are probably
	// off topic.
	Others(ctx context.Context, s Source, n int) ([]*dowse.Page, error)
	// Model reads a model that judge.Save wrote.
	Model(ctx context.Context, file string) (judge.Model, error)
}

// Material is the training data of a topic's judge: examples, contrast, a
// model. Labels are added to Examples, and [Topic.NewJudge] is called again.
type Material struct {
	// Examples are pages that somebody has labelled.
	Examples []judge.Example
	// Origins records where the first of Examples came from, one by one.
	Origins []Origin
	// Contrast are pages that are probably off topic. They are used as negative
	// examples if Examples has too few; without contrast, everyday texts are.
	Contrast []judge.Example
	// ContrastOf describes them; "" means entries of a directory.
	ContrastOf string
	// Model is the model that the topic names; nil for none.
	Model judge.Model
	// Categories are the models of the categories that the topic's gate asks for, by name.
	Categories map[string]judge.Model
	// Trained is the model that was trained on Examples and Contrast before, so
	// that it need not be trained again. It must be nil if they have changed
	// since.
	Trained judge.Model
	// Zero is the [Judge.Zero] of Trained, for callers that no longer have all
	// of its training data; nil computes it from Examples and Contrast.
	Zero *float64
	// Raise is added to the log-odds of every page by the judge that is made with the
	// trained model: it moves the threshold and keeps the order. [Judge.Zero] includes it.
	Raise float64
	// Temperature divides the log-odds of the judge that is made with the trained model, so
	// that a relevance is the share of such pages that are on topic (temperature scaling: Guo
	// et al. 2017); 0 for none. No page crosses even odds, and none changes its rank.
	Temperature float64
	// Meanings are what the words of the topic may mean, for [Topic.Grow].
	Meanings []Meaning
	// Seeds are the URLs that the sources supply, for a topic with SeedsFrom.
	Seeds []string
	// Notes are messages for the user, one line each.
	Notes []string

	everyday bool // Contrast are everyday texts, not pages of the web
}

// An Origin records where an example came from.
type Origin struct {
	Source string    // as [Source.String] and [Category.String] name it
	URL    dowse.URL // "" for a text
	SHA256 string    // of its text, see textSum
	At     time.Time // when it was fetched; zero if it was not
}

// textSum returns the SHA-256 of a page's text: title, description, keywords and
// body. Markup does not count, as it often changes while the page stays the
// same.
func textSum(p *dowse.Page) string {
	h := sha256.New()
	for _, s := range []string{p.Title, p.Description, p.Keywords, p.Text} {
		fmt.Fprintf(h, "%d\n%s\n", len(s), s)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Gather loads what the topic names: examples, entries of its category, its
// model. It returns a [*SourceError] if a source yields nothing, since a topic
// without its examples is another topic.
func (t *Topic) Gather(ctx context.Context, l Loader) (*Material, error) {
	if err := t.checkCategories(); err != nil {
		return nil, err
	}
	m := &Material{}
	for _, k := range kinds() {
		if k.gather == nil || !k.present(t) {
			continue
		}
		if err := k.gather(ctx, t, l, m); err != nil {
			return nil, err
		}
	}
	if err := t.gatherContrast(ctx, l, m); err != nil {
		return nil, err
	}
	m.Seeds = t.seedsFrom(m)
	t.contrast(m)
	t.noteLanguage(m)
	return m, nil
}

var errNoPages = errors.New("no page in it")

// gather adds the pages of a source.
func (m *Material) gather(ctx context.Context, l Loader, s Source, relevant bool) error {
	if s.Text != "" {
		m.add(s.String(), textPage(s.Text), relevant)
		return nil
	}
	if s.Collection != "" && s.Label == "" {
		s.Label = labelOf(relevant)
	}
	pages, notes, err := l.Pages(ctx, s)
	for _, n := range notes {
		if !slices.Contains(m.Notes, n) {
			m.Notes = append(m.Notes, n)
		}
	}
	if err != nil {
		return err
	}
	if len(pages) == 0 {
		return fmt.Errorf("%w%s", errNoPages, inBrackets(notes))
	}
	for _, p := range pages[:min(len(pages), s.Most())] {
		m.add(s.String(), p, relevant)
	}
	return nil
}

// inBrackets returns notes for the end of an error, "" for none.
func inBrackets(notes []string) string {
	if len(notes) == 0 {
		return ""
	}
	return " (" + strings.Join(notes, "; ") + ")"
}

// labelOf returns the label that examples of a kind have.
func labelOf(relevant bool) string {
	if relevant {
		return "on"
	}
	return "off"
}

// textPage returns a page that has only a text.
func textPage(s string) *dowse.Page {
	return &dowse.Page{Document: dowse.Document{Text: s, Words: dowse.Words(s)}}
}

// add adds an example with its origin, unless one with the same text and label
// is there.
func (m *Material) add(source string, p *dowse.Page, relevant bool) {
	sum := textSum(p)
	for i, o := range m.Origins {
		if o.SHA256 == sum && m.Examples[i].Relevant == relevant {
			return
		}
	}
	m.Examples = append(m.Examples, judge.Example{Page: p, Relevant: relevant})
	m.Origins = append(m.Origins, Origin{Source: source, URL: p.URL, SHA256: sum, At: p.Fetch.At})
}

// category adds the entries of a category; the others become contrast.
func (m *Material) category(ctx context.Context, l Loader, c Category) error {
	in, out, err := l.Category(ctx, c)
	if err != nil {
		return err
	}
	if len(in) == 0 {
		return errors.New("no entry in it")
	}
	for _, p := range in {
		m.add(c.String(), p, true)
	}
	for _, p := range out {
		m.Contrast = append(m.Contrast, judge.Example{Page: p})
	}
	return nil
}

// Counts returns the numbers of positive and negative examples.
func (m *Material) Counts() (on, off int) {
	for i := range m.Examples {
		if m.Examples[i].Relevant {
			on++
		}
	}
	return on, len(m.Examples) - on
}

// note adds a message for the user.
func (m *Material) note(format string, args ...any) {
	m.Notes = append(m.Notes, fmt.Sprintf(format, args...))
}

// seedsFrom returns the seeds that come from examples or from the category: the
// pages and, for examples, the homepages of their hosts.
func (t *Topic) seedsFrom(m *Material) []string {
	if t.SeedsFrom == "" {
		return nil
	}
	category := ""
	if t.Category != nil {
		category = t.Category.String()
	}
	var pages, roots []string
	seen := map[dowse.URL]bool{}
	for i, o := range m.Origins {
		u, err := weburl.Parse(string(o.URL))
		fits := (o.Source == category) == (t.SeedsFrom == FromCategory)
		if err != nil || !m.Examples[i].Relevant || !fits || seen[u] {
			continue
		}
		seen[u] = true
		pages = append(pages, string(u))
		if root := weburl.Homepage(u); t.SeedsFrom == FromLike && !seen[root] {
			seen[root] = true
			roots = append(roots, string(root))
		}
	}
	seeds := append(pages, roots...)
	if t.SeedLimit > 0 {
		seeds = seeds[:min(len(seeds), t.SeedLimit)]
	}
	return seeds
}
