// Package outside asks an external judge about the pages that the topic's own
// judge is not sure of.
//
// An external judge is a program of the user ([Program]) or a service with the
// chat interface of OpenAI ([Endpoint]); both are an [Asker]. Its answer
// decides about the page and becomes a training example for the inner judge, so
// that fewer and fewer questions are needed.
//
// An external judge is slow, costs money and can be wrong or unreachable. So it
// is asked only in a range of relevances, with a time limit per question and a
// budget for all; answers are stored in a file and never asked for twice, also
// not by two pages with the same text at the same time; after repeated failures
// it is left alone for a while. Whenever there is no answer, the verdict of the
// inner judge counts, and a crawl never stops because of an external judge.
//
// What is sent is the URL, the title and the beginning of the text of a page,
// and nothing about the user or the crawl. What comes back is untrusted: it is
// bounded, its score must be between 0 and 1, and its reasons are cleaned for
// the terminal.
//
// The package also has a client for search services ([Search]), which is the
// other way in which a crawl asks the outside.
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

// A Question is what an external judge gets to know about a page.
type Question struct {
	URL   string `json:"url"`
	Title string `json:"title"`
	Text  string `json:"text"`
}

// An Answer is how relevant the page is, from 0 to 1, and why.
type Answer struct {
	Score   float64  `json:"score"`
	Because []string `json:"because,omitempty"`
}

// An Asker passes a question to an external judge. It is called concurrently,
// and returns when the context ends at the latest.
type Asker interface {
	Ask(ctx context.Context, q Question) (Answer, error)
	// Name identifies the judge in verdicts and in the file of answers. Judges
	// whose answers may differ, for example because they know other facts about
	// the topic, must have different names.
	Name() string
	Close() error
}

// A Learner learns from the answers of an external judge, such as
// [judge.Online]. It is called concurrently.
type Learner interface {
	Learn(e judge.Example)
}

// Options select when and how often the external judge is asked.
type Options struct {
	From, To  float64       // the range of relevances to ask about; default 0.3 to 0.7
	Timeout   time.Duration // for one question, including the wait for its turn; default 5 s
	Budget    int           // number of questions, including those in the file; default no limit
	Text      int           // bytes of a page's text that are sent; default 8,000
	File      string        // where answers are stored, as JSON Lines; default none
	Learner   Learner       // gets every answer as an example, those of the file immediately; default none
	Threshold float64       // score from which an answer means relevant; default [judge.Threshold]
}

// withDefaults returns o with defaults in place of zeros, or what is wrong with
// it.
func (o Options) withDefaults() (Options, error) {
	if o.From == 0 && o.To == 0 {
		o.From, o.To = 0.3, 0.7
	}
	o.Timeout = cmp.Or(o.Timeout, 5*time.Second)
	o.Text = cmp.Or(o.Text, 8000)
	o.Threshold = cmp.Or(o.Threshold, judge.Threshold)
	if !(o.From >= 0 && o.From <= o.To && o.To <= 1) {
		return o, fmt.Errorf("outside: range of relevances %g to %g: not within 0 and 1", o.From, o.To)
	}
	if o.Timeout < 0 || o.Text < 0 || o.Budget < 0 {
		return o, fmt.Errorf("outside: time limit %v, %d bytes of text, budget %d: none may be less than 0", o.Timeout, o.Text, o.Budget)
	}
	return o, nil
}

// A Judge asks an external judge about the pages of which the inner judge is
// not sure. It is safe for concurrent use, and never takes longer than the
// inner judge and the time limit together.
//
// A question passes through these steps: the inner judge rates the page; if its
// relevance is in the range, look finds a stored answer, another caller that is
// asking the same question, or a reason not to ask (budget, rest, closed);
// otherwise ask asks, done stores the answer and wakes those that wait, and teach
// passes it to the learner. The lock is never held while the external judge
// works.
type Judge struct {
	inner dowse.WindowJudge
	asker Asker
	o     Options
	ctx   context.Context // ends with Close
	stop  context.CancelFunc

	mu       sync.Mutex
	answers  map[key]Answer
	underway map[key]chan struct{} // questions in flight; closed when one is settled
	file     *answerFile           // nil for none
	stats    Stats
	inARow   int       // failures since the last answer
	restTill time.Time // until when no question is asked
}

// Stats count what became of the pages in the range.
type Stats struct {
	Wanted   int // pages in the range
	Asked    int // questions that were asked
	Answered int
	Known    int   // pages whose answer was already stored
	Failed   int   // questions without an answer
	Resting  int   // pages not asked about after repeated failures
	Spent    int   // pages not asked about because the budget was used up
	Left     int   // questions left of the budget; -1 for no limit
	Error    error // of the last failure
}

// New returns a judge that asks asker about pages that inner is not sure of. It
// owns the asker, and Close closes it.
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

// recall stores an answer of an earlier run, and teaches it.
func (j *Judge) recall(l answerLine) {
	if l.Judge != j.asker.Name() {
		return
	}
	q := Question{URL: l.URL, Title: l.Title, Text: l.Text}
	j.answers[keyOf(l.Judge, q)] = l.Answer
	j.teach(pageOf(q), l.Answer)
}

// pageOf returns a page with what was sent of it.
func pageOf(q Question) *dowse.Page {
	return &dowse.Page{URL: dowse.URL(q.URL), Document: dowse.Document{Title: q.Title, Text: q.Text, Words: dowse.Words(q.Text)}}
}

// Close ends the external judge; questions in flight fail. The inner judge
// continues to judge.
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

// answer returns the external judge's answer about a page, from memory if it is
// known. If the same question is in flight, it waits for that.
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

// never is returned for a question that is not asked. It is closed, so that
// waiting for it ends immediately.
var never = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// look decides what to do about a question: known reports that the answer is
// there; otherwise wait is a question in flight to wait for, never, or nil. Nil
// means that the caller must ask and then call done; meanwhile others wait.
//
// Failed questions count against the budget, since a service may charge for them,
// and so do those in flight.
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

// ask asks a question and stores the answer.
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

// After failuresInARow failures no question is asked for rest.
const (
	failuresInARow = 5
	rest           = time.Minute
)

// done settles a question, wakes those that wait for it and stores the answer.
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

// fail counts a failure and decides how long the external judge is left alone:
// for good if it is gone, as long as it asks for, or for a minute after
// repeated failures.
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

// teach passes an answer on as a training example.
func (j *Judge) teach(p *dowse.Page, a Answer) {
	if j.o.Learner != nil {
		j.o.Learner.Learn(judge.Example{Page: p, Relevant: a.Score >= j.o.Threshold})
	}
}

// question returns what is sent of a page, within the limits.
func (j *Judge) question(p *dowse.Page) Question {
	return Question{URL: string(p.URL), Title: firstBytes(p.Title, maxTitle), Text: firstBytes(p.Text, j.o.Text)}
}

// maxTitle bounds the title that is sent, in bytes.
const maxTitle = 500

// firstBytes returns at most the first n bytes of a text, as valid UTF-8.
func firstBytes(s string, n int) string {
	if len(s) > n {
		for n > 0 && !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	return strings.ToValidUTF8(s, "\ufffd")
}

// surest is how close to 0 and 1 a score may come, so that its log-odds are
// finite.
const surest = 1e-3

// decided returns the verdict with the external judge's relevance. Its reasons
// come first and share the change that it makes, so that all reasons still add
// up to the relevance on the scale of the inner judge.
//
// On the scale of log-odds the change is the difference of the log-odds, on the
// scale of changes that of the relevances; on any other scale it is what the
// reasons lack to add up to the new score.
func decided(v dowse.Verdict, a Answer, name string) dowse.Verdict {
	score := min(max(a.Score, surest), 1-surest)
	change := score - v.Relevance
	if v.Scale == judge.LogOdds {
		change = logOdds(score) - sumOf(v.Because)
	} else if v.Scale != judge.Change {
		change = score - sumOf(v.Because)
	}
	reasons := a.Because
	if len(reasons) == 0 {
		reasons = []string{fmt.Sprintf("says %.2f", a.Score)}
	}
	because := make([]dowse.Because, 0, len(reasons)+len(v.Because))
	for _, s := range reasons {
		because = append(because, dowse.Because{What: "asked: " + s, Weight: change / float64(len(reasons))})
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
