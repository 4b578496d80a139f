package operations

import (
	"context"
	"time"

	"dowse/collection"
	"dowse/internal/facts"
)

// A SeriesQuery selects how a crawl went on.
type SeriesQuery struct {
	Points int // of each curve; default 200, at most maxPoints
	Step   int // instead of Points: pages from one point to the next
	Window int // pages of the moving harvest; default 200
}

// Bounds of a series.
const (
	defaultPoints = 200
	maxPoints     = 2000
	defaultWindow = 200
	maxWindow     = 1_000_000
)

// A Series is how a crawl went on, in points that are evenly spaced over its pages.
type Series struct {
	Points []Point `json:"points" doc:"the curve, in the order of fetching"`
	// Audited is the harvest by the labels of a random sample of the first pages, with its
	// 95 % interval; nil if there was no audit.
	Audited *collection.Audit `json:"audited,omitempty" doc:"the harvest by labels of a random sample"`
	Marks   []Mark            `json:"marks" doc:"when models were put into use"`
	Window  int               `json:"window" doc:"pages of the moving harvest"`
	Pages   int               `json:"pages" doc:"pages in all"`
	Seen    time.Time         `json:"seen" doc:"the moment that the curve shows"`
}

// A Point is the state of a crawl after a number of pages.
type Point struct {
	Pages   int       `json:"pages" doc:"pages fetched until then"`
	At      time.Time `json:"at" doc:"when the last of them was recorded"`
	OnTopic int       `json:"on_topic" doc:"pages on topic until then"`
	Harvest float64   `json:"harvest" doc:"on topic / pages, as the judge sees it now"`
	Moving  float64   `json:"moving" doc:"the same over the last pages of the window"`
	// Rate is over the time since the point before; pauses of the crawl count.
	Rate float64 `json:"rate" doc:"pages per second since the point before"`
	// Elapsed is without pauses.
	Elapsed facts.Seconds `json:"elapsed" doc:"how long the crawl had run (s)"`
}

// A Mark is a moment of a crawl.
type Mark struct {
	At    time.Time `json:"at"`
	Pages int       `json:"pages" doc:"pages that were fetched until then"`
	Label string    `json:"label" doc:"the model"`
}

// Series returns how a crawl went on. Verdicts are those of the present model: a page counts as
// what it counts as now.
func (o *Operations) Series(ctx context.Context, id string, q SeriesQuery) (*Series, error) {
	if q.Points == 0 {
		q.Points = defaultPoints
	}
	if q.Window == 0 {
		q.Window = defaultWindow
	}
	if q.Points < 2 || q.Points > maxPoints {
		return nil, failf(Invalid, "points", "points: got %d, want 2 to %d", q.Points, maxPoints)
	}
	if q.Step < 0 {
		return nil, failf(Invalid, "step", "step: got %d, want 1 or more", q.Step)
	}
	if q.Window < 1 || q.Window > maxWindow {
		return nil, failf(Invalid, "window", "window: got %d, want 1 to %d", q.Window, maxWindow)
	}
	s, err := o.shelf(id)
	if err != nil {
		return nil, err
	}
	x := &Series{Points: []Point{}, Marks: []Mark{}, Window: q.Window}
	err = s.locked(ctx, func(v *openView) error {
		x.Seen, x.Pages = v.at.UTC(), len(v.pages.ids)
		if err := x.fill(ctx, v, q); err != nil {
			return err
		}
		labels, err := collection.ReadLabels(s.dir)
		if err == nil {
			x.Audited, err = s.audit(v, labels)
		}
		return err
	})
	return x, err
}

// fill adds the points and marks. Only the entries of the points are read.
func (x *Series) fill(ctx context.Context, v *openView, q SeriesQuery) error {
	n := len(v.pages.ids)
	if n == 0 {
		return nil
	}
	points, until := min(q.Points, n), func(i, points int) int { return n * i / points }
	if q.Step > 0 {
		if points = (n + q.Step - 1) / q.Step; points > maxPoints {
			return failf(Invalid, "step", "step: got %d, which gives %d points; want at least %d for at most %d", q.Step, points, (n+maxPoints-1)/maxPoints, maxPoints)
		}
		until = func(i, _ int) int { return min(i*q.Step, n) }
	}
	for i := 1; i <= points; i++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		at := until(i, points) // pages until this point
		e, err := v.col.Journal.Entry(v.pages.places[at-1], noURL)
		if err != nil {
			continue // an entry that can't be read is no point
		}
		x.add(v, at, e.At, facts.Seconds(e.Elapsed), q.Window)
	}
	models, err := collection.Models(v.col.Dir)
	if err != nil {
		return nil // status reports it
	}
	for _, m := range models {
		if m.Done && m.Error == "" {
			x.Marks = append(x.Marks, Mark{m.At.UTC(), x.pagesAt(m.At), m.Model})
		}
	}
	return nil
}

// add appends a point.
func (x *Series) add(v *openView, pages int, at time.Time, elapsed facts.Seconds, window int) {
	on := int(v.pages.on[pages-1])
	p := Point{Pages: pages, At: at.UTC(), OnTopic: on, Harvest: float64(on) / float64(pages), Elapsed: elapsed}
	from := max(0, pages-window)
	before := 0
	if from > 0 {
		before = int(v.pages.on[from-1])
	}
	p.Moving = float64(on-before) / float64(pages-from)
	if len(x.Points) > 0 {
		last := x.Points[len(x.Points)-1]
		if took := at.Sub(last.At).Seconds(); took > 0 {
			p.Rate = float64(pages-last.Pages) / took
		}
	}
	x.Points = append(x.Points, p)
}

// pagesAt returns about how many pages were fetched until a time, from the points.
func (x *Series) pagesAt(t time.Time) (pages int) {
	for _, p := range x.Points {
		if p.At.After(t) {
			break
		}
		pages = p.Pages
	}
	return pages
}
