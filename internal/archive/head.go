package archive

import (
	"bytes"
	"strconv"
	"strings"
)

// maxHead bounds an HTTP head as it is written and as it is read. Browsers and
// servers stop well below.
const maxHead = 512 << 10

// orig is put before the name of a field that was true on the wire and is not of
// what is stored. Replay software shows such fields and does not act on them.
const orig = "X-Archive-Orig-"

// headRewriter writes an HTTP head so that it is one: a start line, fields, and a
// single empty line at the very end, however the bytes came. What can't stand as
// it is stays readable under another name.
type headRewriter struct {
	out     []byte
	start   int // of the head in out
	length  int // of the payload; -1 for none
	decoded bool
	sized   bool // a Content-Length that fits was written
	status  int
	typed   bool   // a Content-Type was written
	mime    string // the first one
}

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

// appendRequestHead writes the head of a request. Its body is not kept.
func appendRequestHead(dst, head []byte) []byte {
	w := headRewriter{out: dst, start: len(dst), length: -1}
	line, rest := nextLine(head)
	w.text(line)
	w.out = append(w.out, "\r\n"...)
	w.fields(rest)
	return append(w.out, "\r\n"...)
}

func mayHaveBody(status int) bool { return status >= 200 && status != 204 && status != 304 }

// statusLine keeps a status line of HTTP/1 as it is. Any other protocol, and
// what is no status line, gets one, with the original in a field.
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

// statusCode reads "HTTP/x code reason".
func statusCode(line []byte) (int, bool) {
	version, rest, _ := strings.Cut(string(line[:min(len(line), 64)]), " ")
	text, _, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	code, err := strconv.Atoi(text)
	if err != nil || len(text) != 3 || code < 100 || !strings.HasPrefix(version, "HTTP/") {
		return 0, false
	}
	return code, true
}

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

// unfold joins a continuation line to the field before it.
func (w *headRewriter) unfold(line []byte) {
	w.out = append(w.out[:len(w.out)-len("\r\n")], ' ')
	w.text(bytes.TrimSpace(line))
	w.out = append(w.out, "\r\n"...)
}

func (w *headRewriter) line(line []byte) {
	name, value, ok := bytes.Cut(line, []byte(":"))
	name, value = bytes.TrimRight(name, " \t"), bytes.TrimSpace(value)
	if !ok || !areTokens(name) {
		w.field(orig+"Line", line)
		return
	}
	w.framed(string(name), value)
}

// framed writes a field, under another name if it tells of a framing or coding
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

// text writes bytes of a line; control bytes become spaces.
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

// nextLine cuts off a line; its end is LF or CR LF.
func nextLine(b []byte) (line, rest []byte) {
	line, rest, _ = bytes.Cut(b, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), rest
}
