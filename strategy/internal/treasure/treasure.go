package treasure

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"dowse"
	"dowse/internal/linktext"
	"dowse/internal/text"
	"dowse/internal/tgraph"
	"dowse/judge"
	"dowse/strategy/input"
	"dowse/strategy/internal/lead"
	"dowse/strategy/internal/state"
)

// treasure is the Treasure-Crawler (Seyfi and Patel 2015). A link that looks on topic is
// compared with the nodes of a [tgraph.Graph], links of which it is known how many clicks
// they are from a target: by the headings above it, its anchor and the text around it. If a
// node of level n is similar, the priority is 1/n, and 1 at a target itself. All other
// links get 0.01. Everything that waits rises by a little after every 100 insertions
// (aging), so that no link waits for ever.
//
// Whether a link looks on topic is decided by its class in a decimal classification, if
// there is one, as in the paper; otherwise by the judge of the crawl.
//
// With the paper's threshold of 0.05 and its choice of the lowest level, most links on
// topic get priority 1, and their order is that of their discovery (SPEC C.7). The
// parameters select=best and select=all avoid that.
//
// Three parameters are the paper's future work, and off by default: Important and Clicks
// (weigh.go), and Update (additions.go).
type treasure struct {
	OSM       float64 `param:"osm" default:"0.05" max:"1" help:"similarity from which a node of the T-Graph is like a link; Seyfi and Patel 2015"`
	Anchor    float64 `param:"anchor" default:"1.4" help:"what a word of the anchor counts against one around it; Seyfi and Patel 2015"`
	Select    string  `param:"select" default:"lowest" help:"of the nodes like a link, lowest: the one nearest to a target, best: the most similar, or all: the mean of 1/level over all, weighted by similarity; Seyfi and Patel 2015, best and all are ours"`
	Weights   string  `param:"weights" default:"equal" help:"of headings and text in the similarity: equal, as in the paper, or fitted to the T-Graph"`
	NoTargets bool    `param:"no-targets" default:"false" help:"do not compare links with the targets themselves; ours, for ablations"`
	Unrelated float64 `param:"unrelated" default:"0.01" max:"1" help:"priority of links off topic or like no node; Seyfi and Patel 2015"`
	Aging     float64 `param:"aging" default:"0.05" max:"1" help:"by how much everything that waits rises, up to 1; Seyfi and Patel 2015"`
	Every     int     `param:"every" default:"100" help:"insertions after which it rises; Seyfi and Patel 2015"`
	Wanted    float64 `param:"wanted" default:"0.5" max:"1" help:"the judge's rating of a link's words from which it is on topic, where there are no classes; ours"`
	Important float64 `param:"importance" default:"0" max:"10" help:"weight of the importance of a link's target by the links to it; future work of Seyfi and Patel 2015, the form is ours"`
	Clicks    float64 `param:"clicks" default:"0" max:"10" help:"weight of how often people accessed a link's target; needs a trace; future work of Seyfi and Patel 2015, the form is ours"`
	Update    int     `param:"update" default:"0" help:"links of each level that the crawl may add to the T-Graph from pages that it visits; future work of Seyfi and Patel 2015, the form is ours"`
	Words     int     `param:"words" default:"20" help:"words around a link that the judge rates, its anchor included; ours"`

	Codes string `param:"codes" default:"none" help:"classes of links on topic, as 57+59: of the table of classes, or paper for the 20 around the English language of Seyfi and Patel 2015; the judge decides where there is neither"`

	Digits int `param:"digits" default:"3" help:"digits of a class that are decided (the length of D-numbers); Seyfi and Patel 2015"`

	TGraph   *tgraph.Graph  // required
	Trace    input.Trace    // who went where; required if Clicks is set
	Classes  *judge.Digits  // decide which links are on topic; nil leaves it to the judge
	Analyzer *text.Analyzer // takes the place of the T-Graph's language; nil for none

	osm     *osm
	reason  []string // by node
	state   treasureState
	growing additions
	visits  float64 // logarithm of the accesses to the page that was accessed most
	tokens  []judge.Token
}

// The values of the parameters select and weights, and the number of links of a page that
// are compared; the others count as unrelated. Comparing that many takes some 10 ms.
const (
	selectLowest  = "lowest"
	selectBest    = "best"
	selectAll     = "all"
	weightsEqual  = "equal"
	weightsFitted = "fitted"

	maxCompared = 5000 // links of a page that are compared, about 10 ms
)

// Check returns an error for a value of select or weights that does not exist.
func (s *treasure) Check() error {
	switch {
	case s.Select != "" && s.Select != selectLowest && s.Select != selectBest && s.Select != selectAll:
		return fmt.Errorf("select=%s: want %s, %s or %s", s.Select, selectLowest, selectBest, selectAll)
	case s.Weights != "" && s.Weights != weightsEqual && s.Weights != weightsFitted:
		return fmt.Errorf("weights=%s: want %s or %s", s.Weights, weightsEqual, weightsFitted)
	}
	return nil
}

// errTGraph is returned by strategies that need a T-Graph and were given none.
var errTGraph = errors.New("it needs a T-Graph: the link paths to pages you know")

// errClicks is returned if clicks are to count and there is no trace.
var errClicks = errors.New("with clicks it needs a trace of who visited which page, such as a proxy's access log")

// Inputs returns the T-Graph as required, and a trace if clicks count; a decimal
// classification is used.
func (s *treasure) Inputs() (required, used input.Kind) {
	if s.Clicks > 0 {
		return input.KindTGraph | input.KindTrace, input.KindClasses
	}
	return input.KindTGraph, input.KindClasses
}

// Take sets the T-Graph and the trace, and makes the classifier of links if there is a
// table of classes or a list of codes.
func (s *treasure) Take(in input.Inputs) error {
	switch {
	case in.TGraph == nil:
		return errTGraph
	case s.Clicks > 0 && in.Trace == nil:
		return errClicks
	}
	s.TGraph = in.TGraph
	if s.Clicks > 0 {
		s.Trace = in.Trace
	}
	return s.classify(in.Classes)
}

// paperCodes is the value of the parameter codes for the classes of the paper.
const paperCodes = "paper"

// classify makes the classifier from a table of classes and from the codes of those on
// topic. Without either the judge decides.
func (s *treasure) classify(table []judge.Code) error {
	d := judge.Dewey{Language: s.TGraph.Language, Codes: table, Digits: s.Digits}
	switch {
	case s.Classes != nil || s.Codes == "" && table == nil:
		return nil
	case s.Codes == "":
		return errors.New("which classes of the table are on topic? Say so with codes=, as treasure:codes=57+59")
	case s.Codes != paperCodes:
		d.Desired = wantedCodes(table, strings.Split(s.Codes, "+"))
	}
	if d.Desired != nil && len(d.Desired) == 0 {
		return fmt.Errorf("codes=%s: the table has no such classes", s.Codes)
	}
	var err error
	s.Classes, err = d.New()
	return err
}

// wantedCodes returns the codes of a table, or of the paper's table, that begin with one of
// some prefixes.
func wantedCodes(table []judge.Code, begin []string) []string {
	if table == nil {
		table = judge.PaperCodes()
	}
	list := []string{}
	for _, c := range table {
		if slices.ContainsFunc(begin, func(b string) bool { return b != "" && strings.HasPrefix(c.Code, b) }) {
			list = append(list, c.Code)
		}
	}
	return list
}

// begin builds the index over the T-Graph when it is first needed, after the parameters
// were set.
func (s *treasure) begin() {
	if s.osm != nil {
		return
	}
	s.osm = newOSM(s.TGraph, analyzerFor(s.Analyzer, s.TGraph), cmp.Or(s.Anchor, 1.4), s.NoTargets)
	if s.Weights == weightsFitted {
		s.osm.weights = s.osm.fitted(s.TGraph.Depth)
	}
	for i := range s.osm.nodes {
		s.reason = append(s.reason, reasonOf(&s.osm.nodes[i]))
	}
	s.state.TGraph = s.TGraph.Fingerprint()
	s.growing.begin(s.TGraph)
	if s.Clicks > 0 {
		s.visits = mostVisits(s.Trace)
	}
}

// reasonOf returns why a link that is like a node is worth following.
func reasonOf(n *tgraph.Node) string {
	if n.Level == 0 {
		return "like " + n.ID + ", a target"
	}
	return "like " + n.ID + ", " + tgraph.Clicks(n.Level) + " from a target"
}

// analyzerFor returns a, or the analyzer for the language of a T-Graph.
func analyzerFor(a *text.Analyzer, g *tgraph.Graph) *text.Analyzer {
	if a != nil {
		return a
	}
	return text.NewAnalyzer(text.Options{Language: g.Language})
}

// Traits asks for the judge's ratings of the words around a link and, without classes, of
// its anchor.
func (s *treasure) Traits() dowse.Traits {
	return dowse.Traits{Window: cmp.Or(s.Words, 20), Anchors: s.Classes == nil, ReadsText: true}
}

// Start queues the seeds at priority 1, the highest there is. They count as insertions, and
// share the importance that links hand on.
func (s *treasure) Start(seeds []dowse.URL) []dowse.Lead {
	s.begin()
	leads := make([]dowse.Lead, 0, len(seeds)+1)
	for _, l := range lead.Seeds(seeds) {
		l.Note = s.received(0, 1/float64(len(seeds)))
		leads = s.insert(leads, l)
	}
	return leads
}

// Follow rates the links of a page whose targets have not been visited.
func (s *treasure) Follow(p *dowse.Page) []dowse.Lead {
	if p.Outcome != dowse.Fetched && p.Outcome != dowse.Listed {
		return nil
	}
	s.begin()
	s.osm.turn(&p.Document)
	leads := make([]dowse.Lead, 0, len(p.Links)+1+len(p.Links)/cmp.Or(s.Every, 100))
	because := make([]dowse.Because, 0, s.reasons()*len(p.Links))
	share := cashOf(p.Lead.Note) / float64(max(len(p.Links), 1))
	for i := range p.Links {
		l := &p.Links[i]
		if l.Target.State == dowse.Visited || l.Target.State == dowse.Flying {
			continue
		}
		n := len(because)
		var priority float64
		priority, because = s.rate(because, p, l, i < maxCompared)
		priority, because = s.weigh(because, priority, l, share)
		note := s.received(cashOf(l.Target.Note), share)
		leads = s.insert(leads, dowse.Lead{URL: l.URL, Priority: priority, Merge: dowse.Max, Note: note, Because: because[n:len(because):len(because)]})
	}
	s.grow(p)
	return leads
}

// reasons returns the largest number of reasons that a lead has.
func (s *treasure) reasons() int {
	if s.Important > 0 || s.Clicks > 0 {
		return 4
	}
	return 2
}

// insert appends a lead and, after every Every insertions, one that raises all that wait.
func (s *treasure) insert(leads []dowse.Lead, l dowse.Lead) []dowse.Lead {
	return s.state.insert(leads, l, cmp.Or(s.Aging, 0.05), cmp.Or(s.Every, 100))
}

// rate returns the priority of a link and appends the reasons for it. Of several mentions
// of the target on the page the best counts, of which at most MaxMentions of package
// linktext are compared. The similarity itself is a reason without weight: the paper's
// priority is the level's alone.
func (s *treasure) rate(because []dowse.Because, p *dowse.Page, l *dowse.Link, compared bool) (float64, []dowse.Because) {
	unrelated := cmp.Or(s.Unrelated, 0.01)
	if !compared {
		return unrelated, append(because, dowse.Because{What: "one link of too many on the page", Weight: unrelated})
	}
	priority, node, like, why := unrelated, int32(-1), 0.0, ""
	for i := range min(linktext.MaxMentions, len(l.More)+1) {
		m := &l.Mention
		if i > 0 {
			m = &l.More[i-1]
		}
		on, class := s.onTopic(&p.Document, m)
		if why == "" {
			why = class
		}
		if !on {
			continue
		}
		n, sim, x := s.similar(&p.Document, m)
		if n < 0 {
			why = "like no node of the T-Graph"
		} else if x > priority || node < 0 {
			priority, node, like = max(x, priority), n, sim
		}
	}
	if node < 0 {
		return priority, append(because, dowse.Because{What: why, Weight: priority})
	}
	return priority, append(because, dowse.Because{What: s.reason[node], Weight: priority}, dowse.Because{What: "how like it is, not counted", Weight: like})
}

// similar returns the node that a link is like, -1 for none, its similarity, and the
// priority that follows.
func (s *treasure) similar(d *dowse.Document, m *dowse.Mention) (node int32, like, priority float64) {
	if s.Select == selectAll {
		return s.osm.all(d, m, cmp.Or(s.OSM, 0.05))
	}
	node, like = s.osm.nearest(d, m, cmp.Or(s.OSM, 0.05), s.Select == selectBest)
	if node < 0 {
		return node, 0, 0
	}
	return node, like, nearness(s.osm.nodes[node].Level)
}

// nearness is the priority of a level: 1/level, and 1 at a target itself.
func nearness(level int) float64 { return 1 / float64(max(level, 1)) }

// onTopic predicts whether a link leads to the topic. If not, why is the reason.
func (s *treasure) onTopic(d *dowse.Document, m *dowse.Mention) (on bool, why string) {
	if s.Classes == nil {
		wanted := cmp.Or(s.Wanted, 0.5)
		return m.Context >= wanted || m.AnchorScore >= wanted, "its words are off topic"
	}
	s.tokens = s.osm.tokens(s.tokens[:0], d, m)
	switch class, wanted := s.Classes.Class(s.tokens); {
	case wanted:
		return true, ""
	case class == "":
		return false, "of no class"
	default:
		return false, "of class " + class
	}
}

// tokens appends the terms of a link with their weights: an occurrence in the anchor counts
// 1.4, one around it or in a heading above it 1 (SPEC C.7).
func (o *osm) tokens(dst []judge.Token, d *dowse.Document, m *dowse.Mention) []judge.Token {
	for _, h := range m.Above {
		o.title(d, h)
	}
	before, after := linktext.Around(d, m)
	o.words(before, 1)
	o.words(after, 1)
	o.anchor(d, m)
	for _, id := range o.bag.ids {
		dst = append(dst, judge.Token{Term: o.terms[id], Weight: o.bag.count[id]})
	}
	o.bag.clear()
	return dst
}

// treasureState is what a crawl has counted and added. It is saved as JSON, so its fields
// keep their names.
type treasureState struct {
	aging
	Known int           `json:"known,omitempty"` // URLs that links led to, for the mean of importance
	Added []tgraph.Node `json:"added,omitempty"` // to the T-Graph, in the order of their discovery
}

// aging counts insertions into the queue. The frontier itself raises all leads, by one lead
// of kind Raise, so that no priority is stored here. The struct is saved as JSON.
type aging struct {
	Inserted int    `json:"inserted"`
	TGraph   uint64 `json:"tgraph"` // fingerprint
}

// insert appends a lead. A URL that waits already counts as one more insertion. When the
// count reaches a multiple of every, all that wait below 1, the last one included, rise by
// by, up to 1.
func (a *aging) insert(leads []dowse.Lead, l dowse.Lead, by float64, every int) []dowse.Lead {
	leads = append(leads, l)
	if a.Inserted++; a.Inserted%every == 0 {
		leads = append(leads, dowse.Lead{Kind: dowse.Raise, Priority: by, Cap: 1, Because: []dowse.Because{{What: "aging of all that waits", Weight: by}}})
	}
	return leads
}

// Save encodes the number of insertions, which T-Graph is used, and what was added to it.
func (s *treasure) Save() ([]byte, error) {
	s.begin()
	return state.SaveJSON(s.state)
}

// Load restores what Save encoded. Another T-Graph is refused.
func (s *treasure) Load(b []byte) error {
	s.osm, s.reason = nil, nil // without the nodes that this one may have added
	s.begin()
	var saved treasureState
	if err := state.LoadJSON(b, &saved); err != nil {
		return err
	}
	if saved.TGraph != s.state.TGraph {
		return errOtherTGraph
	}
	added := saved.Added
	saved.Added = nil
	s.state = saved
	return s.restore(added)
}

// errOtherTGraph is returned by Load if the T-Graph is not the one that the crawl began
// with: its priorities would not be comparable with those in the queue.
var errOtherTGraph = errors.New("strategy: load: the crawl was begun with another T-Graph; give it the same")
