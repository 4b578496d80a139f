package frontier

import (
	"slices"
	"strings"

	"dowse"
)

// groups holds the groups of URLs other than their hosts, and their members.
type groups struct {
	interned
	members [][]uint32      // by group: all IDs that are in it, and some that were
	dropped map[string]bool // by name, hosts included
}

// Group returns the group of the URL: the name of its host, or what SetGroup
// set.
func (f *Frontier) Group(id ID) string {
	if g, ok := f.groups.at(id); ok {
		return f.groups.texts[g]
	}
	return f.HostName(f.entry(id).host)
}

// SetGroup puts the URL into a group; "" means its host's. A waiting URL
// becomes Excluded if the group was dropped.
func (f *Frontier) SetGroup(id ID, group string) {
	e := f.entry(id)
	if group == f.HostName(e.host) {
		group = ""
	}
	f.groups.join(id, group)
	if e.state == dowse.Waiting && f.isDropped(id) {
		f.move(id, e, dowse.Excluded)
	}
}

// Dropped reports whether the group was dropped. Queue refuses its URLs.
func (f *Frontier) Dropped(group string) bool { return f.groups.dropped[group] }

// isDropped reports whether the group of the URL was dropped.
func (f *Frontier) isDropped(id ID) bool {
	return len(f.groups.dropped) > 0 && f.groups.dropped[f.Group(id)]
}

// Drop removes all waiting URLs of a group from the queue, for good: they
// become Excluded, and no other URL of the group is queued any more. It returns
// them, sorted by ID. Its cost grows with the size of the group.
func (f *Frontier) Drop(group string) (ids []ID) {
	if f.Dropped(group) {
		return nil
	}
	f.groups.dropped[strings.Clone(group)] = true
	ids = append(f.hostMembers(group), f.groupMembers(group)...)
	for _, id := range ids {
		f.move(id, f.entry(id), dowse.Excluded)
	}
	slices.Sort(ids)
	return ids
}

// hostMembers returns the waiting URLs of a group that is a host, from the end
// of the heap, so that removing one does not move another.
func (f *Frontier) hostMembers(group string) (ids []ID) {
	h, ok := f.HostOf(group)
	if !ok {
		return nil
	}
	for _, lead := range slices.Backward(f.host(h).leads) {
		if _, other := f.groups.at(ID(lead)); !other {
			ids = append(ids, ID(lead))
		}
	}
	return ids
}

// groupMembers returns the waiting URLs of a group that SetGroup made.
func (f *Frontier) groupMembers(group string) (ids []ID) {
	g, ok := f.groups.index[group]
	if !ok {
		return nil
	}
	for _, id := range f.groups.current(g) {
		if f.State(ID(id)) == dowse.Waiting {
			ids = append(ids, ID(id))
		}
	}
	return ids
}

// join puts a URL into a group. Members that left are removed only now and
// then, when they outnumber those that are there, so that joining is cheap.
func (g *groups) join(id ID, group string) {
	old, had := g.at(id)
	if had && g.texts[old] == group {
		return
	}
	g.set(id, group)
	if had && g.users[old] == 0 {
		g.members[old] = nil
	}
	i, ok := g.at(id)
	if !ok {
		return
	}
	for len(g.members) < len(g.texts) {
		g.members = append(g.members, nil)
	}
	if m := g.members[i]; len(m) == cap(m) && len(m) > 2*int(g.users[i]) {
		g.current(i)
	}
	g.members[i] = append(g.members[i], uint32(id))
}

// current removes the IDs that left the group and returns those in it, sorted,
// each once.
func (g *groups) current(i uint32) []uint32 {
	m := slices.DeleteFunc(g.members[i], func(id uint32) bool { return g.of.at(id) != i+1 })
	slices.Sort(m)
	g.members[i] = slices.Compact(m)
	return g.members[i]
}
