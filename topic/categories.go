package topic

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"dowse"
	"dowse/internal/plain"
	"dowse/internal/strictyaml"
	"dowse/judge"
)

// maxCategories bounds the categories of a topic. Each that a gate asks for costs a
// judgement per page.
const maxCategories = 50

// inCategories is the key of the categories that a gate can ask for.
const inCategories = "categories"

// categoriesKind is the categories that category(NAME) in where can name, each with a
// model or a place in a directory. They are no evidence of the topic: only the gate
// uses them.
func categoriesKind() evidenceKind {
	return evidenceKind{
		key:     inCategories,
		present: func(t *Topic) bool { return len(t.Categories) > 0 },
		read:    func(r *reader, n ast.Node, t *Topic) { t.Categories = r.categories(n) },
		write:   func(w *writer, t *Topic) { w.categories(t.Categories) },
		counted: func(t *Topic) string {
			if len(t.Categories) == 0 {
				return ""
			}
			return fmt.Sprintf("categories %d", len(t.Categories))
		},
		files: func(t *Topic) (names []string) {
			for _, name := range slices.Sorted(maps.Keys(t.Categories)) {
				names = append(names, t.Categories[name].Directory, t.Categories[name].Model)
			}
			return names
		},
		gather: func(ctx context.Context, t *Topic, l Loader, m *Material) error {
			for _, name := range slices.Sorted(maps.Keys(t.Categories)) {
				if !slices.Contains(t.asksCategories(), name) {
					continue
				}
				model, entries, err := t.categoryModel(ctx, l, name)
				if entries > 0 && entries < fewEntries {
					m.note("%s is trained on %s of %s, which is little: its probabilities are rough; name a larger category, or a model", categoryAtom(name), plain.Some(entries, "entry"), t.Categories[name].Directory)
				}
				if err != nil {
					return t.missing(inCategories, name, fixCategories, err)
				}
				if m.Categories == nil {
					m.Categories = map[string]judge.Model{}
				}
				m.Categories[name] = model
			}
			return nil
		},
	}
}

const fixCategories = "correct model:, or directory: and path:; files are relative to the folder of the topic file"

// categories reads the names with their models or places in a directory.
func (r *reader) categories(n ast.Node) map[string]Category {
	values, ok := strictyaml.Pairs(n)
	if !ok || len(values) == 0 || len(values) > maxCategories {
		r.fail(n, fmt.Sprintf("categories: want 1 to %d names, each with a model or a directory", maxCategories), `write "categories: {SPORTS: {model: sports.json}}"`)
		return nil
	}
	list := map[string]Category{}
	for _, v := range values {
		name := v.Key.GetToken().Value
		if _, twice := list[name]; twice {
			r.fail(v.Key, fmt.Sprintf("categories: %q is there twice", cut(name)), "remove one of them")
			continue
		}
		list[name] = r.namedCategory(v.Value)
		r.place(v.Key, inCategories, name)
	}
	return list
}

// namedCategory reads {model: FILE} or {directory, path, include, contrast}.
func (r *reader) namedCategory(n ast.Node) (c Category) {
	keys := append(r.categoryKeys(&c), key{"model", func(n ast.Node) { c.Model = r.path(n, "categories: model") }})
	seen := r.mapping(n, inCategories, keys)
	if seen != nil && (seen["model"] == seen["directory"] || seen["directory"] != seen["path"]) {
		r.fail(n, "categories: a category has a model, or a directory with a path", `write "{model: sports.json}" or "{directory: labels.tsv, path: Top/Sports}"`)
	}
	return c
}

// categories writes the categories in the order of their names.
func (w *writer) categories(list map[string]Category) {
	if len(list) == 0 {
		return
	}
	w.WriteString("categories:\n")
	for _, name := range slices.Sorted(maps.Keys(list)) {
		c := list[name]
		var parts []string
		for _, p := range [][2]string{{"model", c.Model}, {"directory", c.Directory}, {"path", c.Path}, {"include", c.Include}, {"contrast", c.Contrast}} {
			if p[1] != "" {
				parts = append(parts, p[0]+": "+scalar(p[1]))
			}
		}
		fmt.Fprintf(w, "  %s: {%s}\n", scalar(name), strings.Join(parts, ", "))
	}
}

// asksCategories returns the names of the categories that the gate asks for, other than
// the topic itself; nil for a topic without a gate or with an invalid one.
func (t *Topic) asksCategories() []string {
	g, err := t.newGate()
	if g == nil || err != nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(g.Needs().Categories), t.isName)
}

// isName reports whether a category is the topic itself. Case does not count: topics are
// named in lower case, and categories usually in upper case.
func (t *Topic) isName(category string) bool { return strings.EqualFold(category, t.Name) }

// unknownCategories returns the categories that the gate asks for and of which nothing is
// known. No page meets them.
func (t *Topic) unknownCategories() []string {
	return slices.DeleteFunc(t.asksCategories(), func(name string) bool {
		_, ok := t.Categories[name]
		return ok
	})
}

// errUnknownCategory is the error for a category of which nothing is known.
var errUnknownCategory = errors.New("it has no model and no directory, so no page would meet it")

// checkCategories returns a [*SourceError] for a category of which nothing is known.
func (t *Topic) checkCategories() error {
	for _, name := range t.unknownCategories() {
		fix := fmt.Sprintf("add \"categories: {%s: {model: FILE}}\", or a directory with a path", cut(name))
		return t.missing("where", categoryAtom(name), fix, errUnknownCategory)
	}
	return nil
}

// categoryAtom returns a category as an expression names it.
func categoryAtom(name string) string { return "category(" + cut(name) + ")" }

// fewEntries is the number of entries of a category below which a note says that they are few.
const fewEntries = 10

// fewOthers is the number of other entries below which everyday texts are added to them.
const fewOthers = 30

// categoryModel loads the model of a category, or trains it on the entries of a directory
// against other entries, or against everyday texts if the directory has no others. It is a
// support vector machine with calibrated probabilities, since category(NAME, MIN) compares
// with a probability. It returns the number of entries that it was trained on, 0 for a model.
func (t *Topic) categoryModel(ctx context.Context, l Loader, name string) (_ judge.Model, entries int, err error) {
	c := t.Categories[name]
	if c.Model != "" {
		model, err := l.Model(ctx, c.Model)
		return model, 0, err
	}
	m := &Material{}
	if err := m.category(ctx, l, c); err != nil {
		return nil, 0, err
	}
	others := m.Contrast
	if len(others) < fewOthers {
		texts, _ := everyday(t.Language())
		others = slices.Concat(others, texts)
	}
	trainer, err := judge.NewTrainer("svm", t.Language())
	if err != nil {
		return nil, 0, err
	}
	model, err := trainer.Train(slices.Concat(m.Examples, others))
	return model, len(m.Examples), err
}

// probabilities returns what the models of the categories give a page, by the names that
// the gate uses. The threshold of a model counts as 0.5, the least that category(NAME)
// asks for by default. The topic itself has the score of its evidence.
func (g *gate) probabilities(p *dowse.Page, score float64) map[string]float64 {
	list := make(map[string]float64, len(g.asked))
	for _, name := range g.asked {
		if strings.EqualFold(name, g.name) {
			list[name] = score
		} else if m := g.categories[name]; m != nil {
			list[name] = sigmoid(logit(m.Judge(p).Relevance) - logit(m.Threshold()))
		}
	}
	return list
}
