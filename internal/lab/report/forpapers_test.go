package report

import (
	"bytes"
	"compress/zlib"
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestFigureFiles writes all figures of a report in all formats. Each has its data, the SVG
// is well formed and refers to no style sheet, the PDF is one that a reader accepts, and the
// file for pgfplots names the data.
func TestFigureFiles(t *testing.T) {
	r := madeReport(t)
	files := map[string][]byte{}
	for _, f := range r.Files(Files{Figures: "svg,pdf,tex"}) {
		var b, again bytes.Buffer
		if err := f.Write(&b); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if err := f.Write(&again); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
			t.Errorf("%s: written twice it differs: %v", f.Name, err)
		}
		files[f.Name] = b.Bytes()
	}
	for _, name := range []string{"ranking", "harvest", "recall", "differences"} {
		svg, pdf, tex := files["figures/"+name+".svg"], files["figures/"+name+".pdf"], string(files["figures/"+name+".tex"])
		if err := xml.Unmarshal(svg, new(struct{})); err != nil {
			t.Errorf("%s.svg: %v", name, err)
		}
		if bytes.Contains(svg, []byte("class=")) || bytes.Contains(svg, []byte("var(")) {
			t.Errorf("%s.svg refers to a style sheet", name)
		}
		if !strings.Contains(tex, "{"+name+".csv}") || !strings.Contains(tex, `table[search path={.,\dowsefigures}, `) || strings.Count(tex, `\begin{`) != strings.Count(tex, `\end{`) {
			t.Errorf("%s.tex does not read its data, or is not closed:\n%s", name, tex)
		}
		if strings.Contains(tex, "outer") || strings.Contains(tex, `\addlegendentry`) && !strings.Contains(tex, "anchor=north") {
			t.Errorf("%s.tex has its legend next to the axis, which is as wide as the column:\n%s", name, tex)
		}
		rows, err := csv.NewReader(bytes.NewReader(files["figures/"+name+".csv"])).ReadAll()
		if err != nil || len(rows) < 3 {
			t.Errorf("%s.csv: %d rows, %v", name, len(rows), err)
		}
		text := pdfText(t, name, pdf)
		if !strings.Contains(text, "Tj") || !strings.Contains(text, "cm") {
			t.Errorf("%s.pdf has no text", name)
		}
		if name == "harvest" && !strings.Contains(text, "(otie ") {
			t.Errorf("%s.pdf does not name its curves", name)
		}
	}
}

// pdfText checks that the offsets of a PDF are right and returns the operators of its page.
func pdfText(t *testing.T, name string, pdf []byte) string {
	t.Helper()
	for i, m := range regexp.MustCompile(`(?m)^(\d{10}) 00000 n `).FindAllSubmatch(pdf, -1) {
		at, _ := strconv.Atoi(string(m[1]))
		if want := fmt.Sprintf("%d 0 obj", i+1); !bytes.HasPrefix(pdf[at:], []byte(want)) {
			t.Errorf("%s.pdf: object %d is not at %d", name, i+1, at)
		}
	}
	start := bytes.LastIndex(pdf, []byte("startxref\n"))
	at, err := strconv.Atoi(strings.Fields(string(pdf[start+10:]))[0])
	if err != nil || !bytes.HasPrefix(pdf[at:], []byte("xref")) {
		t.Errorf("%s.pdf: the table of objects is not at %d: %v", name, at, err)
	}
	_, rest, _ := bytes.Cut(pdf, []byte("stream\n"))
	z, err := zlib.NewReader(bytes.NewReader(rest))
	if err != nil {
		t.Fatalf("%s.pdf: %v", name, err)
	}
	page, err := io.ReadAll(z)
	if err != nil {
		t.Fatalf("%s.pdf: %v", name, err)
	}
	return string(page)
}

// TestDrawingsAreReadWhole checks that what cannot be drawn is an error, and that colours,
// dashes and places are those of the page.
func TestDrawingsAreReadWhole(t *testing.T) {
	for _, svg := range []string{
		`<svg viewBox="0 0 9 9"><ellipse/></svg>`, `<svg viewBox="0 0 9 9"><path d="M1 1A2 2"/></svg>`, `<svg viewBox="0 0 9 9"><path d="M1"/></svg>`,
		`<svg viewBox="0 0 9 9"><text transform="skewX(3)">x</text></svg>`, `<svg><path`, `<svg viewBox="wide"></svg>`,
	} {
		if _, err := readDrawing(svg); err == nil {
			t.Errorf("%s was read without an error", svg)
		}
	}
	v, err := readDrawing(`<svg viewBox="0 0 90 60" aria-label="a &amp; b"><path class="line c1" stroke-dasharray="7 3" d="M1 2H5v4Z"><title>no</title></path><text class="tick" x="3" y="4" text-anchor="end">(50 %) −1 …</text></svg>`)
	if err != nil {
		t.Fatal(err)
	}
	line, text := v.shapes[0], v.shapes[1]
	if line.stroke != palette[1].light || line.fill != "" || line.width != 2 || fmt.Sprint(line.dash) != "[7 3]" || pathData(line.path) != "M1.0 2.0L5.0 2.0L5.0 6.0Z" {
		t.Errorf("a line: %+v", line)
	}
	if text.text != "(50 %) −1 …" || text.anchor != "end" || text.fill != muted.light {
		t.Errorf("a text: %+v", text)
	}
	if got := text.printed(); !strings.Contains(got, `(\(50 %\) -1 `+"\x85)") {
		t.Errorf("a text in PDF: %q", got)
	}
}
