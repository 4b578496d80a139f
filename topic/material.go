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

// A Loader brings what a topic names and does not hold itself. It is handed in, so
// that this package reads no web and no archive. Errors are for what keeps a source
// from being read at all; pages that could not be had are left out and told as notes.
type Loader interface {
	// Pages returns the pages of a source, at most s.Most of them.
	Pages(ctx context.Context, s Source) (pages []*dowse.Page, notes []string, err error)
	// Category returns the entries of a category, and others to tell them from, as
	// pages with title and description. URLs of both are those of the entries.
	Category(ctx context.Context, c Category) (in, out []*dowse.Page, err error)
	// Others returns pages of a source that is a collection, at most n, taken at random
	// from those that were seen there and are probably not what the source stands for.
	Others(ctx context.Context, s Source, n int) ([]*dowse.Page, error)
	// Model reads a model that judge.Save wrote down.
	Model(ctx context.Context, file string) (judge.Model, error)
}

// Material is what a topic's judge is made from, beside the topic: examples, a model.
// Those who have labels add them to Examples and call [Topic.NewJudge] again.
type Material struct {
	// Examples are pages of which somebody said whether they are on topic.
	Examples []judge.Example
	// Origins tell where the first of Examples came from, one to one.
	Origins []Origin
	// Contrast are pages that are probably not on topic. They stand in where Examples
	// has too few that are not; without any, everyday texts do.
	Contrast []judge.Example
	// ContrastOf says what they are, for people; "" means OfDirectory.
	ContrastOf string
	// Model is the one that the topic names; nil for none.
	Model judge.Model
	// Trained is the judge that was trained on Examples and Contrast before, so that it
	// need not be trained again. It must be nil when they have changed since.
	Trained judge.Model
	// Zero is what [Judge.Zero] said of Trained, for those who no longer have all that it
	// was trained on; nil works it out from Examples and Contrast.
	Zero *float64
	// Meanings are what the words of the topic may mean, for [Topic.Grow].
	Meanings []Meaning
	// Seeds are the URLs that the sources give, for a topic that takes its seeds there.
	Seeds []string
	// Notes are what a person should know of it, a line each.
	Notes []string

	everyday bool // Contrast are everyday texts, not pages of the web
}

// An Origin tells where an example came from.
type Origin struct {
	Source string    // as [Source.String] and [Category.String] name it
	URL    dowse.URL // "" for a text
	SHA256 string    // of what it says, see [Sum]
	At     time.Time // when it was fetched; zero for what was not
}

// Sum returns the SHA-256 of what a page says: title, description, keywords and text.
// Markup does not count, as it often changes while the page stays the same.
func Sum(p *dowse.Page) string {
	h := sha256.New()
	for _, s := range []string{p.Title, p.Description, p.Keywords, p.Text} {
		fmt.Fprintf(h, "%d\n%s\n", len(s), s)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Gather brings together what the topic names: examples, entries of its category, its
// model. It fails where a source gives nothing, since a topic without its examples is
// another topic.
func (t *Topic) Gather(ctx context.Context, l Loader) (*Material, error) {
	m := &Material{}
	for _, k := range kinds() {
		if k.gather == nil || !k.present(t) {
			continue
		}
		if err := k.gather(ctx, t, l, m); err != nil {
			return nil, err
		}
	}
	if err := t.others(ctx, l, m); err != nil {
		return nil, err
	}
	m.Seeds = t.seedsFrom(m)
	t.contrast(m)
	t.tongue(m)
	return m, nil
}

var errNoPages = errors.New("there is no page in it")

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

// textPage is a page that says nothing but a text.
func textPage(s string) *dowse.Page {
	return &dowse.Page{Document: dowse.Document{Text: s, Words: dowse.Words(s)}}
}

// add adds an example with its origin, unless it is there already.
func (m *Material) add(source string, p *dowse.Page, relevant bool) {
	sum := Sum(p)
	for i, o := range m.Origins {
		if o.SHA256 == sum && m.Examples[i].Relevant == relevant {
			return
		}
	}
	m.Examples = append(m.Examples, judge.Example{Page: p, Relevant: relevant})
	m.Origins = append(m.Origins, Origin{Source: source, URL: p.URL, SHA256: sum, At: p.Fetch.At})
}

// category adds the entries of a category; the others are contrast.
func (m *Material) category(ctx context.Context, l Loader, c Category) error {
	in, out, err := l.Category(ctx, c)
	if err != nil {
		return err
	}
	if len(in) == 0 {
		return errors.New("there is no entry in it")
	}
	for _, p := range in {
		m.add(c.String(), p, true)
	}
	for _, p := range out {
		m.Contrast = append(m.Contrast, judge.Example{Page: p})
	}
	return nil
}

// Counts returns how many examples are on topic, and how many are not.
func (m *Material) Counts() (on, off int) {
	for i := range m.Examples {
		if m.Examples[i].Relevant {
			on++
		}
	}
	return on, len(m.Examples) - on
}

func (m *Material) note(format string, args ...any) {
	m.Notes = append(m.Notes, fmt.Sprintf(format, args...))
}

// seedsFrom returns the URLs with which the topic's crawl begins, if it takes them
// from its examples or its category: the pages and, of examples, the first pages of
// their hosts.
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
