// Package experiment compares strategies over topics on a recorded or synthetic
// web: it reads a description of what to compare, and runs the crawls.
//
// An experiment is a YAML file of the schema lab/v1 ([Experiment]). [Run] makes
// one crawl per strategy, topic and set of seeds, in virtual time (package lab),
// with the strategies, judges and frontier of live crawls. Each crawl leaves a
// trail, a [measure.Trail]: the pages that it fetched, in order, and what is true
// of each. Measures, tests and reports are computed from trails alone, so a new
// measure needs no new crawl.
//
// How the parts fit: parse.go reads and checks the file; labelled.go opens a web
// with its labels, link graph and access logs; task.go draws training pages and
// seeds for one topic, trains its judge and makes its crawls; town.go does the
// same for crawls that look for whole sites; run.go distributes the crawls over
// workers; dir.go keeps them in a folder. synthetic.go and replay.go are two
// other sources of trails: the synthetic web as a live crawl finds it, and a
// collection crawled again.
//
// Invariants:
//
//   - The same experiment, version and webs give the same bytes, for any number
//     of workers. All random numbers come from newRand, seeded by purpose, so
//     that one draw never depends on another.
//   - A strategy must never see a label. Labels decide which training pages and
//     seeds are drawn and what trails record; tests search everything that a
//     strategy can reach for them.
//   - A crawl is named by a hash of everything that decides what it does
//     (dir.go). A crawl whose name is in the folder is not made again; therefore
//     the names of fields that enter the hash must not change without need.
//   - A run keeps pages on disk and a bounded part of them in memory
//     ([Options].Memory). Memory grows with the web's graph and with the steps of
//     all trails.
package experiment

import (
	"time"

	"dowse/internal/predicate"
	"dowse/strategy"
)

// schema is the value of the key "dowse" in the file of an experiment.
const schema = "lab/v1"

// An Experiment describes what is compared, on which webs and topics, and how the
// results are tested and presented. [Parse] checks it and fills in the defaults
// of crawls and tests; those of synthetic webs and T-Graphs are filled in where
// they are built.
type Experiment struct {
	Dowse string `yaml:"dowse"`
	Name  string `yaml:"name"` // lower case, fit for a folder
	// Further names: the figures and tables that one set of crawls yields.
	Rows  []string `yaml:"rows"`
	Title string   `yaml:"title"` // one line for readers
	About string   `yaml:"about"` // for readers: what is done here
	Paper string   `yaml:"paper"` // what the paper did, and in which figure or table
	Note  string   `yaml:"note"`  // what was found where a claim does not hold
	Cite  []string `yaml:"cite"`  // keys of works to cite, see works
	Web   Webs     `yaml:"web"`
	// What differs when a recorded web replaces the synthetic one.
	Recorded *Recorded `yaml:"recorded"`
	Topics   Topics    `yaml:"topics"`
	// A further condition on relevant pages, as keyword(virus), or word(half); ""
	// for none.
	Predicate string   `yaml:"predicate"`
	Training  Training `yaml:"training"`
	Seeds     Seeds    `yaml:"seeds"`
	Budget    Budget   `yaml:"budget"`
	// A kind of judge.Trainable, or words: those of a person or the name of the topic, from
	// which the judge grows inside each crawl. Default logistic.
	Judge string `yaml:"judge"`
	// A kind of judge.Trainable that is trained on the same pages, steers no crawl, and
	// whose verdicts the measures use, as the vote of three classifiers in Wang et al.
	// 2009; default the judge itself. Omitted so that crawls without it keep their names.
	MeasuredBy string `yaml:"measured_by" json:",omitempty"`
	// A decimal classification for strategies that classify links: topics, one that the
	// lab makes of the topics of the web, or a file of code and label per line; default
	// none. Omitted so that crawls without it keep their names.
	Classes string `yaml:"classes" json:",omitempty"`
	// Vectors is a file of word vectors for strategies that use them; default none. Its path is
	// no part of the names of crawls, its content is.
	Vectors string `yaml:"vectors" json:"-"`
	// WordNet is a WordNet directory, from which judges of words learn what the words may mean, as those
	// of live crawls do; default none. Its path is no part of the names of crawls, what it says is.
	WordNet string `yaml:"wordnet" json:"-"`
	// SessionGap is the pause that ends a session of a person in access logs, as 10m; default
	// 30m. Omitted so that crawls without it keep their names.
	SessionGap string `yaml:"session_gap" json:",omitempty"`
	Time       timing `yaml:"time"`
	// Leads per round; default: as in the strategy's paper.
	Round int `yaml:"round"`
	// Bounds of the T-Graphs that are built from training pages.
	TGraph     TGraph     `yaml:"tgraph"`
	Strategies []Strategy `yaml:"strategies"`
	Measures   []string   `yaml:"measures"`
	Tests      Tests      `yaml:"tests"`
	Checks     []Check    `yaml:"checks"`

	condition *predicate.Predicate   // Predicate, parsed; nil for none and for word(half)
	own       []strategy.Description // of the program that runs it
}

// halfWordPredicate as the predicate requires a word in addition to the topic, a
// different one per topic: the word that is closest to being on half of the
// topic's pages. It narrows a topic that has no words of its own, as Aggarwal
// 2004 narrows computers by "viruses".
const halfWordPredicate = "word(half)"

// Recorded holds what differs when an experiment runs on a recorded web.
type Recorded struct {
	Skip   string `yaml:"skip"`   // why it makes no sense there; "" if it does
	Pages  int    `yaml:"pages"`  // the budget in pages; default: unchanged
	Topics Topics `yaml:"topics"` // where topics come from; default: the web's own
	// The training data, for webs with smaller topics; default: unchanged.
	Training *Training `yaml:"training"`
}

// Webs are the webs to crawl. If there are several, trails prefix a topic with
// the name of its web.
type Webs []Web

// A Web is exactly one of a synthetic web (Demo or Campus), synthetic towns (Town) or a
// recorded web (Paths). [Parse] moves Path into Paths.
type Web struct {
	Name string `yaml:"name"`
	Demo *Demo  `yaml:"demo"`
	// A synthetic web like that of universities, whose topics are classes of pages.
	Campus *Demo    `yaml:"campus"`
	Town   *Town    `yaml:"town"`  // synthetic towns, for crawls that look for whole sites
	Path   string   `yaml:"path"`  // WARC or WACZ file, collection, or recorded web
	Paths  []string `yaml:"paths"` // more of them
	// File of hub pages to add; their portal becomes a seed; "" for none.
	Hubs   string   `yaml:"hubs"`
	Labels string   `yaml:"labels"` // file of URL and topic; default: the file next to the web
	Traces []string `yaml:"traces"` // access logs
}

// Demo selects a synthetic web, or one per random seed in Seeds.
type Demo struct {
	Pages int      `yaml:"pages"` // default 2,400; of a campus 4,000
	Sites int      `yaml:"sites"` // hosts; default 48 at 2,400 pages, growing as the 0.8th power of the pages
	Seed  uint64   `yaml:"seed"`  // random seed; default 0
	Seeds []uint64 `yaml:"seeds"` // several webs, in place of Seed
	// Boilerplate is the share of the words of a page of mean length that all pages of its site
	// repeat, in addition to menu and footer; default 0. A campus has none.
	Boilerplate float64 `yaml:"boilerplate"`
}

// Town selects synthetic towns: webs of many small sites, in which crawls look
// for whole sites. In trails a town takes the place of a topic.
type Town struct {
	Sites int      `yaml:"sites"` // default 2,000
	Seeds []uint64 `yaml:"seeds"` // random seeds, one town per seed; default one town of seed 0
	// Sites judged relevant after which a crawl ends; default a twentieth of all.
	Find int `yaml:"find"`
	// Local towns have a rare topic, and sites that link to sites of their own topic; see
	// demo.TownConfig.
	Local bool `yaml:"local"`
	// Recorded are the files, or folders, of a recorded web that takes the place of synthetic towns. Its
	// sites are hosts, on topic if Labels has a page of theirs on Topic; Seeds draw the
	// training sites.
	Recorded []string `yaml:"recorded"`
	Labels   string   `yaml:"labels"` // file of URL and topic; default the one next to the web
	Topic    string   `yaml:"topic"`
}

// Topics selects the topics that are crawled for.
type Topics struct {
	From  string   `yaml:"from"`  // web, or a file with one topic per line; default web
	List  []string `yaml:"list"`  // the topics themselves, in place of From
	Limit int      `yaml:"limit"` // largest number of topics; default all
	// Pages that a topic needs; default enough for training, seeds and 10
	// targets.
	Least int `yaml:"least"`
	// Apart leaves out topics of the web that share more than a tenth of the pages of
	// the smaller one with a topic that was chosen before, or with one of Without.
	Apart bool `yaml:"apart"`
	// Without are topics that are not chosen from the web, such as those that
	// strategies were tuned on. Names that the web does not have are ignored.
	Without []string `yaml:"without"`
}

// Training bounds the training data of a topic's judge, in pages.
type Training struct {
	Positives int `yaml:"positives"` // default 10
	Negatives int `yaml:"negatives"` // default twice the positives, as in Wang et al. 2009
	// Negatives from web, any page off topic, or topics, pages of the other
	// topics; default web.
	From string `yaml:"from"`
	// Number of the positives that are drawn from listed pages; the same share of
	// the negatives is drawn from pages that are listed under other topics. Omitted
	// so that crawls without it keep their names.
	Listed int `yaml:"listed" json:",omitempty"`
	// Links of the positives whose targets' labels strategies are given to learn from;
	// default none. Their targets count as training pages.
	Links int `yaml:"links" json:",omitempty"`
}

// Seeds selects where crawls begin.
type Seeds struct {
	// Training, listed (training pages that are listed), topic (other pages on
	// topic), generic (pages off topic), or portals (pages that lead everywhere, as
	// directories and newspapers); default training.
	From     string `yaml:"from"`
	PerTopic int    `yaml:"per_topic"` // pages per set; default 3
	Sets     int    `yaml:"sets"`      // sets per topic, each with crawls of its own; default 1
	Rng      uint64 `yaml:"rng"`       // random seed of everything that is drawn; default 0
}

// Budget bounds each crawl.
type Budget struct {
	Pages   int    `yaml:"pages"`    // pages to fetch; default 1,000
	PerSite int    `yaml:"per_site"` // pages per host; default no limit
	Clock   string `yaml:"clock"`    // simulated, the only choice
}

// timing is the virtual time of crawls. Without a delay hosts need no pause
// between visits, and the order of visits depends on the strategy alone.
type timing struct {
	Workers int           `yaml:"workers"` // concurrent visits; default 1
	Latency time.Duration `yaml:"latency"` // of an answer; default as recorded, or 1 s
	Delay   time.Duration `yaml:"delay"`   // between two visits to a host; default none

	// Key of the first value that is not a duration; reported by the checker,
	// which knows its place.
	wrong string
}

// TGraph bounds the T-Graphs that are built from training pages for strategies
// that need one. The lab supplies the pages that link to training pages; a live
// crawl would ask a search engine for them.
type TGraph struct {
	Depth    int `yaml:"depth"`     // levels above the training pages; default 3
	PerLevel int `yaml:"per_level"` // pages per level; default 300
}

// A Strategy is one that takes part, with its parameters. A parameter with
// several values yields one [Variant] per value, and several such parameters one
// per combination.
type Strategy struct {
	Name   string                 `yaml:"name"`
	Label  string                 `yaml:"label"` // name in tables; default NAME:key=value,…
	Params map[string]paramValues `yaml:"params"`

	Seeds string `yaml:"seeds"` // training, topic or generic; default Experiment.Seeds.From
	// Number of crawls to make, each from seeds of its own, keeping the one
	// with the best harvest; default 1.
	Best int `yaml:"best"`
	// The part of the access log that it sees: early or late, the first or second
	// half by time; default all.
	Trace string `yaml:"trace"`
	// What the others are given and this one does without: links or classes; default
	// nothing.
	Without string `yaml:"without"`
	// The T-Graph that it is given: up, built backwards from the training pages, or down,
	// built from portals by following links; default up.
	TGraph string `yaml:"tgraph"`
	// Start with what an earlier crawl learnt from this half of the log, from
	// other seeds; default none.
	Learn string `yaml:"learn"`

	// Templates is what the crawl does without the parts of pages that other pages of their host
	// have too: judge, links, or judge,links; default nothing.
	Templates string `yaml:"templates"`

	// Confidence selects how the judge of sites computes a confidence from
	// distances to its centroids: invlog, or literal, the formula as Ester,
	// Kriegel and Schubert 2004 print it. Default invlog.
	Confidence string `yaml:"confidence"`
}

// paramValues are one or several values of a parameter, as text.
type paramValues []string

// Tests selects the statistics with which strategies are compared.
type Tests struct {
	// Topics (means over seed sets), or runs (topic and seed set); default
	// topics.
	PairedOver string `yaml:"paired_over"`
	Test       string `yaml:"test"` // wilcoxon or t; default wilcoxon
	// For several comparisons: bh, holm or none; default bh.
	Adjust string  `yaml:"adjust"`
	Alpha  float64 `yaml:"alpha"` // level of significance; default 0.05
}

// A Check is a claim to test: the sentence of a paper, and the condition on
// measures that must hold if it is true.
type Check struct {
	Claim string `yaml:"claim"` // one sentence, in the words of the paper or ours
	// An expression over measures: otie.recall@end > opic.recall@end.
	Expect string `yaml:"expect"`
}

// A Variant is a strategy with one value per parameter: what one crawl runs. Its
// fields enter the hash that names a crawl, under these names.
type Variant struct {
	Spec  string // NAME or NAME:key=value,…
	Label string

	Seeds, Trace, Learn string // as in [Strategy]
	Best                int
	Without             string `json:",omitempty"` // as in [Strategy]
	TGraph              string `json:",omitempty"` // as in [Strategy]; "" for up
	// Omitted so that crawls without it keep the hash they had before the field
	// existed.
	Confidence string `json:",omitempty"`
	Templates  string `json:",omitempty"` // as in [Strategy]
}

// Oracle is the name of the strategy that knows the labels: the upper bound for
// all others (lab.Oracle).
const Oracle = "oracle"
