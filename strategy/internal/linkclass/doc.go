// Package linkclass decides by a link's own words whether to follow it: the terms of its
// anchor and of its URL (Taylan et al. 2011).
//
// The line of research has two halves. [NewLSFC] adds up a score from those words and from
// the pages that link to the target (after Pal et al. 2009), and follows links by it;
// [NewOptimisedLSFC] follows only those with a high score. [NewNB] learns, from links whose
// pages were visited, which words lead to relevant pages, and follows the links that
// naive Bayes calls probable; [NewNBThreshold] asks for more, and [NewNBUpdateable] goes on
// learning as it crawls. Links of irrelevant pages go by their score in all of them.
package linkclass
