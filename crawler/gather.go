package crawler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"dowse"
	"dowse/collection"
	"dowse/judge"
	"dowse/topic"
)

// Gather collects the training data that a topic names, from the web and
// from files. URLs are fetched with the identity, network and politeness of
// cfg.
func Gather(ctx context.Context, t *topic.Topic, cfg Config) (*topic.Material, error) {
	if !t.Needs() {
		return &topic.Material{}, nil
	}
	cfg.Judge = nil
	f, err := NewFetcher(cfg)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := t.Gather(ctx, &loader{Dir: t.Dir, Fetcher: f})
	var source *topic.SourceError
	if errors.As(err, &source) && (errors.Is(err, ErrIdentity) || ctx.Err() != nil) {
		return nil, fmt.Errorf("%s: %w", source.Source, source.Err) // the file is not to blame
	}
	if err != nil {
		return nil, err
	}
	if len(cfg.Pinned) > 0 {
		m.Notes = append(m.Notes, topic.Changed(cfg.Pinned, m.Origins)...)
	}
	return m, nil
}

// A builtJudge is the judge of a crawl with the files from which it can be
// made again.
type builtJudge struct {
	judge dowse.Judge
	model string // name of the trained model, "" for none
	files []collection.File
	seeds []string
	notes []string
}

// buildJudge gathers the training data of a topic and makes its judge.
func buildJudge(ctx context.Context, t *topic.Topic, strategy string, cfg Config) (*builtJudge, error) {
	if cfg.Judge != nil {
		return &builtJudge{judge: cfg.Judge}, nil
	}
	m, err := Gather(ctx, t, cfg)
	if err != nil {
		return nil, err
	}
	return buildJudgeFrom(m, t, strategy, cfg)
}

// buildJudgeFrom makes the judge of a topic from training data.
func buildJudgeFrom(m *topic.Material, t *topic.Topic, strategy string, cfg Config) (*builtJudge, error) {
	if ForSites(strategy) {
		if err := trainForSites(t, strategy, m); err != nil {
			return nil, err
		}
	}
	j, err := t.NewJudge(m)
	if err != nil {
		return nil, err
	}
	b := &builtJudge{judge: j, seeds: m.Seeds, notes: m.Notes}
	if m.MissingNegatives() > 0 && positivesOnly(m) && cfg.Contrast != contrastEveryday && cfg.Strategy == nil && t.Outside == nil && !cfg.NoArchive {
		b.notes = append(b.notes, fmt.Sprintf("after %d pages, pages seen in the crawl replace the everyday texts, unless that seems worse; the setting contrast: everyday prevents it", firstSeen))
	}
	if trained := j.Model(); trained != nil {
		b.judge, b.model = j.Named(collection.FirstModel), collection.FirstModel
		if err := b.addModel(collection.ModelFile(collection.FirstModel), trained); err != nil {
			return nil, err
		}
	}
	return b, b.keep(m)
}

// keep adds the files from which the training data is read when the crawl is
// resumed.
func (b *builtJudge) keep(m *topic.Material) error {
	if m.Model != nil {
		if err := b.addModel(collection.GivenModel, m.Model); err != nil {
			return err
		}
	}
	if len(m.Categories) > 0 {
		if err := b.addCategories(m.Categories); err != nil {
			return err
		}
	}
	if len(m.Examples) == 0 {
		return nil
	}
	examples, err := collection.EncodeExamples(examplesOf(m))
	if err != nil {
		return err
	}
	b.files = append(b.files,
		collection.File{Name: collection.ExamplesName, Data: examples},
		collection.File{Name: collection.LockName, Data: m.Lock()})
	return nil
}

// addModel adds the file of a model.
func (b *builtJudge) addModel(name string, m judge.Model) error {
	data, err := judge.Save(m)
	if err != nil {
		return err
	}
	b.files = append(b.files, collection.File{Name: name, Data: data})
	return nil
}

// categoryModels is the name of the models of the categories that the topic's gate asks
// for. They are one file, a JSON object of models by the names of the categories, since
// names of categories are not names of files.
const categoryModels = "categories"

// addCategories adds the file with the models of categories.
func (b *builtJudge) addCategories(models map[string]judge.Model) error {
	list := map[string]json.RawMessage{}
	for name, m := range models {
		data, err := judge.Save(m)
		if err != nil {
			return err
		}
		list[name] = data
	}
	data, err := json.Marshal(list)
	if err != nil {
		return fmt.Errorf("crawler: categories: %w", err)
	}
	b.files = append(b.files, collection.File{Name: collection.ModelFile(categoryModels), Data: data})
	return nil
}

// loadCategories decodes the models of categories, nil if there are none.
func loadCategories(data []byte) (map[string]judge.Model, error) {
	if data == nil {
		return nil, nil
	}
	var list map[string]json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, err
	}
	models := map[string]judge.Model{}
	for name, data := range list {
		m, err := judge.Load(data)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", name, err)
		}
		models[name] = m
	}
	return models, nil
}

// examplesOf returns the examples in the form that a collection keeps,
// negative examples that the program chose included.
func examplesOf(m *topic.Material) []collection.Example {
	var list []collection.Example
	for i, e := range m.Examples {
		x := exampleOf(e)
		if i < len(m.Origins) {
			o := m.Origins[i]
			x.Source, x.SHA256, x.Fetched = o.Source, o.SHA256, o.At.UTC()
		}
		list = append(list, x)
	}
	for _, e := range m.Contrast {
		x := exampleOf(e)
		x.Contrast, x.Source = true, m.ContrastOf
		list = append(list, x)
	}
	return list
}

// exampleOf converts one example.
func exampleOf(e judge.Example) collection.Example {
	p := e.Page
	if p == nil {
		return collection.Example{Relevant: e.Relevant, Text: e.Text}
	}
	return collection.Example{
		URL: string(p.URL), Relevant: e.Relevant, Title: p.Title, Description: p.Description,
		Keywords: p.Keywords, Language: p.Language, Text: p.Text,
	}
}

// MaterialOf returns the training data of a collection: its examples, the
// model that its topic names, and the trained model that its settings name.
// It fetches nothing.
func MaterialOf(col *collection.Collection) (*topic.Material, error) {
	list, err := col.Examples()
	if err != nil {
		return nil, err
	}
	m := &topic.Material{}
	for _, x := range list {
		e := judge.Example{Relevant: x.Relevant, Page: &dowse.Page{URL: dowse.URL(x.URL), Document: dowse.Document{
			Title: x.Title, Description: x.Description, Keywords: x.Keywords, Language: x.Language,
			Text: x.Text, Words: dowse.Words(x.Text),
		}}}
		if x.Contrast {
			m.Contrast, m.ContrastOf = append(m.Contrast, e), x.Source
			continue
		}
		m.Examples = append(m.Examples, e)
		m.Origins = append(m.Origins, topic.Origin{Source: x.Source, URL: dowse.URL(x.URL), SHA256: x.SHA256, At: x.Fetched})
	}
	given, categories, err := col.Given()
	if err == nil {
		m.Model, err = loadModel(given, nil)
	}
	if err != nil {
		return nil, fmt.Errorf("crawler: %s: %w", collection.GivenModel, err)
	}
	if m.Categories, err = loadCategories(categories); err != nil {
		return nil, fmt.Errorf("crawler: %s: %w", collection.ModelFile(categoryModels), err)
	}
	if name := col.Settings.Model; name != "" {
		if m.Trained, err = loadModel(col.Model(name)); err != nil {
			return nil, fmt.Errorf("crawler: model %s: %w", name, err)
		}
	}
	return m, nil
}

// loadModel decodes a model, nil if there is none.
func loadModel(data []byte, err error) (judge.Model, error) {
	if data == nil || err != nil {
		return nil, err
	}
	return judge.Load(data)
}

// rebuildJudge makes the judge of a resumed crawl from the files of its
// collection.
func rebuildJudge(col *collection.Collection, t *topic.Topic, cfg Config) (*builtJudge, error) {
	if cfg.Judge != nil {
		return &builtJudge{judge: cfg.Judge}, nil
	}
	m, err := MaterialOf(col)
	if err != nil {
		return nil, err
	}
	j, err := t.NewJudge(m)
	if err != nil {
		return nil, err
	}
	if j.Model() != nil && col.Settings.Model != "" {
		j = j.Named(col.Settings.Model)
	}
	return &builtJudge{judge: j, model: col.Settings.Model}, nil
}
