package dashboard

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os/user"
	"strconv"
	"sync"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/operations"
	"dowse/internal/plain"
)

// A labelsBody is the page on which pages are labelled.
type labelsBody struct {
	ID, Self  string
	Queues    []tab
	Queue     string
	Of        int
	Row       *row
	Left      int
	Making    bool // the pages of the queue are being looked for
	Text      []piece
	TextError string
	Reasons   []string
	Last      string // the URL that was labelled last, to take it back
	LastLabel string
	Labels    int
	Untrained int
	Every     int
	Training  bool
	Notice    string
	Refused   *collection.Model
	Models    []modelLine
	Current   string
	Undo      string
	Audited   *collection.Audit
	Running   bool
	Conflicts []collection.Conflict
	Recent    []labelLine
}

// A modelLine is a model in the history.
type modelLine struct {
	collection.Model
	Here, Can bool
	What      string
}

// A labelLine is a label in the list.
type labelLine struct {
	collection.Label
	Bare, Href string
}

// queueSize is how many pages are drawn; excerptSize how much text of the page is shown, in bytes.
const (
	queueSize   = 50
	excerptSize = 2400
	// leastExcerpt is how much own text is worth showing instead of all text.
	leastExcerpt = 200
)

// labels shows the next page to label, and the history of the judge.
func (d *Dashboard) labels(r *http.Request, c *head) (*pageFrame, error) {
	ctx, q := r.Context(), r.URL.Query()
	b := &labelsBody{ID: c.ID, Queue: q.Get("queue"), Every: crawler.TrainEvery, Running: c.Running, Last: q.Get("last"), LastLabel: q.Get("was")}
	if b.Queue == "" {
		b.Queue = operations.QueueUnsure
	}
	b.Queues = choose(url.Values{"queue": {b.Queue}}, "queue", [2]string{operations.QueueUnsure, "Unsure"}, [2]string{operations.QueueAudit, "Audit sample"}, [2]string{operations.QueueDisagreements, "Disagreements"})
	b.Self = c.Home + "labels?queue=" + url.QueryEscape(b.Queue)
	queue, err := d.ops.Queue(ctx, c.ID, b.Queue, queueSize)
	if err != nil {
		return nil, err
	}
	b.Of, b.Left, b.Making = queue.Of, len(queue.Pages), queue.Making
	if len(queue.Pages) > 0 {
		x := rowOf(c, queue.Pages[0], b.Self)
		b.Row = &x
		b.excerpt(ctx, d, c)
	}
	b.Training, b.Notice = d.trainer.state(c.ID)
	if err := b.judge(ctx, d, c); err != nil {
		return nil, err
	}
	f := &pageFrame{Title: "Label", Command: labelCommand(c, b.Queue), Live: liveOf(c), Poll: b.Making, Body: b}
	return f, nil
}

// labelCommand returns the command that asks for the same labels.
func labelCommand(c *head, queue string) string {
	if queue == operations.QueueAudit {
		return command("label", c.Dir, "--audit", strconv.Itoa(queueSize))
	}
	return command("label", c.Dir, "--queue", queue)
}

// excerpt adds the beginning of the page's own text, with the words of its reasons marked. An audit shows
// neither verdict nor marks: they would influence the person.
func (b *labelsBody) excerpt(ctx context.Context, d *Dashboard, c *head) {
	p, err := d.ops.Page(ctx, c.ID, b.Row.URL)
	if err != nil {
		b.TextError = tidy(plain.Error(err), 200)
		return
	}
	b.TextError = tidy(p.TextError, 200)
	text := d.ops.OwnText(ctx, c.ID, b.Row.URL) // menus tell a person nothing about the page
	if len(text) < leastExcerpt {
		text = p.Text
	}
	text = tidyText(text, excerptSize)
	if b.Queue == operations.QueueAudit {
		b.Text = []piece{{Text: text}}
		return
	}
	var page pageBody
	ruling := collection.RulingOf(p.Row.Page.Verdict, p.Row.Threshold)
	for i := range ruling.Because {
		if p.Row.Spell != nil {
			ruling.Because[i].Word = p.Row.Spell(ruling.Because[i].What)
		}
	}
	page.Account = &operations.Account{Explanation: &collection.Explanation{Judged: ruling}}
	want, parts := page.marker()
	b.Text = marked(text, want, parts)
	b.Row.Why = reasonText(p.Row, 6)
}

// judge adds labels, models and the audit.
func (b *labelsBody) judge(ctx context.Context, d *Dashboard, c *head) error {
	models, err := d.ops.Models(ctx, c.ID)
	if err != nil {
		return err
	}
	report, err := d.ops.Status(ctx, c.ID)
	if err != nil {
		return err
	}
	labels, err := d.ops.Labels(ctx, c.ID)
	if err != nil {
		return err
	}
	b.Labels, b.Untrained, b.Audited, b.Refused = report.Labels, report.Untrained, report.Audited, report.Refused
	if b.Refused != nil {
		b.Notice = "" // the same in other words, or older
	}
	b.Current, b.Undo, b.Conflicts = models.Current, models.Undo, labels.Conflicts[:min(len(labels.Conflicts), 10)]
	for i := len(models.Models) - 1; i >= 0 && len(b.Models) < 12; i-- {
		m := models.Models[i]
		if !m.Done && m.Error == "" && !m.Refused {
			continue
		}
		b.Models = append(b.Models, modelLine{Model: m, Here: m.Model == models.Current && len(b.Models) == 0, Can: m.Done && m.Error == "" && m.Model != models.Current, What: modelWords(m)})
	}
	for i, l := range labels.Labels {
		if i == 8 {
			break
		}
		b.Recent = append(b.Recent, labelLine{l, bare(l.URL), pageHref(c, string(l.URL))})
	}
	return nil
}

// modelWords returns in words what the use of a model changed.
func modelWords(m collection.Model) string {
	switch {
	case m.Refused || m.Error != "":
		return "not used: " + tidy(m.Error, 200)
	case m.Undo:
		return fmt.Sprintf("gone back to; %s verdicts changed", count(m.Verdicts))
	}
	words := fmt.Sprintf("%s verdicts changed, %s links re-ranked", count(m.Verdicts), count(m.Links))
	if m.Unread > 0 {
		words += fmt.Sprintf("; %s can't be read and kept their verdicts", plain.Some(m.Unread, "page"))
	}
	return words
}

// label keeps a label, or the same one for several pages, and goes to the next page of the queue, or back to the list.
func (d *Dashboard) label(r *http.Request, c *head) (string, string, error) {
	of, _ := strconv.Atoi(r.PostFormValue("of"))
	urls, label, queue := r.PostForm["url"], r.PostFormValue("label"), r.PostFormValue("queue")
	if len(urls) == 0 {
		return "", "", &operations.Error{Kind: operations.Invalid, Field: "url", Err: errors.New("no page was chosen: tick the pages to label")}
	}
	var given []operations.GivenLabel
	for _, u := range urls {
		given = append(given, operations.GivenLabel{URL: u, Label: label, By: userName(), Queue: queue, Of: of, Note: r.PostFormValue("note")})
	}
	done, err := d.ops.Label(r.Context(), c.ID, operations.LabelRequest{Labels: given})
	if err != nil {
		return "", "", err
	}
	if done.Untrained >= crawler.TrainEvery && !c.Running {
		d.trainer.begin(c.ID, func(ctx context.Context) (string, error) { return d.retrain(ctx, c.ID, false) })
	}
	next := back(r, c, "labels")
	switch {
	case queue != "":
		next = c.Home + "labels?queue=" + url.QueryEscape(queue) + "&last=" + url.QueryEscape(urls[0]) + "&was=" + url.QueryEscape(label)
		return next, "", nil
	case len(urls) > 1:
		return next, fmt.Sprintf("Labelled %s: %s", labelWords[label], plain.Some(len(urls), "page")), nil
	}
	return next, fmt.Sprintf("Labelled %s: %s", label, bare(urls[0])), nil
}

// labelWords are the labels as sentences have them.
var labelWords = map[string]string{collection.LabelOn: "on topic", collection.LabelOff: "off topic", collection.LabelSkip: "as skipped"}

// retrain trains a model and returns what changed, in words.
func (d *Dashboard) retrain(ctx context.Context, id string, accept bool) (string, error) {
	m, err := d.ops.Train(ctx, id, accept)
	if err != nil {
		return "", err
	}
	d.cache.clear()
	return fmt.Sprintf("Model %s: %s.", m.Model, modelWords(*m)), nil
}

// train trains a model on the labels that there are.
func (d *Dashboard) train(r *http.Request, c *head) (string, string, error) {
	words, err := d.retrain(r.Context(), c.ID, r.PostFormValue("accept") != "")
	if err == nil {
		d.trainer.forget(c.ID) // its result is older
	}
	return c.Home + "labels", words, err
}

// undo goes back to an earlier model.
func (d *Dashboard) undo(r *http.Request, c *head) (string, string, error) {
	m, err := d.ops.Undo(r.Context(), c.ID, r.PostFormValue("model"), userName())
	if err != nil {
		return "", "", err
	}
	d.trainer.forget(c.ID)
	return back(r, c, "labels"), fmt.Sprintf("Back to model %s: %s verdicts changed.", m.Model, count(m.Verdicts)), nil
}

// userName returns the person who runs the server, as labels record it.
var userName = sync.OnceValue(func() string {
	u, err := user.Current()
	if err != nil {
		return "dashboard"
	}
	return u.Username
})

// A trainer trains models in the background, one per collection at a time, so that a person who labels does
// not wait.
type trainer struct {
	mu     sync.Mutex
	states map[string]*training
	all    sync.WaitGroup
	ctx    context.Context
	cancel context.CancelFunc
}

// A training is the last one of a collection.
type training struct {
	running bool
	result  string
}

func newTrainer() *trainer {
	t := &trainer{states: map[string]*training{}}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	return t
}

// begin starts a training unless one is running.
func (t *trainer) begin(id string, do func(context.Context) (string, error)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.states[id]; s != nil && s.running || t.ctx.Err() != nil {
		return
	}
	s := &training{running: true}
	t.states[id] = s
	t.all.Go(func() {
		words, err := do(t.ctx)
		if err != nil {
			words = tidy(plain.Error(err), 300)
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		s.running, s.result = false, words
	})
}

// state returns whether a training runs, and the result of the last one.
func (t *trainer) state(id string) (running bool, result string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.states[id]; s != nil {
		return s.running, s.result
	}
	return false, ""
}

// forget drops the result of the last training.
func (t *trainer) forget(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s := t.states[id]; s != nil && !s.running {
		delete(t.states, id)
	}
}

// end waits for the training that is running.
func (t *trainer) end() {
	t.cancel()
	t.all.Wait()
}
