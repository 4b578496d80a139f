package frontier

import "dowse"

// A Print identifies a URL in a frontier, see [Frontier.Prints].
type Print = print

// Prints appends the prints of URLs to dst, and loads what is known of the URLs into the processor's
// cache. In a large crawl it is in none: code that looks one URL up after the other waits for
// memory several times for each of them. Here loops that do nothing else read the same
// lines of memory for all URLs, so that the processor waits for many of them concurrently.
func (f *Frontier) Prints(dst []Print, n int, url func(i int) dowse.URL) []Print {
	first := len(dst)
	for i := range n {
		dst = append(dst, f.fingerprint(url(i)))
	}
	f.touch(dst[first:])
	return dst
}

// Print returns the print of a URL.
func (f *Frontier) Print(u dowse.URL) Print { return f.fingerprint(u) }

// SeePrint is [Frontier.See] for a URL whose print is known.
func (f *Frontier) SeePrint(p Print, u dowse.URL, host string) (id ID, fresh bool) {
	return f.see(p, u, host)
}

// touch reads the lines of memory that looking URLs up will need: their buckets, then their
// entries, then visits and notes. Nothing depends on its result. It is not inlined, because a
// compiler would leave out the reading.
//
//go:noinline
func (f *Frontier) touch(list []print) (sum uint32) {
	for _, fp := range list {
		if s := f.table.shard(fp); s.n > 0 {
			sum += s.buckets[s.home(fp)].n
		}
	}
	ids := f.ahead[:0]
	for _, fp := range list {
		if id, ok := f.table.guess(fp); ok {
			ids = append(ids, id)
		}
	}
	f.ahead = ids
	f.lockNotes()
	defer f.unlockNotes()
	for _, id := range ids {
		sum += uint32(f.entry(id).host) + f.notes.of.at(uint32(id))
	}
	for _, id := range ids {
		if e := f.entry(id); e.is(hasVisit) {
			sum += f.visits.at(e.at).at
		} else {
			sum += f.notes.touch(id)
		}
	}
	return sum
}

// NotesAhead begins to read the notes of URLs that are in the file only, without waiting for them. What follows reads
// most of them, one after the other.
func (f *Frontier) NotesAhead(list []Print) {
	f.lockNotes()
	defer f.unlockNotes()
	if f.notes.long.file == nil {
		return
	}
	for _, fp := range list {
		if id, ok := f.table.guess(fp); ok && f.entry(id).fp == fp {
			f.notes.ahead(id)
		}
	}
}

// guess returns the first ID in the home bucket of a fingerprint that may be the one of the
// fingerprint.
func (t *table) guess(fp print) (ID, bool) {
	s := t.shard(fp)
	if s.n == 0 {
		return None, false
	}
	b := &s.buckets[s.home(fp)]
	for j, tag := range b.tags[:min(b.n, bucketSize)] {
		if tag == uint8(fp[1]) {
			return ID(b.ids[j]), true
		}
	}
	return None, false
}

// touch reads a byte of the URL's note, if it is a long one in memory.
func (n *notes) touch(id ID) uint32 {
	v := n.of.at(uint32(id))
	if v&isLong == 0 {
		return 0
	}
	place := v &^ isLong
	if page := n.long.list[place/pageGrains]; page != nil {
		return uint32(page[place%pageGrains*grain])
	}
	return 0
}
