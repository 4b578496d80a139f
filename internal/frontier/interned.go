package frontier

import "strings"

// interned stores a text for some URLs. Equal texts are stored once, and freed
// when no URL has them any more.
type interned struct {
	of    column // by ID: 1 + index of its text
	texts []string
	users []uint32          // by text: how many URLs have it
	free  []uint32          // indexes of texts without users
	index map[string]uint32 // by text: its index
}

// at returns the index of the URL's text; ok is false if it has none.
func (n *interned) at(id ID) (uint32, bool) {
	i := n.of.at(uint32(id))
	return i - 1, i != 0
}

func (n *interned) text(id ID) string {
	if i, ok := n.at(id); ok {
		return n.texts[i]
	}
	return ""
}

// set gives the URL a text; "" removes it.
func (n *interned) set(id ID, text string) {
	old, had := n.at(id)
	if had && n.texts[old] == text {
		return
	}
	n.of.set(uint32(id), 0)
	if text != "" {
		i := n.intern(text)
		n.users[i]++
		n.of.set(uint32(id), i+1)
	}
	if had {
		n.release(old)
	}
}

// intern returns the index of a text, and stores a copy of it if it is new.
func (n *interned) intern(text string) uint32 {
	if i, ok := n.index[text]; ok {
		return i
	}
	text = strings.Clone(text)
	i := n.slot()
	n.texts[i] = text
	if n.index == nil {
		n.index = map[string]uint32{}
	}
	n.index[text] = i
	return i
}

func (n *interned) slot() uint32 {
	if last := len(n.free) - 1; last >= 0 {
		i := n.free[last]
		n.free = n.free[:last]
		return i
	}
	n.texts = append(n.texts, "")
	n.users = append(n.users, 0)
	return uint32(len(n.texts) - 1)
}

// release removes one user of a text, and the text with the last one.
func (n *interned) release(i uint32) {
	if n.users[i]--; n.users[i] > 0 {
		return
	}
	delete(n.index, n.texts[i])
	n.texts[i] = ""
	n.free = append(n.free, i)
}

// Note returns the URL's note, "" for none.
func (f *Frontier) Note(id ID) string { return f.notes.text(id) }

// SetNote gives the URL a note; "" removes it. URLs without a note cost
// nothing, and equal notes are stored once.
func (f *Frontier) SetNote(id ID, note string) { f.notes.set(id, note) }
