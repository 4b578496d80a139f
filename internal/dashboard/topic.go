package dashboard

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"dowse/internal/operations"
	"dowse/internal/plain"
)

// A topicBody is the page of the topic.
type topicBody struct {
	C          *head
	Threshold  *thresholdView
	On, Off    []termRow
	Of         int           // pages whose verdicts the terms come from
	Also, Not  []pendingTerm // with the addresses that remove them
	Pending    *pendingEdit
	Topic      string
	Seeds      []tab
	More       int
	S          *operations.Settings
	EditFields [][2]string // what is pending, for a form that adds to it
}

// A pendingEdit is a change of the topic's words that is not made yet. It is part of the address, so that it survives a
// reload and works without scripts.
type pendingEdit struct {
	Boost, Ban, Clear []pendingTerm
	Fields            [][2]string
	Problem           string
	Commands          []string
	Cancel            string
	Running           bool
}

// A pendingTerm is a term with the address without it.
type pendingTerm struct{ Name, Href string }

// edits are the parameters that hold a pending edit.
var edits = []string{"boost", "ban", "clear"}

// topic shows what a crawl looks for.
func (d *Dashboard) topic(r *http.Request, c *head) (*pageFrame, error) {
	q := r.URL.Query()
	s, err := d.ops.Settings(r.Context(), c.ID)
	if err != nil {
		return nil, err
	}
	b := &topicBody{C: c, S: s, Topic: tidyText(s.Topic, 64<<10)}
	for i, u := range s.Seeds {
		if i == 50 {
			break
		}
		b.Seeds = append(b.Seeds, tab{Name: bare(u), Href: pageHref(c, u)})
	}
	b.More = max(0, len(s.Seeds)-len(b.Seeds))
	if b.Threshold, err = d.threshold(r.Context(), c, strings.TrimSpace(q.Get("value"))); err != nil {
		return nil, err
	}
	b.Also, b.Not = d.signs(r.Context(), s.Topic, q)
	if b.Pending, err = d.pending(r.Context(), c, q); err != nil {
		return nil, err
	}
	b.EditFields = editFields(q)
	if b.On, b.Off, b.Of, err = d.terms(r.Context(), c, q); err != nil {
		return nil, err
	}
	f := &pageFrame{Title: "Topic", Command: command("topic", "show", c.Dir, "--used"), Body: b}
	return f, nil
}

// signs returns the words of a topic file that were boosted and banned.
func (d *Dashboard) signs(ctx context.Context, file string, q url.Values) (also, not []pendingTerm) {
	read, err := d.ops.CheckTopic(ctx, operations.TopicQuestion{Topic: file})
	if err != nil {
		return nil, nil
	}
	for _, p := range read.Phrases {
		var words []string
		for _, w := range p.Words {
			words = append(words, w.Word)
		}
		phrase := strings.Join(words, " ")
		x := pendingTerm{tidy(phrase, 80), edited(q, "clear", phrase)}
		switch {
		case slices.Contains(q["clear"], phrase): // it is listed with the changes
		case p.Key == "also":
			also = append(also, x)
		case p.Key == "not":
			not = append(not, x)
		}
	}
	return also, not
}

// edited returns the address of the topic page with a term added to one of the lists of the pending edit; "" for
// list removes it.
func edited(q url.Values, list, term string) string {
	n := url.Values{}
	for _, name := range edits {
		n[name] = slices.DeleteFunc(slices.Clone(q[name]), func(x string) bool { return x == term })
	}
	if list != "" {
		n[list] = append(n[list], term)
	}
	return "?" + n.Encode() + "#pending"
}

// editFields returns the pending edit as the hidden fields of a form.
func editFields(q url.Values) (list [][2]string) {
	for _, name := range edits {
		for _, term := range q[name] {
			if strings.TrimSpace(term) != "" {
				list = append(list, [2]string{name, term})
			}
		}
	}
	return list
}

// pending returns the edit in the query, nil if there is none.
func (d *Dashboard) pending(ctx context.Context, c *head, q url.Values) (*pendingEdit, error) {
	p := &pendingEdit{Fields: editFields(q), Cancel: c.Home + "topic", Running: c.Running, Commands: operations.EditCommands(c.Dir, c.Name)}
	if len(p.Fields) == 0 {
		return nil, nil
	}
	lists := map[string]*[]pendingTerm{"boost": &p.Boost, "ban": &p.Ban, "clear": &p.Clear}
	for _, x := range p.Fields {
		*lists[x[0]] = append(*lists[x[0]], pendingTerm{tidy(x[1], 80), edited(q, "", x[1])})
	}
	_, err := d.ops.EditedTopic(ctx, c.ID, editOf(q))
	switch operations.KindOf(err) {
	case operations.Invalid:
		p.Problem = tidy(plain.Error(err), 300)
		return p, nil
	}
	return p, err
}

// editOf returns the edit in a query or a form.
func editOf(q url.Values) operations.TopicEdit {
	terms := func(name string) (list []string) {
		for _, t := range q[name] {
			if t = strings.TrimSpace(t); t != "" {
				list = append(list, t)
			}
		}
		return list
	}
	return operations.TopicEdit{Boost: terms("boost"), Ban: terms("ban"), Clear: terms("clear")}
}

// editTopic changes the words of the topic and continues the crawl.
func (d *Dashboard) editTopic(r *http.Request, c *head) (string, string, error) {
	job, err := d.ops.EditTopic(r.Context(), c.ID, editOf(r.PostForm))
	if err != nil {
		return "", "", err
	}
	words := "The topic is changed, and every page is judged by it."
	if job.State == operations.JobRunning {
		words += " The crawl goes on."
	}
	return c.Home + "topic", words, nil
}
