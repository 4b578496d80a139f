package lab

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"testing"
)

func TestMean(t *testing.T) {
	l := Mean("x", [][]float64{{1, 2, 3}, {3, 2}})
	if len(l.Points) != 2 || l.Points[0].Y != 2 || l.Points[0].Err != 1 || l.Points[1].Err != 0 {
		t.Errorf("mean of two runs: %+v", l.Points)
	}
	if one := Mean("x", [][]float64{{0.5}}); one.Points[0].Err != 0 {
		t.Errorf("a single run has no spread: %+v", one.Points)
	}
}

// TestPlot draws many curves that end at nearly the same height: the picture must
// be sound XML, the same each time, and no two names may lie on each other.
func TestPlot(t *testing.T) {
	p := Plot{Title: "a < b & c"}
	for i := range 12 {
		runs := [][]float64{make([]float64, 900), make([]float64, 900)}
		for k := range 900 {
			runs[0][k] = 0.3 + float64(i)/1000
			runs[1][k] = 0.3 + math.Sin(float64(k))/10
		}
		p.Lines = append(p.Lines, Mean(fmt.Sprintf("line %d", i), runs))
	}
	svg := p.SVG()
	if !bytes.Equal(svg, p.SVG()) {
		t.Error("two drawings of one plot differ")
	}
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("not XML: %v", err)
		}
	}
	last := -100.0
	for _, m := range regexp.MustCompile(`y="([0-9.]+)" fill="[^"]*">line`).FindAllSubmatch(svg, -1) {
		y, _ := strconv.ParseFloat(string(m[1]), 64)
		if y-last < 15.9 {
			t.Errorf("names at %.1f and %.1f collide", last, y)
		}
		last = y
	}
	if last < 0 {
		t.Error("no names at all")
	}
}
