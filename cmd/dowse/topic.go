package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/durable"
	"dowse/internal/operations"
	"dowse/judge"
	"dowse/strategy"
	"dowse/topic"
)

// topicCmd groups the commands on topics, which say what a crawl looks for. Most accept a
// topic in any form: a file, a collection, whose topic it is then, or words in quotes
// (anyTopic).
//
//	check, show, list   what a topic says
//	test, diff          how well its judge works, and what a change does
//	select              topics for experiments, from a web directory
//	words, dewey        judges of the literature, as model files
//	schema              for editors
type topicCmd struct {
	Check  topicCheckCmd  `cmd:"" help:"Check a topic file and report its problems."`
	Show   topicShowCmd   `cmd:"" help:"Print a topic in canonical form, or what its judge learnt."`
	Test   topicTestCmd   `cmd:"" help:"Measure the judge by cross-validation; compare all judges."`
	Diff   topicDiffCmd   `cmd:"" help:"Compare two topics, or two models of a crawl."`
	List   topicListCmd   `cmd:"" help:"List the topics in a folder."`
	Select topicSelectCmd `cmd:"" help:"Draw topics for experiments from a directory."`
	Words  topicWordsCmd  `cmd:"" help:"Make a table of topic words from pages or from a search."`
	Dewey  topicDeweyCmd  `cmd:"" help:"Make a judge from the classes of a classification."`
	Schema topicSchemaCmd `cmd:"" help:"Print the JSON Schema of topic files, for editors."`
}

func (topicCmd) Help() string {
	return `Examples:
  dowse topic check reefs.topic.yaml
  dowse topic show reefs.dowse          the topic of a collection
  dowse topic show "coral bleaching"    a topic file to begin with`
}

// topicCheckCmd checks a topic file and everything that it names. Findings have levels:
// wrong prevents a crawl, warn probably spoils it, hint could improve it, and ok reports
// what was understood.
//
//	ok    words 3, also 8, not 3, seeds 0
//	hint  the judge looks for, in any form: tide pools, intertidal, rocky shore
//	warn  no seeds: add seeds: to the topic, or give some on the command line
//
// Problems of the file have line and column. Examples are read or fetched as a crawl
// would, so a topic that passes is one that can be crawled.
type topicCheckCmd struct {
	Topic string `arg:"" name:"file|dir|words" help:"Topic file, collection, or words in quotes."`
	JSON  bool   `help:"Print JSON."`
	Lock  bool   `help:"Write NAME.topic.lock with the present examples."`
	wordNetFlag
	askFlags
}

func (topicCheckCmd) Help() string {
	return `Examples:
  dowse topic check reefs.topic.yaml
  dowse topic check reefs.topic.yaml --json
  dowse topic check reefs.topic.yaml --lock   pin the examples by their hashes

Examples are gathered as a crawl would: URLs are fetched, and on the public web
--contact is required. If there is a lock, changes since then are reported. Exits with 2 if the topic can't be crawled as it is.`
}

// A finding is one result of topic check in JSON: a level, a text and, for problems of
// the file, the place and what to do.
type finding struct {
	Level  topic.Level `json:"level"`
	Text   string      `json:"text"`
	File   string      `json:"file,omitempty"`
	Line   int         `json:"line,omitempty"`
	Column int         `json:"column,omitempty"`
	Fix    string      `json:"fix,omitempty"`
}

// String returns the finding as topic check prints it.
func (f finding) String() string {
	if f.Line > 0 {
		return fmt.Sprintf("%-5s %s:%d:%d: %s\n      %s", f.Level, f.File, f.Line, f.Column, f.Text, f.Fix)
	}
	return topic.Finding{Level: f.Level, Text: f.Text}.String()
}

// Run prints the findings and exits with 2 if the topic cannot be crawled as it is.
func (c *topicCheckCmd) Run(w *world) error {
	list, err := c.findings(w)
	if err != nil {
		return err
	}
	if c.JSON {
		if err := json.NewEncoder(w.out).Encode(list); err != nil {
			return err
		}
	} else {
		for _, f := range list {
			fmt.Fprintln(w.out, printable(f.String()))
		}
	}
	for _, f := range list {
		if f.Level == topic.Wrong {
			return &exitError{code: exitUsage}
		}
	}
	return nil
}

// findings checks a topic: the file itself, then strategy and program that it names, then
// what its words may mean, then its examples. A faulty file is a finding, not an error,
// so that --json lists all problems.
func (c *topicCheckCmd) findings(w *world) (list []finding, err error) {
	t, _, err := anyTopic(c.Topic)
	if problems := problemsIn(err); len(problems) > 0 {
		return problems, nil
	}
	if err != nil {
		return nil, err
	}
	dictionary, err := c.wordNet(w)
	if err != nil {
		return nil, err
	}
	list = findingsOf(slices.Concat(t.Check(), around(t), c.understood(dictionary, t)))
	// Examples are gathered last: it may need the network, and what is wrong in the file
	// should be reported without it.
	if t.Needs() {
		more, err := c.gathered(w)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}

// findingsOf returns findings without a place.
func findingsOf(found []topic.Finding) (list []finding) {
	for _, f := range found {
		list = append(list, finding{Level: f.Level, Text: f.Text})
	}
	return list
}

// around checks what a topic names that is neither in the file nor an example: the
// strategy, and the program of an outside judge. A missing program is a warning: the
// topic may have been written for another machine.
func around(t *topic.Topic) (list []topic.Finding) {
	if err := knownStrategy(t); err != nil {
		list = append(list, topic.Finding{Level: topic.Wrong, Text: err.Error()})
	}
	if o := t.Outside; o != nil && len(o.Exec) > 0 && !isProgram(o.Exec[0], t.Dir) {
		list = append(list, topic.Finding{Level: topic.Warn, Text: fmt.Sprintf("judge: exec: there is no program %q here; pages would not be rated by it", o.Exec[0])})
	}
	return list
}

// knownStrategy returns an error if the strategy that a topic asks for is unknown.
func knownStrategy(t *topic.Topic) error {
	name, _, _ := strings.Cut(t.PreferredStrategy(), ":")
	if name == "" || slices.ContainsFunc(crawler.Strategies(), func(d strategy.Description) bool { return d.Name == name }) {
		return nil
	}
	return usage("follow: %s", unknown("strategy", name, strategyNames(crawler.Strategies())))
}

// isProgram reports whether a program can be found: in PATH or, if its name has a
// folder, relative to the folder of the topic.
func isProgram(name, dir string) bool {
	if strings.ContainsRune(filepath.ToSlash(name), '/') && !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
		if !filepath.IsAbs(name) {
			name = "." + string(filepath.Separator) + name
		}
	}
	_, err := exec.LookPath(name)
	return err == nil
}

// gathered fetches and checks the examples of a topic, and writes the lock with --lock.
// Examples that cannot be read are findings, like mistakes in the file. A missing
// contact, a missing consent and an interruption are errors: they say nothing about the
// topic.
func (c *topicCheckCmd) gathered(w *world) ([]finding, error) {
	cfg, end, err := c.ask(w)
	if err != nil {
		return nil, err
	}
	defer end()
	t, _, m, err := material(w, c.Topic, cfg)
	switch {
	case errors.Is(err, crawler.ErrIdentity) || errors.Is(err, crawler.ErrTrust) || w.ctx.Err() != nil:
		return nil, err
	case err != nil:
		if problems := problemsIn(err); len(problems) > 0 {
			return problems, nil
		}
		return []finding{{Level: topic.Wrong, Text: err.Error()}}, nil
	}
	if c.Lock && !collection.IsCollection(c.Topic) {
		if err := durable.WriteFile(topic.LockName(c.Topic), m.Lock()); err != nil {
			return nil, fmt.Errorf("topic: %w", err)
		}
		fmt.Fprintf(w.err, "wrote %s: %d examples\n", topic.LockName(c.Topic), len(m.Origins))
	}
	return findingsOf(t.CheckMaterial(m)), nil
}

// problemsIn returns the problems of a topic file that an error contains, nil for other
// errors.
func problemsIn(err error) (list []finding) {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range many.Unwrap() {
			list = append(list, problemsIn(e)...)
		}
		return list
	}
	var e *topic.Error
	var source *topic.SourceError
	if errors.As(err, &source) && source.At != nil {
		e = source.At
	}
	if e != nil || errors.As(err, &e) {
		list = append(list, finding{topic.Wrong, e.Problem, e.File, e.Line, e.Column, e.Fix})
	}
	return list
}

// topicShowCmd prints a topic in canonical form, or the terms that its judge has learnt.
type topicShowCmd struct {
	Topic string `arg:"" name:"file|dir|words" help:"Topic file, collection, or words in quotes."`
	Terms int    `placeholder:"N" help:"Print the N strongest learnt terms instead of the file."`
	Used  bool   `help:"Also print seeds, threshold and the terms in use."`
	JSON  bool   `help:"Print JSON."`
	askFlags
}

func (topicShowCmd) Help() string {
	return `Examples:
  dowse topic show reefs.dowse
  dowse topic show "coral bleaching" > reefs.topic.yaml
  dowse topic show reefs.dowse --terms 20   the terms of its judge
  dowse topic show reefs.dowse --used       what verdicts were made by

--used reads a collection: how many pages would be on topic at which threshold, and
the terms with most weight in the verdicts on the newest 200 pages.`
}

// Run prints the topic as YAML or JSON; with --terms it prints the strongest terms
// instead.
func (c *topicShowCmd) Run(w *world) error {
	if c.Used && (c.Terms > 0 || !collection.IsCollection(c.Topic)) {
		return usage("--used is for a collection, without --terms")
	}
	if c.Terms > 0 {
		return c.terms(w)
	}
	if c.Used && c.JSON {
		return c.used(w)
	}
	t, _, err := anyTopic(c.Topic)
	if err != nil {
		return err
	}
	if c.JSON {
		data, err := t.JSON()
		if err == nil {
			_, err = fmt.Fprintf(w.out, "%s\n", data)
		}
		return err
	}
	if _, err = w.out.Write(t.YAML()); err != nil || !c.Used {
		return err
	}
	return c.used(w)
}

// A usedJSON is the output of topic show --used --json.
type usedJSON struct {
	Seeds      []string               `json:"seeds"`
	Thresholds *operations.Thresholds `json:"thresholds"`
	Terms      *operations.UsedTerms  `json:"terms"`
}

// used prints the seeds of a collection, how many pages would be on topic at other thresholds, and the terms of its verdicts.
func (c *topicShowCmd) used(w *world) error {
	ops, ids, err := w.operationsOn([]string{c.Topic})
	if err != nil {
		return err
	}
	defer ops.Close()
	s, err := ops.Settings(w.ctx, ids[0])
	if err != nil {
		return operationsError(err)
	}
	t, err := ops.Thresholds(w.ctx, ids[0])
	if err != nil {
		return operationsError(err)
	}
	terms, err := ops.Terms(w.ctx, ids[0])
	if err != nil {
		return operationsError(err)
	}
	if c.JSON {
		return jsonLine(w.out, usedJSON{s.Seeds, t, terms})
	}
	fmt.Fprintf(w.out, "\nseeds\n")
	for _, u := range s.Seeds {
		fmt.Fprintf(w.out, "  %s\n", oneLine(u))
	}
	fmt.Fprintf(w.out, "\nthreshold %.2f: %s of %s pages are on topic; at another one\n", t.Threshold, count(t.OnTopic), count(t.Pages))
	for i := 1; i < 10; i++ {
		x := float64(i) / 10
		fmt.Fprintf(w.out, "  %.1f  %s\n", x, count(t.At(x)))
	}
	fmt.Fprintf(w.out, "\nterms in the verdicts on the newest %s, with their mean weight\n", some(terms.Pages, "page"))
	for _, t := range slices.Concat(terms.For, terms.Against) {
		fmt.Fprintf(w.out, "  %+6.2f  %s in %s\n", t.Weight, oneLine(strings.ReplaceAll(t.Shown(), `"`, "")), some(t.Pages, "page"))
	}
	return nil
}

// terms prints the terms with the largest weights for and against the topic, over all
// examples and labelled pages.
func (c *topicShowCmd) terms(w *world) error {
	cfg, end, err := c.ask(w)
	if err != nil {
		return err
	}
	defer end()
	t, j, examples, err := judgeAndPages(w, c.Topic, cfg)
	if err != nil {
		return err
	}
	if len(examples) == 0 {
		return usage("%s has no examples and no labels: its judge has learnt nothing and uses its %s", c.Topic, strings.Join(t.Kinds(), " and "))
	}
	on, off := t.Learnt(j, examples, c.Terms)
	if c.JSON {
		return json.NewEncoder(w.out).Encode(map[string][]topic.Term{"for": orEmpty(on), "against": orEmpty(off)})
	}
	fmt.Fprintf(w.out, "%s: what terms add to the log-odds of the %s that have them\n", t.Name, some(len(examples), "example"))
	for i := range max(len(on), len(off)) {
		fmt.Fprintln(w.out, strings.TrimRight(fmt.Sprintf("  %-36s  %s", termCell(on, i), termCell(off, i)), " "))
	}
	return nil
}

// orEmpty returns an empty list for nil, so that JSON has [] and not null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// termCell returns the i-th term with its weight, "" if there are fewer.
func termCell(list []topic.Term, i int) string {
	if i >= len(list) {
		return ""
	}
	return fmt.Sprintf("%+.3f %s in %d", list[i].Weight, oneLine(list[i].Spelt()), list[i].Examples)
}

// judgeAndPages returns a topic, its judge, and the examples and labelled pages that the
// judge was trained on.
func judgeAndPages(w *world, what string, cfg crawler.Config) (*topic.Topic, *topic.Judge, []judge.Example, error) {
	t, _, m, err := material(w, what, cfg)
	if err != nil {
		return nil, nil, nil, err
	}
	if collection.IsCollection(what) {
		if _, err := addLabels(w.ctx, what, m); err != nil {
			return nil, nil, nil, err
		}
	}
	j, err := t.NewJudge(m)
	return t, j, m.Examples, err
}

// addLabels adds the labelled pages of a collection to the examples and returns notes on
// those that are missing. If the topic has no negative examples, pages seen by the crawl
// are added as in the crawl itself. A model that was trained before is dropped and
// trained anew, since it does not know the labels.
func addLabels(ctx context.Context, dir string, m *topic.Material) (missing []string, err error) {
	labels, missing, err := crawler.Labelled(dir)
	if err != nil {
		return nil, inCollection(err)
	}
	if len(labels) > 0 {
		m.Examples, m.Trained = append(m.Examples, labels...), nil
	}
	return missing, inCollection(crawler.Contrast(ctx, dir, m))
}

// topicSchemaCmd prints the JSON Schema of topic files, for editors.
type topicSchemaCmd struct{}

func (topicSchemaCmd) Help() string {
	return `Example:
  dowse topic schema > topic.schema.json

Editors with a YAML language server check and complete topic files by it, if
their first line is:
  # yaml-language-server: $schema=topic.schema.json`
}

// Run prints the JSON Schema of topic files.
func (topicSchemaCmd) Run(w *world) error {
	_, err := w.out.Write(topic.JSONSchema())
	return err
}

// anyTopic returns the topic that an argument names: a file, a collection or words. The
// threshold is the relevance from which pages are on topic; that of a collection may
// differ from its topic's, because --threshold overrides it.
func anyTopic(what string) (t *topic.Topic, threshold float64, err error) {
	if st, err := os.Stat(what); err == nil && st.IsDir() && collection.IsCollection(what) {
		return topicIn(what)
	}
	if t, err = topicOf([]string{what}, false); err != nil {
		return nil, 0, err
	}
	return t, t.OnTopic(), nil
}

// material returns the topic that an argument names, and what its judge is trained on:
// for a file the examples are fetched or read now, for a collection they are those that
// it keeps. The user must have agreed to what a topic file reads. A lock, if there is
// one, pins the examples by their hashes, so that a changed page is noticed.
func material(w *world, what string, cfg crawler.Config) (t *topic.Topic, threshold float64, m *topic.Material, err error) {
	if t, threshold, err = anyTopic(what); err != nil {
		return nil, 0, nil, err
	}
	if collection.IsCollection(what) {
		m, err = keptMaterial(what)
		return t, threshold, m, err
	}
	if cfg.Pinned, err = pinned([]string{what}); err != nil {
		return nil, 0, nil, err
	}
	if err := cfg.Consent(what, crawler.ReadActs(t)); err != nil {
		return nil, 0, nil, err
	}
	m, err = crawler.Gather(w.ctx, t, cfg)
	return t, threshold, m, err
}

// keptMaterial returns the examples that a collection keeps.
func keptMaterial(dir string) (*topic.Material, error) {
	col, err := collection.Open(dir, nil, true)
	if err != nil {
		return nil, inCollection(err)
	}
	defer col.Close()
	return crawler.MaterialOf(col)
}

// pinned returns the examples that the lock of a topic file pins, none if there is no
// lock. With a lock a crawl notices that an example has changed since the topic was
// checked, and reports it.
func pinned(what []string) ([]topic.Origin, error) {
	if len(what) != 1 {
		return nil, nil
	}
	data, err := readLock(topic.LockName(what[0]))
	if err != nil {
		return nil, nil // the topic is not a file, or has no lock
	}
	list, err := topic.ParseLock(data)
	if err != nil {
		return nil, usage("%s: %w", topic.LockName(what[0]), err)
	}
	return list, nil
}

// maxLock is the largest lock that is read, in bytes, a little above the limit of
// package topic.
const maxLock = 17 << 20

// readLock returns the contents of a lock file.
func readLock(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxLock))
}

// topicIn returns the topic of a collection and its threshold.
func topicIn(dir string) (*topic.Topic, float64, error) {
	col, err := collection.Open(dir, nil, true)
	if err != nil {
		return nil, 0, err
	}
	defer col.Close()
	data, err := col.Topic()
	if err != nil {
		return nil, 0, err
	}
	t, err := topic.Parse(data, dir+"/topic.yaml")
	if err == nil {
		t.Dir = col.Settings.TopicDir // where its outside judge is run
	}
	return t, col.Settings.Threshold, err
}
