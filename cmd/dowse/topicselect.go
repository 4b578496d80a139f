package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"

	"dowse"
	"dowse/internal/directory"
	"dowse/internal/durable"
	"dowse/topic"
)

// topicSelectCmd draws topics for experiments from a web directory. The same directory,
// flags and random seed give the same topics, so that an experiment can be repeated.
//
// The flags are the rules of the draw: which level of categories, how many pages a
// category needs (--seeds, --train and --targets, or --min), and how many topics may be
// near relatives (--per-parent, --per-grandparent), since such topics are not independent
// of each other.
type topicSelectCmd struct {
	Directory string `arg:"" help:"Directory: ODP content, JSONL or label file; .gz, .zst too."`
	Structure string `placeholder:"FILE" help:"Structure file of an ODP dump, if it is in another folder."`
	// Which categories become topics, and how their pages are split.
	Level   int      `default:"3" placeholder:"N" help:"Level of the categories, Top being 0."`
	Count   int      `default:"30" placeholder:"N" help:"Topics, at most."`
	Seeds   int      `default:"10" placeholder:"N" help:"Seeds per topic."`
	Train   int      `default:"75" placeholder:"N" help:"Training examples per topic; twice as many from others."`
	Targets int      `default:"10" placeholder:"N" help:"Targets that are not training examples, at least."`
	Min     int      `placeholder:"N" help:"Pages per category, at least (default: their sum)."`
	Parent  int      `name:"per-parent" default:"1" placeholder:"N" help:"Topics below one category, at most."`
	Grand   int      `name:"per-grandparent" default:"3" placeholder:"N" help:"Topics below the category above that, at most."`
	Exclude []string `default:"Regional,Kids_and_Teens,World,Adult,Adults" placeholder:"NAME" help:"Names directly below Top to leave out; none for no name."`
	// The draw, and where it is written.
	Rng  uint64 `default:"1" placeholder:"N" help:"Random seed of the draw."`
	Out  string `short:"o" placeholder:"DIR" help:"Folder for topic files, splits and training examples."`
	JSON bool   `help:"Print JSON."`
}

func (topicSelectCmd) Help() string {
	return `Examples:
  dowse topic select content.rdf.u8.gz -o topics
  dowse topic select labels.tsv --level 2 --seeds 5 --train 10 --json
  dowse crawl topics/science-math-algebra.topic.yaml

Draws topics for experiments from a directory, as Wang et al. 2009 do: categories
of one level with enough pages, no two of one parent and no four of one
grandparent. The pages of each are split into seeds and targets. The first targets
are training examples; no judge sees the others. The training examples are in a
small directory of their own, which the topic file names, so that a crawl cannot
learn from the pages that it has to find. Smaller directories need smaller
numbers.`
}

// Run draws the topics, writes their files if --out is given, and prints a table. Entries
// of the directory that cannot be used are counted on stderr. A draw without any topic is
// exit code 6: the rules are too strict for this directory.
func (c *topicSelectCmd) Run(w *world) error {
	d, err := directory.Open(c.Directory, directory.Options{Structure: c.Structure})
	if err != nil {
		return usage("%w", err)
	}
	s, err := d.Select(c.selection(), rand.New(rand.NewPCG(c.Rng, 0)))
	if errors.Is(err, directory.ErrNoTopic) {
		return &exitError{exitNothing, err}
	}
	if err != nil {
		return usage("%w", err)
	}
	if dirt := d.Dirt(); dirt.Any() {
		fmt.Fprintf(w.err, "dowse: %s: %s\n", oneLine(c.Directory), dirt)
	}
	draw := newDraw(c.Directory, s)
	if c.Out != "" {
		if err := draw.write(c.Out, s); err != nil {
			return err
		}
	}
	if c.JSON {
		return jsonLine(w.out, draw)
	}
	draw.print(w.out)
	return nil
}

// selection returns the rules of the draw that the flags describe.
func (c *topicSelectCmd) selection() directory.Selection {
	exclude := c.Exclude
	if len(exclude) == 1 && exclude[0] == "none" {
		exclude = []string{}
	}
	return directory.Selection{
		Level: c.Level, Count: c.Count, Seeds: c.Seeds, Train: c.Train, Targets: c.Targets, Min: c.Min,
		PerParent: c.Parent, PerGrandparent: c.Grand, Exclude: exclude,
	}
}

// A drawnTopic is a selected topic in JSON and in NAME.split.json. Its pages are split so
// that seeds, training examples and the targets for evaluation have none in common.
type drawnTopic struct {
	Name    string      `json:"name"`
	Path    string      `json:"path"`
	Links   int         `json:"links"`
	Seeds   []dowse.URL `json:"seeds"`
	Targets []dowse.URL `json:"targets"`
	Train   []dowse.URL `json:"train"`
	Others  []dowse.URL `json:"others"`       // of the other topics, to train with
	Eval    []dowse.URL `json:"targets_eval"` // targets that no judge has seen
}

// A rejectedTopic is a category that was not selected, with the reason.
type rejectedTopic struct {
	Path   string             `json:"path"`
	Links  int                `json:"links"`
	Reason directory.Rejected `json:"reason"`
}

// A topicDraw is the output of topic select --json.
type topicDraw struct {
	Directory  string          `json:"directory"`
	Level      int             `json:"level"`
	Min        int             `json:"min"`
	Candidates int             `json:"candidates"`
	Topics     []drawnTopic    `json:"topics"`
	Rejected   []rejectedTopic `json:"rejected"`
}

// newDraw gives each selected topic a name and returns the draw for printing. Lists that
// may be empty are not nil, so that JSON has [] and never null.
func newDraw(name string, s *directory.Selected) *topicDraw {
	d := &topicDraw{Directory: name, Level: s.Selection.Level, Min: s.Selection.Min, Candidates: s.Candidates, Rejected: []rejectedTopic{}}
	taken := map[string]int{}
	for _, t := range s.Topics {
		n := drawnTopic{topicName(t.Path, taken), t.Path, t.Links, t.Seeds, t.Targets, t.Train, []dowse.URL{}, t.Eval}
		for _, e := range t.Others {
			n.Others = append(n.Others, e.URL)
		}
		d.Topics = append(d.Topics, n)
	}
	for _, r := range s.Rejected {
		d.Rejected = append(d.Rejected, rejectedTopic{r.Path, r.Links, r.Reason})
	}
	return d
}

// topicName returns a unique name for a topic, derived from its path. It is also the name
// of the topic's files. Topics that would have the same name are numbered.
func topicName(path string, taken map[string]int) string {
	words := strings.NewReplacer("/", " ", "_", " ").Replace(strings.TrimPrefix(path, directory.Top+"/"))
	name := topic.FromWords([]string{words}).Name
	if taken[name]++; taken[name] > 1 {
		name = fmt.Sprintf("%s-%d", name, taken[name])
	}
	return name
}

// print prints a table of the topics, and how many categories were rejected for each
// reason, so that a user sees which rule to relax if there are too few.
func (d *topicDraw) print(out io.Writer) {
	fmt.Fprintf(out, "%s of %s at level %d; a topic needs %s\n\n", some(len(d.Topics), "topic"), some(d.Candidates, "category"), d.Level, some(d.Min, "page"))
	fmt.Fprintf(out, "%6s %6s %6s %6s %6s  path\n", "pages", "seeds", "target", "train", "unseen")
	for _, t := range d.Topics {
		fmt.Fprintf(out, "%6d %6d %6d %6d %6d  %s\n", t.Links, len(t.Seeds), len(t.Targets), len(t.Train), len(t.Eval), oneLine(t.Path))
	}
	if len(d.Rejected) == 0 {
		return
	}
	why := map[directory.Rejected]int{}
	for _, r := range d.Rejected {
		why[r.Reason]++
	}
	fmt.Fprintf(out, "\nnot taken (--json lists them):")
	for _, r := range []directory.Rejected{directory.Excluded, directory.TooFewLinks, directory.SameParent, directory.SameGrandparent} {
		if why[r] > 0 {
			fmt.Fprintf(out, " %s %s", count(why[r]), r)
		}
	}
	fmt.Fprintln(out)
}

// write writes three files per topic into a new or empty folder: the topic file, the
// split (seeds, targets, training examples), and the training examples as a directory.
// The topic file names only the last, so that a crawl cannot see its targets; the split
// is for evaluating it.
func (d *topicDraw) write(dir string, s *directory.Selected) error {
	if there, _ := os.ReadDir(dir); len(there) > 0 {
		return usage("topic select: %s is not empty; name a new folder", dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return usage("topic select: %w", err)
	}
	for i := range d.Topics {
		t := &d.Topics[i]
		split, err := json.MarshalIndent(t, "", " ")
		if err != nil {
			return err
		}
		page, err := t.yaml()
		if err != nil {
			return err
		}
		for suffix, data := range map[string][]byte{".split.json": append(split, '\n'), ".topic.yaml": page, ".train.jsonl": trainingLines(&s.Topics[i])} {
			if err := durable.WriteFile(filepath.Join(dir, t.Name+suffix), data); err != nil {
				return usage("topic select: %w", err)
			}
		}
	}
	return nil
}

// yaml returns the topic file. It names the small directory with the training examples,
// so that a crawl cannot learn from its targets.
func (t *drawnTopic) yaml() ([]byte, error) {
	return yaml.Marshal(yaml.MapSlice{
		{Key: "dowse", Value: topic.Schema},
		{Key: "name", Value: t.Name},
		{Key: "category", Value: yaml.MapSlice{
			{Key: "directory", Value: t.Name + ".train.jsonl"},
			{Key: "path", Value: t.Path},
			{Key: "include", Value: directory.Subtree},
			{Key: "contrast", Value: directory.Random},
		}},
		{Key: "seeds", Value: t.Seeds},
	})
}

// trainingLines returns the training examples of a topic and those of the others as a
// directory in JSONL. Their paths distinguish positive from negative examples.
func trainingLines(t *directory.Topic) []byte {
	var b bytes.Buffer
	line := func(e directory.Entry) {
		jsonLine(&b, struct {
			Path        string    `json:"path"`
			URL         dowse.URL `json:"url"`
			Title       string    `json:"title,omitempty"`
			Description string    `json:"description,omitempty"`
		}{e.Path, e.URL, e.Title, e.Description})
	}
	for _, u := range t.Train {
		e, _ := t.Entry(u)
		line(e)
	}
	for _, e := range t.Others {
		line(e)
	}
	return b.Bytes()
}
