// Package interest contains the learning crawlers of Aggarwal (Aggarwal, Al-Garawi and
// Yu 2001; Aggarwal 2002 and 2004). They crawl for any predicate that a judge can
// decide, and learn during the crawl what pages on topic have in common.
//
// # Idea
//
// For every feature E that a URL can have before it is visited, the strategies count
// how much more often pages with that feature were on topic than pages in general.
// This is the interest ratio
//
//	I(C, E) = P(C | E) / P(C)
//
// where C is "on topic", see [Ratios]. The priority of a URL is the sum of the
// logarithms of its ratios, in factors that a parameter can weight.
//
//   - [NewIntelligent] takes features from links: words of the linking pages, parts of the URL, relevance of linking pages and of siblings.
//   - [NewCollaborative] takes them from a trace of what people accessed: who visited a page, what else they read, and what they accessed shortly before and after.
//   - [NewCombined] uses both; the ratios multiply.
//
// # Cost
//
// Every page changes every ratio, and so every priority. After a page only a bounded
// number of leads is rated again, those that share evidence with it; all others when
// they reach the top of the queue. The cost of a page therefore does not grow with the
// queue. Memory grows by one record per waiting URL and per page that links to one;
// what a record holds is bounded by parameters.
package interest
