package facts

import (
	"slices"
	"strings"

	"dowse"
)

// Conditions select pages of a list by what is known of the visit. The zero value selects all.
type Conditions struct {
	Reason   string // the verdict has a reason (a term, clause or signal) with this text
	Language string // as the page declares it, or as it was detected; en selects en-gb, too
	Text     string // a part of the title or the URL
	Model    string // the judge of the verdict, or the beginning of its name
}

// Any reports whether there is a condition.
func (c *Conditions) Any() bool { return *c != Conditions{} }

// Meets reports whether a visit to a URL meets all conditions. Upper and lower case are the same in all but the name
// of the judge.
func (c *Conditions) Meets(u dowse.URL, p *dowse.Page) bool {
	if c.Text != "" && !Contains(p.Title, c.Text) && !Contains(string(u), c.Text) {
		return false
	}
	if c.Language != "" && !strings.EqualFold(p.Language, c.Language) && !strings.HasPrefix(strings.ToLower(p.Language), strings.ToLower(c.Language)+"-") {
		return false
	}
	if c.Model != "" && !strings.HasPrefix(p.Verdict.Judge, c.Model) {
		return false
	}
	return c.Reason == "" || slices.ContainsFunc(p.Verdict.Because, func(b dowse.Because) bool { return Contains(b.What, c.Reason) })
}

// Contains reports whether a text has a part, in any case.
func Contains(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}
