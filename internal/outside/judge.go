// Package outside asks a judge outside of the process about the pages that the
// topic's own judge is not sure of.
//
// It may be a program of the user's own ([Program]) or a service that speaks the
// chat interface of OpenAI ([Endpoint]). What it says decides about the page and is
// an example for the judge inside, which so has to ask ever less. An outside judge is
// slow, costs money and can be wrong or gone: there are a time limit, a budget and a
// file of answers, and where it fails the judge inside is good enough.
package outside

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"dowse"
	"dowse/judge"
)

// A Question is what an outside judge is told of a page.
type Question struct {
	URL   string `json:"url"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// An Answer is what it says: how relevant the page is, from 0 to 1, and why.
type Answer struct {
	Score   float64  `json:"score"`
	Because []string `json:"because,omitempty"`
}

// An Asker puts a question to an outside judge. It may be called from many
// goroutines and returns when the context ends at the latest.
type Asker interface {
	Ask(ctx context.Context, q Question) (Answer, error)
	// Name names the judge in verdicts. Judges that are told different things of the
	// topic have different names, since answers are kept by them.
	Name() string
	Close() error
}

// A Learner takes in what an outside judge said of a page, such as [judge.Online].
// It may be called from many goroutines.
type Learner interface {
	Learn(e judge.Example)
}

// Options tell when and how often the outside judge is asked. Zero values mean what
// the comment says.
type Options struct {
	From, To  float64       // it is asked about relevances in this range; both 0 mean 0.3 and 0.7
	Timeout   time.Duration // for one question, waiting for its turn included; 5 seconds
	Budget    int           // questions, those of earlier runs in the file included; no limit
	Text      int           // bytes of a page's text that are sent; 8,000
	File      string        // of answers, JSON Lines; none are kept beyond the run
	Learner   Learner       // is taught the answers, those of the file at once; nobody
	Threshold float64       // score from which an answer calls a page relevant; [judge.Threshold]
}

func (o Options) withDefaults() (Options, error) {
	if o.From == 0 && o.To == 0 {
		o.From, o.To = 0.3, 0.7
	}
	o.Timeout = cmp.Or(o.Timeout, 5*time.Second)
	o.Text = cmp.Or(o.Text, 8000)
	o.Threshold = cmp.Or(o.Threshold, judge.Threshold)
	if !(o.From >= 0 && o.From <= o.To && o.To <= 1) {
		return o, fmt.Errorf("outside: asked from %g to %g: want a range within 0 and 1", o.From, o.To)
	}
	if o.Timeout < 0 || o.Text < 0 || o.Budget < 0 {
		return o, fmt.Errorf("outside: time limit %v, %d bytes of text, budget %d: none may be less than 0", o.Timeout, o.Text, o.Budget)
	}
	return o, nil
}

// A Judge asks an outside judge about the pages of which the inner judge is not sure.
// It may be used from many goroutines, and never takes longer than the inner judge
// and the time limit together.
type Judge struct {
	inner dowse.WindowJudge
	asker Asker
	o     Options
	ctx   context.Context // ends with Close
	stop  context.CancelFunc

	mu       sync.Mutex
	answers  map[key]Answer
	underway map[key]chan struct{} // closed when the answer is there, or will not be
	file     *answerFile           // nil for none
	stats    Stats
	inARow   int       // failures
	restTill time.Time // until when nobody is asked
}

// Stats count what became of the pages that an outside judge was wanted for.
type Stats struct {
	Wanted   int // pages in the range
	Asked    int // questions that were put
	Answered int
	Known    int   // answers that were there already
	Failed   int   // questions without an answer
	Resting  int   // not asked, since it failed again and again
	Spent    int   // not asked, since the budget was used up
	Left     int   // questions left of the budget; -1 for no limit
	Error    error // of the last failure
}

// New returns a judge that asks asker about what inner is not sure of. It takes over
// the asker, which Close closes.
func New(inner dowse.WindowJudge, asker Asker, o Options) (*Judge, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	j := &Judge{inner: inner, asker: asker, o: o, answers: map[key]Answer{}, underway: map[key]chan struct{}{}}
	j.ctx, j.stop = context.WithCancel(context.Background())
	if o.File == "" {
		return j, nil
	}
	if j.file, err = openAnswers(o.File, j.recall); err != nil {
		return nil, fmt.Errorf("outside: answers: %w", err)
	}
	return j, nil
}

// recall takes in an answer of an earlier run.
func (j *Judge) recall(l answerLine) {
	if l.Judge != j.asker.Name() {
		return
	}
	q := Question{URL: l.URL, Title: l.Title, Text: l.Text}
	j.answers[keyOf(l.Judge, q)] = l.Answer
	j.teach(pageOf(q), l.Answer)
}

// pageOf returns what was sent of a page, as a page.
func pageOf(q Question) *dowse.Page {
	return &dowse.Page{URL: dowse.URL(q.URL), Document: dowse.Document{Title: q.Title, Text: q.Text, Words: dowse.Words(q.Text)}}
}

// Close ends the outside judge; questions under way are given up. The judge inside
// goes on to answer.
func (j *Judge) Close() error {
	j.stop()
	err := j.asker.Close()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.file != nil {
		err = errors.Join(err, j.file.close())
		j.file = nil
	}
	return err
}

// Stats returns the counts so far.
func (j *Judge) Stats() Stats {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := j.stats
	s.Left = -1
	if j.o.Budget > 0 {
		s.Left = max(0, j.o.Budget-len(j.answers)-j.stats.Failed)
	}
	return s
}

// Judge rates the page.
func (j *Judge) Judge(p *dowse.Page) dowse.Verdict {
	v, _ := j.JudgeWindows(p, nil)
	return v
}

// JudgeWindows rates the page, and each window as the inner judge does.
func (j *Judge) JudgeWindows(p *dowse.Page, windows []dowse.Span) (dowse.Verdict, []float64) {
	v, ratings := j.inner.JudgeWindows(p, windows)
	if v.Relevance < j.o.From || v.Relevance > j.o.To {
		return v, ratings
	}
	if a, ok := j.answer(p); ok {
		v = decided(v, a, j.asker.Name())
	}
	return v, ratings
}

// answer returns what the outside judge says of a page, from memory if it is known.
func (j *Judge) answer(p *dowse.Page) (Answer, bool) {
	q := j.question(p)
	k := keyOf(j.asker.Name(), q)
	ctx, cancel := context.WithTimeout(j.ctx, j.o.Timeout)
	defer cancel()
	for first := true; ; first = false {
		a, known, wait := j.look(k, first)
		if known {
			return a, true
		}
		if wait == nil {
			return j.ask(ctx, k, q, p)
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return Answer{}, false
		}
		if wait == never {
			return Answer{}, false
		}
	}
}

// never stands for a question that is not put.
var never = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// look tells whether an answer is known, whether to wait for somebody who asks for
// it, or whether to ask: then others wait until done is called.
func (j *Judge) look(k key, first bool) (a Answer, known bool, wait chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if first {
		j.stats.Wanted++
	}
	if a, known = j.answers[k]; known {
		j.stats.Known++
		return a, true, nil
	}
	if wait = j.underway[k]; wait != nil {
		return a, false, wait
	}
	switch {
	case j.ctx.Err() != nil:
		return a, false, never
	case j.o.Budget > 0 && len(j.answers)+j.stats.Failed+len(j.underway) >= j.o.Budget:
		j.stats.Spent++
		return a, false, never
	case time.Now().Before(j.restTill):
		j.stats.Resting++
		return a, false, never
	}
	j.underway[k] = make(chan struct{})
	j.stats.Asked++
	return a, false, nil
}

// ask puts a question and keeps the answer.
func (j *Judge) ask(ctx context.Context, k key, q Question, p *dowse.Page) (Answer, bool) {
	a, err := j.asker.Ask(ctx, q)
	if err == nil {
		a, err = sound(a)
	}
	j.done(k, q, a, err)
	if err != nil {
		return Answer{}, false
	}
	j.teach(p, a)
	return a, true
}

// After so many failures in a row nobody is asked for a while.
const (
	failuresInARow = 5
	rest           = time.Minute
)

// done settles a question.
func (j *Judge) done(k key, q Question, a Answer, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	close(j.underway[k])
	delete(j.underway, k)
	if err != nil {
		j.fail(err)
		return
	}
	j.inARow = 0
	j.stats.Answered++
	j.answers[k] = a
	if j.file == nil {
		return
	}
	if err := j.file.add(answerLine{j.asker.Name(), q.URL, q.Title, q.Text, a}); err != nil {
		j.stats.Error = err
	}
}

func (j *Judge) fail(err error) {
	j.stats.Failed++
	j.stats.Error = err
	j.inARow++
	var later *laterError
	switch {
	case errors.Is(err, ErrGone):
		j.restTill = time.Now().Add(1e6 * time.Hour)
	case errors.As(err, &later):
		j.restTill = time.Now().Add(min(later.after, maxRest))
	case j.inARow >= failuresInARow:
		j.restTill = time.Now().Add(rest)
	}
}

// teach hands an answer on as an example.
func (j *Judge) teach(p *dowse.Page, a Answer) {
	if j.o.Learner != nil {
		j.o.Learner.Learn(judge.Example{Page: p, Relevant: a.Score >= j.o.Threshold})
	}
}

// question returns what is sent of a page: no more than the limits allow.
func (j *Judge) question(p *dowse.Page) Question {
	return Question{URL: string(p.URL), Title: firstBytes(p.Title, maxTitle), Text: firstBytes(p.Text, j.o.Text)}
}

// maxTitle bounds the title that is sent, in bytes.
const maxTitle = 500

// firstBytes returns the beginning of a text, in sound UTF-8.
func firstBytes(s string, n int) string {
	if len(s) > n {
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	return strings.ToValidUTF8(s, "\ufffd")
}

// surest is the nearest to 0 and 1 that an answer may come, so that it has log-odds.
const surest = 1e-3

// decided returns the verdict with the outside judge's relevance. Its reasons come
// first and share what it changes, so that all of them still add up on the scale of
// the inner judge.
func decided(v dowse.Verdict, a Answer, name string) dowse.Verdict {
	score := min(max(a.Score, surest), 1-surest)
	change := score - v.Relevance
	if v.Scale == judge.LogOdds {
		change = logOdds(score) - sumOf(v.Because)
	} else if v.Scale != judge.Change {
		change = score - sumOf(v.Because)
	}
	says := a.Because
	if len(says) == 0 {
		says = []string{fmt.Sprintf("says %.2f", a.Score)}
	}
	because := make([]dowse.Because, 0, len(says)+len(v.Because))
	for _, s := range says {
		because = append(because, dowse.Because{What: "asked: " + s, Weight: change / float64(len(says))})
	}
	return dowse.Verdict{Relevance: score, Scale: v.Scale, Because: append(because, v.Because...), Judge: strings.TrimPrefix(v.Judge+" + "+name, " + ")}
}

func logOdds(p float64) float64 { return math.Log(p) - math.Log1p(-p) }

func sumOf(because []dowse.Because) (sum float64) {
	for _, b := range because {
		sum += b.Weight
	}
	return sum
}
