// Package fetch makes one HTTP request and reports, as data, what came back.
//
// A [Client] makes one hop at a time: a redirect is an outcome that the caller
// sees, so that every hop can pass scope, robots.txt and politeness before it
// is followed. Nothing that a server does becomes an error or a panic. Each
// [Response] carries an outcome, a reason and the facts of the download, and
// the caller only switches on the outcome.
//
// Everything that comes from outside is bounded: the addresses that may be
// dialled, time, rate, header bytes, bytes on the wire, bytes after decoding,
// content codings, the rules of a robots.txt and the entries of a sitemap. The
// bounds are fields of [Config] or constants next to the code that they
// protect.
//
// The parts, in the order in which a request passes through them:
//
//   - request.go builds the request; dial.go and address.go refuse private addresses
//   - watch.go ends downloads that are too slow; meter.go ends connections that flood
//   - visit.go reads the body through pile.go, within the memory of a [Budget]
//   - coding.go undoes content codings; sniff.go decides whether the body is HTML
//   - status.go, challenge.go, failure.go and local.go choose the outcome
//   - robots.go, rules.go and sitemap.go parse the files that direct a crawler
//
// The client keeps no cookies, sends no credentials and no Referer, ignores the
// proxy settings of the environment and sends only GET. It is safe for
// concurrent use. It never decides when a host may be asked again: it reports
// Retry-After and overload in Response.Host, and the caller schedules.
//
// A request costs one copy of the body, one more if the body is compressed, and
// the rebuilt heads; the buffers for reading are pooled.
package fetch
