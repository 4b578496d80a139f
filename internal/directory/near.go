package directory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A NotFoundError says that a directory has no such category, and which it has that
// are nearest.
type NotFoundError struct {
	Directory string
	Path      string
	Near      []string // at most five, the likeliest first
}

func (e *NotFoundError) Error() string {
	s := fmt.Sprintf("there is no category %q in %s", e.Path, e.Directory)
	if len(e.Near) == 0 {
		return s
	}
	return s + "; did you mean " + strings.Join(e.Near, ", or ") + "?"
}

// maxNear bounds the suggestions.
const maxNear = 5

// missing returns why a category has no entries: nil if it is there, but empty.
func (d *Directory) missing(c Category) error {
	t, err := d.Categories()
	if err != nil {
		return err
	}
	if path := Clean(c.Path); !t.Has(path) {
		return &NotFoundError{Directory: d.name, Path: path, Near: t.Near(path)}
	}
	return nil
}

// Near returns the categories that a path which does not exist may have meant: those
// of the same name elsewhere, and those with a like name where the path leaves the
// tree; if there are none, some of what is there.
func (t *Tree) Near(path string) []string {
	at, rest := t.reach(Clean(path))
	segments := strings.Split(rest, "/")
	var found []suggestion
	found = append(found, t.likeChildren(at, segments)...)
	found = append(found, t.namesakes(segments[len(segments)-1])...)
	slices.SortStableFunc(found, func(a, b suggestion) int {
		return cmp.Or(cmp.Compare(b.likeness, a.likeness), cmp.Compare(t.nodes[b.id].below, t.nodes[a.id].below))
	})
	if len(found) == 0 {
		return t.largest(at)
	}
	return t.paths(found)
}

type suggestion struct {
	id       int32
	likeness float64 // 0 to 1
}

func (t *Tree) paths(found []suggestion) (list []string) {
	for _, s := range found {
		if p := t.path(s.id); !slices.Contains(list, p) && len(list) < maxNear {
			list = append(list, p)
		}
	}
	return list
}

// likeChildren follows the rest of a path by likeness: each name by the child that
// is most like it, if one is like it at all.
func (t *Tree) likeChildren(at int32, names []string) (found []suggestion) {
	total := 1.0
	for _, name := range names {
		best, like := int32(0), 0.6
		for c := t.nodes[at].child; c != 0; c = t.nodes[c].next {
			if l := likeness(t.nodes[c].name, name); l > like {
				best, like = c, l
			}
		}
		if best == 0 {
			break
		}
		total *= like
		at = best
		found = []suggestion{{at, total}}
	}
	return found
}

// namesakes returns the categories with a name, wherever they are, the largest ones.
func (t *Tree) namesakes(name string) (found []suggestion) {
	want := folded(name)
	for i := range t.nodes[1:] {
		if id := int32(i + 1); len(t.nodes[id].name) <= 2*len(name)+4 && folded(t.nodes[id].name) == want {
			found = append(found, suggestion{id, 0.9})
		}
	}
	slices.SortStableFunc(found, func(a, b suggestion) int { return cmp.Compare(t.nodes[b.id].below, t.nodes[a.id].below) })
	return found[:min(len(found), maxNear)]
}

// largest returns the children of a node with the most entries.
func (t *Tree) largest(at int32) []string {
	var found []suggestion
	for c := t.nodes[at].child; c != 0; c = t.nodes[c].next {
		found = append(found, suggestion{id: c})
	}
	slices.SortStableFunc(found, func(a, b suggestion) int { return cmp.Compare(t.nodes[b.id].below, t.nodes[a.id].below) })
	return t.paths(found)
}

// folded returns a name as people may write it otherwise.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// likeness returns the share of two names that they have in common at their
// beginnings and ends: one slip of the hand is always in between.
func likeness(a, b string) float64 {
	a, b = folded(a), folded(b)
	longer := max(utf8.RuneCountInString(a), utf8.RuneCountInString(b))
	if longer == 0 {
		return 0
	}
	common := 0
	for a != "" && b != "" {
		x, n := utf8.DecodeRuneInString(a)
		if y, _ := utf8.DecodeRuneInString(b); x != y {
			break
		}
		a, b = a[n:], b[n:]
		common++
	}
	for a != "" && b != "" {
		x, n := utf8.DecodeLastRuneInString(a)
		y, m := utf8.DecodeLastRuneInString(b)
		if x != y {
			break
		}
		a, b = a[:len(a)-n], b[:len(b)-m]
		common++
	}
	return float64(common) / float64(longer)
}
