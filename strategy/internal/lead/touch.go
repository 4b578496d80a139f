package lead

import "dowse"

// In a large crawl, what is known of a link's target is in none of the processor's caches.
// Code that reads one target after the other waits for memory each time. A loop that only
// reads, and uses nothing of what it has read, lets the processor load many cache lines
// concurrently (prefetching). The functions named touch in the strategies do that, before
// the code that uses the data. They are not inlined, because their results are not used
// and a compiler would leave out the reading.

// TouchNotes loads the notes of the links' targets into the cache.
//
//go:noinline
func TouchNotes(links []dowse.Link) (sum byte) {
	for i := range links {
		if note := links[i].Target.Note; note != "" {
			sum += note[0]
		}
	}
	return sum
}
