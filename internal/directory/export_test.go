package directory

// Count returns how many entries a category has: its own, and with its subtree. An
// entry may be a page that is there twice, or one whose URL is none.
func (t *Tree) Count(path string) (own, subtree int) {
	id, ok := t.find(Clean(path))
	if !ok {
		return 0, 0
	}
	return int(t.nodes[id].entries), int(t.nodes[id].below)
}

// Children returns the paths right below a category, in the order in which they were
// first seen.
func (t *Tree) Children(path string) (list []string) {
	id, ok := t.find(Clean(path))
	if !ok {
		return nil
	}
	for c := t.nodes[id].child; c != 0; c = t.nodes[c].next {
		list = append(list, t.path(c))
	}
	return list
}
