package report

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"dowse"
	"dowse/internal/lab/measure"
)

// trecFiles returns files in the formats of trec_eval, with which others can
// check the figures:
//
//	trec/qrels               topic 0 document 1       the relevant pages of each topic
//	trec/qrels.targets.SET   the same without training pages and the seeds of a seed set; if
//	strategies have seeds of their own, one qrels.targets.STRATEGY.SET each
//	trec/qrels.listed.SET    those of the targets that a directory lists, if there are any
//	trec/run.STRATEGY.SET    topic Q0 document rank score tag
//
// Documents are in the order of the crawl and scores descend, so that trec_eval's
// P_k on qrels equals harvest@k, recall_k on qrels.targets equals recall@k, and on
// qrels.listed recall_listed@k.
func (r *Report) trecFiles() (files []File) {
	ids := r.trecTopics()
	files = append(files, File{"trec/qrels", func(w io.Writer) error { return r.writeQrels(w, ids, r.judged(), nil) }})
	names := map[string]bool{}
	for _, set := range r.seedSets() {
		files = append(files, r.targetFiles(ids, set)...)
		for _, name := range r.strategies() {
			file := unique(fmt.Sprintf("trec/run.%s.%d", slug(name), set), names)
			files = append(files, File{file, func(w io.Writer) error { return r.writeRun(w, ids, name, set) }})
		}
	}
	return files
}

// targetFiles returns the qrels for recall: one per seed set, or one per strategy
// and seed set if strategies began with different pages.
func (r *Report) targetFiles(ids map[string]string, set int) (files []File) {
	if len(r.in.Relevant) == 0 {
		return nil
	}
	add := func(part string, seeds map[string]map[dowse.URL]bool) {
		r.addTrained(seeds)
		files = append(files, File{"trec/qrels.targets." + part, func(w io.Writer) error { return r.writeQrels(w, ids, r.in.Relevant, seeds) }})
		if r.hasListed() {
			files = append(files, File{"trec/qrels.listed." + part, func(w io.Writer) error { return r.writeQrels(w, ids, r.in.Listed, seeds) }})
		}
	}
	all := r.seeds(set, "")
	differ := slices.ContainsFunc(r.strategies(), func(name string) bool {
		own := r.seeds(set, name)
		return slices.ContainsFunc(slices.Collect(maps.Keys(own)), func(topic string) bool { return len(own[topic]) != len(all[topic]) })
	})
	if !differ {
		add(strconv.Itoa(set), all)
		return files
	}
	names := map[string]bool{}
	for _, name := range r.strategies() {
		add(unique(fmt.Sprintf("%s.%d", slug(name), set), names), r.seeds(set, name))
	}
	return files
}

// addTrained adds the training pages to what is left out of the targets.
func (r *Report) addTrained(without map[string]map[dowse.URL]bool) {
	for topic, list := range r.in.Trained {
		if without[topic] == nil {
			without[topic] = map[dowse.URL]bool{}
		}
		for _, u := range list {
			without[topic][u] = true
		}
	}
}

// hasListed reports whether any target of any topic is listed by a directory.
func (r *Report) hasListed() bool {
	return slices.ContainsFunc(r.in.Runs.Trails, func(t measure.Trail) bool { return t.Listed > 0 })
}

// unique returns the name, with a number appended if it is used already, and
// marks it as used. Two strategies may differ only in characters that a file
// name cannot have.
func unique(name string, taken map[string]bool) string {
	made := name
	for i := 2; taken[made]; i++ {
		made = fmt.Sprintf("%s-%d", name, i)
	}
	taken[made] = true
	return made
}

// trecTopics returns a distinct name per topic that fits a TREC field.
func (r *Report) trecTopics() map[string]string {
	ids, taken := map[string]string{}, map[string]bool{}
	for _, t := range r.in.Runs.Topics() {
		ids[t] = unique(slug(t), taken)
	}
	return ids
}

// seedSets returns the numbers of the seed sets, ascending.
func (r *Report) seedSets() (sets []int) {
	for i := range r.in.Runs.Trails {
		if s := r.in.Runs.Trails[i].SeedSet; !slices.Contains(sets, s) {
			sets = append(sets, s)
		}
	}
	slices.Sort(sets)
	return sets
}

// judged returns the relevant pages of each topic: all of them, or those that
// some crawl found. In the second case precision can be computed from the
// files, and recall cannot.
func (r *Report) judged() map[string][]dowse.URL {
	if len(r.in.Relevant) > 0 {
		return r.in.Relevant
	}
	found := map[string][]dowse.URL{}
	for i := range r.in.Runs.Trails {
		t := &r.in.Runs.Trails[i]
		for _, s := range t.Steps.All() {
			if s.Relevant {
				found[t.Topic] = append(found[t.Topic], s.URL)
			}
		}
	}
	return found
}

// seeds returns the seeds of each topic in a seed set, from the trails of one
// strategy, or of all for "".
func (r *Report) seeds(set int, name string) map[string]map[dowse.URL]bool {
	seeds := map[string]map[dowse.URL]bool{}
	for i := range r.in.Runs.Trails {
		t := &r.in.Runs.Trails[i]
		if t.SeedSet != set || name != "" && t.Name() != name {
			continue
		}
		if seeds[t.Topic] == nil {
			seeds[t.Topic] = map[dowse.URL]bool{}
		}
		for _, s := range t.Steps.All() {
			if s.Seed {
				seeds[t.Topic][s.URL] = true
			}
		}
	}
	return seeds
}

// document formats a URL as a field: white space, control characters and bytes
// beyond ASCII are percent-encoded, so that nothing ends the field.
func document(u dowse.URL) string {
	var b strings.Builder
	for i := range len(u) {
		if c := u[i]; c <= ' ' || c >= 0x7f {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// writeQrels writes the pages of each topic, sorted and once each, without the
// given ones.
func (r *Report) writeQrels(w io.Writer, ids map[string]string, pages map[string][]dowse.URL, without map[string]map[dowse.URL]bool) error {
	b := bufio.NewWriter(w)
	for _, topic := range r.in.Runs.Topics() {
		list := slices.Clone(pages[topic])
		slices.Sort(list)
		for _, u := range slices.Compact(list) {
			if !without[topic][u] {
				fmt.Fprintf(b, "%s 0 %s 1\n", ids[topic], document(u))
			}
		}
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("report: write qrels: %w", err)
	}
	return nil
}

// writeRun writes the crawls of a strategy in a seed set as a run.
func (r *Report) writeRun(w io.Writer, ids map[string]string, name string, set int) error {
	b := bufio.NewWriter(w)
	for _, t := range r.in.Runs.Of(name) {
		if t.SeedSet == set {
			writeRanked(b, ids[t.Topic], slug(name), t)
		}
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("report: write run: %w", err)
	}
	return nil
}

// writeRanked writes one crawl. trec_eval orders by score and ignores ranks, so
// the score is the number of pages from here to the end.
func writeRanked(b *bufio.Writer, topic, tag string, t *measure.Trail) {
	for i, s := range t.Steps.All() {
		b.WriteString(topic + " Q0 " + document(s.URL) + " " + strconv.Itoa(i+1) + " " + strconv.Itoa(t.Steps.Len()-i) + " " + tag + "\n")
	}
}
