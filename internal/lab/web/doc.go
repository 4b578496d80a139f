// Package web turns a recorded or synthetic web into pages that a simulated
// crawl can visit again and again without parsing them.
//
// Every page passes once through the real chain of a visit (fetch, extract) and
// is stored in a feature file, a cache that is named by a hash of the source
// and of the way in which pages are parsed. After that a visit costs
// microseconds, not milliseconds, and a comparison of 20 strategies on 16
// topics parses each page once.
//
// How the parts fit: a [Source] names where the pages come from; [Open]
// prepares the feature file if needed and returns a [Web]. [Web.Graph] is its
// link structure as a crawl may use it, [Web.Survey] a summary. A [Judged] web
// rates each page once per topic, when it is first visited, and shares the
// ratings among all crawls for that topic; [Judged.For] returns what one crawl
// visits. [Record] and [RecordSynthetic] write a web with its labels into a
// folder that can be given to others.
//
// Invariants:
//
//   - A simulated visit shows a strategy exactly what a live visit would show
//     it, and nothing else. A test compares both, field by field.
//   - [Labels] are separate from [Web]: nothing that a strategy can reach leads
//     to them.
//   - A page that a crawl receives is its own copy, so that one crawl can't
//     leave a message for a later one.
//   - Feature files are untrusted bytes: every record has a checksum, and the
//     decoder accepts any input without panicking or allocating more than the
//     input justifies. A damaged file is built again.
//
// Memory holds URLs, the graph, ratings, and pages up to a budget
// ([Options].Memory). A Web and a Judged web may be used by any number of
// goroutines.
package web
