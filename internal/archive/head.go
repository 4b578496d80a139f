package archive

import (
	"bytes"
	"strconv"
	"strings"
)

// maxHead bounds an HTTP head, in bytes, when it is written and when it is
// read. Browsers and servers accept much less.
const maxHead = 512 << 10

// orig precedes the name of a field that was true on the wire and is not true
// of what is stored. Replay software shows such fields and does not act on
// them.
const orig = "X-Archive-Orig-"

// A headRewriter writes a valid HTTP head from any bytes: a start line, fields,
// and a single empty line at the very end. Lines that cannot be written as they
// are stay readable under another name. Framing fields are made true for the
// stored payload, so that readers which follow them find its end.
type headRewriter struct {
	out     []byte
	start   int  // of the head in out
	length  int  // bytes of the payload; -1 for none
	decoded bool // the payload is stored without content coding
	sized   bool // a Content-Length that fits was written
	status  int
	typed   bool   // a Content-Type was written
	mime    string // the value of the first Content-Type
}

// response writes the head of a response, with a Content-Length if none that
// fits was in it.
func (w *headRewriter) response(head []byte) {
	line, rest := nextLine(head)
	w.status = w.statusLine(line)
	w.fields(rest)
	if !w.sized && (w.length > 0 || mayHaveBody(w.status)) {
		w.out = append(w.out, "Content-Length: "...)
		w.out = strconv.AppendInt(w.out, int64(w.length), 10)
		w.out = append(w.out, "\r\n"...)
	}
	w.out = append(w.out, "\r\n"...)
}

// appendRequestHead appends the head of a request. Its body is not stored.
func appendRequestHead(dst, head []byte) []byte {
	w := headRewriter{out: dst, start: len(dst), length: -1}
	line, rest := nextLine(head)
	w.text(line)
	w.out = append(w.out, "\r\n"...)
	w.fields(rest)
	return append(w.out, "\r\n"...)
}

// mayHaveBody reports whether a response with this status may have a body (RFC
// 9112 6.3). Others must not have a Content-Length.
func mayHaveBody(status int) bool { return status >= 200 && status != 204 && status != 304 }

// statusLine writes the status line and returns its code. A status line of
// HTTP/1 is kept as it is. For any other protocol, and for what is not a status
// line, one is made up and the original is kept in a field; without a valid
// code it is 599, which no server uses.
func (w *headRewriter) statusLine(line []byte) int {
	code, ok := statusCode(line)
	if ok && bytes.HasPrefix(line, []byte("HTTP/1.")) {
		w.text(line)
		w.out = append(w.out, "\r\n"...)
		return code
	}
	if !ok {
		code = 599
	}
	w.out = append(w.out, "HTTP/1.1 "...)
	w.out = strconv.AppendInt(w.out, int64(code), 10)
	w.out = append(w.out, " \r\n"...)
	w.field(orig+"Status-Line", line)
	return code
}

// statusCode parses "HTTP/x code reason".
func statusCode(line []byte) (int, bool) {
	version, rest, _ := strings.Cut(string(line[:min(len(line), 64)]), " ")
	text, _, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	code, err := strconv.Atoi(text)
	if err != nil || len(text) != 3 || code < 100 || !strings.HasPrefix(version, "HTTP/") {
		return 0, false
	}
	return code, true
}

// fields writes the field lines until maxHead is reached; the rest is dropped.
// Empty lines are skipped, so that the head ends only where this package ends
// it.
func (w *headRewriter) fields(rest []byte) {
	var line []byte
	first := true
	for len(rest) > 0 {
		line, rest = nextLine(rest)
		if len(line) == 0 {
			continue
		}
		if len(w.out)-w.start+len(line)+64 > maxHead {
			return
		}
		if (line[0] == ' ' || line[0] == '\t') && !first {
			w.unfold(line)
			continue
		}
		first = false
		w.line(line)
	}
}

// unfold appends a continuation line to the field before it.
func (w *headRewriter) unfold(line []byte) {
	w.out = append(w.out[:len(w.out)-len("\r\n")], ' ')
	w.text(bytes.TrimSpace(line))
	w.out = append(w.out, "\r\n"...)
}

// line writes one field line. What is not a valid field is kept in a field of
// its own.
func (w *headRewriter) line(line []byte) {
	name, value, ok := bytes.Cut(line, []byte(":"))
	name, value = bytes.TrimRight(name, " \t"), bytes.TrimSpace(value)
	if !ok || !areTokens(name) {
		w.field(orig+"Line", line)
		return
	}
	w.framed(string(name), value)
}

// framed writes a field, under another name if it describes a framing or coding
// that the stored payload does not have.
func (w *headRewriter) framed(name string, value []byte) {
	switch {
	case strings.EqualFold(name, "Content-Length"):
		n, err := strconv.Atoi(string(value))
		if w.sized || err != nil || n != w.length {
			name = orig + name
			break
		}
		w.sized = true
	case strings.EqualFold(name, "Content-Type") && !w.typed:
		w.typed, w.mime = true, string(value)
	case strings.EqualFold(name, "Transfer-Encoding"),
		w.decoded && strings.EqualFold(name, "Content-Encoding"):
		name = orig + name
	}
	w.field(name, value)
}

func (w *headRewriter) field(name string, value []byte) {
	w.out = append(w.out, name...)
	w.out = append(w.out, ": "...)
	w.text(value)
	w.out = append(w.out, "\r\n"...)
}

// text writes bytes of a line. Control bytes become spaces.
func (w *headRewriter) text(line []byte) {
	start := len(w.out)
	w.out = append(w.out, line[:min(len(line), maxHead/2)]...)
	blankControls(w.out[start:])
}

func areTokens(name []byte) bool {
	for _, c := range name {
		if !isToken(c) {
			return false
		}
	}
	return len(name) > 0
}

// nextLine cuts off the first line, which ends in LF or CR LF.
func nextLine(b []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(b, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), rest
}
