package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"testing"
)

func TestMean(t *testing.T) {
	l := Mean("x", [][]float64{{1, 2, 3}, {3, 2}})
	if len(l.Points) != 2 || l.Points[0] != (Point{1, 2, 1, 3}) || l.Points[1] != (Point{2, 2, 2, 2}) {
		t.Errorf("mean of two runs: %+v", l.Points)
	}
	if one := Mean("x", [][]float64{{0.5}}); one.Points[0].Hi != 0.5 {
		t.Errorf("a single run has no spread: %+v", one.Points)
	}
	if none := Mean("x", nil); len(none.Points) != 0 {
		t.Errorf("mean of no runs: %+v", none)
	}
}

func soundXML(t *testing.T, svg []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("not XML: %v", err)
		}
	}
}

// TestPlot draws many curves that end at nearly the same height: the picture must
// be sound XML, the same each time, and no two names may lie on each other.
func TestPlot(t *testing.T) {
	p := Plot{Title: "a < b & c\u202e"}
	for i := range 12 {
		runs := [][]float64{make([]float64, 900), make([]float64, 900)}
		for k := range 900 {
			runs[0][k] = 0.3 + float64(i)/1000
			runs[1][k] = 0.3 + math.Sin(float64(k))/10
		}
		p.Lines = append(p.Lines, Mean(fmt.Sprintf("line %d", i), runs))
	}
	p.Lines[11].Bound = true
	svg := p.SVG()
	if !bytes.Equal(svg, p.SVG()) {
		t.Error("two drawings of one plot differ")
	}
	soundXML(t, svg)
	var ys []float64
	for _, m := range regexp.MustCompile(`<text class="name [^"]*" x="[0-9.]+" y="([0-9.]+)">line`).FindAllSubmatch(svg, -1) {
		y, _ := strconv.ParseFloat(string(m[1]), 64)
		ys = append(ys, y)
	}
	slices.Sort(ys)
	if len(ys) != 12 {
		t.Fatalf("%d names of 12", len(ys))
	}
	for i := 1; i < len(ys); i++ {
		if ys[i]-ys[i-1] < 15.8 {
			t.Errorf("names at %.1f and %.1f collide", ys[i-1], ys[i])
		}
	}
}

func TestPlotOfNothing(t *testing.T) {
	soundXML(t, Plot{}.SVG())
	soundXML(t, Plot{Lines: []Line{{Name: "none"}, {Name: "odd", Points: []Point{{1, math.NaN(), math.Inf(1), math.NaN()}}}}}.SVG())
}

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		want, got []float64
	}{
		{[]float64{10, 50, 90}, []float64{10, 50, 90}},
		{[]float64{50, 50}, []float64{45, 55}},
		{[]float64{0, 0, 0}, []float64{0, 10, 20}},
		{[]float64{100, 100, 30}, []float64{90, 100, 30}},
		{[]float64{50, 52, 61}, []float64{44.333333333333336, 54.333333333333336, 64.33333333333334}},
	} {
		if got := spread(c.want, 10, 0, 100); !slices.EqualFunc(got, c.got, func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }) {
			t.Errorf("%v is spread to %v, want %v", c.want, got, c.got)
		}
	}
}

// TestContrast: all colours can be read as text on their page (WCAG AA).
func TestContrast(t *testing.T) {
	for _, c := range append(slices.Clone(palette), ink, muted) {
		for _, back := range []colour{paper, panel} {
			for _, pair := range [][2]string{{c.light, back.light}, {c.dark, back.dark}} {
				if r := contrast(pair[0], pair[1]); r < 4.5 {
					t.Errorf("%s on %s has contrast %.2f, want 4.5", pair[0], pair[1], r)
				}
			}
		}
	}
}

func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(hex string) float64 {
	v, _ := strconv.ParseUint(hex[1:], 16, 32)
	channel := func(shift uint) float64 {
		c := float64(v>>shift&255) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(16) + 0.7152*channel(8) + 0.0722*channel(0)
}

// TestScatterScales: shares that lie far apart are drawn by their logarithm, and the line of
// chance lies within the frame.
func TestScatterScales(t *testing.T) {
	field := frame{left: 0, right: 100, top: 0, bottom: 100}
	far := dotFrame([]dot{{x: 0.01, y: 0.02}, {x: 0.2, y: 0.8}}, field)
	near := dotFrame([]dot{{x: 0.01, y: 0.5}, {x: 0.2, y: 0.8}}, field)
	none := dotFrame([]dot{{x: 0.01, y: 0}}, field)
	if !far.logY || near.logY || none.logY || near.minY != 0 || none.maxY <= 0 {
		t.Errorf("frames %+v\n%+v\n%+v", far, near, none)
	}
	for _, f := range []frame{far, near, none} {
		for _, c := range f.chance() {
			if c == '-' || c == 'N' || c == 'I' {
				t.Fatalf("the line leaves the frame: %s", f.chance())
			}
		}
		if len(f.levels()) < 2 {
			t.Errorf("levels %v", f.levels())
		}
	}
	if got := far.y(0.02 * 6.324555320336759); math.Abs(got-50) > 1 { // the middle of 0.02 and 0.8 by ratio
		t.Errorf("the middle is at %g", got)
	}
}
