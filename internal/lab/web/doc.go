// Package web holds still: it turns a recorded or made web into pages that a
// simulated crawl can visit again and again without parsing them.
//
// Every page goes once through the real way of a visit (fetch, extract) and is kept
// in a feature file, beside the address it had. A [Judged] web rates each page once
// for a topic, when it is first visited, and shares the ratings among all crawls for
// that topic. What people said of pages, the [Labels], is apart from both: nothing
// that a strategy can reach leads there.
package web
