package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"dowse/internal/facts"
	"dowse/internal/operations"
)

// How a stream of events is written.
const (
	writeWait   = 30 * time.Second // for a client to take an event
	statusEvery = 2 * time.Second  // between two looks at the counts
)

// A tick is the counts of a collection, which a stream sends when they have changed. It has no ID: it
// is no event of the journal.
type tick struct {
	State     string        `json:"state"`
	Fetched   int           `json:"fetched"`
	OnTopic   int           `json:"on_topic"`
	Harvest   float64       `json:"harvest"`
	Window    float64       `json:"window"`
	Queued    int           `json:"queued"`
	Known     int           `json:"known"`
	Hosts     int           `json:"hosts"`
	Top       float64       `json:"frontier_top"`
	Rate      float64       `json:"rate"`
	BytesRate float64       `json:"bytes_rate"`
	LimitedBy string        `json:"limited_by"`
	Healthy   bool          `json:"healthy"`
	Model     string        `json:"model"`
	Labels    int           `json:"labels"`
	Elapsed   facts.Seconds `json:"elapsed"`
}

// events answers with events after one, or follows them.
func (c *call) events() error {
	after := c.text("after")
	if c.accepts(typeSSE) {
		if last := c.r.Header.Get("Last-Event-ID"); last != "" {
			after = last
		}
		return c.stream(after)
	}
	list, err := c.ops.Events(c.ctx, c.id(), after, c.number("limit"))
	if err != nil {
		return err
	}
	return c.answer(eventList{list})
}

// stream sends events until the client is gone.
func (c *call) stream(after string) error {
	select {
	case c.streams <- struct{}{}:
		defer func() { <-c.streams }()
	default:
		return &operations.Error{Kind: operations.Busy, Err: errors.New("too many event streams are open")}
	}
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	first, err := c.tick(ctx)
	if err != nil {
		return err
	}
	events := make(chan []operations.Event)
	ended := make(chan error, 1)
	go func() {
		ended <- c.ops.Follow(ctx, c.id(), after, func(list []operations.Event) error {
			select {
			case events <- list:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	return c.pump(ctx, first, events, ended)
}

// pump writes events and counts as they come. The header is sent with the first of them, so that an
// event ID that does not exist is still answered as an error.
func (c *call) pump(ctx context.Context, last []byte, events <-chan []operations.Event, ended <-chan error) error {
	look := time.NewTicker(statusEvery)
	defer look.Stop()
	begin := time.NewTimer(100 * time.Millisecond)
	defer begin.Stop()
	for {
		var out bytes.Buffer
		select {
		case err := <-ended:
			if c.wrote {
				return nil
			}
			return err
		case list := <-events:
			for i := range list {
				data, err := facts.Encode(&list[i])
				if err != nil {
					return err
				}
				fmt.Fprintf(&out, "id: %s\nevent: %s\ndata: %s\n\n", list[i].ID, list[i].Event, data)
			}
			if len(list) == 0 {
				out.WriteString(": alive\n\n")
			}
		case <-begin.C:
			fmt.Fprintf(&out, "retry: 2000\nevent: status\ndata: %s\n\n", last)
		case <-look.C:
			now, err := c.tick(ctx)
			if err != nil || bytes.Equal(now, last) {
				continue
			}
			last = now
			fmt.Fprintf(&out, "event: status\ndata: %s\n\n", now)
		}
		if err := c.send(out.Bytes()); err != nil {
			return nil // the client is gone
		}
	}
}

// send writes a part of a stream, and does not wait for a client that takes nothing.
func (c *call) send(part []byte) error {
	ctl := http.NewResponseController(c.w)
	_ = ctl.SetWriteDeadline(time.Now().Add(writeWait)) // a writer without deadlines, as in tests, has none
	if !c.wrote {
		c.wrote = true
		c.w.Header().Set("Content-Type", typeSSE)
		c.w.Header().Set("Cache-Control", "no-store")
		c.w.Header().Set("X-Accel-Buffering", "no")
	}
	if _, err := c.w.Write(part); err != nil {
		return err
	}
	return ctl.Flush()
}

// tick returns the counts of the collection as JSON.
func (c *call) tick(ctx context.Context) ([]byte, error) {
	r, err := c.ops.Status(ctx, c.id())
	if err != nil {
		return nil, err
	}
	return facts.Encode(tick{
		State: r.State, Fetched: r.Fetched, OnTopic: r.OnTopic, Harvest: r.Harvest, Window: r.Window, Queued: r.Books.Queued, Known: r.Books.Known, Hosts: r.Hosts,
		Top: facts.Finite(r.Top), Rate: r.Rate, BytesRate: r.BytesRate, LimitedBy: r.LimitedBy, Healthy: r.Healthy, Model: r.Model, Labels: r.Labels, Elapsed: r.Elapsed,
	})
}
