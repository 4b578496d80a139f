// Package interest crawls for whatever a judge can tell apart, and learns on the way what
// the pages on topic have in common (Aggarwal, Al-Garawi and Yu 2001; Aggarwal 2002 and
// 2004).
//
// All of its strategies count, for each feature that a URL can have before it is visited,
// how much more often pages with that feature were on topic than pages are at large: the
// interest ratio, see [Ratios]. The priority of a URL adds up the logarithms of its
// ratios, by factors that a parameter can weigh. [NewIntelligent] takes features from
// linkage: words of the linking pages, parts of the URL, relevance of linking pages and
// of siblings. [NewCollaborative] takes them from a trace of what people accessed: who went
// to a page, what else they read, and what they accessed shortly before and after.
// [NewCombined] takes both.
package interest
