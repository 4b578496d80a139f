package report

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Drawings as files for papers. The drawings of a page refer to a style sheet with variables,
// which browsers understand and few other programs do. Here such a drawing is read into
// shapes with colours and widths of their own, in the light colours, and written as SVG
// with attributes alone or as PDF (pdf.go). Both show what the page shows, because both are
// made of it. What cannot be read is an error: a figure with a line missing would be worse
// than none.

// A vectorImage is a drawing as shapes, in pixels, with y down.
type vectorImage struct {
	title  string
	width  float64
	height float64
	shapes []vectorShape
}

// A vectorShape is a path or a text. A shape with clip begins a part that is cut to a
// rectangle, and one with unclip ends it.
type vectorShape struct {
	path         []vectorMove
	text         string
	x, y         float64 // of a text
	anchor       string  // start, middle or end
	turned       bool    // a text that reads upwards
	size         float64
	bold         bool
	fill, stroke string // as #rrggbb; "" for none
	width        float64
	dash         []float64
	opacity      float64
	clip, unclip bool
}

// A vectorMove is one step of a path: to M or L a point, along C a curve, or Z back to the
// beginning.
type vectorMove struct {
	op     byte
	points [3][2]float64
}

// readDrawing reads a drawing of this package.
func readDrawing(svg string) (*vectorImage, error) {
	r := &drawingReader{image: &vectorImage{}}
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		switch {
		case errors.Is(err, io.EOF):
			return r.image, nil
		case err != nil:
			return nil, fmt.Errorf("report: read drawing: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			err = r.begin(t)
		case xml.CharData:
			if r.writing != nil {
				r.writing.text += string(t)
			}
		case xml.EndElement:
			r.end(t.Name.Local)
		}
		if err != nil {
			return nil, fmt.Errorf("report: read drawing: %w", err)
		}
	}
}

// A drawingReader reads one drawing.
type drawingReader struct {
	image   *vectorImage
	depth   int          // of svg elements
	writing *vectorShape // the text that is being read
}

// begin reads the start of an element.
func (r *drawingReader) begin(e xml.StartElement) (err error) {
	at := attributes(e)
	switch e.Name.Local {
	case "svg":
		if r.depth++; r.depth == 1 {
			return r.open(at)
		}
		box := vectorShape{clip: true, path: rectangle(at.number("x"), at.number("y"), at.number("width"), at.number("height"))}
		r.image.shapes = append(r.image.shapes, box)
	case "path":
		s := at.shape()
		if s.path, err = parsePath(at["d"]); err == nil {
			r.image.shapes = append(r.image.shapes, s)
		}
	case "rect":
		s := at.shape()
		s.path = rectangle(at.number("x"), at.number("y"), at.number("width"), at.number("height"))
		r.image.shapes = append(r.image.shapes, s)
	case "circle":
		s := at.shape()
		s.path = circle(at.number("cx"), at.number("cy"), at.number("r"))
		r.image.shapes = append(r.image.shapes, s)
	case "polygon":
		s := at.shape()
		if s.path, err = parsePath("M" + strings.ReplaceAll(strings.ReplaceAll(at["points"], ",", " "), "  ", " ") + "Z"); err == nil {
			r.image.shapes = append(r.image.shapes, s)
		}
	case "text":
		s := at.shape()
		s.x, s.y, s.anchor = at.number("x"), at.number("y"), at["text-anchor"]
		if move, turn, ok := strings.Cut(at["transform"], ") rotate("); ok && turn == "-90)" {
			s.turned = true
			if _, err := fmt.Sscanf(move, "translate(%f %f", &s.x, &s.y); err != nil {
				return fmt.Errorf("transform %q: %w", at["transform"], err)
			}
		} else if at["transform"] != "" {
			return fmt.Errorf("transform %q is not understood", at["transform"])
		}
		r.writing = &s
	case "title", "style": // not drawn
	default:
		return fmt.Errorf("element %q is not understood", e.Name.Local)
	}
	return err
}

// open reads the outermost element: the size of the drawing, and its label.
func (r *drawingReader) open(at attributeMap) error {
	var x, y float64
	if _, err := fmt.Sscanf(at["viewBox"], "%f %f %f %f", &x, &y, &r.image.width, &r.image.height); err != nil {
		return fmt.Errorf("viewBox %q: %w", at["viewBox"], err)
	}
	r.image.title = at["aria-label"]
	return nil
}

// end reads the end of an element.
func (r *drawingReader) end(name string) {
	switch name {
	case "svg":
		if r.depth--; r.depth > 0 {
			r.image.shapes = append(r.image.shapes, vectorShape{unclip: true})
		}
	case "text":
		r.image.shapes = append(r.image.shapes, *r.writing)
		r.writing = nil
	}
}

// attributeMap are the attributes of an element.
type attributeMap map[string]string

func attributes(e xml.StartElement) attributeMap {
	at := attributeMap{}
	for _, a := range e.Attr {
		at[a.Name.Local] = a.Value
	}
	return at
}

// number returns an attribute as a number, 0 if it has none.
func (at attributeMap) number(name string) float64 {
	v, err := strconv.ParseFloat(strings.TrimSuffix(at[name], "px"), 64)
	if err != nil {
		return 0
	}
	return v
}

// shape returns a shape with the style of an element: that of its classes, as in sheet, and
// its own attributes.
func (at attributeMap) shape() vectorShape {
	s := vectorShape{opacity: 1, size: 13, fill: ink.light, width: 1}
	classes := strings.Fields(at["class"])
	colour := muted.light
	for _, c := range classes {
		for i := range palette {
			if c == class(i) {
				colour = palette[i].light
			}
		}
	}
	for _, c := range classes {
		s.style(c, colour)
	}
	if v := at.number("font-size"); v > 0 {
		s.size = v
	}
	s.bold = s.bold || at["font-weight"] == "600"
	for part := range strings.FieldsSeq(strings.ReplaceAll(at["stroke-dasharray"], ",", " ")) {
		if v, err := strconv.ParseFloat(part, 64); err == nil {
			s.dash = append(s.dash, v)
		}
	}
	return s
}

// style applies a class of the style sheet.
func (s *vectorShape) style(class, colour string) {
	lined := func(c string, width, opacity float64) {
		s.fill, s.stroke, s.width, s.opacity = "", c, width, opacity
	}
	switch class {
	case "line":
		lined(colour, 2, 1)
	case "thin":
		lined(colour, 1, 0.45)
	case "rest":
		if s.stroke != "" && s.width == 1 {
			s.opacity = 0.3
		}
	case "span":
		lined(colour, 3, 0.45)
	case "tie":
		lined(colour, 1, 0.6)
	case "grid":
		lined(faint.light, 1, 1)
	case "axis":
		lined(muted.light, 1, 1)
	case "band":
		s.fill, s.stroke, s.opacity = colour, "", 0.1
	case "strong":
		s.opacity = 0.25
	case "mark":
		s.fill, s.stroke, s.width = colour, paper.light, 1
	case "name":
		s.fill = colour
	case "tick":
		s.fill = muted.light
	case "doubt":
		s.bold = true
	case "title":
		s.bold, s.size = true, 15
	case "back":
		s.fill = paper.light
	}
}

// rectangle returns the path of a rectangle.
func rectangle(x, y, w, h float64) []vectorMove {
	at := func(op byte, x, y float64) vectorMove { return vectorMove{op: op, points: [3][2]float64{{x, y}}} }
	return []vectorMove{at('M', x, y), at('L', x+w, y), at('L', x+w, y+h), at('L', x, y+h), {op: 'Z'}}
}

// circle returns the path of a circle, of four curves.
func circle(x, y, r float64) []vectorMove {
	k := r * 4 / 3 * (math.Sqrt2 - 1)
	curve := func(a, b, c, d, e, f float64) vectorMove {
		return vectorMove{'C', [3][2]float64{{x + a, y + b}, {x + c, y + d}, {x + e, y + f}}}
	}
	return []vectorMove{
		{'M', [3][2]float64{{x + r, y}}},
		curve(r, k, k, r, 0, r), curve(-k, r, -r, k, -r, 0), curve(-r, -k, -k, -r, 0, -r), curve(k, -r, r, -k, r, 0), {op: 'Z'},
	}
}

// parsePath reads the path data of this package's drawings: M, L, H, V and Z, h and v.
func parsePath(d string) (list []vectorMove, err error) {
	var at [2]float64
	for len(d) > 0 {
		op := d[0]
		d = d[1:]
		end := strings.IndexAny(d, "MLHVZhvz")
		if end < 0 {
			end = len(d)
		}
		numbers, err := numbersOf(d[:end])
		if err != nil {
			return nil, err
		}
		d = d[end:]
		want := map[byte]int{'M': 2, 'L': 2, 'H': 1, 'V': 1, 'h': 1, 'v': 1, 'Z': 0}
		n, known := want[op]
		switch {
		case !known || n == 0 && len(numbers) > 0 || n > 0 && (len(numbers) == 0 || len(numbers)%n != 0):
			return nil, fmt.Errorf("path command %q with %d numbers is not understood", op, len(numbers))
		case n == 0:
			list = append(list, vectorMove{op: 'Z'})
			continue
		}
		for i := 0; i < len(numbers); i += n {
			step := byte('L')
			switch op {
			case 'M', 'L':
				at = [2]float64{numbers[i], numbers[i+1]}
				if op == 'M' && i == 0 {
					step = 'M'
				}
			case 'H':
				at[0] = numbers[i]
			case 'V':
				at[1] = numbers[i]
			case 'h':
				at[0] += numbers[i]
			case 'v':
				at[1] += numbers[i]
			}
			list = append(list, vectorMove{step, [3][2]float64{at}})
		}
	}
	return list, nil
}

// numbersOf reads numbers between spaces.
func numbersOf(s string) (list []float64, err error) {
	for part := range strings.FieldsSeq(s) {
		v, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return nil, fmt.Errorf("path: %w", err)
		}
		list = append(list, v)
	}
	return list, nil
}

// svg returns the image as an SVG file without a style sheet. Texts are texts, in
// Helvetica or what the reader has in its place.
func (v *vectorImage) svg() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g" font-family="Helvetica,Arial,sans-serif">`+"\n", v.width, v.height, v.width, v.height)
	fmt.Fprintf(&b, "<title>%s</title>\n", escape(v.title, 200))
	fmt.Fprintf(&b, `<rect width="%g" height="%g" fill="%s"/>`+"\n", v.width, v.height, paper.light)
	clips := 0
	for _, s := range v.shapes {
		switch {
		case s.clip:
			clips++
			fmt.Fprintf(&b, `<clipPath id="c%d"><path d="%s"/></clipPath><g clip-path="url(#c%d)">`+"\n", clips, pathData(s.path), clips)
		case s.unclip:
			b.WriteString("</g>\n")
		case s.path != nil:
			fmt.Fprintf(&b, `<path d="%s"%s/>`+"\n", pathData(s.path), s.paint())
		default:
			b.WriteString(s.words())
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// paint returns the attributes of a path.
func (s *vectorShape) paint() string {
	var b strings.Builder
	fill := s.fill
	if fill == "" {
		fill = "none"
	}
	fmt.Fprintf(&b, ` fill="%s"`, fill)
	if s.stroke != "" {
		fmt.Fprintf(&b, ` stroke="%s" stroke-width="%g" stroke-linejoin="round"`, s.stroke, s.width)
	}
	if len(s.dash) > 0 {
		fmt.Fprintf(&b, ` stroke-dasharray="%s"`, strings.Trim(fmt.Sprint(s.dash), "[]"))
	}
	if s.opacity < 1 {
		fmt.Fprintf(&b, ` opacity="%g"`, s.opacity)
	}
	return b.String()
}

// words returns a text element.
func (s *vectorShape) words() string {
	place := fmt.Sprintf(`x="%g" y="%g"`, s.x, s.y)
	if s.turned {
		place = fmt.Sprintf(`transform="translate(%g %g) rotate(-90)"`, s.x, s.y)
	}
	if s.anchor != "" {
		place += ` text-anchor="` + s.anchor + `"`
	}
	if s.bold {
		place += ` font-weight="bold"`
	}
	return fmt.Sprintf(`<text %s font-size="%g" fill="%s">%s</text>`+"\n", place, s.size, s.fill, escape(s.text, 200))
}

// pathData returns a path as SVG has it.
func pathData(list []vectorMove) string {
	var b strings.Builder
	for _, m := range list {
		b.WriteByte(m.op)
		n := map[byte]int{'M': 1, 'L': 1, 'C': 3}[m.op]
		for i := range n {
			if i > 0 {
				b.WriteByte(' ')
			}
			fmt.Fprintf(&b, "%.1f %.1f", m.points[i][0], m.points[i][1])
		}
	}
	return b.String()
}
