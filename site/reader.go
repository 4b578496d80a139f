package site

import (
	"strings"

	"dowse"
	"dowse/judge"
)

// A Reader lets any judge read pages for a [Crawler]: its relevance is taken as the
// confidence that the page is on topic. A page without words is one half, since it
// says nothing either way, and the notice of a name for sale is not on topic, whatever
// words it has.
type Reader struct{ By dowse.Judge }

// fewWords is up to where a page can be the notice of a parked name.
const fewWords = 200

// parkedMark is the reason by which a verdict tells that a name is parked.
const parkedMark = "parked name"

// parkedPhrases stand on the pages of names that are for sale and on no others of
// their length.
var parkedPhrases = []string{
	"domain is for sale", "domain may be for sale", "domain name is for sale", "buy this domain", "domain is parked",
	"parked free", "parked domain", "this domain has expired", "domain for sale", "inquire about this domain",
}

// ErrorRate returns the share of pages that the judge, or the model that it goes by,
// got wrong in cross-validation; 0 if it does not know.
func (r Reader) ErrorRate() float64 {
	if j, ok := r.By.(interface{ Model() judge.Model }); ok && j.Model() != nil {
		return errorRate(j.Model())
	}
	return errorRate(r.By)
}

func errorRate(j dowse.Judge) float64 {
	if known, ok := j.(interface{ ErrorRate() float64 }); ok {
		return known.ErrorRate()
	}
	return 0
}

// JudgeWindows rates a page, and the windows as the judge does; 0 each if it rates
// none.
func (r Reader) JudgeWindows(p *dowse.Page, windows []dowse.Span) (dowse.Verdict, []float64) {
	wj, ok := r.By.(dowse.WindowJudge)
	if !ok {
		return r.Judge(p), make([]float64, len(windows))
	}
	v, ratings := wj.JudgeWindows(p, windows)
	if len(p.Words) == 0 || saysParked(p) {
		v = r.Judge(p)
	}
	return v, ratings
}

// Judge rates a page.
func (r Reader) Judge(p *dowse.Page) dowse.Verdict {
	switch {
	case len(p.Words) == 0:
		return rated(0.5, "no words")
	case saysParked(p):
		return rated(0, parkedMark)
	}
	return r.By.Judge(p)
}

func rated(relevance float64, what string) dowse.Verdict {
	return dowse.Verdict{Relevance: relevance, Scale: "share", Because: because(what, relevance, 0), Judge: "site-reader/1"}
}

func isParked(v *dowse.Verdict) bool {
	return len(v.Because) > 0 && v.Because[0].What == parkedMark
}

func saysParked(p *dowse.Page) bool {
	if len(p.Words) > fewWords {
		return false
	}
	says := strings.ToLower(p.Title + "\n" + p.Text)
	for _, phrase := range parkedPhrases {
		if strings.Contains(says, phrase) {
			return true
		}
	}
	return false
}
