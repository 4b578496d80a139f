package operations

import (
	"context"
	"strings"
	"sync"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/settings"
	"dowse/topic"
)

// A JudgeRequest is a text, or a page, to be judged as a collection would. HTML or Text is
// required.
type JudgeRequest struct {
	URL   string `json:"url,omitempty" doc:"the URL of the page, if it has one; nothing is fetched"`
	Title string `json:"title,omitempty"`
	Text  string `json:"text,omitempty" doc:"the text of the page"`
	HTML  string `json:"html,omitempty" doc:"the page itself, instead of title and text"`
	Model string `json:"model,omitempty" doc:"a model of the collection; default the one in use"`
}

// A TopicJudgeRequest is a text, or a page, to be judged by a topic without a collection.
type TopicJudgeRequest struct {
	Words []string `json:"words,omitempty" doc:"the topic in words"`
	Topic string   `json:"topic,omitempty" doc:"instead of words: the text of a topic file without examples, programs, services and files"`
	URL   string   `json:"url,omitempty" doc:"the URL of the page, if it has one; nothing is fetched"`
	Title string   `json:"title,omitempty"`
	Text  string   `json:"text,omitempty" doc:"the text of the page"`
	HTML  string   `json:"html,omitempty" doc:"the page itself, instead of title and text"`
}

// maxJudged is the longest text that is judged, in bytes.
const maxJudged = 2 << 20

// judges keeps the judge of a collection that was used last.
type judges struct {
	mu    sync.Mutex
	key   string
	judge *topic.Judge
}

// Judge rates a text as the judge of a collection would. Nothing is fetched, and no outside judge is
// asked.
func (o *Operations) Judge(ctx context.Context, id string, r JudgeRequest) (*collection.Ruling, error) {
	page, err := judgedPage(r.URL, r.Title, r.Text, r.HTML)
	if err != nil {
		return nil, err
	}
	s, err := o.shelf(id)
	if err != nil {
		return nil, err
	}
	models, err := collection.Models(s.dir)
	if err != nil {
		return nil, err
	}
	if _, ok := collection.MadeModel(models, r.Model); r.Model != "" && !ok {
		return nil, failf(NotFound, "model", "unknown model %q; want one of %s", clip(r.Model), strings.Join(ModelNames(models), ", "))
	}
	var threshold float64
	var key string
	err = s.locked(ctx, func(v *openView) error {
		threshold, key = v.col.Threshold(), r.Model+" "+v.col.Crawl.Model()
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.judges.mu.Lock()
	defer s.judges.mu.Unlock()
	if s.judges.judge == nil || s.judges.key != key {
		j, err := crawler.JudgeOf(s.dir, r.Model)
		if err != nil {
			return nil, err
		}
		s.judges.judge, s.judges.key = j, key
	}
	return collection.RulingOf(s.judges.judge.Judge(page), threshold), nil
}

// JudgeByTopic rates a text as a new crawl of a topic would. Nothing is fetched, so the topic must have no examples.
func (o *Operations) JudgeByTopic(r TopicJudgeRequest) (*collection.Ruling, error) {
	page, err := judgedPage(r.URL, r.Title, r.Text, r.HTML)
	if err != nil {
		return nil, err
	}
	t, err := givenTopic(r.Words, r.Topic)
	if err != nil {
		return nil, err
	}
	j, err := t.Judge()
	if err != nil {
		return nil, &Error{Invalid, "topic", err}
	}
	threshold := (&settings.Settings{Order: settings.Order{Threshold: t.Threshold}}).Resolved().Threshold
	return collection.RulingOf(j.Judge(page), threshold), nil
}

// judgedPage returns the page of a request to judge one.
func judgedPage(url, title, text, html string) (*dowse.Page, error) {
	if (html == "") == (strings.TrimSpace(text) == "") {
		return nil, failf(Invalid, "text", "give text or html, and not both")
	}
	if n := len(html) + len(text) + len(title); n > maxJudged {
		return nil, failf(TooLarge, "text", "text: got %d bytes, want at most %d", n, maxJudged)
	}
	page := crawler.HTMLPage(url, []byte(html), "text/html; charset=utf-8")
	if html == "" {
		page.Document = dowse.Document{Title: title, Text: text, Words: dowse.Words(text)}
	}
	return page, nil
}
