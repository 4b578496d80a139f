package dashboard

import (
	"context"
	"fmt"
	"time"

	"dowse/internal/operations"
)

// An eventRow is something that happened in a crawl, other than a page that was judged.
type eventRow struct {
	At               time.Time
	Kind, Class      string
	Name, Href, Text string
}

// eventRows is how many events the overview shows.
const eventRows = 8

// events returns the last events of a crawl that are no judged pages: those are the latest decisions.
func (d *Dashboard) events(ctx context.Context, c *head) (list []eventRow, err error) {
	events, err := d.ops.Recent(ctx, c.ID, eventRows, func(e *operations.Event) bool { return e.Event != operations.EventPage })
	for i := range events {
		list = append(list, eventOf(c, &events[i]))
	}
	return list, err
}

// eventOf returns an event as the overview shows it.
func eventOf(c *head, e *operations.Event) eventRow {
	x := eventRow{At: e.At, Kind: tidy(e.Event, 30)}
	if e.URL != "" {
		x.Name, x.Href = bare(e.URL), pageHref(c, string(e.URL))
	}
	why := string(e.Reason)
	if e.Status != 0 && e.Status != 200 {
		why = fmt.Sprintf("%s %d", why, e.Status)
	}
	switch e.Event {
	case operations.EventFailed:
		x.Class, x.Text = "bad", why
	case operations.EventRetry:
		x.Class, x.Text = "off", why+", it is asked again"
	case operations.EventSkipped:
		x.Text = why
	case operations.EventRedirect:
		x.Text = "→ " + bare(e.Target)
	case operations.EventRobots:
		x.Kind, x.Name = "robots.txt", tidy(e.Host, 80)
		if x.Text = fmt.Sprintf("answer %d", e.Status); e.Status == 0 {
			x.Text = "no answer"
		}
	case operations.EventSitemap:
		x.Text = fmt.Sprintf("%s links", count(e.Links))
	case operations.EventSeeds:
		x.Class, x.Text = "on", fmt.Sprintf("%s given", count(e.Count))
	case operations.EventModel:
		if x.Class, x.Text = "on", tidy(e.Model, 30)+" judges from here on"; e.Count > 0 {
			x.Text += fmt.Sprintf(", %s verdicts", count(e.Count))
		}
	case operations.EventState:
		x.Kind, x.Text = "run", "stopped: "+tidy(e.Detail, 120)
		if e.State == operations.StateRunning {
			x.Class, x.Text = "on", "begun"
		}
	case operations.EventSetting:
		if x.Text = tidy(e.Detail, 160); e.By != "" {
			x.Text += " by " + tidy(e.By, 40)
		}
	case operations.EventRequeued:
		x.Text = fmt.Sprintf("%s URLs wait again", count(e.Count))
	case operations.EventForgotten:
		x.Kind, x.Text = "taken down", tidy(e.Detail, 120)
	case operations.EventRerated:
		x.Kind, x.Text = "re-ranked", "the strategy ranked the queue again"
	default:
		x.Text = tidy(e.Detail, 160)
	}
	return x
}
