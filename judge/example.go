package judge

import (
	"errors"
	"fmt"
	"strings"

	"dowse"
)

// An Example is a labelled page or text.
type Example struct {
	Page     *dowse.Page // as it was fetched; nil if there is only a text
	Text     string      // used if Page is nil
	Site     string      // pages of one site stay in one fold; default: the page's host
	Relevant bool        // the label: on topic
}

// page returns the example as a page, made from the text if it has none.
func (e *Example) page() *dowse.Page {
	if e.Page != nil {
		return e.Page
	}
	return &dowse.Page{Document: dowse.Document{Text: e.Text, Words: dowse.Words(e.Text)}}
}

// site returns the name of the example's site, or "" if it has none. The host is cut
// from the URL without parsing it: it only has to be equal for pages of one host.
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

// A Trainer makes a judge from examples. Training is deterministic: the same examples
// in the same order, with the same random seed where there is one, give the same judge
// on every machine. It returns an error unless there are examples of both classes; a
// trainer that needs only one documents it.
type Trainer interface {
	Train(examples []Example) (Model, error)
}

// A Model is a judge that [Save] can write to a file: trained on examples, or made
// from words or a table.
type Model interface {
	dowse.WindowJudge
	// Kind returns the name of the judge in saved judges and topic files.
	Kind() string
	// Threshold returns the relevance from which the judge's source calls a page
	// relevant.
	Threshold() float64
	// MarshalJSON returns everything that the judge has learnt.
	MarshalJSON() ([]byte, error)
}

var errOneKind = errors.New("needs examples on topic and examples off topic")

// trainable returns an error if the prior is not a probability, or if one of the two
// classes has no examples.
func (f Features) trainable(examples []Example) error {
	if !(f.Prior >= 0 && f.Prior < 1) {
		return fmt.Errorf("prior is %g (want 0 or more, less than 1)", f.Prior)
	}
	return bothKinds(examples)
}

// bothKinds returns an error unless there are examples on topic and examples off
// topic.
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
