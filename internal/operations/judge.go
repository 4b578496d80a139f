package operations

import (
	"context"
	"strings"
	"sync"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
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
	if (r.HTML == "") == (strings.TrimSpace(r.Text) == "") {
		return nil, failf(Invalid, "text", "give text or html, and not both")
	}
	if len(r.HTML)+len(r.Text)+len(r.Title) > maxJudged {
		return nil, failf(TooLarge, "text", "text: got %d bytes, want at most %d", len(r.HTML)+len(r.Text)+len(r.Title), maxJudged)
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
	page := crawler.HTMLPage(r.URL, []byte(r.HTML), "text/html; charset=utf-8")
	if r.HTML == "" {
		page.Document = dowse.Document{Title: r.Title, Text: r.Text, Words: dowse.Words(r.Text)}
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
