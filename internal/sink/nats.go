package sink

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// natsTarget publishes records to a JetStream subject, one message per record. Its header
// Nats-Msg-Id is the id of the record, by which the server drops repeats within the window of
// the stream. A record counts as sent when the stream has acknowledged it.
type natsTarget struct {
	conn    *nats.Conn
	stream  jetstream.JetStream
	subject string
}

// natsTimeout bounds connecting, and waiting for the acknowledgements of a batch.
const natsTimeout = 30 * time.Second

// openNATS connects. Reconnecting is left to the feed, which opens the target again.
func openNATS(s Spec, c credential, agent string) (receiver, error) {
	server := *s.base
	options := []nats.Option{nats.Name(agent), nats.Timeout(natsTimeout / 3), nats.NoReconnect()}
	if server.Scheme == "nats+tls" {
		server.Scheme = "tls"
		options = append(options, nats.Secure())
	}
	auth, err := c.nats()
	if err != nil {
		return nil, err
	}
	if auth != nil {
		options = append(options, auth)
	}
	conn, err := nats.Connect(server.String(), options...)
	if err != nil {
		return nil, fmt.Errorf("nats: %w", err)
	}
	js, err := jetstream.New(conn, jetstream.WithPublishAsyncMaxPending(maxBatch))
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("nats: %w", err)
	}
	return &natsTarget{conn, js, s.subject}, nil
}

// nats returns the option of a connection, nil for no credential.
func (c credential) nats() (nats.Option, error) {
	text := string(c)
	if file, ok := strings.CutPrefix(text, "creds:"); ok {
		return nats.UserCredentials(file), nil
	}
	if token, ok := strings.CutPrefix(text, "Bearer "); ok {
		return nats.Token(token), nil
	}
	user, password, ok := strings.Cut(text, ":")
	switch {
	case text == "":
		return nil, nil
	case ok:
		return nats.UserInfo(user, password), nil
	}
	return nats.Token(text), nil
}

// send publishes a batch and waits for all acknowledgements. A record that is larger than the
// server's limit is sent without its text, and refused if it is still too large.
func (t *natsTarget) send(ctx context.Context, b *batch) (refused int, why string, err error) {
	ctx, cancel := context.WithTimeout(ctx, natsTimeout)
	defer cancel()
	var acks []jetstream.PubAckFuture
	for i := range b.records {
		r := &b.records[i]
		data, ok := r.within(t.conn.MaxPayload() - 1024) // the header counts, too
		if !ok {
			refused++
			why = fmt.Sprintf("page %s: %d bytes are more than the server takes", r.Key, len(r.line))
			continue
		}
		m := nats.NewMsg(t.subject)
		m.Data = data
		m.Header.Set("Dowse-Key", r.Key)
		m.Header.Set("Dowse-Op", r.Op)
		ack, err := t.stream.PublishMsgAsync(m, jetstream.WithMsgID(r.Event), jetstream.WithRetryAttempts(0))
		if err != nil {
			return 0, "", t.explained(err)
		}
		acks = append(acks, ack)
	}
	for _, ack := range acks {
		select {
		case <-ack.Ok():
		case err := <-ack.Err():
			return 0, "", t.explained(err)
		case <-ctx.Done():
			return 0, "", fmt.Errorf("nats: no acknowledgement: %w", ctx.Err())
		}
	}
	return refused, why, nil
}

// within returns the record in at most this many bytes, if need be without its text.
func (r *outgoing) within(most int64) ([]byte, bool) {
	switch {
	case int64(len(r.line)) <= most:
		return r.line, true
	case r.bare != nil && int64(len(r.bare)) <= most:
		return r.bare, true
	}
	return nil, false
}

// explained adds what to do to an error of publishing.
func (t *natsTarget) explained(err error) error {
	if errors.Is(err, jetstream.ErrNoStreamResponse) || errors.Is(err, nats.ErrNoResponders) {
		return fmt.Errorf("nats: no stream has the subject %s; create one", t.subject)
	}
	return fmt.Errorf("nats: %w", err)
}

func (t *natsTarget) close() error {
	t.conn.Close()
	return nil
}
