// Package strategy contains the strategies: they decide which links a crawl follows,
// and in which order. [All] lists them, [New] makes one from its name and parameters.
// Small ones are here, one file each.
//
// # Idea
//
// A strategy is a [dowse.Strategy]: Follow receives a judged page, with what is known
// of each link's target, and returns leads with priorities. Everything else belongs to
// the crawl: the queue, politeness, robots.txt, duplicates, limits. A strategy
// therefore does no I/O and reads no clock, and the same code runs in live crawls,
// simulations and replays.
//
// A strategy is a struct whose exported fields are its parameters; zero values mean
// the defaults, which are those of the papers. State that belongs to a URL is kept in
// the note of its lead, in the frontier, so that strategies need no table of URLs.
// State of the strategy itself is bounded, and is saved and loaded as a whole.
//
// # Parts
//
// Each line of research that needs more than a file has a package of its own:
// linkclass for the link classifiers of Taylan et al. 2011, treasure for the
// strategies that use T-Graphs (Seyfi and Patel 2015), interest for the learners of
// Aggarwal 2004, logistic for our own learners. Package input defines what strategies can be given in addition to
// parameters; internal holds what several of them share. Imports go down only: from
// this list to the lines of research, from those to input and internal.
//
// # Invariants and cost
//
// All strategies pass strategytest: the same pages in the same order give the same
// leads, also after saving and loading; Follow does not change the page. Follow runs
// on the one goroutine that owns the crawl, so its cost bounds the speed of a crawl:
// it should be linear in the links of the page, with no allocation per link beyond the
// lead.
package strategy

import (
	"fmt"
	"slices"
	"strings"

	"dowse"
	"dowse/internal/text"
	"dowse/strategy/input"
	"dowse/strategy/internal/interest"
	"dowse/strategy/internal/linkclass"
	"dowse/strategy/internal/logistic"
	"dowse/strategy/internal/treasure"
)

// Default is the strategy of a crawl that does not name one.
const Default = "auto"

// A Description describes a strategy for people, and can make it.
type Description struct {
	Name   string
	Paper  string
	About  string
	Params []Param

	Needs []string // required inputs: "a trace", "a T-Graph"

	make func() dowse.Strategy
}

// All describes every strategy, baselines first, then by line of research. A new
// strategy needs its file and one line here.
func All() []Description {
	list := []Description{
		{Name: "breadth-first", Paper: "baseline of Wang et al. 2009", About: "pages in the order in which they were found", make: func() dowse.Strategy { return &BreadthFirst{} }},
		{Name: "random", Paper: "lower bound", About: "pages in a random order", make: func() dowse.Strategy { return &random{} }},
		{Name: "opic", Paper: "Abiteboul, Preda and Cobena 2003; baseline of Wang et al. 2009", About: "the page with the most cash, which flows along links", make: func() dowse.Strategy { return &opic{} }},
		{Name: "link-context", Paper: "Wang et al. 2009, eq. 9; Pant and Srinivasan 2006", About: "the linking page and the words around the link", make: func() dowse.Strategy { return &LinkContext{} }},
		{Name: "otie", Paper: "Wang et al. 2009", About: "the page with the most cash, which flows towards the topic", make: func() dowse.Strategy { return &otie{} }},
		{Name: "fish", Paper: "De Bra and Post 1994", About: "links from pages on topic first, others until their strength ends", make: func() dowse.Strategy { return &fish{} }},
		{Name: "shark", Paper: "Hersovici et al. 1998", About: "what the linking page passes on, the anchor and the words around it", make: func() dowse.Strategy { return &shark{} }},
		{Name: "naive-best-first", Paper: "Cho, Garcia-Molina and Page 1998; Menczer et al. 2004", About: "the relevance of the linking page", make: func() dowse.Strategy { return &naiveBestFirst{} }},
		{Name: "soft-focus", Paper: "Chakrabarti, van den Berg and Dom 1999", About: "the relevance of the linking page, and what hubs link to", make: func() dowse.Strategy { return &softFocus{} }},
		{Name: "lsfc", Paper: "Pal et al. 2009; Taylan et al. 2011", About: "the words of anchor and URL, and the relevance of all linking pages", make: linkclass.NewLSFC},
		{Name: "lsfc-optimised", Paper: "Taylan et al. 2011", About: "lsfc, but only links with a high score", make: linkclass.NewOptimisedLSFC},
		{Name: "nb", Paper: "Taylan et al. 2011", About: "links whose words are like those of links to relevant pages", make: linkclass.NewNB},
		{Name: "nb-threshold", Paper: "Taylan et al. 2011", About: "nb, but only links that are more probable", make: linkclass.NewNBThreshold},
		{Name: "nb-updateable", Paper: "Taylan et al. 2011", About: "nb that learns on as it crawls", make: linkclass.NewNBUpdateable},
		{Name: "treasure", Paper: "Seyfi and Patel 2015", About: "links like those that lead to known pages; needs a T-Graph", make: treasure.NewTreasure},
		{Name: "context-graph", Paper: "Diligenti et al. 2000; baseline of Seyfi and Patel 2015", About: "links of pages like those near known pages; needs a T-Graph", make: treasure.NewContextGraph},
		{Name: "intelligent", Paper: "Aggarwal, Al-Garawi and Yu 2001; Aggarwal 2004", About: "what it learns from linking pages, URLs and links", make: interest.NewIntelligent},
		{Name: "collaborative", Paper: "Aggarwal 2002; Aggarwal 2004", About: "what people accessed who go to pages on topic; needs a trace", make: interest.NewCollaborative},
		{Name: "combined", Paper: "Aggarwal 2004, sec. 4", About: "intelligent and collaborative together; needs a trace", make: interest.NewCombined},
		{Name: "online", Paper: "ours, from no paper", About: "what it learns from every link whose page it knows", make: logistic.NewOnline},
		{Name: "auto", Paper: "ours, from no paper", About: "ratings, words and linking pages, weighted by what it learns", make: logistic.NewAuto},
	}
	for i := range list {
		list[i] = list[i].filled()
	}
	return list
}

// filled sets what follows from the strategy itself: parameters and required inputs.
func (d Description) filled() Description {
	s := d.make()
	d.Params, d.Needs = params(s), input.Required(s)
	return d
}

// NeedsWith is Needs for a strategy with parameters: some need an input only if a parameter
// asks for what it holds. Wrong parameters are ignored here, see Check.
func (d Description) NeedsWith(args string) []string {
	s := d.make()
	if setAll(s, args) != nil {
		return d.Needs
	}
	return input.Required(s)
}

// Describe describes a strategy of another package, for [NewFrom]. make must return a
// new one with default parameters: a pointer to a struct, whose fields with param tags are its
// parameters. A strategy of another kind has none.
func Describe(name, paper, about string, make func() dowse.Strategy) Description {
	return Description{Name: name, Paper: paper, About: about, make: make}.filled()
}

// Split divides a comma-separated list of strategies, NAME or
// NAME:key=value,key=value. A part whose name contains = belongs to the strategy
// before it.
func Split(list string) (specs []string) {
	for part := range strings.SplitSeq(list, ",") {
		part = strings.TrimSpace(part)
		name, _, _ := strings.Cut(part, ":")
		switch n := len(specs); {
		case part == "":
		case n > 0 && strings.Contains(name, "="):
			specs[n-1] += "," + part
		default:
			specs = append(specs, part)
		}
	}
	return specs
}

// New returns the strategy that spec describes, NAME or NAME:key=value,key=value,
// without any inputs.
func New(spec string) (dowse.Strategy, error) { return NewWith(spec, input.Inputs{}) }

// NewWith is New for a strategy that may need inputs. If a required one is missing,
// the error describes how to provide it.
func NewWith(spec string, in input.Inputs) (dowse.Strategy, error) { return NewFrom(All(), spec, in) }

// meant returns the end of the error for an unknown name: the nearest known name, or
// all of them.
func meant(name string, known []string) string {
	if best := text.Nearest(name, known); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return "; want one of " + strings.Join(known, ", ")
}

// NewFrom is NewWith for a given list of strategies.
func NewFrom(all []Description, spec string, in input.Inputs) (dowse.Strategy, error) {
	name, args, _ := strings.Cut(spec, ":")
	i := slices.IndexFunc(all, func(d Description) bool { return d.Name == name })
	if i < 0 {
		var names []string
		for _, d := range all {
			names = append(names, d.Name)
		}
		return nil, fmt.Errorf("unknown strategy %q%s", name, meant(name, names))
	}
	s := all[i].make()
	if err := setAll(s, args); err != nil {
		return nil, fmt.Errorf("strategy %s: %w", name, err)
	}
	if err := in.Give(s); err != nil {
		return nil, fmt.Errorf("strategy %s: %w", name, err)
	}
	if err := check(s); err != nil {
		return nil, fmt.Errorf("strategy %s: parameter %w", name, err)
	}
	return s, nil
}

// Check returns what is wrong with the parameters of a strategy, before its inputs are
// available: an unknown parameter, a value of the wrong type and, for a strategy
// without required inputs, a value out of range.
func (d Description) Check(args string) error {
	s := d.make()
	if err := setAll(s, args); err != nil {
		return err
	}
	if len(d.Needs) > 0 {
		return nil
	}
	if err := check(s); err != nil {
		return fmt.Errorf("parameter %w", err)
	}
	return nil
}

// setAll sets parameters given as key=value,key=value. An empty list sets nothing.
func setAll(s dowse.Strategy, args string) error {
	for kv := range strings.SplitSeq(args, ",") {
		if kv == "" {
			continue
		}
		if err := set(s, kv); err != nil {
			return err
		}
	}
	return nil
}

// check calls the strategy's own check of its parameters, if it has one.
func check(s dowse.Strategy) error {
	if c, ok := s.(interface{ Check() error }); ok {
		return c.Check()
	}
	return nil
}
