package frontier

// notes stores the note of each URL that has one. Short notes are few different texts, which
// many URLs share; each is stored once. A long note is a record of a strategy about one URL,
// hardly ever equal to another one, and is stored in pages that a file can take over.
type notes struct {
	of    column // by ID: 0 for none; 1 + index of a short one; isLong and the place of a long one
	short pool
	long  pages
}

const (
	isLong    = 1 << 31
	leastLong = 17 // bytes of a long note, at least
)

// text returns the URL's note, "" for none. It is a copy if the note is long.
func (n *notes) text(id ID) string { return n.named(n.of.at(uint32(id))) }

// named returns the note that a value of the column refers to.
func (n *notes) named(v uint32) string {
	switch {
	case v == 0:
		return ""
	case v&isLong != 0:
		return n.long.text(v &^ isLong)
	}
	return n.short.texts[v-1]
}

// set gives the URL a note; "" removes it.
func (n *notes) set(id ID, note string) {
	old := n.of.at(uint32(id))
	if old&isLong != 0 && len(note) >= leastLong && n.long.replace(old&^isLong, []byte(note)) {
		return
	}
	n.of.set(uint32(id), n.keep([]byte(note)))
	n.drop(old)
}

// ahead begins to read the URL's note, if it is in the file only.
func (n *notes) ahead(id ID) {
	if v := n.of.at(uint32(id)); v&isLong != 0 {
		n.long.ahead(v &^ isLong)
	}
}

// keep stores a note and returns the value of the column that refers to it. A note that is
// too long for a page, or comes when there are no more places, is stored like a short one.
func (n *notes) keep(note []byte) uint32 {
	if len(note) == 0 {
		return 0
	}
	if len(note) >= leastLong {
		if place, ok := n.long.add(note); ok {
			return isLong | place
		}
	}
	return n.short.use(note) + 1
}

// drop frees the note that a value of the column refers to.
func (n *notes) drop(v uint32) {
	switch {
	case v == 0:
	case v&isLong != 0:
		n.long.remove(v &^ isLong)
	default:
		n.short.release(v - 1)
	}
}

// Note returns the URL's note, "" for none.
func (f *Frontier) Note(id ID) string {
	f.lockNotes()
	defer f.unlockNotes()
	return f.notes.text(id)
}

// SetNote gives the URL a note; "" removes it. URLs without a note cost nothing, equal notes
// of up to 16 bytes are stored once, and longer ones may leave the memory, see [Config].
func (f *Frontier) SetNote(id ID, note string) {
	f.lockNotes()
	defer f.unlockNotes()
	f.keepNote(id)
	f.notes.set(id, note)
}
