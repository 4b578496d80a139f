package fetch

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// Config sets who asks, what may be reached and how much is read. The zero
// Config works: it asks as "dowse", reaches public addresses only and has
// limits that a page written for people does not come near. A zero field means
// its default.
type Config struct {
	// Agent is the product token that robots.txt files name: letters, "_" and
	// "-" (RFC 9309 2.2.1), optionally with a version ("reefbot/1.0"); default
	// "dowse".
	Agent string
	// Contact is a page about the crawler (https://…) or an e-mail address
	// (mailto:… or the bare address). It is part of the User-Agent, and an
	// e-mail address is sent as From too.
	Contact string
	// Version of dowse, for the User-Agent; default none.
	Version string

	// AllowNet lists networks that may be dialled although they are not public.
	AllowNet []netip.Prefix
	// OnlyAllowed refuses public addresses too: nothing outside AllowNet is
	// dialled.
	OnlyAllowed bool
	// Resolver is the DNS server to ask, "address" or "address:port"; default
	// the system's.
	Resolver string

	Timeout   time.Duration // for a whole download; default 60 s
	MaxBody   int64         // bytes of a body after decoding; default 10 MiB
	IdleConns int           // idle connections kept in all; default 1024

	// Budget bounds the memory of all downloads together; nil for no bound.
	// With one, the caller must release the Claim of every response.
	Budget *Budget

	// Dial, if set, replaces the guarded dialer, for a synthetic web in this
	// process. It is called concurrently and is responsible for refusing
	// addresses.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// Transport, if set, answers in place of the network, from a recorded web.
	Transport http.RoundTripper

	// The limits below are set by withDefaults; only tests choose others.
	connectTimeout time.Duration // for name and connection, and again for the TLS handshake; default 10 s
	headerTimeout  time.Duration // from the start to the end of the header; default 20 s
	readTimeout    time.Duration // without a single byte of the body; default 10 s
	minRate        int           // bytes of the body per second, checked after readTimeout; default 256
	maxHeader      int64         // bytes of a response header; default 2 MiB (hosts do set megabytes of cookies)
	maxWire        int64         // bytes of a body as sent; default MaxBody
	idlePerHost    int           // idle connections kept per host; default 16
	idleTimeout    time.Duration // how long an idle connection is kept; default 30 s
	tls            *tls.Config   // the base of the TLS settings, for private certificates; default none
}

// withDefaults returns c with every zero limit replaced by its default.
func (c Config) withDefaults() Config {
	c.Agent = cmp.Or(c.Agent, "dowse")
	c.Timeout = cmp.Or(c.Timeout, time.Minute)
	c.connectTimeout = cmp.Or(c.connectTimeout, 10*time.Second)
	c.headerTimeout = cmp.Or(c.headerTimeout, 20*time.Second)
	c.readTimeout = cmp.Or(c.readTimeout, 10*time.Second)
	c.minRate = cmp.Or(c.minRate, 256)
	c.maxHeader = cmp.Or(c.maxHeader, 2<<20)
	c.MaxBody = cmp.Or(c.MaxBody, 10<<20)
	c.maxWire = cmp.Or(c.maxWire, c.MaxBody)
	c.idlePerHost = cmp.Or(c.idlePerHost, 16)
	c.IdleConns = cmp.Or(c.IdleConns, 1024)
	c.idleTimeout = cmp.Or(c.idleTimeout, 30*time.Second)
	return c
}

// check returns an error that names the first setting that cannot be used.
func (c Config) check() error {
	if token, _, _ := strings.Cut(c.Agent, "/"); token == "" || productToken(token) != token {
		return fmt.Errorf("fetch: agent %q: want letters, _ and - only", c.Agent)
	}
	for name, value := range map[string]string{"agent": c.Agent, "version": c.Version} {
		if strings.ContainsFunc(value, notHeaderWord) {
			return fmt.Errorf("fetch: %s %q: want printable ASCII without spaces or brackets", name, value)
		}
	}
	if _, err := contactURL(c.Contact); err != nil {
		return err
	}
	if _, err := resolverAddr(c.Resolver); err != nil {
		return err
	}
	return nil
}

// notHeaderWord reports whether r would end or distort a product or comment in
// a User-Agent.
func notHeaderWord(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune("();", r) }

// contactURL returns the contact in the form in which the User-Agent contains
// it.
func contactURL(contact string) (string, error) {
	if contact == "" {
		return "", nil
	}
	if strings.Contains(contact, "@") && !strings.Contains(contact, ":") {
		contact = "mailto:" + contact
	}
	u, err := url.Parse(contact)
	if err != nil || strings.ContainsFunc(contact, notHeaderWord) {
		return "", fmt.Errorf("fetch: contact %q: want https://… or mailto:…", contact)
	}
	web := (u.Scheme == "https" || u.Scheme == "http") && u.Host != ""
	mail := u.Scheme == "mailto" && strings.Contains(u.Opaque, "@")
	if !web && !mail {
		return "", fmt.Errorf("fetch: contact %q: want https://… or mailto:…", contact)
	}
	return contact, nil
}

// userAgent returns the User-Agent in the form that the IETF draft "Crawler
// best practices" asks for, inside the "Mozilla/5.0 (compatible; …)" that
// servers expect of a crawler.
func (c Config) userAgent() string {
	agent := c.Agent
	if !strings.Contains(agent, "/") {
		agent += "/1.0"
	}
	if contact, _ := contactURL(c.Contact); contact != "" {
		agent += "; +" + contact
	}
	product := "dowse"
	if c.Version != "" {
		product += "/" + c.Version
	}
	return "Mozilla/5.0 (compatible; " + agent + ") " + product
}

// from returns the e-mail address of the contact, "" if it is a page or
// missing.
func (c Config) from() string {
	contact, _ := contactURL(c.Contact)
	address, ok := strings.CutPrefix(contact, "mailto:")
	if !ok {
		return ""
	}
	address, _, _ = strings.Cut(address, "?")
	return address
}

// token returns the product token by which robots.txt rules are selected.
func (c Config) token() string {
	token, _, _ := strings.Cut(c.Agent, "/")
	return token
}
