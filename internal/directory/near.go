package directory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A NotFoundError reports that a directory has no such category, with the most
// similar ones that it has.
type NotFoundError struct {
	Directory string
	Path      string
	Near      []string // at most five, the most similar first
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

// missing returns why a category has no entries: nil if it exists but is empty.
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

// Near returns the categories that a path which does not exist may mean: those
// with the same name elsewhere, and those with a similar name where the path
// leaves the tree; if there are none, the largest categories there.
func (t *Tree) Near(path string) []string {
	// Typing errors are looked for where the path leaves the tree: Top/Arts/Anmation
	// leaves it below Top/Arts. A wrong place is looked for by the last name.
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

// A suggestion is a node that a path may mean.
type suggestion struct {
	id       int32
	likeness float64 // 0 to 1
}

// paths returns the paths of the first maxNear suggestions, each once.
func (t *Tree) paths(found []suggestion) (list []string) {
	for _, s := range found {
		if p := t.path(s.id); !slices.Contains(list, p) && len(list) < maxNear {
			list = append(list, p)
		}
	}
	return list
}

// likeChildren follows the rest of a path by similarity: for each name the most
// similar child, as long as there is one with a likeness above 0.6.
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

// namesakes returns the largest categories with a name, anywhere in the tree.
//
// Names are compared folded, so that kids and teens finds Kids_and_Teens.
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

// folded returns a name without case, spaces, hyphens and underscores.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// likeness returns the share of two names that their common beginning and end
// make up, from 0 to 1. A single typing error is always in between.
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
