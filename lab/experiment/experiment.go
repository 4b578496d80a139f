// Package experiment compares strategies over topics on a web that holds still: it
// reads what is to be compared, and runs the crawls.
//
// An experiment is a YAML file of the schema lab/v1. [Run] makes one crawl for each
// strategy, topic and set of seeds, with the strategies, judges and frontier of live
// crawls, in virtual time. What each did is a [measure.Trail], a file of its own, so
// that a run that was ended goes on where it was. The same experiment gives the same
// bytes, for any number of crawls at once.
package experiment

import (
	"time"

	"dowse/internal/predicate"
)

// Schema is what an experiment names itself in its key "dowse".
const Schema = "lab/v1"

// An Experiment says what is to be compared, on what, and how it is looked at.
type Experiment struct {
	Dowse      string     `yaml:"dowse"`
	Name       string     `yaml:"name"`  // lower case, fit for a folder
	Rows       []string   `yaml:"rows"`  // further names: the figures and tables that one set of crawls gives
	Title      string     `yaml:"title"` // for people, in a line
	About      string     `yaml:"about"` // for people: what is done here
	Paper      string     `yaml:"paper"` // what the paper did, and in which figure or table it says so
	Note       string     `yaml:"note"`  // what was found where a claim does not hold
	Cite       []string   `yaml:"cite"`  // works to cite, see [Works]
	Web        Webs       `yaml:"web"`
	Recorded   *Recorded  `yaml:"recorded"` // what is different on a recorded web that is given in place of the made one
	Topics     Topics     `yaml:"topics"`
	Predicate  string     `yaml:"predicate"` // what is asked of a page beside the topic, as keyword(virus), or [HalfWord]; "" for nothing
	Training   Training   `yaml:"training"`
	Seeds      Seeds      `yaml:"seeds"`
	Budget     Budget     `yaml:"budget"`
	Judge      string     `yaml:"judge"` // a kind of judge.Trainable, or words; default logistic
	Time       Timing     `yaml:"time"`
	Round      int        `yaml:"round"`  // leads to a round; 0 means as many as the strategy's paper says
	TGraph     TGraph     `yaml:"tgraph"` // how the ways to training pages are looked for
	Strategies []Strategy `yaml:"strategies"`
	Measures   []string   `yaml:"measures"`
	Tests      Tests      `yaml:"tests"`
	Checks     []Check    `yaml:"checks"`

	asked *predicate.Predicate // of Predicate; nil for none
}

// HalfWord as predicate asks for a word beside the topic, another one for each: the word
// that is nearest to be on half of the topic's pages. So a topic without words of its
// own can be narrowed as Aggarwal 2004 does (computers, and "viruses").
const HalfWord = "word(half)"

// Recorded says what is different where an experiment runs on a recorded web.
type Recorded struct {
	Skip   string `yaml:"skip"`   // why it makes no sense there; "" if it does
	Pages  int    `yaml:"pages"`  // the budget; 0 for the same
	Topics Topics `yaml:"topics"` // where topics come from; those of the web if nobody says
}

// Webs are the webs to crawl. Topics of several are told apart by the web's name.
type Webs []Web

// A Web is a made web or a recorded one.
type Web struct {
	Name   string   `yaml:"name"`
	Demo   *Demo    `yaml:"demo"`
	Town   *Town    `yaml:"town"`  // made towns, for crawls that look for whole sites
	Path   string   `yaml:"path"`  // WARC or WACZ file, collection, or what dowse lab record made
	Paths  []string `yaml:"paths"` // more of them
	Hubs   string   `yaml:"hubs"`  // a file of hub pages to add, with their portal among the seeds; "" for none
	Labels string   `yaml:"labels"`
	Traces []string `yaml:"traces"` // access logs
}

// Demo says which made web, or which of them.
type Demo struct {
	Pages int      `yaml:"pages"` // 2,400
	Seed  uint64   `yaml:"seed"`
	Seeds []uint64 `yaml:"seeds"` // several webs
}

// Town says which made towns: webs of many small sites, of which whole sites are looked
// for. A town is what a topic is elsewhere.
type Town struct {
	Sites int      `yaml:"sites"` // 2,000
	Seeds []uint64 `yaml:"seeds"` // a town to each; 0
	Find  int      `yaml:"find"`  // sites called relevant after which a crawl ends; a twentieth of all
}

// Topics say which topics are looked for.
type Topics struct {
	From  string   `yaml:"from"`  // web, or a file with a topic to a line; web
	List  []string `yaml:"list"`  // in place of From
	Limit int      `yaml:"limit"` // of those From gives; 0 for all
	Least int      `yaml:"least"` // pages of a topic; enough for training, seeds and 10 targets
}

// Training says how many pages the judge of a topic is shown.
type Training struct {
	Positives int    `yaml:"positives"` // 10
	Negatives int    `yaml:"negatives"` // twice as many as positives, Wang et al. 2009
	From      string `yaml:"from"`      // of negatives: web, any page of it, or topics, the other topics' pages; web
}

// Seeds say where crawls begin.
type Seeds struct {
	From     string `yaml:"from"`      // training, topic (other pages on topic), or generic (pages off topic); training
	PerTopic int    `yaml:"per_topic"` // 3
	Sets     int    `yaml:"sets"`      // 1
	Rng      uint64 `yaml:"rng"`       // of everything that is drawn
}

// Budget ends crawls.
type Budget struct {
	Pages   int    `yaml:"pages"`    // 1,000
	PerSite int    `yaml:"per_site"` // pages of one host; 0 for no limit
	Clock   string `yaml:"clock"`    // simulated: there is no other
}

// Timing is the virtual time of crawls. Where no delay is set, hosts need no rest and
// the order of visits is the strategy's alone.
type Timing struct {
	Workers int           `yaml:"workers"` // visits at once; 1
	Latency time.Duration `yaml:"latency"` // of an answer; what the web says, or 1 s
	Delay   time.Duration `yaml:"delay"`   // between two visits to a host; none

	wrong string // the key of what is no duration
}

// TGraph bounds the T-Graphs that are made of training pages, for strategies that need
// one. The pages that link to them are granted, as a search engine would tell them.
type TGraph struct {
	Depth    int `yaml:"depth"`     // 3
	PerLevel int `yaml:"per_level"` // 300
}

// A Strategy is one that takes part, with parameters. A parameter with several values
// makes several of it.
type Strategy struct {
	Name   string            `yaml:"name"`
	Label  string            `yaml:"label"` // as tables show it; "" means NAME:key=value,…
	Params map[string]Values `yaml:"params"`

	Seeds string `yaml:"seeds"` // where its crawls begin, if not as the others': training, topic or generic
	Best  int    `yaml:"best"`  // of so many crawls, each from seeds of its own, the one with the best harvest; 1
	Trace string `yaml:"trace"` // what it sees of the trace: early, the first half by time, late, the second; all
	Learn string `yaml:"learn"` // the half of the trace with which an earlier crawl, from other seeds, made what it starts with; none

	// Confidence is how the judge of sites makes a confidence of distances to its centroids:
	// invlog, or literal, as Ester, Kriegel and Schubert 2004 print it; invlog.
	Confidence string `yaml:"confidence"`
}

// Values are one value of a parameter or several.
type Values []string

// Tests say how strategies are compared.
type Tests struct {
	PairedOver string  `yaml:"paired_over"` // topics, or runs: each topic and set of seeds
	Test       string  `yaml:"test"`        // wilcoxon, or t
	Adjust     string  `yaml:"adjust"`      // bh, holm or none
	Alpha      float64 `yaml:"alpha"`       // 0.05
}

// A Check is a claim to be tried: what the paper says, and what that means in measures.
type Check struct {
	Claim  string `yaml:"claim"`  // the paper's words, or ours
	Expect string `yaml:"expect"` // an expression over measures: otie.recall@end > opic.recall@end
}

// A Variant is a strategy with one value for each parameter.
type Variant struct {
	Spec  string // NAME or NAME:key=value,…
	Label string

	Seeds, Trace, Learn string // as [Strategy] has them
	Best                int
	Confidence          string `json:",omitempty"` // keys of crawls without it are as they were before it came
}

// Oracle is the name of the strategy that sees the labels: the upper bound.
const Oracle = "oracle"
