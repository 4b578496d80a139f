package sink

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/internal/durable"
	"dowse/internal/frontier"
)

// cursorSchema names the format of the file of a cursor.
const cursorSchema = "sink-cursor/v1"

// maxCursor bounds the file of a cursor, in bytes. It may come from elsewhere.
const maxCursor = 64 << 10

// A position is a place in the journal: everything before it was dealt with.
type position struct {
	Begun bool   `json:"begun,omitempty"` // Place is set
	Place uint64 `json:"place,omitempty"` // of the last entry that was looked at
	// Rulings is how many of the rulings of that entry were dealt with; 0 for the whole
	// entry.
	Rulings int `json:"rulings,omitempty"`
}

// passes reports whether a position is behind the beginning of an entry, so that the entry
// was at least looked at.
func (p position) passes(place uint64) bool {
	return p.Begun && (p.Place > place || p.Place == place && p.Rulings == 0)
}

// A recheck is a second look at pages that were dealt with, after the threshold changed.
type recheck struct {
	Low   float64   `json:"low"` // pages of a relevance from low to below high have changed sides
	High  float64   `json:"high"`
	At    time.Time `json:"at"`
	Until uint64    `json:"until"` // place of the last entry to look at
	Begun bool      `json:"begun,omitempty"`
	Place uint64    `json:"place,omitempty"` // of the last entry that was looked at
}

// A cursor is how far a sink is, as its file in the collection holds it.
type cursor struct {
	Schema string `json:"schema"`
	Sink   string `json:"sink"` // its name
	Key    uint64 `json:"key"`  // of the collection

	Done position `json:"done"`
	// Sending is where the batch ends that is being sent. A process that was killed sends the
	// same batch again.
	Sending *position `json:"sending,omitempty"`
	// Began is when a batch was sent that has no answer yet; zero if there is none.
	Began   time.Time `json:"began,omitzero"`
	Recheck *recheck  `json:"recheck,omitempty"`
	// Attempt is set while a batch is being sent; Floor is the largest version of the batches before it.
	Attempt *attempt `json:"attempt,omitempty"`
	Floor   int64    `json:"floor,omitempty"`

	// ID and At are those of the entry at Done. Another entry there shows that the journal is
	// not the one that was read.
	ID frontier.ID `json:"id,omitempty"`
	At time.Time   `json:"at,omitzero"`

	Threshold float64   `json:"threshold"` // that pages were sent under
	Sent      int       `json:"sent"`      // records that were accepted
	Refused   int       `json:"refused,omitempty"`
	Last      time.Time `json:"last,omitzero"`     // when a batch was accepted
	Error     string    `json:"error,omitempty"`   // of the last attempt; "" if it succeeded
	Since     time.Time `json:"since,omitzero"`    // when attempts began to fail
	Refusal   string    `json:"refusal,omitempty"` // why the last record was refused
}

// cursorName returns the file of the cursor of a sink.
func cursorName(s Spec) string {
	sum := sha256.Sum256([]byte(s.Text))
	return "state/sink-" + hex.EncodeToString(sum[:6]) + ".json"
}

// loadCursor reads the cursor of a sink, a new one if there is none or if it can't be used.
// A cursor that can't be used costs repeated records and no lost ones.
func loadCursor(dir string, s Spec) (cursor, error) {
	fresh := cursor{Schema: cursorSchema, Sink: s.Text}
	data, err := durable.In(dir).ReadBounded(cursorName(s), maxCursor)
	if errors.Is(err, fs.ErrNotExist) {
		return fresh, nil
	}
	if err != nil {
		return fresh, fmt.Errorf("sink: cursor: %w", err)
	}
	var c cursor
	if json.Unmarshal(data, &c) != nil || c.Schema != cursorSchema || c.Sink != s.Text {
		return fresh, nil
	}
	return c, nil
}

// save writes the cursor, synced.
func (c *cursor) save(dir string, s Spec) error {
	data, err := json.Marshal(c)
	if err == nil {
		err = durable.In(dir).WriteFile(cursorName(s), append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("sink: cursor: %w", err)
	}
	return nil
}

// fits checks the cursor against the collection that it is used with. If the journal is not
// the one that was read, the cursor returns to the beginning, and everything is sent again.
func (c *cursor) fits(col *collection.Collection) {
	if c.Key == col.Settings.Key && c.matches(col) {
		return
	}
	c.dropAttempt()
	*c = cursor{Schema: c.Schema, Sink: c.Sink, Key: col.Settings.Key, Threshold: col.Threshold(), Sent: c.Sent, Refused: c.Refused, Floor: c.Floor}
}

// dropAttempt makes later records newer than those of a batch that is not sent again.
func (c *cursor) dropAttempt() {
	if c.Attempt != nil {
		c.Floor = max(c.Floor, c.Attempt.Top)
		c.Attempt = nil
	}
}

// matches reports whether the entry at the cursor is the one that was read.
func (c *cursor) matches(col *collection.Collection) bool {
	if !c.Done.Begun {
		return true
	}
	if c.Done.Place >= col.Journal.End() {
		return false
	}
	e, err := col.Journal.Entry(c.Done.Place, func(frontier.ID) dowse.URL { return "" })
	return err == nil && e.ID == c.ID && e.At.Equal(c.At)
}

// follow notes the threshold of the collection. If pages were sent under another one, or may have been, those
// between the two are looked at again.
func (c *cursor) follow(threshold float64, now time.Time) {
	old := c.Threshold
	if c.Threshold = threshold; old == threshold || !c.Done.Begun && c.Sending == nil {
		return
	}
	r := &recheck{Low: min(old, threshold), High: max(old, threshold), At: now, Until: c.Done.Place}
	if c.Sending != nil {
		r.Until = max(r.Until, c.Sending.Place)
	} else {
		c.dropAttempt() // of a recheck that is replaced by this one
	}
	if b := c.Recheck; b != nil { // which was not finished
		r.Low, r.High = min(r.Low, b.Low), max(r.High, b.High)
	}
	c.Recheck = r
}
