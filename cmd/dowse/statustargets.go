package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/judge"
	"dowse/weburl"
)

// A targetCounts is the target recall of a crawl: how many of the pages that it should find
// were fetched so far. Unseen are those of a split that no judge was trained on.
type targetCounts struct {
	Of     int     `json:"of" doc:"targets"`
	Found  int     `json:"found" doc:"targets that were fetched"`
	Recall float64 `json:"recall" doc:"their share"`

	Unseen       int     `json:"unseen,omitempty" doc:"targets that are no training examples, of a split"`
	UnseenFound  int     `json:"unseen_found,omitempty" doc:"of these, those that were fetched"`
	UnseenRecall float64 `json:"unseen_recall,omitempty" doc:"their share"`
}

// lines returns the target recall for a status, nothing for nil.
func (t *targetCounts) lines() []string {
	if t == nil {
		return nil
	}
	line := fmt.Sprintf(" targets   recall %.3f: %s of %s fetched", t.Recall, count(t.Found), count(t.Of))
	if t.Unseen > 0 {
		line += fmt.Sprintf("; %.3f of the %s not trained on", t.UnseenRecall, count(t.Unseen))
	}
	return []string{line}
}

// A targetList is the content of --targets: URLs in canonical form. The value reports
// whether no judge was trained on the page.
type targetList struct {
	unseen map[dowse.URL]bool
	split  bool // the file distinguishes them
}

// readTargets reads a split of topic select, or one URL per line.
func readTargets(file string) (*targetList, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, usage("--targets: %w", err)
	}
	list := &targetList{unseen: map[dowse.URL]bool{}}
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		var s drawnTopic
		if err := json.Unmarshal(data, &s); err != nil {
			return nil, usage("--targets %s: %w", file, err)
		}
		list.split = true
		for _, u := range s.Targets {
			list.unseen[u] = false
		}
		for _, u := range s.Eval {
			list.unseen[u] = true
		}
	} else {
		for i, line := range strings.Split(string(data), "\n") {
			line = strings.TrimSpace(line)
			if line == "" || line[0] == '#' {
				continue
			}
			u, err := weburl.Parse(line)
			if err != nil {
				return nil, usage("--targets %s: line %d: %w", file, i+1, err)
			}
			list.unseen[u] = true
		}
	}
	if len(list.unseen) == 0 {
		return nil, usage("--targets %s: it has no URL", file)
	}
	return list, nil
}

// in counts the targets that a collection has fetched, by their own URLs or at the end of
// their redirects.
func (l *targetList) in(col *collection.Collection) (*targetCounts, error) {
	t := &targetCounts{Of: len(l.unseen)}
	for u, unseen := range l.unseen {
		found, err := isFetched(col, u)
		if err != nil {
			return nil, err
		}
		t.Found += one(found)
		if l.split && unseen {
			t.Unseen++
			t.UnseenFound += one(found)
		}
	}
	t.Recall = float64(t.Found) / float64(t.Of)
	if t.Unseen > 0 {
		t.UnseenRecall = float64(t.UnseenFound) / float64(t.Unseen)
	}
	return t, nil
}

// one returns 1 for true.
func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// isFetched reports whether a page was fetched, perhaps after redirects.
func isFetched(col *collection.Collection, u dowse.URL) (bool, error) {
	row, err := col.Row(u)
	if err == nil && row.Redirect != "" && row.Redirect != u {
		row, err = col.Row(row.Redirect)
	}
	if errors.Is(err, collection.ErrUnknown) {
		return false, nil
	}
	return err == nil && row.State == dowse.Visited && row.Outcome == dowse.Fetched, err
}

// voted is the harvest by a vote of judges that were trained on the examples of the topic, as
// Wang et al. 2009 measure. No judge then measures its own crawl.
type voted struct {
	Pages   int     `json:"pages" doc:"pages that were rated"`
	OnTopic int     `json:"on_topic" doc:"pages that the vote calls relevant"`
	Harvest float64 `json:"harvest" doc:"their share"`

	TrainedOn  int `json:"trained_on" doc:"examples and labels on topic that the judges were trained on"`
	TrainedOff int `json:"trained_off" doc:"examples and labels off topic, pages of the crawl and everyday texts that they were trained against"`
	Everyday   int `json:"everyday,omitempty" doc:"of these, everyday texts, for lack of pages off topic"`
}

// fewVoters is the number of examples on topic below which a vote is said to mean little: on the
// demo web it called no page relevant with 5 and 29 % of the pages with 20, where 42 % were
// taken to be on topic. Wang et al. 2009 had 75.
const fewVoters = 20

// lines returns the voted harvest for a status, nothing for nil.
func (v *voted) lines() []string {
	if v == nil {
		return nil
	}
	trained := fmt.Sprintf("           trained on %s on topic and %s", some(v.TrainedOn, "page"), some(v.TrainedOff, "other"))
	switch {
	case v.Everyday > 0:
		trained += fmt.Sprintf(", %s of them everyday texts: too high", count(v.Everyday))
	case v.TrainedOn < fewVoters:
		trained += ": too few to say much"
	}
	return []string{fmt.Sprintf(" voted     harvest %.3f by a vote of judges (%s of %s pages)", v.Harvest, count(v.OnTopic), count(v.Pages)), trained}
}

// vote trains the judges on the examples and labels of a crawl and rates all pages that it fetched.
// If no example is off topic, pages of the crawl serve as negative examples, as they do in the
// crawl: judges that know everyday texts alone take nearly all pages to be on topic.
func vote(ctx context.Context, cr *crawler.Crawler) (*voted, error) {
	col := cr.Collection
	m, err := crawler.MaterialOf(col)
	if err == nil {
		_, err = addLabels(ctx, col.Dir, m)
	}
	if err != nil {
		return nil, err
	}
	on, off := m.Counts()
	if on == 0 {
		return nil, usage("--vote: the topic of %s has no examples to train judges on, and no page is labelled on topic", col.Dir)
	}
	trainer, err := judge.NewTrainer("vote", cr.Topic.Language())
	if err != nil {
		return nil, err
	}
	others := cr.Topic.Substitutes(m)
	j, err := trainer.Train(slices.Concat(m.Examples, others))
	if err != nil {
		return nil, usage("--vote: %w", err)
	}
	v := &voted{TrainedOn: on, TrainedOff: off + len(others), Everyday: cr.Topic.Against(m)}
	for row, err := range col.Pages(collection.Filter{}) {
		if err != nil {
			return nil, err
		}
		if !row.Judged {
			continue
		}
		doc, err := col.Document(row.Page)
		if err != nil {
			continue // a page that cannot be read again is not rated
		}
		p := *row.Page
		p.Document = *doc
		v.Pages++
		v.OnTopic += one(j.Judge(&p).Relevance >= j.Threshold())
	}
	if v.Pages > 0 {
		v.Harvest = float64(v.OnTopic) / float64(v.Pages)
	}
	return v, nil
}

// measure adds what --targets and --vote ask for.
func (c *statusCmd) measure(ctx context.Context, st *status, cr *crawler.Crawler) (err error) {
	if c.Targets != "" {
		list, err := readTargets(c.Targets)
		if err != nil {
			return err
		}
		if st.Targets, err = list.in(cr.Collection); err != nil {
			return err
		}
	}
	if c.Vote {
		st.Voted, err = vote(ctx, cr)
	}
	return err
}
