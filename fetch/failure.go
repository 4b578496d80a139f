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

// errCancelled replaces every error of a request that the caller itself
// cancelled.
var errCancelled = errors.New("given up by the crawl")

// errDropped reports that the connection broke after the request and before its
// answer.
var errDropped = fmt.Errorf("no answer: %w", io.ErrUnexpectedEOF)

// errCut reports that the connection ended in the middle of a header.
var errCut = fmt.Errorf("the header broke off: %w", io.ErrUnexpectedEOF)

// broken records that the exchange ended in err: the kind of failure, and
// whether another try may help. The order of the cases matters, since one error
// can match several: an error of this machine must never be blamed on the host.
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

// unresolved records a failed name lookup. A name that does not exist is a
// final failure; a resolver that does not answer is a temporary one.
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

// isDial reports whether err occurred while connecting, before any request was
// sent.
func isDial(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}

// isTLS reports whether err comes from TLS. Some errors of crypto/tls and
// net/http have no type, so their text is compared.
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

// isConnection reports whether the connection broke, as opposed to carrying an
// invalid answer.
func isConnection(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		strings.Contains(err.Error(), "server closed idle connection")
}

// isHTTP2 reports whether an HTTP/2 stream or connection was abandoned. The
// types of these errors are private to net/http, so their text is compared.
func isHTTP2(err error) bool {
	s := err.Error()
	return strings.HasPrefix(s, "http2: ") || strings.HasPrefix(s, "stream error: ") || strings.HasPrefix(s, "connection error: ")
}

// describe returns the cause of err without the addresses of both ends, which
// are not about the page and differ from one try to the next.
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
