package report

import (
	"html"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

var (
	narrowDrawing = regexp.MustCompile(`(?s)<div class="narrow">(.*?)</div>`)
	viewBox       = regexp.MustCompile(`^<svg viewBox="0 0 (\d+) (\d+)"`)
	textAt        = regexp.MustCompile(`<text class="[^"]*"(?: font-size="(\d+)")? x="([-0-9.]+)" y="([-0-9.]+)"(?: text-anchor="(\w+)")?>([^<]*)</text>`)
)

// TestNarrowDrawings: every drawing of a page has a twin for phones, of which no text
// leaves the drawing, none is small, and none lies on another.
func TestNarrowDrawings(t *testing.T) {
	for name, r := range map[string]*Report{"few": madeReport(t), "many": crowd(t, 20)} {
		var page strings.Builder
		if err := r.HTML(&page); err != nil {
			t.Fatal(err)
		}
		drawings := narrowDrawing.FindAllStringSubmatch(page.String(), -1)
		if n := strings.Count(page.String(), `class="scroll broad"`); n < 6 || n != len(drawings) {
			t.Fatalf("%s: %d drawings, %d of them for phones", name, n, len(drawings))
		}
		for _, d := range drawings {
			checkNarrow(t, name, d[1])
		}
	}
}

func checkNarrow(t *testing.T, name, svg string) {
	t.Helper()
	size := viewBox.FindStringSubmatch(svg)
	if size == nil || size[1] != strconv.Itoa(narrow) {
		t.Errorf("%s: not %d wide: %.80s", name, narrow, svg)
		return
	}
	height, _ := strconv.ParseFloat(size[2], 64)
	var full []box
	for _, m := range textAt.FindAllStringSubmatch(svg, -1) {
		b := textBox(m)
		if px, err := strconv.Atoi(m[1]); err == nil && px < 11 {
			t.Errorf("%s: %q is %d high", name, m[5], px)
		}
		if b.left < -3 || b.right > narrow+3 || b.bottom > height {
			t.Errorf("%s: %q leaves the drawing of %.0f: %+v", name, m[5], height, b)
		}
		if !b.free(full, frame{left: -3, right: narrow + 3, top: -5, bottom: height}) {
			t.Errorf("%s: %q lies on another text: %+v", name, m[5], b)
		}
		full = append(full, b)
	}
}

// textBox is about the field that a text covers.
func textBox(m []string) box {
	px := 13.0
	if v, err := strconv.ParseFloat(m[1], 64); err == nil {
		px = v
	}
	x, _ := strconv.ParseFloat(m[2], 64)
	y, _ := strconv.ParseFloat(m[3], 64)
	w := 0.5 * px * float64(utf8.RuneCountInString(html.UnescapeString(m[5])))
	switch m[4] {
	case "end":
		x -= w
	case "middle":
		x -= w / 2
	}
	return box{x, y - 0.7*px, x + w, y}
}
