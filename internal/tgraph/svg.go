package tgraph

import (
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"dowse"
)

// Measures of the picture of a T-Graph, in pixels.
const (
	boxWidth, boxGap  = 250, 110 // of a page, and between levels
	titleLine, lineUp = 20, 16   // of a page's title, and of each of its links
	boxSpace          = 14       // between pages
	drawTop, drawEdge = 92, 24   // above the first page, and around the picture
	drawnPages        = 14       // of a level
	drawnLinks        = 4        // of a page that links to a target; fewer further away, where there are more
)

// levelColours are distinguishable for most colour-blind people (Okabe and Ito). A graph
// with more levels repeats them.
var levelColours = []string{"#009e73", "#0072b2", "#e69f00", "#cc79a7", "#56b4e9", "#d55e00"}

// SVG draws the T-Graph: one column per level, targets at the right, and in the box of each
// page its links, with arrows to the pages of the next level. Of a large graph it draws the
// pages with the most links and writes how many are left out. Equal graphs give equal
// bytes. Text from the web is escaped, so that the picture can be opened in a browser.
func (g *Graph) SVG() []byte {
	d := &drawing{g: g, box: map[dowse.URL]*levelBox{}}
	d.layOut()
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="12">`+"\n", d.width, d.height, d.width, d.height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#ffffff"/>`+"\n", d.width, d.height)
	b.WriteString(`<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8Z" fill="#8a8a8a"/></marker></defs>` + "\n")
	d.heads(&b)
	d.arrows(&b)
	d.pages(&b)
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

// A drawing is the layout of a T-Graph. Levels are laid out from the targets outwards, so
// that a page can be placed by the height of the pages that it links to.
type drawing struct {
	g             *Graph
	columns       [][]*levelBox // by level
	more          []int         // by level: pages that are not drawn
	box           map[dowse.URL]*levelBox
	width, height int
}

// A levelBox is a page in the picture.
type levelBox struct {
	page  Page
	links []*Node
	in    int // links to it
	x, y  int

	weight int
}

// shown returns the number of links that are written into the box.
func (b *levelBox) shown() int { return min(len(b.links), b.most()) }

// most returns the largest number of links written into a box: fewer further from the
// targets, where there are more pages.
func (b *levelBox) most() int { return max(2, drawnLinks+1-b.page.Level) }

// height returns the height of the box in pixels, with a line for "and N more".
func (b *levelBox) height() int {
	h := titleLine + 6 + lineUp*b.shown()
	if len(b.links) > b.most() {
		h += lineUp
	}
	return h
}

// layOut chooses what is drawn and sets all positions.
func (d *drawing) layOut() {
	pages, _ := d.g.Levels()
	d.columns, d.more = make([][]*levelBox, len(pages)), make([]int, len(pages))
	d.fill()
	for level := range d.columns {
		d.shorten(level)
		d.stack(level)
	}
	d.width = 2*drawEdge + len(d.columns)*boxWidth + (len(d.columns)-1)*boxGap
	for level, list := range d.columns {
		for _, b := range list {
			b.x = drawEdge + (len(d.columns)-1-level)*(boxWidth+boxGap)
			b.y += (d.height - d.bottom(level)) / 2 // in the middle of the tallest
		}
	}
	d.height += drawEdge + boxSpace
}

// fill puts pages and links into boxes. The file of somebody else may name pages in its
// nodes only.
func (d *drawing) fill() {
	for _, p := range d.g.Pages {
		d.put(p)
	}
	for i := range d.g.Nodes {
		n := &d.g.Nodes[i]
		b := d.put(Page{URL: n.URL, Level: n.Level})
		if n.LinksTo != "" {
			b.links = append(b.links, n)
			if to := d.box[n.LinksTo]; to != nil {
				to.in++
			}
		}
	}
}

// put returns the box of a page, a new one if there is none.
func (d *drawing) put(p Page) *levelBox {
	b := d.box[p.URL]
	if b == nil {
		b = &levelBox{page: p}
		d.box[p.URL] = b
		d.columns[p.Level] = append(d.columns[p.Level], b)
	}
	return b
}

// shorten reduces a level to the pages that are drawn. First come pages that together reach
// each page drawn in the level below, then those with the most links. They are ordered by
// the mean height of what they link to, so that few arrows cross.
func (d *drawing) shorten(level int) {
	list := d.columns[level]
	for _, b := range list {
		d.rank(b)
	}
	slices.SortStableFunc(list, func(a, b *levelBox) int { return cmp.Compare(b.weight, a.weight) })
	d.coverFirst(list)
	n := min(len(list), drawnPages)
	for _, b := range list[n:] {
		delete(d.box, b.page.URL)
	}
	d.columns[level], d.more[level] = list[:n], len(list)-n
	slices.SortStableFunc(list[:n], func(a, b *levelBox) int { return cmp.Compare(d.aim(a), d.aim(b)) })
}

// coverFirst moves pages to the front that link to a drawn page that no page before them
// links to.
func (d *drawing) coverFirst(list []*levelBox) {
	reached := map[dowse.URL]bool{}
	front := list[:0:0]
	rest := slices.DeleteFunc(slices.Clone(list), func(b *levelBox) bool {
		leads := false
		for _, n := range b.links {
			if d.box[n.LinksTo] != nil && !reached[n.LinksTo] {
				reached[n.LinksTo], leads = true, true
			}
		}
		if leads {
			front = append(front, b)
		}
		return leads
	})
	copy(list, append(front, rest...))
}

// aim returns the mean height of the drawn pages that a page links to, +Inf if there are
// none.
func (d *drawing) aim(b *levelBox) float64 {
	sum, n := 0.0, 0.0
	for _, l := range b.links {
		if to := d.box[l.LinksTo]; to != nil {
			sum, n = sum+float64(to.y), n+1
		}
	}
	if n == 0 {
		return math.Inf(1)
	}
	return sum / n
}

// rank sets the weight of a page, the number of links from and to pages that may be drawn,
// and moves links to drawn pages to the front of its list.
func (d *drawing) rank(b *levelBox) {
	drawn := func(n *Node) int {
		if d.box[n.LinksTo] != nil {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(b.links, func(a, b *Node) int { return cmp.Compare(drawn(a), drawn(b)) })
	b.weight = b.in
	for _, n := range b.links {
		b.weight += 1 - drawn(n)
	}
}

// stack places the pages of a level below each other, from the top.
func (d *drawing) stack(level int) {
	y := drawTop
	for _, b := range d.columns[level] {
		b.y = y
		y += b.height() + boxSpace
	}
	if d.more[level] > 0 {
		y += lineUp
	}
	d.height = max(d.height, y)
}

// bottom returns the height at which a level ends after stack, to centre it.
func (d *drawing) bottom(level int) int {
	y := drawTop
	for _, b := range d.columns[level] {
		y += b.height() + boxSpace
	}
	if d.more[level] > 0 {
		y += lineUp
	}
	return y
}

// heads writes the title of the picture and the headings of the columns.
func (d *drawing) heads(b *strings.Builder) {
	pages, nodes := d.g.Levels()
	all, links := 0, 0
	for level := range pages {
		all += pages[level]
		if level > 0 {
			links += nodes[level]
		}
	}
	fmt.Fprintf(b, `<text x="%d" y="32" font-size="16" font-weight="bold">T-Graph: %s on %s lead to %s</text>`+"\n",
		drawEdge, howMany(links, "link"), howMany(all-pages[0], "page"), howMany(pages[0], "target"))
	for level := range pages {
		x := drawEdge + (len(pages)-1-level)*(boxWidth+boxGap)
		name, what := Clicks(level), howMany(nodes[level], "link")+" on "+howMany(pages[level], "page")
		if level == 0 {
			name, what = "targets", howMany(pages[0], "page")
		}
		fmt.Fprintf(b, `<text x="%d" y="62" font-size="13" font-weight="bold" fill="%s">%s</text><text x="%d" y="78" fill="#666666">%s</text>`+"\n", x, d.colour(level), name, x, what)
	}
}

// howMany returns a number with its noun, in the plural if need be.
func howMany(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

func (d *drawing) colour(level int) string { return levelColours[level%len(levelColours)] }

// arrows writes the links between drawn pages, as curves that are drawn before the boxes.
func (d *drawing) arrows(b *strings.Builder) {
	for _, list := range d.columns {
		for _, from := range list {
			for i, n := range from.links {
				if to := d.box[n.LinksTo]; to != nil {
					d.arrow(b, from, min(i, from.most()), to)
				}
			}
		}
	}
}

// arrow writes one link, from its line in the box of its page; all links without a line of
// their own start at the line below the last one.
func (d *drawing) arrow(b *strings.Builder, from *levelBox, line int, to *levelBox) {
	x1, y1 := from.x+boxWidth, from.y+titleLine+lineUp*line+lineUp/2
	x2, y2 := to.x-2, to.y+titleLine/2+1
	bend := boxGap / 2
	fmt.Fprintf(b, `<path d="M%d %dC%d %d %d %d %d %d" fill="none" stroke="%s" stroke-opacity="0.55" stroke-width="1.2" marker-end="url(#tip)"/>`+"\n",
		x1, y1, x1+bend, y1, x2-bend, y2, x2, y2, d.colour(from.page.Level))
}

// pages writes the boxes, and below each column how many pages were left out.
func (d *drawing) pages(b *strings.Builder) {
	for level, list := range d.columns {
		for _, p := range list {
			d.page(b, p)
		}
		if d.more[level] > 0 && len(list) > 0 {
			last := list[len(list)-1]
			fmt.Fprintf(b, `<text x="%d" y="%d" fill="#666666">and %s more</text>`+"\n", last.x+4, last.y+last.height()+boxSpace+4, howMany(d.more[level], "page"))
		}
	}
}

// page writes one box: the title of the page and its first links.
func (d *drawing) page(b *strings.Builder, p *levelBox) {
	colour := d.colour(p.page.Level)
	fmt.Fprintf(b, `<g><title>%s</title><rect x="%d" y="%d" width="%d" height="%d" rx="4" fill="#ffffff" stroke="%s"/>`,
		safe(string(p.page.URL)), p.x, p.y, boxWidth, p.height(), colour)
	fmt.Fprintf(b, `<path d="M%d %dh%dv%dh-%dz" fill="%s" fill-opacity="0.14"/>`, p.x, p.y, boxWidth, titleLine, boxWidth, colour)
	fmt.Fprintf(b, `<text x="%d" y="%d" font-weight="bold">%s</text>`, p.x+8, p.y+14, safe(shortened(p.name(), 33)))
	for i, n := range p.links[:p.shown()] {
		fmt.Fprintf(b, `<text x="%d" y="%d" fill="#333333">%s</text>`, p.x+8, p.y+titleLine+lineUp*i+13, safe(shortened(linkLabel(n), 38)))
	}
	if rest := len(p.links) - p.shown(); rest > 0 {
		fmt.Fprintf(b, `<text x="%d" y="%d" fill="#666666">and %s more</text>`, p.x+8, p.y+titleLine+lineUp*p.shown()+13, howMany(rest, "link"))
	}
	b.WriteString("</g>\n")
}

// name returns the title of a page, or its URL without the scheme.
func (b *levelBox) name() string {
	if b.page.Title != "" {
		return b.page.Title
	}
	s := string(b.page.URL)
	if _, rest, ok := strings.Cut(s, "://"); ok {
		s = rest
	}
	return s
}

// linkLabel returns the name of a node and the first of its anchor, its text and its URL
// that is not empty.
func linkLabel(n *Node) string {
	for _, s := range []string{n.Anchor, n.Around, string(n.LinksTo)} {
		if s = strings.TrimSpace(s); s != "" {
			return n.ID + "  " + s
		}
	}
	return n.ID
}

// shortened returns at most n characters of a text, with an ellipsis if it was cut.
func shortened(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:n-1])) + "…"
}

// safe makes text from the web fit for XML: without markup, control characters, and
// characters that change the direction of writing.
func safe(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == 0xfffe || r == 0xffff {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	return html.EscapeString(s)
}
