package admission

import (
	"strings"

	"dowse"
	"dowse/weburl"
)

// A farm generates pages as fast as they are requested, each with a text and an address of
// its own, so that neither shows the trap. What shows it is how the pages are linked: those
// of a site link to each other, and ever more often to what is known already; those of a
// farm are strays, which link to new pages only.
type farm struct {
	visited uint32
	strays  uint32
	crossed uint32 // pages that link across: to known pages that are no nearer to the seeds
}

// isFarm reports whether there are enough strays and little else. On small sites
// about one page in a hundred is one, among the first. On large ones most pages are, until much of
// them is known, but some link across; those of a farm link to new pages, to menus and back.
func (f *farm) isFarm(t *Traps) bool {
	return int(f.strays) >= t.Strays && 4*f.strays >= 3*f.visited && crossing*f.crossed < f.strays
}

// crossing is how many strays one page that links across outweighs.
const crossing = 20

// lands returns the host of a URL and, if it lies deeper, the first folder in it: a
// farm may have a host to itself, or a corner of one. Opaque URLs have neither.
func lands(u dowse.URL) (host, folder dowse.URL) {
	path := weburl.Path(u)
	if path == "" {
		return "", ""
	}
	root := len(u) - len(path) + 1
	path, _, _ = strings.Cut(path, "?")
	if i := strings.IndexByte(path[1:], '/'); i >= 0 {
		folder = u[:root+i+1]
	}
	return u[:root], folder
}

// farms counts strays by host and by first folder, under the hash of their URL.
type farms struct {
	lands map[uint64]*farm
	found int // lands that are farms
}

// has reports whether a URL lies where a farm was found.
func (f *farms) has(t *Traps, u dowse.URL) bool {
	if f.found == 0 {
		return false
	}
	host, folder := lands(u)
	return f.isFarm(t, host) || f.isFarm(t, folder)
}

func (f *farms) isFarm(t *Traps, land dowse.URL) bool {
	x := f.lands[weburl.ShapeHash(land)]
	return land != "" && x != nil && x.isFarm(t)
}

// survey counts how a page is linked with the others of its host and of its folder.
func (f *farms) survey(t *Traps, p *dowse.Page, links Links, echo bool) {
	host, folder := lands(p.URL)
	f.count(t, host, isStray(links, host, host, echo), !echo && crosses(links, host))
	f.count(t, folder, isStray(links, host, folder, echo), !echo && crosses(links, folder))
}

func (f *farms) count(t *Traps, land dowse.URL, stray, across bool) {
	if land == "" {
		return
	}
	k := weburl.ShapeHash(land)
	x := f.lands[k]
	if x == nil {
		if len(f.lands) >= t.Shapes {
			return
		}
		x = &farm{}
		f.lands[k] = x
	}
	before := x.isFarm(t)
	x.visited++
	x.strays += uint32(count(stray))
	x.crossed += uint32(count(across))
	f.found += count(x.isFarm(t)) - count(before)
}

// crosses reports whether a page links across within a land.
func crosses(links Links, land dowse.URL) bool {
	for i := range links.Len() {
		if u, self, _ := links.At(i); !self && links.Across(i) && strings.HasPrefix(string(u), string(land)) {
			return true
		}
	}
	return false
}

// isStray reports whether the links of a page lead to new pages of a land and hardly to
// known ones: at most to one, the way back, or to one in five. For a page that leads to a single new
// one, known pages anywhere on the host count: posts with menus and a link to the next one are a
// chain, which gives the queue no more than one URL at a time, and no farm. An echo is a stray if it
// links to any new page: however many menus it has, where every address answers with the
// same text the new addresses have no end.
func isStray(links Links, host, land dowse.URL, echo bool) bool {
	fresh, known, outside := 0, 0, 0
	for i := range links.Len() {
		switch u, self, isFresh := links.At(i); {
		case self || !strings.HasPrefix(string(u), string(host)):
		case !strings.HasPrefix(string(u), string(land)):
			if !isFresh {
				outside++
			}
		case isFresh:
			fresh++
		default:
			known++
		}
	}
	if fresh == 1 {
		known += outside
	}
	return fresh > 0 && (echo || known <= max(1, (fresh+known)/5))
}

// isEcho reports whether a page repeats what its host has sent before: it is nearly the same
// as another of the host, or has hardly a word besides the host's template.
func isEcho(p *dowse.Page, own int) bool {
	return repeatsHost(p) || isThin(p, own)
}
