// Package strategy decides what is worth following. It is the list of all strategies
// (see [All] and [New]), and it holds the small ones, one to a file.
//
// Each line of research that takes more than a file has a package of its own: linkclass
// for the link classifiers of Taylan et al. 2011, treasure for the strategies that go by
// T-Graphs (Seyfi and Patel 2015), interest for the learners of Aggarwal 2004. What
// strategies can be given beside parameters is in package input; what several of them
// share is below, in internal. Imports go down only: from this list to the lines of
// research, from those to input and internal.
//
// A strategy is a struct whose exported fields are its parameters; zero values
// mean the defaults, which are the papers'. All of them pass strategytest.
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
	"dowse/strategy/internal/treasure"
)

// Default is the strategy that a crawl follows if nobody says otherwise.
const Default = "link-context"

// A Description tells what a strategy is, for people.
type Description struct {
	Name   string
	Paper  string
	About  string
	Params []Param

	Needs []string // the inputs without which it can't crawl: "a trace", "a T-Graph"

	make func() dowse.Strategy
}

// All describes every strategy, in the order of telling.
func All() []Description {
	list := []Description{
		{Name: "breadth-first", Paper: "baseline of Wang et al. 2009", About: "pages in the order in which they were found", make: func() dowse.Strategy { return &BreadthFirst{} }},
		{Name: "random", Paper: "lower bound", About: "pages in a random order", make: func() dowse.Strategy { return &random{} }},
		{Name: "opic", Paper: "Abiteboul, Preda and Cobena 2003; baseline of Wang et al. 2009", About: "the page with the most cash, which flows along links", make: func() dowse.Strategy { return &opic{} }},
		{Name: "link-context", Paper: "Wang et al. 2009, eq. 9; Pant and Srinivasan 2006", About: "the linking page and the words around the link", make: func() dowse.Strategy { return &LinkContext{} }},
		{Name: "otie", Paper: "Wang et al. 2009", About: "the page with the most cash, which flows towards the topic", make: func() dowse.Strategy { return &otie{} }},
		{Name: "fish", Paper: "De Bra and Post 1994", About: "links from pages on topic at once, others until their strength ends", make: func() dowse.Strategy { return &fish{} }},
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
		{Name: "combined", Paper: "Aggarwal 2004, sec. 4", About: "intelligent and collaborative at once; needs a trace", make: interest.NewCombined},
		{Name: "online", Paper: "ours, from no paper", About: "what it learns from every link whose page it knows", make: func() dowse.Strategy { return &online{} }},
	}
	for i := range list {
		list[i] = list[i].filled()
	}
	return list
}

// filled adds what the strategy itself tells.
func (d Description) filled() Description {
	s := d.make()
	d.Params, d.Needs = params(s), input.Required(s)
	return d
}

// Describe describes a strategy of another package, for [NewFrom]. make returns a new
// one with default parameters: a pointer to a struct whose fields have param tags.
func Describe(name, paper, about string, make func() dowse.Strategy) Description {
	return Description{Name: name, Paper: paper, About: about, make: make}.filled()
}

// Split parts a list of strategies, NAME or NAME:key=value,key=value, with commas
// between them too: what has a = goes with the name before it.
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

// New makes the strategy that spec names, NAME or NAME:key=value,key=value, if it
// needs nothing else.
func New(spec string) (dowse.Strategy, error) { return NewWith(spec, input.Inputs{}) }

// NewWith is New for a strategy that may need more than parameters. The error for
// one that is not given what it needs says how to give it.
func NewWith(spec string, in input.Inputs) (dowse.Strategy, error) { return NewFrom(All(), spec, in) }

// meant says which of the known names was probably meant, or all there are.
func meant(name string, known []string) string {
	if best := text.Nearest(name, known); best != "" {
		return fmt.Sprintf(", perhaps %q", best)
	}
	return "; there are " + strings.Join(known, ", ")
}

// NewFrom is NewWith for a list of strategies of one's own.
func NewFrom(all []Description, spec string, in input.Inputs) (dowse.Strategy, error) {
	name, args, _ := strings.Cut(spec, ":")
	i := slices.IndexFunc(all, func(d Description) bool { return d.Name == name })
	if i < 0 {
		var names []string
		for _, d := range all {
			names = append(names, d.Name)
		}
		return nil, fmt.Errorf("no strategy is called %q%s", name, meant(name, names))
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

// Check tells what is wrong with the parameters of a strategy, before there is what it
// needs beside them: one that there is not, a value of the wrong kind, and, for a
// strategy that needs nothing else, a value out of its range.
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

// setAll sets parameters: key=value,key=value.
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

// check asks a strategy what is wrong with its parameters.
func check(s dowse.Strategy) error {
	if c, ok := s.(interface{ Check() error }); ok {
		return c.Check()
	}
	return nil
}
