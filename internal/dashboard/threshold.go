package dashboard

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"dowse/internal/operations"
)

// A thresholdView is a threshold that may be tried, with what it would change.
type thresholdView struct {
	*operations.Thresholds
	ID, Back string
	Tried    string // the threshold that is tried, as the slider has it
	Now      string // the present one
	Says     string // what it would change
	Command  string // the command that sets it
	Prefix   string // the command without the number
	Data     string // the counts, for threshold.js
	Figure   figure
}

// threshold returns the present threshold, or the one that a person tries.
func (d *Dashboard) threshold(ctx context.Context, c *head, tried string) (*thresholdView, error) {
	t, err := d.ops.Thresholds(ctx, c.ID)
	if err != nil {
		return nil, err
	}
	x := t.Threshold
	if tried != "" {
		if x, err = strconv.ParseFloat(tried, 64); err != nil || math.IsNaN(x) || x < 0 || x > 1 {
			return nil, &operations.Error{Kind: operations.Invalid, Field: "value", Err: fmt.Errorf("threshold: got %q, want a number from 0 to 1", tidy(tried, 40))}
		}
	}
	v := &thresholdView{Thresholds: t, ID: c.ID, Back: c.Home + "topic", Tried: score(x), Now: short(t.Threshold), Prefix: command("set", c.Dir, "--threshold") + " "}
	v.Command = v.Prefix + v.Tried
	v.Says = thresholdWords(t, x)
	counts := make([]string, len(t.Counts))
	l := line{Name: "pages on topic", Class: "a"}
	for i, n := range t.Counts {
		counts[i] = strconv.Itoa(n)
		l.Points = append(l.Points, chartPoint{float64(i) / float64(len(t.Counts)-1), float64(n)})
	}
	v.Data = strings.Join(counts, " ")
	v.Figure = figure{ID: "thresholds", Explain: "How many of the fetched pages would be on topic at each threshold, by the present model. Where the line is flat, the threshold hardly matters; where it falls, many pages are near it.", Chart: chart{
		Title: "Pages on topic at each threshold", X: "threshold", Y: "pages on topic", Width: 720, Height: 190, Whole: true, Lines: []line{l}, Marks: []chartMark{{t.Threshold, "now"}},
	}}
	return v, nil
}

// thresholdWords returns in words what a threshold would change.
func thresholdWords(t *operations.Thresholds, x float64) string {
	if score(x) == score(t.Threshold) {
		return fmt.Sprintf("%s of %s pages are on topic", count(t.OnTopic), count(t.Pages))
	}
	n := t.At(x)
	by := "as many as now"
	switch {
	case n > t.OnTopic:
		by = count(n-t.OnTopic) + " more than now"
	case n < t.OnTopic:
		by = count(t.OnTopic-n) + " fewer than now"
	}
	return fmt.Sprintf("%s of %s pages would be on topic, %s", count(n), count(t.Pages), by)
}
