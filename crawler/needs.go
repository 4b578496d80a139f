package crawler

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/internal/durable"
	"dowse/internal/tgraph"
	"dowse/internal/trace"
	"dowse/internal/vectors"
	"dowse/internal/wordnet"
	"dowse/judge"
	"dowse/strategy/input"
	"dowse/topic"
	"dowse/weburl"
)

// The names under which a collection keeps the files of strategies.
const (
	tgraphFile  = "tgraph.json"
	traceFile   = "trace.bin"
	linksFile   = "links.tsv"
	classesFile = "classes.tsv"
	vectorsFile = "vectors.bin"
	namesFile   = "names.txt"
	kindsFile   = "kinds.bin"
	tableFile   = "table.json"
	learntFile  = "learnt.json"
)

// NeedsOf returns the inputs for strategies that need more than parameters:
// the words of the topic in cfg, and the content of the files that it names.
func NeedsOf(cfg Config) (input.Inputs, error) {
	n, _, err := needsOf(cfg)
	return n, err
}

// needsOf is NeedsOf with notes about the files for a person.
func needsOf(cfg Config) (n input.Inputs, notes []string, err error) {
	n.TGraph, err = readAt(cfg.TGraph, tgraph.Read)
	if err == nil {
		n.Links, err = readAt(cfg.Links, input.ReadLabelledLinks)
	}
	if err == nil {
		n.Classes, err = readAt(cfg.Classes, judge.ParseCodes)
	}
	if err == nil {
		n.Vectors, err = readAt(cfg.Vectors, vectors.Read)
	}
	if err == nil && cfg.Trace != "" {
		n.Trace, notes, err = readTraces(cfg)
	}
	if cfg.Topic != nil {
		n = ofTopic(n, cfg.Topic)
		var failed error
		if n.Names, failed = namesOf(cfg.WordNet, cfg.Topic); failed != nil {
			notes = append(notes, fmt.Sprintf("the words stay what was typed: %v", failed))
		}
		if n.Vectors == nil && cfg.roomForKinds() {
			if n.Taxonomy, failed = taxonomyOf(cfg.WordNet, cfg.Topic); failed != nil {
				notes = append(notes, fmt.Sprintf("what names are names of is not known: %v", failed))
			}
		}
		n = withTable(n, tableOf(cfg.Topic))
	}
	return n, notes, err
}

// roomForKinds reports whether there is memory for the taxonomy of a WordNet directory, if one is given.
func (cfg Config) roomForKinds() bool {
	limit := newRationer(cfg.MemoryLimit).limit
	return cfg.WordNet == "" || limit == 0 || limit >= leastKind
}

// tableOf returns the table of weighted words by which a topic is judged, nil for none. A
// file that can't be read is none here: whoever makes the judge reports it.
func tableOf(t *topic.Topic) judge.Model {
	if t.Model == "" {
		return nil
	}
	m, err := (&loader{Dir: t.Dir}).Model(context.Background(), t.Model)
	if _, ok := m.(weightedWords); err != nil || !ok {
		return nil
	}
	return m
}

// weightedWords is a judge that is a table of weighted words.
type weightedWords interface {
	Table() (judge.Table, []judge.TopicWord)
}

// withTable adds the words of a table; nil changes nothing.
func withTable(n input.Inputs, m judge.Model) input.Inputs {
	w, ok := m.(weightedWords)
	if !ok {
		return n
	}
	made, words := w.Table()
	n.Language, n.Prefix, n.Stems = cmp.Or(made.Language, n.Language), made.Prefix, words
	return n
}

// readAt reads a file; it returns the zero value for an empty path.
func readAt[T any](path string, read func(io.Reader) (T, error)) (x T, err error) {
	if path == "" {
		return x, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return x, fmt.Errorf("crawler: %w", err)
	}
	return readAll(f, path, read)
}

// readKept reads a file that a collection keeps for its strategies. The name
// comes from the settings, which may come from a stranger; links are not
// followed, so it can't lead outside the collection.
func readKept[T any](dir, name string, read func(io.Reader) (T, error)) (x T, err error) {
	if name == "" {
		return x, nil
	}
	f, err := durable.In(dir).Open(name)
	if err != nil {
		return x, fmt.Errorf("crawler: %w", err)
	}
	return readAll(f, name, read)
}

// readAll reads and closes f. Errors name the path.
func readAll[T any](f io.ReadCloser, path string, read func(io.Reader) (T, error)) (x T, err error) {
	defer f.Close()
	if x, err = read(f); err != nil {
		return x, fmt.Errorf("crawler: %s: %w", path, err)
	}
	return x, nil
}

// readTraces reads the access logs together. Lines that can't be parsed are skipped and
// counted in the notes, one per log; a log without any usable line is an error.
func readTraces(cfg Config) (log input.Trace, notes []string, err error) {
	o := trace.Options{Salt: cfg.Salt, Gap: cfg.TraceGap}
	if o.Salt == nil {
		o.Salt = newSalt()
	}
	if cfg.TraceSite != "" {
		base, err := weburl.Parse(cfg.TraceSite)
		if err != nil {
			return nil, nil, fmt.Errorf("crawler: %s: the site of the log: %w", cfg.Trace, err)
		}
		o.Base = base
	}
	var during period
	o.Keep = func(at time.Time) bool { return during.has(at) }
	b, err := trace.New(o)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range append([]string{cfg.Trace}, cfg.MoreTraces...) {
		path := name
		if path, during, err = periodOf(name); err != nil {
			return nil, nil, err
		}
		report, err := readAt(path, b.Read)
		if err != nil {
			return nil, nil, err
		}
		notes = append(notes, name+": "+report.String())
		if report.Kept == 0 {
			return nil, notes, noAccess(name, report, cfg)
		}
	}
	return b.Log(), notes, nil
}

// noAccess returns the error for a log without any access that counts. The name has the range of
// times, which is the cause if all accesses are outside it.
func noAccess(name string, report trace.Report, cfg Config) error {
	if report.Outside > 0 {
		return fmt.Errorf("crawler: %s: no access is within the range of times: %s", name, report)
	}
	err := fmt.Errorf("crawler: %s: it has no line of a page that was delivered: %s", name, report)
	if cfg.TraceSite == "" && report.Broken > 0 {
		err = fmt.Errorf("%w; %w", err, trace.ErrNoSite)
	}
	return err
}

// A period is a range of times; a zero end is open.
type period struct{ from, to time.Time }

// has reports whether a time is in the period. An unknown time is in the open period only.
func (p period) has(at time.Time) bool {
	if at.IsZero() {
		return p == period{}
	}
	return (p.from.IsZero() || !at.Before(p.from)) && (p.to.IsZero() || at.Before(p.to))
}

// periodOf splits FILE@FROM..TO. A name without such an end is a file with all its times; so
// is the name of a file that exists.
func periodOf(name string) (path string, p period, err error) {
	at := strings.LastIndexByte(name, '@')
	if _, missing := os.Stat(name); at < 0 || missing == nil {
		return name, p, nil
	}
	from, to, ok := strings.Cut(name[at+1:], "..")
	if !ok {
		return name, p, nil
	}
	if p.from, err = timeIn(from); err == nil {
		p.to, err = timeIn(to)
	}
	if err == nil && !p.from.IsZero() && !p.to.IsZero() && !p.from.Before(p.to) {
		err = errors.New("the range ends before it begins")
	}
	if err != nil {
		return "", p, fmt.Errorf("crawler: %s: %w", name, err)
	}
	return name[:at], p, nil
}

// timeIn parses one end of a range, in UTC; "" is an open end.
func timeIn(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.DateOnly, "2006-01-02T15:04:05", time.RFC3339} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time (want 2026-11-15 or 2026-11-15T09:30:00)", s)
}

// saltSize is the number of random bytes of a salt, as many as the hash has.
const saltSize = 32

// newSalt returns a random salt.
func newSalt() []byte {
	salt := make([]byte, saltSize)
	rand.Read(salt) // never fails
	return salt
}

// ofTopic adds the language and the words of the topic.
func ofTopic(n input.Inputs, t *topic.Topic) input.Inputs {
	n.Language = t.Language()
	for _, w := range t.Words {
		n.Words = append(n.Words, judge.TopicWord{Term: w, Weight: 1})
	}
	for _, w := range t.Also {
		n.Words = append(n.Words, judge.TopicWord{Term: w, Weight: alsoWeight})
	}
	return n
}

// alsoWeight is the weight of a word in also, where a word of the topic has 1. The
// judge uses the same.
const alsoWeight = 0.25

// gatherInputs reads the inputs for the strategies of a new crawl, checks that
// these can be made, and returns the files that the collection is to keep.
// It sets their names in the settings. The notes are for a person. The
// collection gets copies, in the form in which they were understood, so that a
// resumed crawl does not depend on files elsewhere.
func gatherInputs(s *collection.Settings, t *topic.Topic, cfg Config) (files []collection.File, notes []string, err error) {
	var learnt *input.Learnt
	s.Predicate = predicateOf(t, s.Threshold, cfg.Judge)
	if cfg.LearnFrom != "" {
		if learnt, err = learntIn(cfg.LearnFrom, s.Predicate, cfg.LearnAnyway); err != nil {
			return nil, nil, err
		}
	}
	cfg.Topic = t
	n, notes, err := needsOf(cfg)
	if err != nil {
		return nil, nil, err
	}
	strategies, err := checkStrategies(*s, n, learnt, cfg)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range n.Unused(strategies...) {
		notes = append(notes, fmt.Sprintf("the chosen strategy does not use %s", name))
	}
	if n.Vectors == nil && !cfg.roomForKinds() && isEnglish(t) && slices.ContainsFunc(strategies, uses(input.KindVectors)) {
		notes = append(notes, "the kinds of names are left out: with less than 250 MB of memory they would take the place of links")
	}
	keep := func(into *string, name string, write func(io.Writer) error) {
		*into = collection.NeedsName(name)
		var b bytes.Buffer
		err = errors.Join(err, write(&b))
		files = append(files, collection.File{Name: *into, Data: b.Bytes()})
	}
	if n.TGraph != nil {
		keep(&s.Needs.TGraph, tgraphFile, n.TGraph.Write)
	}
	if log, ok := n.Trace.(*trace.Log); ok {
		keep(&s.Needs.Trace, traceFile, log.Write)
	}
	if n.Links != nil {
		keep(&s.Needs.Links, linksFile, func(w io.Writer) error { return input.WriteLabelledLinks(w, n.Links) })
	}
	if n.Classes != nil {
		keep(&s.Needs.Classes, classesFile, func(w io.Writer) error { return writeCodes(w, n.Classes) })
	}
	if n.Vectors != nil {
		keep(&s.Needs.Vectors, vectorsFile, n.Vectors.Write)
	}
	if n.Names != nil && slices.ContainsFunc(strategies, uses(input.KindWords)) {
		keep(&s.Needs.Names, namesFile, func(w io.Writer) error { return writeNames(w, n.Names) })
	}
	if n.Taxonomy != nil && slices.ContainsFunc(strategies, uses(input.KindVectors)) {
		keep(&s.Needs.Kinds, kindsFile, n.Taxonomy.Write)
	}
	if m := tableOf(t); m != nil {
		keep(&s.Needs.Table, tableFile, func(w io.Writer) error { return writeModel(w, m) })
	}
	if learnt != nil {
		keep(&s.Needs.Learnt, learntFile, learnt.Write)
	}
	return files, notes, err
}

// checkStrategies makes the strategy and its shadows, as a check that they can be
// made and combined.
func checkStrategies(s collection.Settings, n input.Inputs, learnt *input.Learnt, cfg Config) ([]dowse.Strategy, error) {
	st, err := strategyOf(s, cfg, n)
	if err != nil {
		return nil, err
	}
	if err := learn(st, learnt); err != nil {
		return nil, err
	}
	shadows, err := shadowsOf(s, n)
	if err != nil {
		return nil, err
	}
	all := []dowse.Strategy{st}
	for _, sh := range shadows {
		all = append(all, sh.Strategy)
	}
	return all, new(Visitor).rateAll(st, shadows)
}

// writeCodes writes a classification in the form that judge.ParseCodes
// reads.
func writeCodes(w io.Writer, list []judge.Code) error {
	for _, c := range list {
		if _, err := fmt.Fprintf(w, "%s\t%s\n", c.Code, c.Label); err != nil {
			return fmt.Errorf("crawler: classes: %w", err)
		}
	}
	return nil
}

// writeModel writes a model in the form that judge.Load reads.
func writeModel(w io.Writer, m judge.Model) error {
	data, err := judge.Save(m)
	if err == nil {
		_, err = w.Write(data)
	}
	return err
}

// readModel reads what writeModel wrote.
func readModel(r io.Reader) (judge.Model, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxModel))
	if err != nil {
		return nil, err
	}
	return judge.Load(data)
}

// needsIn reads the inputs that the collection in dir keeps for its
// strategies.
func needsIn(dir string, s collection.Needs, t *topic.Topic) (n input.Inputs, err error) {
	n.TGraph, err = readKept(dir, s.TGraph, tgraph.Read)
	if err == nil {
		n.Links, err = readKept(dir, s.Links, input.ReadLabelledLinks)
	}
	if err == nil {
		n.Classes, err = readKept(dir, s.Classes, judge.ParseCodes)
	}
	if err == nil {
		n.Vectors, err = readKept(dir, s.Vectors, vectors.Read)
	}
	if err == nil {
		n.Names, err = readKept(dir, s.Names, readNames)
	}
	if err == nil {
		n.Taxonomy, err = readKept(dir, s.Kinds, wordnet.ReadTaxonomy)
	}
	if err == nil && s.Trace != "" {
		n.Trace, err = readKept(dir, s.Trace, trace.ReadLog)
	}
	n = ofTopic(n, t)
	if err == nil && s.Table != "" {
		var m judge.Model
		if m, err = readKept(dir, s.Table, readModel); err == nil {
			n = withTable(n, m)
		}
	}
	return n, err
}

// StrategyFor makes a strategy by name for the pages of this crawl, with the
// inputs that the collection keeps and the words of its topic. The files
// TGraph, Trace, Links, Classes and Vectors of cfg replace those of the collection.
// The collection's own strategy starts with what it had learnt at the start
// of the crawl.
func (c *Crawler) StrategyFor(spec string, cfg Config) (dowse.Strategy, error) {
	s := c.Collection.Settings
	needs, err := needsIn(c.Collection.Dir, s.Needs, c.Topic)
	if err != nil {
		return nil, err
	}
	given, err := NeedsOf(Config{TGraph: cfg.TGraph, Trace: cfg.Trace, MoreTraces: cfg.MoreTraces, TraceGap: cfg.TraceGap, TraceSite: cfg.TraceSite, Salt: cfg.Salt, Links: cfg.Links, Classes: cfg.Classes, Vectors: cfg.Vectors})
	if err != nil {
		return nil, err
	}
	own := s.Strategy == spec
	s.Strategy = spec
	st, err := strategyOf(s, Config{}, replaced(needs, given))
	if err == nil && own {
		err = learnAgain(st, c.Collection.Dir, s.Needs)
	}
	return st, err
}

// replaced returns n with the inputs that are given in place of its own.
func replaced(n, given input.Inputs) input.Inputs {
	if given.TGraph != nil {
		n.TGraph = given.TGraph
	}
	if given.Trace != nil {
		n.Trace = given.Trace
	}
	if given.Links != nil {
		n.Links = given.Links
	}
	if given.Classes != nil {
		n.Classes = given.Classes
	}
	if given.Vectors != nil {
		n.Vectors = given.Vectors
	}
	return n
}

// learn makes a strategy start with what an earlier one has learnt; nil
// changes nothing.
func learn(s dowse.Strategy, l *input.Learnt) error {
	if l == nil {
		return nil
	}
	learner, ok := s.(input.Learner)
	if !ok {
		return errNoLearner
	}
	if err := learner.LearnFrom(l, l.Predicate); err != nil {
		return fmt.Errorf("crawler: %w", err)
	}
	return nil
}

// errNoLearner is the error for a strategy that can't start with anything.
var errNoLearner error = noLearner{}

type noLearner struct{}

func (noLearner) Error() string {
	return "crawler: the strategy does not learn, so there is nothing it could start with; auto, online, intelligent, collaborative, combined and the nb strategies do"
}

// Is reports that there is nothing to start with.
func (noLearner) Is(target error) bool { return target == input.ErrNotLearnt }

// learnAgain is learn with the file that the collection in dir keeps.
func learnAgain(s dowse.Strategy, dir string, n collection.Needs) error {
	l, err := readKept(dir, n.Learnt, input.ReadLearnt)
	if err != nil {
		return err
	}
	return learn(s, l)
}
