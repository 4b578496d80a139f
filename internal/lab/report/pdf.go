package report

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strconv"
	"strings"
)

// A small writer of PDF 1.4: one page of paths and texts, without a library. Texts are
// texts in Helvetica and Helvetica bold, two of the fourteen fonts that every reader of PDF
// has, so that no font file is needed and words can be searched and copied. Characters
// outside of the encoding of Windows are written as question marks.

// pointsPerPixel makes figures as wide in print as they are on a page: 96 pixels to an
// inch, which has 72 points.
const pointsPerPixel = 0.75

// pdf returns the image as a PDF file. The same image gives the same bytes: the file has no
// date.
func (v *vectorImage) pdf() ([]byte, error) {
	content, opacities := v.content()
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	if _, err := z.Write([]byte(content)); err != nil {
		return nil, fmt.Errorf("report: pdf: %w", err)
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("report: pdf: %w", err)
	}
	states := ""
	for i, o := range opacities {
		states += fmt.Sprintf("/G%d <</ca %g /CA %g>> ", i, o, o)
	}
	font := func(name string) string {
		return "<</Type /Font /Subtype /Type1 /BaseFont /" + name + " /Encoding /WinAnsiEncoding>>"
	}
	objects := []string{
		"<</Type /Catalog /Pages 2 0 R>>",
		"<</Type /Pages /Kids [3 0 R] /Count 1>>",
		fmt.Sprintf("<</Type /Page /Parent 2 0 R /MediaBox [0 0 %.2f %.2f] /Contents 4 0 R /Resources <</Font <</F1 5 0 R /F2 6 0 R>> /ExtGState <<%s>>>>>>",
			v.width*pointsPerPixel, v.height*pointsPerPixel, states),
		fmt.Sprintf("<</Length %d /Filter /FlateDecode>>\nstream\n%s\nendstream", packed.Len(), packed.String()),
		font("Helvetica"), font("Helvetica-Bold"),
		"<</Title " + pdfString(winAnsi(v.title)) + " /Producer (dowse)>>",
	}
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	var offsets []int
	for i, o := range objects {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d /Root 1 0 R /Info %d 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, len(objects), start)
	return b.Bytes(), nil
}

// content returns the operators of the page and the opacities that they name. The page is
// turned over, since PDF counts upwards.
func (v *vectorImage) content() (string, []float64) {
	var b strings.Builder
	var opacities []float64
	named := map[float64]int{}
	fmt.Fprintf(&b, "%g 0 0 %g 0 %.2f cm\n", pointsPerPixel, -pointsPerPixel, v.height*pointsPerPixel)
	for _, s := range v.shapes {
		switch {
		case s.unclip:
			b.WriteString("Q\n")
			continue
		case s.clip:
			fmt.Fprintf(&b, "q\n%sW n\n", pdfPath(s.path))
			continue
		}
		b.WriteString("q\n")
		if s.opacity < 1 {
			n, ok := named[s.opacity]
			if !ok {
				n = len(opacities)
				named[s.opacity] = n
				opacities = append(opacities, s.opacity)
			}
			fmt.Fprintf(&b, "/G%d gs\n", n)
		}
		if s.path != nil {
			b.WriteString(s.painted())
		} else {
			b.WriteString(s.printed())
		}
		b.WriteString("Q\n")
	}
	return b.String(), opacities
}

// painted returns the operators of a path.
func (s *vectorShape) painted() string {
	var b strings.Builder
	paint := "n"
	if s.fill != "" {
		b.WriteString(pdfColour(s.fill) + " rg\n")
		paint = "f"
	}
	if s.stroke != "" {
		fmt.Fprintf(&b, "%s RG\n%g w 1 j [%s] 0 d\n", pdfColour(s.stroke), s.width, strings.Trim(fmt.Sprint(s.dash), "[]"))
		paint = map[bool]string{true: "B", false: "S"}[s.fill != ""]
	}
	return b.String() + pdfPath(s.path) + paint + "\n"
}

// printed returns the operators of a text.
func (s *vectorShape) printed() string {
	text := winAnsi(s.text)
	width := helveticaWidth(text) * s.size / 1000
	font := "F1"
	if s.bold {
		font, width = "F2", width*boldWidth
	}
	shift := map[string]float64{"middle": -width / 2, "end": -width}[s.anchor]
	matrix := fmt.Sprintf("1 0 0 -1 %.2f %.2f", s.x+shift, s.y)
	if s.turned {
		matrix = fmt.Sprintf("0 -1 -1 0 %.2f %.2f", s.x, s.y-shift)
	}
	return fmt.Sprintf("%s rg\nBT /%s %g Tf %s Tm %s Tj ET\n", pdfColour(s.fill), font, s.size, matrix, pdfString(text))
}

// pdfPath returns a path as operators.
func pdfPath(list []vectorMove) string {
	var b strings.Builder
	for _, m := range list {
		n, op := 1, map[byte]string{'M': "m", 'L': "l", 'C': "c", 'Z': "h"}[m.op]
		switch m.op {
		case 'C':
			n = 3
		case 'Z':
			n = 0
		}
		for i := range n {
			fmt.Fprintf(&b, "%.2f %.2f ", m.points[i][0], m.points[i][1])
		}
		b.WriteString(op + "\n")
	}
	return b.String()
}

// pdfColour returns #rrggbb as three numbers from 0 to 1.
func pdfColour(hex string) string {
	v, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
	if err != nil {
		return "0 0 0"
	}
	return fmt.Sprintf("%.3f %.3f %.3f", float64(v>>16&255)/255, float64(v>>8&255)/255, float64(v&255)/255)
}

// pdfString returns bytes as a string of PDF.
func pdfString(s []byte) string {
	r := strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`, "\n", " ", "\r", " ")
	return "(" + r.Replace(string(s)) + ")"
}

// winAnsi encodes a text for the two fonts.
func winAnsi(s string) []byte {
	extra := map[rune]byte{'–': 0x96, '—': 0x97, '‘': 0x91, '’': 0x92, '“': 0x93, '”': 0x94, '…': 0x85, '•': 0x95, '€': 0x80, '−': '-'}
	var b []byte
	for _, r := range s {
		switch c, ok := extra[r]; {
		case ok:
			b = append(b, c)
		case r >= 0x20 && r < 0x7f || r >= 0xa0 && r <= 0xff:
			b = append(b, byte(r))
		default:
			b = append(b, '?')
		}
	}
	return b
}

// helveticaWidths are the widths of the characters from space to ~ in thousandths of the
// size of the font, from the metrics that Adobe published for Helvetica.
var helveticaWidths = [...]float64{
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
	556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
	1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
	667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
	333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
	556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
}

const (
	otherWidth = 556  // of characters beyond ~, most of which are letters
	boldWidth  = 1.05 // of bold against regular text, about
)

// helveticaWidth returns the width of a text in thousandths of the size of the font.
func helveticaWidth(s []byte) (sum float64) {
	for _, c := range s {
		if c >= ' ' && int(c-' ') < len(helveticaWidths) {
			sum += helveticaWidths[c-' ']
		} else {
			sum += otherWidth
		}
	}
	return sum
}
