package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dowse/collection"
	"dowse/topic"
)

// topicListCmd lists topic files and the topics of collections in folders, one line each.
// A file that cannot be read is listed with its problem, since a user looks for it here.
type topicListCmd struct {
	Dir  []string `arg:"" optional:"" help:"Folders to look into (default: this one)."`
	JSON bool     `help:"Print JSON, one line per topic."`
}

func (topicListCmd) Help() string {
	return `Examples:
  dowse topic list
  dowse topic list topics ~/crawls --json | jq -r .name

Lists the topic files (*.topic.yaml) and the topics of collections in folders:
what each is made from, and how much of it there is.`
}

// A listedTopic is a topic in the output of topic list --json. One that cannot be read
// has a problem in place of the other members.
type listedTopic struct {
	Path       string   `json:"path"`
	Collection bool     `json:"collection,omitempty"`
	Name       string   `json:"name,omitempty"`
	Kinds      []string `json:"kinds,omitempty"`
	Counts     string   `json:"counts,omitempty"`
	Problem    string   `json:"problem,omitempty"` // why it can't be read
}

// Run prints one line per topic. A folder without topics is no error: the hint goes to
// stderr, so that a program that reads the list gets an empty one.
func (c *topicListCmd) Run(w *world) error {
	if len(c.Dir) == 0 {
		c.Dir = []string{"."}
	}
	n := 0
	for _, dir := range c.Dir {
		list, err := topicsIn(dir)
		if err != nil {
			return usage("%w", err)
		}
		n += len(list)
		for _, t := range list {
			if err := c.print(w, t); err != nil {
				return err
			}
		}
	}
	if n == 0 {
		fmt.Fprintln(w.err, "no topic here; dowse new writes one")
	}
	return nil
}

// print prints one topic: its path, its name and how much it contains, without the kinds
// of evidence that it does not use.
func (c *topicListCmd) print(w *world, t listedTopic) error {
	if c.JSON {
		return json.NewEncoder(w.out).Encode(t)
	}
	text := strings.Join(slices.DeleteFunc(strings.Split(t.Counts, ", "), func(s string) bool { return strings.HasSuffix(s, " 0") }), ", ")
	if t.Problem != "" {
		text = "can't be read: " + t.Problem
	}
	n := columnsOf(w.out)
	path, name := clipMiddle(oneLine(t.Path), max(24, n*3/10), n), clip(oneLine(t.Name), max(20, n/4), n)
	line := fmt.Sprintf("%-*s %-*s %s", max(24, n*3/10), path, max(20, n/4), name, oneLine(text))
	_, err := fmt.Fprintln(w.out, clip(line, n, n))
	return err
}

// topicsIn returns the topics in a folder, sorted by path; subfolders other than
// collections are not searched.
func topicsIn(dir string) (list []listedTopic, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case e.IsDir() && collection.IsCollection(path):
			t, _, err := topicIn(path)
			list = append(list, listing(path, t, err, true))
		case strings.HasSuffix(e.Name(), ".topic.yaml") || strings.HasSuffix(e.Name(), ".topic.yml"):
			t, err := topic.Load(path)
			list = append(list, listing(path, t, err, false))
		}
	}
	slices.SortFunc(list, func(a, b listedTopic) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

// listing returns the entry of a topic that was read, or of the error. Of several problems
// the first is listed, with its line; dowse topic check prints all of them.
func listing(path string, t *topic.Topic, err error, col bool) listedTopic {
	l := listedTopic{Path: path, Collection: col}
	if err != nil {
		l.Problem = err.Error()
		if p := problemsIn(err); len(p) > 0 {
			l.Problem = fmt.Sprintf("line %d: %s", p[0].Line, p[0].Text)
		}
		return l
	}
	l.Name, l.Kinds, l.Counts = t.Name, t.Kinds(), t.Counts()
	return l
}
