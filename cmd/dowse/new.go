package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/durable"
	"dowse/topic"
)

// newCmd writes a topic file from words, examples, a category, a condition or the labels
// of an earlier crawl. The kinds can be combined, as in the file itself. --interactive
// asks for what the flags do not give.
//
// Nothing is written until everything is known to be right: the file is composed, parsed
// again as a crawl would parse it, and its examples are read or fetched. Then the file is
// written and, if there are examples, a lock with their hashes next to it.
type newCmd struct {
	Words []string `arg:"" optional:"" help:"What the pages are about; quote phrases."`
	Out   string   `short:"o" placeholder:"FILE" help:"Topic file to write; - for stdout (default NAME.topic.yaml)."`
	// The evidence: kinds can be combined.
	Like     []string `sep:"none" placeholder:"URL|FILE|DIR" help:"Example on topic: URL, HTML, WARC or collection; repeatable."`
	Unlike   []string `sep:"none" placeholder:"URL|FILE|DIR" help:"Example off topic; repeatable."`
	Category string   `placeholder:"DIRECTORY:PATH" help:"Category of a web directory."`
	Where    string   `placeholder:"EXPR" help:"Condition that pages must meet; see dowse help expr."`
	// Where a crawl begins, and what else is written.
	Seed           []string `short:"s" sep:"none" placeholder:"URL" help:"Start the crawl from this URL; repeatable."`
	FromCollection string   `placeholder:"DIR" help:"Start from a crawl: its topic, and its labels as examples."`
	Interactive    bool     `short:"i" help:"Ask a few questions."`
	Force          bool     `help:"Overwrite an existing file."`
	askFlags
}

func (newCmd) Help() string {
	return `Examples:
  dowse new "coral bleaching" --seed https://example.org/reefs
  dowse new reefs -o reefs.topic.yaml --like https://example.org/reefs/heat
  dowse new --like 'on/*.html' --unlike 'off/*.html' -o plans.topic.yaml
  dowse new --category odp.jsonl.zst:Recreation/Lighthouses
  dowse new recipes --where 'lang(de) and keyword(rezept)'
  dowse new --from-collection reefs.dowse -o reefs2.topic.yaml
  dowse new --interactive

Writes a topic file with comments. Example pages are fetched as a crawl would
(on the public web --contact is required) and pinned by their hashes in
NAME.topic.lock. Nothing is written if something is wrong.`
}

// Run writes the topic file and, if there are examples, a lock with their hashes.
// Everything is read and checked before the first file is written: questions, flags,
// existing files, the text of the topic, the examples.
func (c *newCmd) Run(w *world) error {
	if c.Interactive {
		if err := c.interview(w); err != nil {
			return err
		}
	}
	if len(c.Words) == 1 && strings.HasSuffix(c.Words[0], ".yaml") {
		return usage("%s is the name of a file: name it with -o %[1]s, and give words", oneLine(c.Words[0]))
	}
	t, err := c.topic()
	if err != nil {
		return err
	}
	if c.Out == "" {
		c.Out = t.Name + ".topic.yaml"
	}
	// Neither the file nor its lock may be overwritten: the lock records what the
	// examples were when they were fetched, and they may have changed since.
	if !c.Force && c.Out != stdout {
		for _, name := range []string{c.Out, topic.LockName(c.Out)} {
			if _, err := os.Lstat(name); err == nil {
				return usage("%s: file exists; choose another name with -o, or use --force to overwrite it", name)
			}
		}
	}
	if t, err = c.sound(t); err != nil {
		return err
	}
	m, err := c.gather(w, t)
	if err != nil {
		return err
	}
	return c.write(w, t, m)
}

// topic returns the topic that the flags describe: words, then the topic of an earlier
// crawl, then examples, category and condition, which add to it. Without seeds, the
// examples serve as seeds: pages that are like the wanted ones often link to them.
func (c *newCmd) topic() (*topic.Topic, error) {
	t := topic.FromWords(c.Words)
	if c.FromCollection != "" {
		if err := c.startFrom(t); err != nil {
			return nil, err
		}
	}
	for _, list := range []struct {
		args []string
		to   *[]topic.Source
	}{{c.Like, &t.Like}, {c.Unlike, &t.Unlike}} {
		for _, arg := range list.args {
			*list.to = append(*list.to, c.source(arg))
		}
	}
	if c.Category != "" {
		if err := c.category(t); err != nil {
			return nil, err
		}
	}
	if c.Where != "" {
		t.Where = c.Where
	}
	for _, s := range c.Seed {
		t.Seeds = append(t.Seeds, withScheme(s))
	}
	if len(t.Kinds()) == 0 {
		return nil, usage("nothing to look for: give words, --like, --category or --where; see dowse new --help")
	}
	if len(t.Seeds) == 0 && len(t.Like) > 0 {
		t.SeedsFrom = topic.FromLike
	}
	if len(c.Words) == 0 {
		t.Name = c.name(t)
	}
	return t, nil
}

// name returns the name of a topic without words: that of the file to write, or of the
// category.
func (c *newCmd) name(t *topic.Topic) string {
	from := t.Name
	switch {
	case c.Out != "" && c.Out != stdout:
		from, _, _ = strings.Cut(filepath.Base(c.Out), ".")
	case t.Category != nil:
		from = t.Category.Path[strings.LastIndexByte(t.Category.Path, '/')+1:]
	}
	return topic.FromWords([]string{from}).Name
}

// startFrom starts from the topic of a collection: its labels become examples, and given
// words are added. Category and model are left out, since the labels replace them.
func (c *newCmd) startFrom(t *topic.Topic) error {
	if !collection.IsCollection(c.FromCollection) {
		return usage("--from-collection: %s is not a collection", c.FromCollection)
	}
	old, _, err := topicIn(c.FromCollection)
	if err != nil {
		return inCollection(err)
	}
	words, name := t.Words, t.Name
	*t = *old
	t.Words = append(t.Words, words...)
	if len(words) > 0 {
		t.Name = name
	}
	t.Category, t.Model = nil, ""
	return c.fromLabels(t)
}

// fromLabels makes the labels of a collection the examples of a topic. A collection
// without labels supplies the pages that its judge was sure of.
func (c *newCmd) fromLabels(t *topic.Topic) error {
	labels, _, err := crawler.Labelled(c.FromCollection)
	if err != nil {
		return inCollection(err)
	}
	dir := []topic.Source{{Collection: c.relative(c.FromCollection)}}
	on := 0
	for _, e := range labels {
		if e.Relevant {
			on++
		}
	}
	t.Like, t.Unlike = nil, nil
	if on > 0 || len(labels) == 0 {
		t.Like = dir
	}
	if on < len(labels) {
		t.Unlike = dir
	}
	return nil
}

// source returns an argument of --like or --unlike as a source of examples: URL,
// collection, WARC or HTML file. The form decides, as in other commands: a scheme, a
// directory with a collection, a suffix; all else is a file or a pattern of files.
func (c *newCmd) source(arg string) topic.Source {
	lower := strings.ToLower(arg)
	switch {
	case strings.Contains(arg, "://"):
		return topic.Source{URL: arg}
	case collection.IsCollection(arg):
		return topic.Source{Collection: c.relative(arg)}
	case strings.HasSuffix(lower, ".warc") || strings.HasSuffix(lower, ".warc.gz"):
		return topic.Source{WARC: c.relative(arg)}
	}
	return topic.Source{File: c.relative(arg)}
}

// relative returns a path relative to the folder of the topic file, since paths in a
// topic file are read that way. Absolute paths stay.
func (c *newCmd) relative(path string) string {
	dir, err1 := filepath.Abs(filepath.Dir(c.Out))
	full, err2 := filepath.Abs(path)
	if err := errors.Join(err1, err2); err != nil || filepath.IsAbs(path) {
		return filepath.ToSlash(path)
	}
	if rel, err := filepath.Rel(dir, full); err == nil {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(full)
}

// category adds --category to the topic. The last colon separates the file from the
// category.
func (c *newCmd) category(t *topic.Topic) error {
	i := strings.LastIndexByte(c.Category, ':')
	if i <= 0 || i == len(c.Category)-1 {
		return usage("--category %q: want the file and the category with a colon between, as odp.jsonl:Arts/Music", c.Category)
	}
	t.Category = &topic.Category{Directory: c.relative(c.Category[:i]), Path: c.Category[i+1:]}
	if len(t.Seeds)+len(c.Seed) == 0 {
		t.SeedsFrom, t.SeedLimit = topic.FromCategory, 50
	}
	return nil
}

// topicHead is the first line of a topic file that dowse new writes.
const topicHead = "What a crawl looks for. Check it: dowse topic check FILE. Keys of where: dowse help expr"

// sound parses the file before it is written, so that errors are reported with line and
// column and no faulty file is left behind.
func (c *newCmd) sound(t *topic.Topic) (*topic.Topic, error) {
	again, err := topic.Parse(t.Commented(topicHead), c.Out)
	if err != nil {
		return nil, err
	}
	again.Dir = filepath.Dir(c.Out)
	return again, nil
}

// gather fetches or reads the examples of the topic.
func (c *newCmd) gather(w *world, t *topic.Topic) (*topic.Material, error) {
	if !t.Needs() {
		return &topic.Material{}, nil
	}
	cfg, end, err := c.ask(w)
	if err != nil {
		return nil, err
	}
	defer end()
	m, err := crawler.Gather(w.ctx, t, cfg)
	if err != nil && !errors.Is(err, crawler.ErrIdentity) {
		return nil, usage("%w", err)
	}
	return m, err
}

// stdout as the name of the output prints the topic file; no lock is written then.
const stdout = "-"

// write writes the topic file, and the lock if there are examples, and records that the
// user agreed to what the file refers to: it is the user's own, and the crawl that
// follows must not ask.
func (c *newCmd) write(w *world, t *topic.Topic, m *topic.Material) error {
	if c.Out == stdout {
		_, err := w.out.Write(t.Commented(topicHead))
		return err
	}
	if err := durable.WriteFile(c.Out, t.Commented(topicHead)); err != nil {
		return usage("new: %w", err)
	}
	if err := w.consent(c.Trust).remember(c.Out, crawler.ReadActs(t)); err != nil {
		return err
	}
	contents := []string{some(len(t.Words), "word")}
	if len(t.Words) == 0 {
		contents = t.Kinds()
	}
	if len(m.Origins) > 0 {
		if err := durable.WriteFile(topic.LockName(c.Out), m.Lock()); err != nil {
			return fmt.Errorf("new: %w", err)
		}
		contents = append(contents, fmt.Sprintf("%s (%s), pinned in %s", some(len(m.Origins), "example page"), sizeOf(m), topic.LockName(c.Out)))
	}
	fmt.Fprintf(w.out, "wrote %s: %s\n", c.Out, strings.Join(contents, ", "))
	for _, n := range m.Notes {
		fmt.Fprintln(w.out, "note: "+oneLine(n))
	}
	fmt.Fprintf(w.out, "check: dowse topic check %s\n", shellWord(c.Out))
	return nil
}

// sizeOf returns the total size of the examples, and whether they were fetched.
func sizeOf(m *topic.Material) string {
	var bytes int64
	fetched := false
	for _, e := range m.Examples {
		if e.Page == nil {
			continue
		}
		fetched = fetched || !e.Page.Fetch.At.IsZero()
		bytes += max(e.Page.Fetch.Bytes, int64(len(e.Page.Text)))
	}
	if fetched {
		return "fetched, " + bytesText(bytes)
	}
	return bytesText(bytes)
}

// interview asks for words, examples and seeds that the flags do not give. An empty
// answer skips a question. Questions go to stderr and answers come from stdin, so that it
// can be driven by a script as well.
func (c *newCmd) interview(w *world) error {
	in := bufio.NewScanner(w.in)
	ask := func(question string) []string {
		fmt.Fprintf(w.err, "%s\n> ", question)
		if !in.Scan() {
			return nil
		}
		var list []string
		for part := range strings.SplitSeq(in.Text(), ",") {
			if part = strings.TrimSpace(part); part != "" {
				list = append(list, part)
			}
		}
		return list
	}
	if len(c.Words) == 0 {
		c.Words = ask("What are the pages about? Words and phrases, with commas between.")
	}
	if len(c.Like) == 0 {
		c.Like = ask("Example pages, if you have some: URLs or files, with commas between.")
	}
	if len(c.Unlike) == 0 && len(c.Like) > 0 {
		c.Unlike = ask("Pages that look alike and are not wanted? URLs or files.")
	}
	if len(c.Seed) == 0 {
		c.Seed = ask("Where shall the crawl begin? URLs.")
	}
	return in.Err()
}
