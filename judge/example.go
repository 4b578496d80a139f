package judge

import (
	"errors"
	"fmt"
	"strings"

	"dowse"
)

// An Example is a page, or a text, of which somebody said whether it is on topic.
type Example struct {
	Page     *dowse.Page // as it was fetched; nil where there is only a text
	Text     string      // what it says where there is no page
	Site     string      // for folds that keep sites together; "" means the page's host
	Relevant bool
}

// page returns the example as a page.
func (e *Example) page() *dowse.Page {
	if e.Page != nil {
		return e.Page
	}
	return &dowse.Page{Document: dowse.Document{Text: e.Text, Words: dowse.Words(e.Text)}}
}

// site returns the name of the example's site, "" where it has none.
func (e *Example) site() string {
	if e.Site != "" || e.Page == nil {
		return e.Site
	}
	_, rest, found := strings.Cut(string(e.Page.URL), "://")
	if !found {
		return ""
	}
	host, _, _ := strings.Cut(rest, "/")
	return host
}

// A Trainer makes a judge from examples. Training is deterministic: the same
// examples in the same order give the same judge. It fails if it is not given
// examples of both kinds, unless its own comment says otherwise.
type Trainer interface {
	Train(examples []Example) (Model, error)
}

// A Model is a judge made from examples, words or a table, that [Save] can write
// down.
type Model interface {
	dowse.WindowJudge
	// Kind names the judge as [Load] and topic files do.
	Kind() string
	// Threshold returns the relevance from which the judge's source calls a page
	// relevant.
	Threshold() float64
	// MarshalJSON writes down all that the judge has learnt.
	MarshalJSON() ([]byte, error)
}

var errOneKind = errors.New("needs examples on topic and examples that are not")

// trainable reports whether there are examples on topic and others, and a prior
// that can be.
func (f Features) trainable(examples []Example) error {
	if !(f.Prior >= 0 && f.Prior < 1) {
		return fmt.Errorf("a prior of %g", f.Prior)
	}
	return bothKinds(examples)
}

// bothKinds reports whether there are examples on topic and others.
func bothKinds(examples []Example) error {
	wanted := 0
	for i := range examples {
		if examples[i].Relevant {
			wanted++
		}
	}
	if wanted == 0 || wanted == len(examples) {
		return errOneKind
	}
	return nil
}
