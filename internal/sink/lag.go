package sink

import (
	"time"

	"dowse/collection"
)

// A Lag is how far a sink is behind its collection.
type Lag struct {
	Sink    string     `json:"sink" doc:"its name"`
	Pages   int        `json:"pages" doc:"changes of pages that it has not received"`
	More    bool       `json:"more,omitempty" doc:"whether there are more than these"`
	Seconds float64    `json:"seconds" doc:"how long the oldest of them has been waiting"`
	Sent    int        `json:"sent" doc:"records that it accepted"`
	Refused int        `json:"refused,omitempty" doc:"records that it refused for good"`
	Refusal string     `json:"refusal,omitempty" doc:"why the last one was refused"`
	Last    *time.Time `json:"last,omitempty" doc:"when it last accepted records"`
	Error   string     `json:"error,omitempty" doc:"why the last attempt failed"`
	Since   *time.Time `json:"since,omitempty" doc:"when attempts began to fail"`
}

// maxCounted bounds how many changes a Lag counts, so that looking at a sink that is a million
// pages behind stays cheap.
const maxCounted = 100_000

// slowAnswer is how long a sink may take to answer before that is reported as its error.
const slowAnswer = 5 * time.Second

// unconfirmed returns the error of a sink for a batch that was begun at a time and has not been confirmed since.
func (s Spec) unconfirmed(began time.Time) string {
	at := began.Format(time.RFC3339)
	if s.kind == kindJSONL {
		return "writing began at " + at + " and has not ended; if the process was killed, the next run writes it again"
	}
	return "no answer to what was sent at " + at
}

// Lags returns how far sinks are behind a collection. A sink whose cursor can't be read is as far
// behind as a new one.
func Lags(col *collection.Collection, specs []Spec, now time.Time) []Lag {
	var list []Lag
	for _, s := range specs {
		list = append(list, lagOf(col, s, now))
	}
	return list
}

// lagOf returns how far a sink is behind a collection.
func lagOf(col *collection.Collection, s Spec, now time.Time) Lag {
	cur, err := loadCursor(col.Dir, s)
	l := Lag{Sink: s.Text, Sent: cur.Sent, Refused: cur.Refused, Refusal: cur.Refusal, Error: cur.Error}
	if err != nil {
		l.Error = err.Error()
	}
	if !cur.Last.IsZero() {
		l.Last = &cur.Last
	}
	if !cur.Since.IsZero() {
		l.Since = &cur.Since
	}
	if l.Error == "" && !cur.Began.IsZero() && now.Sub(cur.Began) >= slowAnswer {
		l.Error, l.Since = s.unconfirmed(cur.Began), &cur.Began
	}
	cur.fits(col)
	journal, err := col.Journal.Reader()
	if err != nil {
		return l
	}
	defer journal.Close()
	reader := &collection.Collection{Dir: col.Dir, Settings: col.Settings, Journal: journal}
	sc := &scanner{col: reader, spec: s, end: journal.End()}
	defer sc.close()
	for at := cur.Done; ; {
		sp, err := sc.next(at, nil)
		if err != nil {
			break
		}
		if l.Pages == 0 && len(sp.changes) > 0 {
			l.Seconds = max(0, now.Sub(sp.changes[0].at).Seconds())
		}
		l.Pages += len(sp.changes)
		if at = sp.to; !sp.more {
			break
		}
		if l.Pages >= maxCounted {
			l.More = true
			break
		}
	}
	return l
}
