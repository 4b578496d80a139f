package agents

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Codes of JSON-RPC for lines that are no message.
const (
	codeParse   = -32700 // the line is not JSON
	codeInvalid = -32600 // it is JSON, and no message
)

// A messageReader reads the lines of a client and passes on those that are messages. The transport of the SDK ends the
// session at any other line; the reader answers it with an error, as JSON-RPC asks for, and goes on.
type messageReader struct {
	in   *bufio.Reader
	out  io.Writer // safe for concurrent use
	rest []byte    // of the line that is being passed on
}

// Read returns a part of the next message.
func (r *messageReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		line, tooLong, err := r.line()
		if len(line) == 0 && !tooLong {
			if err != nil {
				return 0, err
			}
			continue
		}
		code, id, problem := codeInvalid, json.RawMessage("null"), fmt.Sprintf("the message has more than %d bytes", maxRequest)
		if !tooLong {
			code, id, problem = checkMessage(line)
		}
		if problem == "" {
			r.rest = append(line, '\n')
			break
		}
		answer := fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`+"\n", id, code, problem)
		if _, err := r.out.Write(answer); err != nil {
			return 0, err
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// line returns the next line without spaces around it. Of a line with more than maxRequest bytes nothing is kept.
func (r *messageReader) line() (line []byte, tooLong bool, err error) {
	for {
		part, err := r.in.ReadSlice('\n')
		if len(line)+len(part) > maxRequest {
			line, tooLong = nil, true
		}
		if !tooLong {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), tooLong, err
		}
	}
}

// checkMessage returns what is wrong with a line that is no message, "" for a message, and the ID that an answer names.
func checkMessage(line []byte) (code int, id json.RawMessage, problem string) {
	id = json.RawMessage("null")
	if !json.Valid(line) {
		return codeParse, id, "the line is not JSON"
	}
	if line[0] != '{' {
		return codeInvalid, id, "want one message per line, as a JSON object; batches are not supported"
	}
	if _, err := jsonrpc.DecodeMessage(line); err != nil {
		return codeInvalid, idOf(line), "the object is no message of JSON-RPC 2.0"
	}
	return 0, nil, ""
}

// idOf returns the ID of an object if an answer may repeat it, null otherwise.
func idOf(line []byte) json.RawMessage {
	var x struct {
		ID any `json:"id"`
	}
	if json.Unmarshal(line, &x) == nil {
		switch x.ID.(type) {
		case string, float64:
			if id, err := json.Marshal(x.ID); err == nil && len(id) < 200 {
				return id
			}
		}
	}
	return json.RawMessage("null")
}

// A lineWriter writes whole messages of several goroutines.
type lineWriter struct {
	mu sync.Mutex
	io.WriteCloser
}

// Write writes one message.
func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.WriteCloser.Write(p)
}
