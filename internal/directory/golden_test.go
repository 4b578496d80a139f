package directory

import (
	"io"
	"reflect"
	"strings"
	"testing"

	"dowse"
	"dowse/internal/golden"
)

type goldenCase struct {
	Name   string
	Params struct {
		Level             int
		MinLinks          int `json:"min_links"`
		MaxPerParent      int `json:"max_per_parent"`
		MaxPerGrandparent int `json:"max_per_grandparent"`
		Count             int
		Excluded          []string
		Seeds             int
		TrainPos          int `json:"train_pos"`
		TrainNeg          int `json:"train_neg"`
		MinTargets        int `json:"min_targets"`
	}
	Input struct {
		Candidates []Candidate `json:"candidates_in_random_order"`
		Relevant   []dowse.URL `json:"relevant_set_in_random_order"`
		Content    string      `json:"content_rdf"`
		Structure  string      `json:"structure_rdf"`
		Topic      string
	}
	Expected struct {
		Selected      []string
		Rejected      [][2]string
		Seeds         []dowse.URL
		Targets       []dowse.URL
		Train         []dowse.URL `json:"train_positives"`
		Eval          []dowse.URL `json:"targets_eval"`
		ExternalPages []struct {
			URL   dowse.URL
			Topic string
		} `json:"external_pages"`
		Children map[string][]string
		Subtree  []dowse.URL `json:"resource_links_of_subtree"`
	}
}

func TestGoldenTopics(t *testing.T) {
	var file struct{ Cases []goldenCase }
	golden.Read(t, "topics", &file)
	tests := map[string]func(*testing.T, *goldenCase){"select": goldenSelect, "split": goldenSplit, "odp_rdf": goldenRDF}
	for i := range file.Cases {
		c := &file.Cases[i]
		if tests[c.Name] == nil {
			t.Errorf("no test for the case %q", c.Name)
			continue
		}
		t.Run(c.Name, func(t *testing.T) { tests[c.Name](t, c) })
	}
	if len(file.Cases) != len(tests) {
		t.Errorf("%d cases, want %d", len(file.Cases), len(tests))
	}
}

func goldenSelect(t *testing.T, c *goldenCase) {
	p := c.Params
	for name, s := range map[string]Selection{
		"as given":    {Level: p.Level, Min: p.MinLinks, PerParent: p.MaxPerParent, PerGrandparent: p.MaxPerGrandparent, Count: p.Count, Exclude: p.Excluded},
		"the default": {},
	} {
		chosen, rejected := s.Choose(c.Input.Candidates)
		var paths []string
		for _, c := range chosen {
			paths = append(paths, c.Path)
		}
		var why [][2]string
		for _, r := range rejected {
			why = append(why, [2]string{r.Path, string(r.Reason)})
		}
		equal(t, name+": selected", paths, c.Expected.Selected)
		equal(t, name+": rejected", why, c.Expected.Rejected)
	}
}

func goldenSplit(t *testing.T, c *goldenCase) {
	s := Selection{Seeds: c.Params.Seeds, Train: c.Params.TrainPos, Others: c.Params.TrainNeg, Targets: c.Params.MinTargets}
	equal(t, "defaults", s.Defaults(), Selection{}.Defaults())
	got := s.Split(c.Input.Relevant)
	equal(t, "seeds", got.Seeds, c.Expected.Seeds)
	equal(t, "targets", got.Targets, c.Expected.Targets)
	equal(t, "train", got.Train, c.Expected.Train)
	equal(t, "eval", got.Eval, c.Expected.Eval)
}

func goldenRDF(t *testing.T, c *goldenCase) {
	d := of(RDF, c.Input.Content)
	d.structure = source(c.Input.Structure)
	var pages []struct {
		URL   dowse.URL
		Topic string
	}
	for _, e := range collect(t, d.All()) {
		pages = append(pages, struct {
			URL   dowse.URL
			Topic string
		}{e.URL, e.Path})
	}
	equal(t, "external pages", pages, c.Expected.ExternalPages)
	equal(t, "subtree", urls(collect(t, d.Entries(Category{Path: c.Input.Topic}))), c.Expected.Subtree)

	children := map[string][]string{}
	var dirt Dirt
	err := scanStructure(strings.NewReader(c.Input.Structure), &dirt, func(path string, list []string) {
		children[path] = append([]string{}, list...)
	})
	equal(t, "children", children, c.Expected.Children)
	equal(t, "dirt", dirt, Dirt{})
	equal(t, "error", err, nil)
	tree, err := d.Categories()
	if err != nil {
		t.Fatal(err)
	}
	for path, list := range c.Expected.Children {
		equal(t, "children of "+path, append([]string{}, tree.Children(path)...), list)
	}
}

// of returns a directory of a text.
func of(k Kind, text string) *Directory {
	return &Directory{kind: k, name: "test", open: source(text)}
}

func source(text string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
}

func collect(t testing.TB, seq func(func(Entry, error) bool)) (list []Entry) {
	t.Helper()
	for e, err := range seq {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

func urls(list []Entry) (urls []dowse.URL) {
	for _, e := range list {
		urls = append(urls, e.URL)
	}
	return urls
}

func equal(t testing.TB, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}
