// Package fetch answers what the web says to one request.
//
// A [Client] makes one hop at a time: a redirect is an outcome, not something to
// be followed behind the caller's back, so that every hop can pass scope, robots
// and politeness. Nothing that a server does becomes an error or a panic: each
// [Response] carries an outcome, a reason and the facts of the download. Everything
// that comes from outside is bounded: addresses that may be dialled, time, rate,
// header bytes, bytes on the wire, bytes after decoding, content codings, rules of
// a robots.txt, entries of a sitemap.
//
// The client keeps no cookies, sends no credentials and no Referer, obeys no proxy
// settings of the environment and only ever sends GET. It is safe for use by many
// goroutines at once. Who may be asked when is decided elsewhere; fetch only
// reports what a host said about that.
package fetch
