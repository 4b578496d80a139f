package sink

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"dowse"
	"dowse/collection"
	"dowse/internal/facts"
	"dowse/internal/frontier"
	"dowse/weburl"
)

// The operations of records.
const (
	opPut    = "put"    // add the page, or replace it
	opDelete = "delete" // remove the page
)

// DeleteSchema names the schema of a record that deletes a page. Other records are pages, see
// [facts.PageSchema], with the members of an envelope.
const DeleteSchema = "delete/v1"

// Why a page is deleted.
const (
	goneForgotten = "forgotten" // it was taken down
	goneOffTopic  = "off_topic" // its verdict, or the threshold, has changed
	goneMoved     = "moved"     // it redirects by now
)

// An envelope is what every record begins with.
type envelope struct {
	Event   string `json:"event" doc:"id of the record; a record that is sent again has the same, and the same content"`
	Key     string `json:"key" doc:"id of the page in the collection, the same for all its records"`
	Op      string `json:"op" doc:"put: add or replace the page; delete: remove it"`
	Version int64  `json:"version" doc:"grows from record to record of a page (microseconds since 1970)"`
}

// A Deletion is the JSON object of a record that deletes a page.
type Deletion struct {
	Schema string `json:"schema"`
	envelope
	Reason string    `json:"reason" doc:"forgotten: it was taken down; off_topic; moved: it redirects by now; or a wish of its owner"`
	URL    dowse.URL `json:"url,omitempty" doc:"not for a page that was taken down"`
}

// An outgoing is a record: what is sent to a sink for one change.
type outgoing struct {
	envelope
	line []byte // the JSON object, without a line break
	bare []byte // the same without texts, for targets with a limit; nil for records that are small
	site string // registrable domain of a page that is put
}

// A batch is records that are sent together.
type batch struct {
	records []outgoing
	numbers *numbering // nil for a part of a batch
}

// key returns the id of the batch: batches of the same records have the same.
func (b *batch) key() string {
	h := sha256.New()
	for _, r := range b.records {
		h.Write([]byte(r.Event))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// lines returns the records as NDJSON.
func (b *batch) lines() []byte {
	size := 0
	for _, r := range b.records {
		size += len(r.line) + 1
	}
	out := make([]byte, 0, size)
	for _, r := range b.records {
		out = append(append(out, r.line...), '\n')
	}
	return out
}

// keyOf returns the id of a page from the fingerprint of its URL, which is all that is left of
// a page after a takedown. It is a hash, because the fingerprint must not be known to others:
// with the key of the collection it would show which URLs were taken down.
func keyOf(print frontier.Fingerprint) string {
	sum := sha256.Sum256(append([]byte("key of a page\x00"), print[:]...))
	return hex.EncodeToString(sum[:16])
}

// headOf returns the envelope of the record for a change to a page, with the version that the change itself
// suggests.
func headOf(c *change, op string, print frontier.Fingerprint) envelope {
	key := keyOf(print)
	event := fmt.Sprintf("%s-%x", key, c.place)
	if c.again != nil {
		event += fmt.Sprintf("-t%x", c.at.UnixMicro())
	}
	return envelope{event, key, op, c.at.UnixMicro()}
}

// add adds the record that build makes of an envelope, which gets the version of the record.
func (b *batch) add(h envelope, build func(envelope) (outgoing, error)) error {
	r, err := b.numbers.number(h, build)
	b.records = append(b.records, r)
	return err
}

// bareFrom is the size from which a record is also made without its texts.
const bareFrom = 256 << 10

// put returns the record that adds a page.
func put(h envelope, row *collection.Row, line []byte) (outgoing, error) {
	r := outgoing{envelope: h, site: weburl.Site(row.URL)}
	var err error
	if r.line, err = withHead(r.envelope, line); err == nil && len(line) >= bareFrom {
		if line, err = row.MarshalJSON(); err == nil {
			r.bare, err = withHead(r.envelope, line)
		}
	}
	return r, err
}

// withHead returns a JSON object with the members of an envelope in front.
func withHead(h envelope, object []byte) ([]byte, error) {
	b, err := facts.Encode(h)
	if err != nil {
		return nil, err
	}
	return append(append(b[:len(b)-1:len(b)-1], ','), object[1:]...), nil
}

// remove returns the record that deletes a page.
func remove(h envelope, reason string, u dowse.URL) (outgoing, error) {
	r := outgoing{envelope: h}
	var err error
	r.line, err = facts.Encode(Deletion{DeleteSchema, r.envelope, strings.ReplaceAll(reason, " ", "_"), u})
	return r, err
}
