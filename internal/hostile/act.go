package hostile

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// An act answers one request of a site. Acts are composed: a status after a wait, a header
// on a page, one answer first and another later.
type act func(x *exchange)

// An exchange is a request that is being answered.
type exchange struct {
	*http.Request
	w     http.ResponseWriter
	site  *Site
	entry *Request
}

// count returns how often the path of the request was requested, this time
// included.
func (x *exchange) count() int { return x.site.book.count(x.entry.Path()) }

// say answers with a status, a type and a body, and records the status.
func (x *exchange) say(code int, contentType, body string) {
	x.site.book.note(func() { x.entry.Status = code })
	x.w.Header().Set("Content-Type", contentType)
	x.w.WriteHeader(code)
	io.WriteString(x.w, body)
}

// The types of usual answers.
const (
	htmlType = "text/html; charset=utf-8"
	textType = "text/plain; charset=utf-8"
	xmlType  = "application/xml"
)

// typed answers with a body of a type.
func typed(contentType, body string) act {
	return func(x *exchange) { x.say(http.StatusOK, contentType, body) }
}

// page and text answer with a body of the usual types.
func page(body string) act { return typed(htmlType, body) }
func text(body string) act { return typed(textType, body) }

// article answers with an ordinary page and some HTML at its end.
func article(more string) act {
	return func(x *exchange) {
		x.say(http.StatusOK, htmlType, x.site.head(x.entry.Target)+more)
	}
}

// made answers with a page that is generated for the request.
func made(body func(x *exchange) string) act {
	return func(x *exchange) { x.say(http.StatusOK, htmlType, body(x)) }
}

// status answers with a status and its usual text.
func status(code int) act {
	return func(x *exchange) { x.say(code, textType, http.StatusText(code)+"\n") }
}

// redirect answers 302 with a Location as it is given, which may be anything.
func redirect(location string) act {
	return func(x *exchange) {
		x.w.Header().Set("Location", location)
		x.say(http.StatusFound, textType, "elsewhere\n")
	}
}

// with adds a header to the answer of another act.
func with(name, value string, a act) act {
	return func(x *exchange) {
		x.w.Header().Add(name, value)
		a(x)
	}
}

// after waits before another act. The wait ends if the other side leaves.
func after(d time.Duration, a act) act {
	return func(x *exchange) {
		select {
		case <-time.After(d):
		case <-x.Context().Done():
		}
		a(x)
	}
}

// first answers in one way to the first n requests for a path and in another to
// those that follow.
func first(n int, a, then act) act {
	return func(x *exchange) {
		if x.count() <= n {
			a(x)
			return
		}
		then(x)
	}
}

// retryAfter answers with a status and a Retry-After header.
func retryAfter(code int, value func() string) act {
	return func(x *exchange) {
		x.w.Header().Set("Retry-After", value())
		x.say(code, textType, "busy\n")
	}
}

// seconds returns a Retry-After in seconds.
func seconds(n int) func() string { return func() string { return strconv.Itoa(n) } }

// raw takes the connection from the HTTP server, for answers that it would not send; it is
// closed afterwards, and when the server is closed. The end of such an answer is seen late,
// which the log marks.
func raw(do func(x *exchange, c net.Conn)) act {
	return func(x *exchange) {
		c, _, err := http.NewResponseController(x.w).Hijack()
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		defer c.Close()
		defer context.AfterFunc(x.Context(), func() { c.Close() })()
		x.site.book.note(func() { x.entry.Loose = true })
		do(x, c)
	}
}

// bytes answers with these bytes, HTTP or not, and closes the connection.
func bytes(answer string) act {
	return raw(func(_ *exchange, c net.Conn) { finish(c, answer) })
}

// finish sends the last bytes, and waits until they were read or the other side
// has left: closing with unread bytes would reset the connection and discard
// them.
func finish(c net.Conn, answer string) {
	io.WriteString(c, answer)
	if tcp, ok := c.(*net.TCPConn); ok {
		tcp.CloseWrite()
	}
	c.SetReadDeadline(time.Now().Add(2 * time.Second))
	io.Copy(io.Discard, c)
}

// hang accepts and never answers.
var hang = raw(func(_ *exchange, c net.Conn) { io.Copy(io.Discard, c) })

// reset drops the connection.
var reset = raw(func(_ *exchange, c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
})

// drip sends a beginning and then one byte per second without end.
func drip(beginning string) act {
	return raw(func(_ *exchange, c net.Conn) {
		io.WriteString(c, beginning)
		left := make(chan struct{})
		go func() {
			defer close(left)
			io.Copy(io.Discard, c)
		}()
		for tick := time.NewTicker(time.Second); ; {
			select {
			case <-left:
				tick.Stop()
				return
			case <-tick.C:
				io.WriteString(c, "x")
			}
		}
	})
}

// flood sends a beginning and then a piece again and again, at full speed,
// without end.
func flood(beginning, piece string) act {
	const atOnce = 64 << 10
	many := strings.Repeat(piece, max(1, atOnce/len(piece)))
	return raw(func(x *exchange, c net.Conn) {
		sent, err := io.WriteString(c, beginning)
		for n := 0; err == nil; sent += n {
			n, err = io.WriteString(c, many)
		}
		x.site.book.note(func() { x.entry.Sent = int64(sent) })
	})
}

// ok is the head of an answer that is written by hand; further header lines and
// an empty one follow.
const ok = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"

// whole returns a complete answer, written by hand, with further header lines.
func whole(statusLine, headers, body string) string {
	return fmt.Sprintf("%s\r\n%sContent-Length: %d\r\nConnection: close\r\n\r\n%s", statusLine, headers, len(body), body)
}
