package directory

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// maxCategories bounds a tree: more than twice as many as the Open Directory
// ever had. Entries of further categories are counted for the nearest category
// above.
const maxCategories = 2_000_000

// A Tree holds the categories of a directory and how many entries each has. A
// category costs about 120 bytes. A Tree is never changed once it was read, and
// safe for concurrent use.
//
// Nodes are in one slice and refer to each other by index, so that a million of
// them are one allocation. A parent always precedes its children.
type Tree struct {
	nodes []node
	ids   map[edge]int32
}

type node struct {
	name    string
	parent  int32
	child   int32 // the first one, 0 for none
	next    int32 // the next of the same parent, 0 for none
	last    int32 // the last child
	entries int32 // of its own
	below   int32 // of its whole subtree, set by sum
}

// An edge identifies a node by its parent and its own name.
type edge struct {
	parent int32
	name   string
}

func newTree() *Tree {
	return &Tree{nodes: []node{{name: Top, parent: -1}}, ids: map[edge]int32{}}
}

// add returns the node of a path, which is created if needed.
func (t *Tree) add(path string) int32 {
	at := int32(0)
	rest := strings.TrimPrefix(strings.TrimPrefix(path, Top), "/")
	for rest != "" {
		var name string
		name, rest, _ = strings.Cut(rest, "/")
		id, ok := t.ids[edge{at, name}]
		if !ok && len(t.nodes) >= maxCategories {
			return at
		}
		if !ok {
			id = t.grow(at, strings.Clone(name))
		}
		at = id
	}
	return at
}

// grow creates a child, as the last one of its parent.
func (t *Tree) grow(at int32, name string) int32 {
	id := int32(len(t.nodes))
	t.nodes = append(t.nodes, node{name: name, parent: at})
	t.ids[edge{at, name}] = id
	// Children are a linked list in the order of creation.
	if above := &t.nodes[at]; above.child == 0 {
		above.child, above.last = id, id
	} else {
		t.nodes[above.last].next = id
		above.last = id
	}
	return id
}

// sum counts the entries below each node. It goes backwards, because parents
// precede their children.
func (t *Tree) sum() {
	for i := len(t.nodes) - 1; i >= 0; i-- {
		n := &t.nodes[i]
		n.below += n.entries
		if n.parent >= 0 {
			t.nodes[n.parent].below += n.below
		}
	}
}

// find returns the node of a clean path.
func (t *Tree) find(path string) (int32, bool) {
	at, rest := t.reach(path)
	return at, rest == ""
}

// reach follows a path as far as there are nodes, and returns the rest of the
// path.
func (t *Tree) reach(path string) (at int32, rest string) {
	rest = strings.TrimPrefix(strings.TrimPrefix(path, Top), "/")
	for rest != "" {
		name, after, _ := strings.Cut(rest, "/")
		id, ok := t.ids[edge{at, name}]
		if !ok {
			return at, rest
		}
		at, rest = id, after
	}
	return at, ""
}

func (t *Tree) path(id int32) string {
	var names []string
	for ; id >= 0; id = t.nodes[id].parent {
		names = append(names, t.nodes[id].name)
	}
	slices.Reverse(names)
	return strings.Join(names, "/")
}

// Has reports whether a category exists.
func (t *Tree) Has(path string) bool {
	_, ok := t.find(Clean(path))
	return ok
}

// Categories returns all categories. The first call reads the whole directory
// and the structure file; later calls return the same tree.
func (d *Directory) Categories() (*Tree, error) {
	d.mu.Lock()
	made := d.tree
	d.mu.Unlock()
	if made != nil {
		return made, nil
	}
	t := newTree()
	dirt, err := d.readTree(t)
	if err != nil {
		return nil, fmt.Errorf("directory: read %s: %w", d.name, err)
	}
	t.sum()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tree, d.dirt = t, d.dirt.most(dirt)
	return t, nil
}

func (d *Directory) readTree(t *Tree) (Dirt, error) {
	s := &sieve{}
	if d.structure != nil {
		r, err := d.structure()
		if err != nil {
			return s.dirt, err
		}
		err = scanStructure(r, &s.dirt, t.hang)
		r.Close()
		if err != nil {
			return s.dirt, err
		}
	}
	r, err := d.open()
	if err != nil {
		return s.dirt, err
	}
	defer r.Close()
	s.count = t.counter()
	err = scan(d.kind, io.Reader(r), s)
	return s.dirt, err
}

// hang adds a topic of the structure file and its children. A child is where
// its path has, whichever topic lists it.
func (t *Tree) hang(path string, children []string) {
	t.add(path)
	for _, c := range children {
		t.add(c)
	}
}

// counter returns a function that counts an entry for a path. Most entries have
// the path of the one before, which is remembered.
func (t *Tree) counter() func(path string) {
	last, at := Top, int32(0)
	return func(path string) {
		if path != last {
			last, at = path, t.add(path)
		}
		t.nodes[at].entries++
	}
}
