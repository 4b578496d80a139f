package operations

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/plain"
	"dowse/internal/text"
	"dowse/topic"
	"dowse/weburl"
)

// A TopicQuestion is what a new crawl would look for, before it is started.
type TopicQuestion struct {
	Words []string `json:"words,omitempty" doc:"what to look for, in words"`
	Topic string   `json:"topic,omitempty" doc:"what to look for, as the text of a topic file"`
	Seeds []string `json:"seeds,omitempty" doc:"URLs to begin with"`
	Demo  bool     `json:"demo,omitempty" doc:"whether the built-in demo web would be crawled, which needs no seeds"`
}

// A TopicReading is how a topic is understood. OK is false if no crawl can be made with it.
type TopicReading struct {
	Name     string         `json:"name,omitempty" doc:"the name that its collection would get"`
	OK       bool           `json:"ok" doc:"whether a crawl can be made with it"`
	Unseeded bool           `json:"unseeded,omitempty" doc:"whether URLs to begin with are missing"`
	Phrases  []PhraseRead   `json:"phrases" doc:"its words, as the judge reads them"`
	Findings []TopicFinding `json:"findings" doc:"what was understood, and what will probably go wrong"`
	Command  string         `json:"command" doc:"the command that checks the same"`
}

// A PhraseRead is one entry of a topic's words.
type PhraseRead struct {
	Key   string     `json:"key" doc:"words, also or not"`
	Words []WordRead `json:"words"`
}

// A WordRead is one word of a phrase. The judge compares stems, so that all forms of a word are one; words that
// every page has are left out.
type WordRead struct {
	Word string `json:"word"`
	Stem string `json:"stem,omitempty" doc:"what is compared; empty for a word that is left out"`
}

// A TopicFinding is one line of the check of a topic.
type TopicFinding struct {
	Level  topic.Level `json:"level" doc:"ok, hint, warn or error"`
	Text   string      `json:"text"`
	Line   int         `json:"line,omitempty" doc:"the place in a topic file"`
	Column int         `json:"column,omitempty"`
	Fix    string      `json:"fix,omitempty" doc:"what to do"`
}

// maxPhrases is how many entries of a topic are shown word by word.
const maxPhrases = 40

// CheckTopic returns how a topic would be understood. It fetches nothing, so examples that a topic names are not
// looked at.
func (o *Operations) CheckTopic(_ context.Context, q TopicQuestion) (*TopicReading, error) {
	t, problems, err := questioned(&q)
	if err != nil {
		return nil, err
	}
	r := &TopicReading{Findings: problems, Phrases: []PhraseRead{}, Command: topicCheckCommand(&q)}
	if t == nil {
		return r, nil
	}
	t.Seeds = append(slices.Clone(t.Seeds), q.Seeds...)
	r.Name, r.Phrases = t.Name, phrasesOf(t)
	r.Unseeded = len(t.Seeds) == 0 && t.SeedsFrom == "" && !q.Demo
	for _, f := range append(t.Check(), Understood(o.cfg.WordNet, t)...) {
		if strings.HasPrefix(f.Text, "no seeds:") { // Unseeded reports it, in words that do not speak of a command line
			continue
		}
		r.Findings = append(r.Findings, TopicFinding{Level: f.Level, Text: f.Text})
	}
	for _, seed := range q.Seeds {
		if _, err := weburl.Parse(Spellings(seed)[0]); err != nil {
			r.Findings = append(r.Findings, TopicFinding{Level: topic.Wrong, Text: fmt.Sprintf("seeds: %q: %s", clip(seed), plain.Error(err))})
		}
	}
	if err := harmless(t); err != nil {
		r.Findings = append(r.Findings, TopicFinding{Level: topic.Wrong, Text: plain.Error(err)})
	}
	r.OK = !slices.ContainsFunc(r.Findings, func(f TopicFinding) bool { return f.Level == topic.Wrong })
	return r, nil
}

// questioned returns the topic of a question, nil with what is wrong in it if it can't be read.
func questioned(q *TopicQuestion) (*topic.Topic, []TopicFinding, error) {
	switch {
	case len(q.Words) == 0 && strings.TrimSpace(q.Topic) == "":
		return nil, nil, failf(Invalid, "topic", "nothing to look for: give words or a topic")
	case len(q.Words) > 0 && strings.TrimSpace(q.Topic) != "":
		return nil, []TopicFinding{{Level: topic.Wrong, Text: "give words or a topic file, not both"}}, nil
	case len(q.Topic) > maxTopic || len(strings.Join(q.Words, "")) > maxTopic || len(q.Seeds) > maxSeeds:
		return nil, nil, failf(TooLarge, "topic", "topic: it is longer than %d bytes", maxTopic)
	case len(q.Words) > 0:
		return topic.FromWords(q.Words), nil, nil
	}
	t, err := topic.Parse([]byte(q.Topic), "topic")
	if err != nil {
		return nil, topicProblems(err), nil
	}
	return t, nil, nil
}

// topicProblems returns the problems of a topic file that an error holds, each with its place.
func topicProblems(err error) (list []TopicFinding) {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range many.Unwrap() {
			list = append(list, topicProblems(e)...)
		}
		return list
	}
	var e *topic.Error
	if errors.As(err, &e) {
		return []TopicFinding{{Level: topic.Wrong, Text: e.Problem, Line: e.Line, Column: e.Column, Fix: e.Fix}}
	}
	return []TopicFinding{{Level: topic.Wrong, Text: plain.Error(err)}}
}

// phrasesOf returns the words of a topic as its judge reads them.
func phrasesOf(t *topic.Topic) []PhraseRead {
	a := text.NewAnalyzer(text.Options{Language: t.Language(), SymbolSuffix: true, Memory: -1})
	list := []PhraseRead{}
	for _, key := range []struct {
		name    string
		entries []string
	}{{"words", t.Words}, {"also", t.Also}, {"not", t.Not}} {
		for _, phrase := range key.entries {
			if len(list) == maxPhrases {
				return list
			}
			p := PhraseRead{Key: key.name}
			for _, word := range strings.Fields(plain.Cut(phrase, 500)) {
				p.Words = append(p.Words, WordRead{word, strings.Join(a.Terms(word), " ")})
			}
			list = append(list, p)
		}
	}
	return list
}

// Bounds of what is shown of meanings.
const (
	shownSenses = 4 // meanings of one word
	shownKinds  = 6 // names of one meaning
)

// NoWordNet is the finding where the dictionary is missing.
const NoWordNet = "no WordNet: kinds of the words are not known (Debian: wordnet-base)"

// Understood describes what the words of a topic may mean by a WordNet directory, and which words it does not
// have. A user sees before a crawl whether "planets" was understood as intended. It returns nothing for a topic
// whose judge does not grow from words.
func Understood(dir string, t *topic.Topic) (list []topic.Finding) {
	if !t.Grows() {
		return nil
	}
	if dir == "" {
		return []topic.Finding{{Level: topic.Hint, Text: NoWordNet}}
	}
	meanings, unknown, err := crawler.Meanings(dir, t)
	if err != nil {
		return []topic.Finding{{Level: topic.Warn, Text: fmt.Sprintf("%s: %v", dir, err)}}
	}
	shown := map[string]int{}
	for i, m := range meanings {
		if shown[m.Of]++; shown[m.Of] <= shownSenses {
			list = append(list, topic.Finding{Level: topic.OK, Text: meaningLine(m)})
		}
		last := i+1 == len(meanings) || meanings[i+1].Of != m.Of
		if n := shown[m.Of] - shownSenses; last && n > 0 {
			list = append(list, topic.Finding{Level: topic.OK, Text: fmt.Sprintf("%q has %s more", m.Of, plain.Some(n, "meaning"))})
		}
	}
	for _, word := range unknown {
		list = append(list, topic.Finding{Level: topic.Hint, Text: fmt.Sprintf("WordNet does not have %q: only the words themselves count", word)})
	}
	return list
}

// meaningLine describes a meaning that is to be confirmed.
func meaningLine(m topic.Meaning) string {
	gloss, _, _ := strings.Cut(m.Gloss, ";")
	line := fmt.Sprintf("%q may mean: %s", m.Of, gloss)
	if len(m.Names) == 0 {
		return line
	}
	more := ""
	if n := len(m.Names) - shownKinds; n > 0 {
		more = fmt.Sprintf(" and %s more", plain.Count(n))
	}
	return line + fmt.Sprintf(" (%s%s count if pages of the crawl confirm them)", strings.Join(m.Names[:min(len(m.Names), shownKinds)], ", "), more)
}

// A TopicEdit changes the words of the topic of a crawl.
type TopicEdit struct {
	Boost []string `json:"boost,omitempty" doc:"terms that speak for the topic: they are added to also"`
	Ban   []string `json:"ban,omitempty" doc:"terms that speak against it: they are added to not"`
	Clear []string `json:"clear,omitempty" doc:"terms to remove from also and not"`
}

// maxEdited is how many terms one edit may name.
const maxEdited = 50

// EditedTopic returns the topic of a collection with an edit, as the text of a topic file. Nothing is changed.
func (o *Operations) EditedTopic(_ context.Context, id string, e TopicEdit) (string, error) {
	s, err := o.shelf(id)
	if err != nil {
		return "", err
	}
	t, err := edited(s.dir, e)
	if err != nil {
		return "", err
	}
	return string(t.YAML()), nil
}

// edited returns the topic of a collection with an edit.
func edited(dir string, e TopicEdit) (*topic.Topic, error) {
	data, err := (&collection.Collection{Dir: dir}).Topic()
	if err != nil {
		return nil, &Error{Damaged, "", err}
	}
	t, err := topic.Parse(data, "topic")
	if err != nil {
		return nil, &Error{Damaged, "", err}
	}
	terms := slices.Concat(e.Boost, e.Ban, e.Clear)
	if len(terms) == 0 || len(terms) > maxEdited {
		return nil, failf(Invalid, "terms", "terms: got %d, want 1 to %d", len(terms), maxEdited)
	}
	for _, term := range terms {
		if strings.TrimSpace(term) == "" || len(term) > 200 || strings.ContainsFunc(term, func(r rune) bool { return r < ' ' }) {
			return nil, failf(Invalid, "terms", "terms: %q is no term; give one or a few words in one line", clip(term))
		}
	}
	drop := func(list, terms []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(w string) bool {
			return slices.ContainsFunc(terms, func(x string) bool { return strings.EqualFold(w, strings.TrimSpace(x)) })
		})
	}
	t.Also, t.Not = drop(t.Also, terms), drop(t.Not, terms)
	for _, term := range e.Boost {
		t.Also = append(t.Also, strings.TrimSpace(term))
	}
	for _, term := range e.Ban {
		t.Not = append(t.Not, strings.TrimSpace(term))
	}
	for _, f := range t.Check() {
		if f.Level == topic.Wrong {
			return nil, failf(Invalid, "terms", "the topic could not be used any more: %s", f.Text)
		}
	}
	return t, nil
}

// EditTopic changes the words of the topic of a crawl and continues the crawl with them, as dowse crawl does with
// an edited topic file: every page is judged again and every link ranked again. A crawl that runs is stopped
// first, and goes on after the change. The error is of kind Refused if the topic makes this machine do more
// than fetch pages.
func (o *Operations) EditTopic(ctx context.Context, id string, e TopicEdit) (*Job, error) {
	s, err := o.changeable(id)
	if err != nil {
		return nil, err
	}
	t, err := edited(s.dir, e)
	if err == nil {
		err = harmless(t)
	}
	if err != nil {
		return nil, err
	}
	st, err := o.Stop(ctx, id, editWait)
	if err != nil {
		return nil, err
	}
	if st.Stopping {
		return nil, failf(Busy, "", "the crawl still finishes its visits; try again when it has stopped")
	}
	file, err := o.topicFile(filepath.Base(strings.TrimSuffix(s.dir, suffix)), string(t.YAML()))
	if err != nil {
		return nil, err
	}
	in, err := o.folder()
	if err != nil {
		return nil, err
	}
	defer s.renew()
	args := crawlArguments(o.cfg.CrawlFlags, outArguments(s.dir), []string{file})
	return o.launch(ctx, s.dir, in, args, shownArguments(args, s.dir))
}

// editWait is how long a crawl may take to stop before its topic is changed.
const editWait = 30 * time.Second
