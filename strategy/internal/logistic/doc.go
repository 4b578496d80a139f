// Package logistic holds the strategies of our own, online and auto. Both learn during the
// crawl which links lead to the topic, by logistic regression with one gradient step for
// each outcome that becomes known.
//
// # Idea
//
// A link is rated by the log-odds that it leads to the topic. Every visited page is an
// example for the links to it, and so is every link to a page that was visited before. The
// target is the relevance of the page, not only whether it is on topic, so that a learner
// also learns while the judge rates hardly any page on topic.
//
// # Parts
//
// learner.go is what the two strategies have in common: what happens after a page, and in
// which order. clues.go is what is known of a URL before its visit, kept in the note of its
// lead, so that it lives and dies with the lead in the frontier. link.go is the same in the
// form in which it is rated. tally.go counts how pages turned out, by linking page, section,
// host and folder. waiting.go keeps the leads that are rated again after each page, because
// learning also raises leads, which would otherwise never come up. online.go and auto.go
// are the strategies: their features, weights and initial weights.
//
// # Invariants and cost
//
// Memory is bounded, whatever the size of the crawl. A note rounds what it holds, and a
// lead is rated by the rounded values from the beginning, so that rating it again by its
// note alone gives the same priority. The names of the types that Save writes, and of
// their fields, are a file format.
package logistic
