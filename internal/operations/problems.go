package operations

import (
	"context"
	"slices"
	"strings"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/internal/frontier"
	"dowse/internal/plain"
)

// A Problem is a group of things that did not go well, and what can be done about it.
type Problem struct {
	What    string       `json:"what" doc:"what is wrong, in a few words"`
	Kind    string       `json:"kind" doc:"health, failed, skipped, host, judge or notice"`
	Reason  dowse.Reason `json:"reason,omitempty" doc:"the reason of the URLs"`
	Count   int          `json:"count,omitempty" doc:"how many URLs or hosts"`
	Samples []string     `json:"samples,omitempty" doc:"some of them"`
	Serious bool         `json:"serious" doc:"whether a person should look at it"`
	Do      string       `json:"do,omitempty" doc:"what can be done"`
	Command string       `json:"command,omitempty" doc:"the command that does it"`
}

// A ProblemList groups what did not go well, the serious first.
type ProblemList struct {
	Problems []Problem `json:"problems"`
	Seen     time.Time `json:"seen" doc:"the moment that this shows"`
}

// maxSamples is how many URLs or hosts of a problem are shown.
const maxSamples = 5

// Problems returns what did not go well, grouped by reason.
func (o *Operations) Problems(ctx context.Context, id string) (*ProblemList, error) {
	s, err := o.shelf(id)
	if err != nil {
		return nil, err
	}
	report, err := o.Status(ctx, id)
	if err != nil {
		return nil, err
	}
	list := &ProblemList{Problems: []Problem{}}
	add := func(p Problem) { list.Problems = append(list.Problems, p) }
	if a := report.Ailment; a != nil {
		do, cmd := ailmentHelp(a.Name, s.dir)
		add(Problem{What: a.Text, Kind: "health", Serious: true, Do: do, Command: cmd})
	}
	for _, n := range report.Notices {
		add(Problem{What: plain.OneLine(n), Kind: "notice", Serious: true})
	}
	if a := report.Audited; a != nil && a.Outside {
		add(Problem{What: "the harvest that the judge reports is outside of the interval of the audit", Kind: "judge", Serious: true, Do: "label more pages", Command: auditCommand(s.dir)})
	}
	if m := report.Refused; m != nil {
		add(Problem{What: "model " + m.Model + " was not put into use: " + plain.OneLine(m.Error), Kind: "judge", Do: "label more pages"})
	}
	err = s.use(ctx, func(v *openView) error {
		list.Seen = v.at.UTC()
		for _, p := range hostProblems(s.dir, v.allHosts(), s.now()) {
			add(p)
		}
		v.mu.Lock()
		defer v.mu.Unlock()
		samples := v.reasonSamples()
		for _, r := range report.Reasons {
			add(reasonProblem(s.dir, r, samples[r.Reason]))
		}
		return nil
	})
	slices.SortStableFunc(list.Problems, func(a, b Problem) int { return order(b.Serious) - order(a.Serious) })
	return list, err
}

// order returns 1 for true.
func order(b bool) int {
	if b {
		return 1
	}
	return 0
}

// reasonProblem returns the URLs that failed or were skipped for one reason.
func reasonProblem(dir string, r collection.ReasonCount, samples []string) Problem {
	p := Problem{What: r.Meaning, Kind: "skipped", Reason: r.Reason, Count: r.Skipped + r.Failed, Samples: samples}
	if r.Failed > 0 {
		p.Kind = "failed"
		p.Serious = strings.HasPrefix(string(r.Reason), "net.") && r.Failed >= 10
	}
	p.Do, p.Command = reasonHelp(r.Reason, dir)
	return p
}

// hostProblems groups the hosts that do not answer as they should.
func hostProblems(dir string, rows []collection.HostRow, now time.Time) (list []Problem) {
	groups := map[string]*Problem{}
	var states []string
	waiting := map[string]int{}
	for i := range rows {
		r := rested(rows[i], now)
		if !hasProblem(&r) {
			continue
		}
		state := r.State
		if state == collection.HostOK {
			state = "robots.txt " + r.Robots
			if r.Robots != collection.RobotsUnread {
				state = "failing"
			}
		}
		p := groups[state]
		if p == nil {
			p = &Problem{Kind: "host"}
			groups[state] = p
			states = append(states, state)
		}
		p.Count++
		waiting[state] += r.Waiting
		p.Serious = p.Serious || r.Waiting > 100
		if len(p.Samples) < maxSamples {
			p.Samples = append(p.Samples, r.Host)
		}
	}
	for _, s := range states {
		p := groups[s]
		if p.What = "hosts: " + s; p.Count == 1 {
			p.What = "host: " + s
		}
		p.Do, p.Command = hostHelp(dir, waiting[s] > 0)
		list = append(list, *p)
	}
	return list
}

// reasonSamples returns the first URLs of each reason; they are found once for a view.
func (v *openView) reasonSamples() map[dowse.Reason][]string {
	if v.samples != nil {
		return v.samples
	}
	v.samples = map[dowse.Reason][]string{}
	f := v.col.Crawl.Frontier()
	for id := range frontier.ID(f.Len()) {
		if s := f.State(id); s != dowse.Excluded && s != dowse.Dead {
			continue
		}
		why := v.col.Crawl.ReasonFor(id)
		if list := v.samples[why]; len(list) < maxSamples {
			if u := v.col.URL(id); u != "" {
				v.samples[why] = append(list, string(u))
			}
		}
	}
	return v.samples
}
