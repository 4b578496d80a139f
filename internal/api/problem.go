package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"dowse/internal/facts"
	"dowse/internal/operations"
	"dowse/internal/plain"
)

// A problem is an error as RFC 9457 has it.
type problem struct {
	Type   string `json:"type" doc:"about:blank: the status says what it is"`
	Title  string `json:"title" doc:"the status in words"`
	Status int    `json:"status"`
	Detail string `json:"detail,omitempty" doc:"what is wrong and what to do"`
	Kind   string `json:"kind,omitempty" doc:"not_found, invalid, conflict, too_large, refused, busy, damaged or disk_full"`
	Field  string `json:"field,omitempty" doc:"the parameter or member that is wrong"`
}

// statuses are the HTTP statuses of kinds of errors. What is wrong with a body is 422.
var statuses = map[operations.Kind]int{
	operations.NotFound: http.StatusNotFound, operations.Invalid: http.StatusBadRequest, operations.Conflict: http.StatusConflict,
	operations.TooLarge: http.StatusRequestEntityTooLarge, operations.Refused: http.StatusForbidden, operations.Busy: http.StatusServiceUnavailable,
	operations.Damaged: http.StatusInternalServerError, operations.DiskFull: http.StatusInsufficientStorage,
}

// problemOf returns the problem of an error. Faults of this machine are not shown: their text may
// name files.
func problemOf(err error, hasBody bool) problem {
	kind := operations.KindOf(err)
	p := problem{Status: statuses[kind], Kind: string(kind), Detail: plain.OneLine(plain.Error(err))}
	var e *operations.Error
	if errors.As(err, &e) {
		p.Field = e.Field
	}
	switch {
	case kind == operations.Invalid && hasBody:
		p.Status = http.StatusUnprocessableEntity
	case errors.Is(err, context.Canceled):
		p.Status, p.Detail = http.StatusServiceUnavailable, "the request was cancelled"
	case kind == operations.DiskFull && e == nil:
		p.Detail = "the disk is full: nothing can be written; make room on it and try again"
	case kind == "":
		p.Status, p.Detail = http.StatusInternalServerError, "a fault of the server; its log has more"
	}
	return p
}

// writeProblem answers with a problem.
func writeProblem(w http.ResponseWriter, p problem) {
	p.Type, p.Title = "about:blank", http.StatusText(p.Status)
	if p.Status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "5")
	}
	body, err := facts.Encode(p)
	if err != nil {
		body = []byte("{}")
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_, _ = w.Write(append(body, '\n')) // the client may be gone
}

// writeJSON answers with a value.
func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may be gone
}

// clip returns a text of a caller as an error may repeat it.
func clip(text string) string { return plain.Fit(plain.OneLine(text), 80) }
