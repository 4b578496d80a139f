package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"dowse"
)

// errCancelled is what the caller's own leaving looks like.
var errCancelled = errors.New("given up by the crawl")

// errDropped is a connection that broke between the request and its answer.
var errDropped = fmt.Errorf("no answer: %w", io.ErrUnexpectedEOF)

// errCut is a connection that ended in the middle of a header.
var errCut = fmt.Errorf("the header broke off: %w", io.ErrUnexpectedEOF)

// broken records that the exchange ended in err: which of the failures it is, and
// whether another try may help.
func (r *Response) broken(err error) {
	var private *privateError
	var name *net.DNSError
	switch {
	case errors.Is(err, errCancelled):
		r.again(dowse.FailTimeout, errCancelled.Error())
	case errors.As(err, &private):
		r.refuse(private)
	case isLocal(err):
		r.ours(err)
	case errors.As(err, &name):
		r.unresolved(name)
	case isTimeout(err):
		r.again(dowse.FailTimeout, describe(err))
		r.host().BackOff = true
		r.host().Down = isDial(err)
	case isTLS(err):
		r.fail(dowse.FailTLS, describe(err))
	case isConnection(err):
		r.again(dowse.FailConnect, describe(err))
		r.host().BackOff = true
		r.host().Down = isDial(err)
	case isHTTP2(err):
		r.again(dowse.FailProtocol, describe(err))
		r.host().BackOff = true
	default:
		r.fail(dowse.FailProtocol, describe(err))
	}
}

// unresolved tells a name that does not exist from a resolver that does not answer.
func (r *Response) unresolved(err *net.DNSError) {
	detail := "no address for " + strings.TrimSuffix(err.Name, ".") + ": " + err.Err
	r.host().Down = true
	if err.IsNotFound {
		r.fail(dowse.FailDNS, detail)
		return
	}
	r.again(dowse.FailDNS, detail)
	r.host().BackOff = true
}

func isTimeout(err error) bool {
	var timeout interface{ Timeout() bool }
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout()
}

func isDial(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

func isTLS(err error) bool {
	var (
		record    tls.RecordHeaderError
		alert     tls.AlertError
		verify    *tls.CertificateVerificationError
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
	)
	return errors.As(err, &record) || errors.As(err, &alert) || errors.As(err, &verify) ||
		errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &invalid) ||
		strings.Contains(err.Error(), "tls: ") || strings.Contains(err.Error(), "HTTP response to HTTPS client")
}

// isConnection reports whether the connection broke, rather than said nonsense.
func isConnection(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		strings.Contains(err.Error(), "server closed idle connection")
}

// isHTTP2 reports whether an HTTP/2 stream or connection was given up; net/http
// keeps the types of these errors to itself.
func isHTTP2(err error) bool {
	s := err.Error()
	return strings.HasPrefix(s, "http2: ") || strings.HasPrefix(s, "stream error: ") || strings.HasPrefix(s, "connection error: ")
}

// describe returns the cause without the addresses of both ends, which say
// nothing about the page.
func describe(err error) string {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Op + ": " + op.Err.Error()
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return "the connection was closed early"
	}
	return strings.TrimPrefix(err.Error(), "net/http: ")
}
