package report

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
	"unicode"

	"dowse/internal/plain"
)

// A colour has a value for light pages and one for dark pages, both with a
// contrast of at least 4.5 to 1 against their background (WCAG AA for text).
type colour struct{ light, dark string }

// palette holds the colours of lines. Teal and orange come first; neighbours
// differ in more than hue. Colour is never the only difference between lines:
// see dashes and shapes.
var palette = []colour{
	{"#0f766e", "#2dd4bf"}, {"#c2410c", "#fb923c"}, {"#4338ca", "#a5b4fc"}, {"#a21caf", "#e879f9"},
	{"#4d7c0f", "#a3e635"}, {"#0369a1", "#38bdf8"}, {"#92400e", "#fbbf24"}, {"#be123c", "#fb7185"},
}

// Colours of text, grid and backgrounds.
var (
	ink   = colour{"#1b2430", "#e8ebef"}
	muted = colour{"#4b5765", "#aab4c0"}
	faint = colour{"#dfe3e8", "#333c47"}
	paper = colour{"#ffffff", "#14181d"}
	panel = colour{"#f4f6f8", "#1c2229"}
)

// dashes and shapes repeat with periods of 4 and 6, so twelve lines differ
// without colour.
var dashes = []string{"", "7 3", "2 3", "10 3 2 3"}

// shapes is the number of shapes that drawShape knows.
const shapes = 6

// Styles without a colour, a dash and a shape of their own.
const (
	boundStyle = -1 // the oracle: grey, long dashes
	restStyle  = -2 // those that a figure does not name: grey, thin
)

// sheet returns the style sheet of drawings: colours are variables, set at root
// for light pages and redefined for dark ones. Printing uses the light ones. A
// drawing refers to a colour by its class alone, so that one drawing serves
// both.
func sheet(root string) string {
	vars := func(pick func(colour) string) string {
		var b strings.Builder
		for i, c := range palette {
			fmt.Fprintf(&b, "--c%d:%s;", i, pick(c))
		}
		fmt.Fprintf(&b, "--ink:%s;--muted:%s;--faint:%s;--paper:%s;--panel:%s", pick(ink), pick(muted), pick(faint), pick(paper), pick(panel))
		return b.String()
	}
	light := vars(func(c colour) string { return c.light })
	dark := vars(func(c colour) string { return c.dark })
	var b strings.Builder
	fmt.Fprintf(&b, "%s{%s}\n@media screen and (prefers-color-scheme:dark){%s{%s}}\n", root, light, root, dark)
	for i := range palette {
		fmt.Fprintf(&b, ".c%d{--c:var(--c%d)}", i, i)
	}
	b.WriteString(`.bound,.rest{--c:var(--muted)}
.line{fill:none;stroke:var(--c);stroke-width:2;stroke-linejoin:round}
.thin{fill:none;stroke:var(--c);stroke-width:1;opacity:.45}
.thin.rest{opacity:.3}
.span{stroke:var(--c);stroke-width:3;opacity:.45;fill:none}
.doubt{font-weight:600}
.band{fill:var(--c);opacity:.1;stroke:none}
.band.strong{opacity:.25}
.mark{fill:var(--c);stroke:var(--paper);stroke-width:1}
.name{fill:var(--c)}
.tie{stroke:var(--c);fill:none;stroke-width:1;opacity:.6}
.grid{stroke:var(--faint);fill:none}
.axis{stroke:var(--muted);fill:none}
.tick{fill:var(--muted)}
.what{fill:var(--ink)}
.title{fill:var(--ink);font-weight:600;font-size:15px}
.back{fill:var(--paper)}
`)
	return b.String()
}

// class returns the CSS class of a style.
func class(style int) string {
	switch style {
	case boundStyle:
		return "bound"
	case restStyle:
		return "rest"
	}
	return "c" + strconv.Itoa(style%len(palette))
}

// dash returns the dash pattern of a style, as stroke-dasharray has it.
func dash(style int) string {
	switch style {
	case boundStyle:
		return "12 4"
	case restStyle:
		return ""
	}
	return dashes[style%len(dashes)]
}

// shape draws the shape of a style at a point; "" for styles without one.
func shape(style int, x, y float64) string {
	if style < 0 {
		return ""
	}
	return drawShape(style%shapes, class(style), x, y)
}

// drawShape draws the i-th shape, of about 8 pixels, centred at a point:
// circle, triangle, square, diamond, inverted triangle, cross.
func drawShape(i int, class string, x, y float64) string {
	const r = 4.0
	at := func(points ...float64) string {
		var b strings.Builder
		for i := 0; i < len(points); i += 2 {
			fmt.Fprintf(&b, "%.1f,%.1f ", x+r*points[i], y+r*points[i+1])
		}
		return fmt.Sprintf(`<polygon class="mark %s" points="%s"/>`, class, strings.TrimSpace(b.String()))
	}
	switch i {
	case 0:
		return fmt.Sprintf(`<circle class="mark %s" cx="%.1f" cy="%.1f" r="%.1f"/>`, class, x, y, r)
	case 1:
		return at(0, -1.2, 1.1, 0.9, -1.1, 0.9)
	case 2:
		return at(-0.9, -0.9, 0.9, -0.9, 0.9, 0.9, -0.9, 0.9)
	case 3:
		return at(0, -1.3, 1.3, 0, 0, 1.3, -1.3, 0)
	case 4:
		return at(0, 1.2, 1.1, -0.9, -1.1, -0.9)
	}
	return at(-0.4, -1.2, 0.4, -1.2, 0.4, -0.4, 1.2, -0.4, 1.2, 0.4, 0.4, 0.4, 0.4, 1.2, -0.4, 1.2, -0.4, 0.4, -1.2, 0.4, -1.2, -0.4, -0.4, -0.4)
}

// clean makes an untrusted text fit for a page: no control characters, no marks
// that change the direction of what follows (with which a URL could be made to
// look like another one), valid UTF-8, and at most n characters, cut in the
// middle. It does not escape; that depends on where the text goes.
func clean(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == '\u2028', r == '\u2029', r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	if r := []rune(s); len(r) > n {
		half := (n - 1) / 2
		return string(r[:n-1-half]) + "…" + string(r[len(r)-half:])
	}
	return s
}

// ending is clean, but keeps the end of a long text: paths of topics differ
// there.
func ending(s string, n int) string {
	return plain.FitEnd(clean(s, 1000), n)
}

// escape is clean for HTML and SVG.
func escape(s string, n int) string { return html.EscapeString(clean(s, n)) }

// grouped formats a whole number with commas between thousands.
func grouped(v float64) string {
	s := strconv.FormatFloat(math.Abs(v), 'f', 0, 64)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if v < 0 && s != "0" {
		return "−" + s
	}
	return s
}

// textWidth estimates the width of a text in the 13-pixel font of drawings, in
// pixels. It is on the safe side for most texts; the reader's font is unknown.
func textWidth(s string) float64 { return 7 * float64(len([]rune(s))) }
