package site

import (
	"strings"

	"dowse"
	"dowse/judge"
)

// A Reader adapts any judge to a [Crawler]: its relevance is used as the
// confidence that the page is on topic. A page without words has one half,
// since it shows nothing either way, and the notice of a domain for sale is off
// topic, whatever words it has.
type Reader struct{ By dowse.Judge }

// fewWords is the largest number of words on a page that may be the notice of a
// parked domain.
const fewWords = 200

// parkedMark is the reason with which a verdict marks a parked domain.
const parkedMark = "parked name"

// parkedPhrases occur on pages of domains for sale, and on no other pages as
// short.
var parkedPhrases = []string{
	"domain is for sale", "domain may be for sale", "domain name is for sale", "buy this domain", "domain is parked",
	"parked free", "parked domain", "this domain has expired", "domain for sale", "inquire about this domain",
}

// ErrorRate returns the share of pages that the judge, or the model that it uses,
// got wrong in cross-validation; 0 if that is unknown.
func (r Reader) ErrorRate() float64 {
	if j, ok := r.By.(interface{ Model() judge.Model }); ok && j.Model() != nil {
		return errorRate(j.Model())
	}
	return errorRate(r.By)
}

// errorRate returns the error rate that a judge reports, 0 if it reports none.
func errorRate(j dowse.Judge) float64 {
	if known, ok := j.(interface{ ErrorRate() float64 }); ok {
		return known.ErrorRate()
	}
	return 0
}

// JudgeWindows rates a page, and the windows as the judge does; zeros if it
// rates none.
func (r Reader) JudgeWindows(p *dowse.Page, windows []dowse.Span) (dowse.Verdict, []float64) {
	wj, ok := r.By.(dowse.WindowJudge)
	if !ok {
		return r.Judge(p), make([]float64, len(windows))
	}
	v, ratings := wj.JudgeWindows(p, windows)
	if len(p.Words) == 0 || looksParked(p) {
		v = r.Judge(p)
	}
	return v, ratings
}

// Judge rates a page.
func (r Reader) Judge(p *dowse.Page) dowse.Verdict {
	switch {
	case len(p.Words) == 0:
		return rated(0.5, "no words")
	case looksParked(p):
		return rated(0, parkedMark)
	}
	return r.By.Judge(p)
}

// rated returns a verdict of the reader itself, with a single reason.
func rated(relevance float64, what string) dowse.Verdict {
	return dowse.Verdict{Relevance: relevance, Scale: "share", Because: because(what, relevance, 0), Judge: "site-reader/1"}
}

// isParked reports whether a Reader marked the page as parked. Only the verdict
// is used, because text is not available when a crawl is rebuilt from its
// journal.
func isParked(v *dowse.Verdict) bool {
	return len(v.Because) > 0 && v.Because[0].What == parkedMark
}

// looksParked reports whether a short page has the phrases of a parked domain.
func looksParked(p *dowse.Page) bool {
	if len(p.Words) > fewWords {
		return false
	}
	words := strings.ToLower(p.Title + "\n" + p.Text)
	for _, phrase := range parkedPhrases {
		if strings.Contains(words, phrase) {
			return true
		}
	}
	return false
}
