package frontier

// interned stores a text for some URLs. Equal texts are stored once, and freed
// when no URL has them any more.
type interned struct {
	of column // by ID: 1 + index of its text
	pool
}

// at returns the index of the URL's text; ok is false if it has none.
func (n *interned) at(id ID) (uint32, bool) {
	i := n.of.at(uint32(id))
	return i - 1, i != 0
}

// set gives the URL a text; "" removes it.
func (n *interned) set(id ID, text string) {
	old, had := n.at(id)
	if had && n.texts[old] == text {
		return
	}
	n.of.set(uint32(id), 0)
	if text != "" {
		n.of.set(uint32(id), n.use([]byte(text))+1)
	}
	if had {
		n.release(old)
	}
}

// A pool stores texts that have several users, each text once.
type pool struct {
	texts []string
	users []uint32          // by text: how many it has
	free  []uint32          // indexes of texts without users
	index map[string]uint32 // by text: its index
}

// use adds a user of a text and returns the index of the text. A new text is copied.
func (n *pool) use(b []byte) uint32 {
	i, ok := n.index[string(b)]
	if !ok {
		text := string(b)
		i = n.slot()
		n.texts[i] = text
		if n.index == nil {
			n.index = map[string]uint32{}
		}
		n.index[text] = i
	}
	n.users[i]++
	return i
}

func (n *pool) slot() uint32 {
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
func (n *pool) release(i uint32) {
	if n.users[i]--; n.users[i] > 0 {
		return
	}
	delete(n.index, n.texts[i])
	n.texts[i] = ""
	n.free = append(n.free, i)
}
