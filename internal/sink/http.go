package sink

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"dowse/internal/plain"
)

// sendTimeout bounds one request, with its answer.
const sendTimeout = time.Minute

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 16 << 20

// A service is an HTTP server that takes batches. Certificates are checked; redirects are not
// followed, since they could lead pages and credentials to another host.
type service struct {
	client *http.Client
	auth   string // header Authorization; "" for none
	agent  string
}

func newService(c credential, agent string) (*service, error) {
	auth, err := c.header()
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 1
	transport.ResponseHeaderTimeout = sendTimeout
	return &service{
		client: &http.Client{
			Transport: transport, Timeout: sendTimeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		auth: auth, agent: agent,
	}, nil
}

func (s *service) close() { s.client.CloseIdleConnections() }

// A statusError is an answer that is no success.
type statusError struct {
	status int
	text   string // the beginning of the answer
}

func (e *statusError) Error() string {
	text := fmt.Sprintf("the sink answered %d %s", e.status, http.StatusText(e.status))
	switch {
	case e.status >= 300 && e.status < 400:
		text += " (redirects are not followed; name the final URL)"
	case e.status == http.StatusUnauthorized || e.status == http.StatusForbidden:
		text += " (set " + authVar + " or " + authFileVar + ")"
	}
	if e.text != "" {
		text += ": " + e.text
	}
	return text
}

// do makes a request and returns the whole answer, which is an error unless its status is 2xx.
func (s *service) do(ctx context.Context, method string, u *url.URL, kind string, body []byte, header map[string]string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", kind)
	req.Header.Set("User-Agent", s.agent)
	if s.auth != "" {
		req.Header.Set("Authorization", s.auth)
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, withoutURL(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		return answer, delayed(resp, &statusError{resp.StatusCode, excerpt(answer)})
	}
	if err != nil {
		return answer, fmt.Errorf("the answer of the sink broke off: %w", err)
	}
	return answer, nil
}

// withoutURL removes the method and the URL from an error of a client, which the caller knows.
func withoutURL(err error) error {
	var e *url.Error
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// excerpt returns the beginning of an answer on one line, for a person.
func excerpt(answer []byte) string {
	text := strings.ToValidUTF8(string(answer[:min(len(answer), 400)]), "\uFFFD")
	return plain.OneLine(strings.Join(strings.Fields(text), " "))
}

// delayed adds the time for which an answer asks to wait, from its header Retry-After.
func delayed(resp *http.Response, err error) error {
	value := resp.Header.Get("Retry-After")
	if value == "" {
		return err
	}
	if n, bad := strconv.Atoi(strings.TrimSpace(value)); bad == nil && n >= 0 {
		return &delayError{err, time.Duration(min(n, 1<<20)) * time.Second}
	}
	if at, bad := http.ParseTime(value); bad == nil {
		return &delayError{err, time.Until(at)}
	}
	return err
}

// httpTarget posts batches as NDJSON.
type httpTarget struct {
	*service
	url *url.URL
}

// send posts a batch. The header Idempotency-Key is the same for the same records, so that a
// server can recognise a batch that it has already taken. A batch that is too large for the
// server is sent in halves.
func (t *httpTarget) send(ctx context.Context, b *batch) (int, string, error) {
	_, err := t.do(ctx, http.MethodPost, t.url, "application/x-ndjson", b.lines(), map[string]string{"Idempotency-Key": b.key()})
	return halved(ctx, b, err, t.send)
}

// halved sends a batch in two parts if the error is that it was too large.
func halved(ctx context.Context, b *batch, err error, send func(context.Context, *batch) (int, string, error)) (int, string, error) {
	var e *statusError
	if !errors.As(err, &e) || e.status != http.StatusRequestEntityTooLarge {
		return 0, "", err
	}
	if len(b.records) == 1 {
		return 1, e.Error(), nil
	}
	n := len(b.records) / 2
	refused, why, err := send(ctx, &batch{records: b.records[:n]})
	if err != nil {
		return 0, "", err
	}
	more, last, err := send(ctx, &batch{records: b.records[n:]})
	if last != "" {
		why = last
	}
	return refused + more, why, err
}

func (t *httpTarget) close() error {
	t.service.close()
	return nil
}
