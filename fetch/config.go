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

// Config says who asks, what may be reached and how much is taken. The zero
// Config works: it asks as "dowse", reaches public addresses only and has limits
// that a page written for people does not come near.
type Config struct {
	// Agent is the product token that robots.txt files name: letters, "_" and "-"
	// (RFC 9309 2.2.1), optionally with a version ("reefbot/1.0"); "dowse".
	Agent string
	// Contact is a page about the crawler (https://…) or an address to write to
	// (mailto:… or a bare e-mail address). It is part of the User-Agent, and an
	// e-mail address is sent as From too.
	Contact string
	// Version of dowse, in the User-Agent.
	Version string

	// AllowNet lists networks that may be dialled although they are not public.
	AllowNet []netip.Prefix
	// OnlyAllowed refuses public addresses too: nothing outside AllowNet is dialled.
	OnlyAllowed bool
	// Resolver is the DNS server to ask, "address" or "address:port"; the system's.
	Resolver string

	Timeout        time.Duration // for a whole download; 60 s
	ConnectTimeout time.Duration // for name and connection, and again for the TLS handshake; 10 s
	HeaderTimeout  time.Duration // from the start to the end of the header; 20 s
	ReadTimeout    time.Duration // without a single byte of the body; 10 s
	MinRate        int           // bytes of the body in a second, after ReadTimeout; 256
	MaxHeader      int64         // bytes of a response header; 2 MiB (hosts do set megabytes of cookies)
	MaxBody        int64         // bytes of a body after decoding; 10 MiB
	MaxWire        int64         // bytes of a body as it comes; MaxBody
	IdlePerHost    int           // connections kept open to one host; 16
	IdleConns      int           // connections kept open in all; 1024
	IdleTimeout    time.Duration // for which a connection is kept open; 30 s

	// Budget bounds the memory of all downloads together; nil for no bound. With one,
	// the caller must release the Claim of every response.
	Budget *Budget

	// Dial makes connections in place of the guarded dialer: for a web that is
	// made in this process. It may be called from many goroutines.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// TLS is the base of the client's TLS settings, for certificates of one's own.
	TLS *tls.Config
	// Transport answers in place of the network: a recorded web.
	Transport http.RoundTripper
}

func (c Config) withDefaults() Config {
	c.Agent = cmp.Or(c.Agent, "dowse")
	c.Timeout = cmp.Or(c.Timeout, time.Minute)
	c.ConnectTimeout = cmp.Or(c.ConnectTimeout, 10*time.Second)
	c.HeaderTimeout = cmp.Or(c.HeaderTimeout, 20*time.Second)
	c.ReadTimeout = cmp.Or(c.ReadTimeout, 10*time.Second)
	c.MinRate = cmp.Or(c.MinRate, 256)
	c.MaxHeader = cmp.Or(c.MaxHeader, 2<<20)
	c.MaxBody = cmp.Or(c.MaxBody, 10<<20)
	c.MaxWire = cmp.Or(c.MaxWire, c.MaxBody)
	c.IdlePerHost = cmp.Or(c.IdlePerHost, 16)
	c.IdleConns = cmp.Or(c.IdleConns, 1024)
	c.IdleTimeout = cmp.Or(c.IdleTimeout, 30*time.Second)
	return c
}

// check reports the first setting that can't be used.
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

func notHeaderWord(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune("();", r) }

// contactURL returns the contact as it goes into the User-Agent.
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

// userAgent follows the form that the IETF draft "Crawler best practices" asks for.
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

// from returns the e-mail address of the contact, "" for none.
func (c Config) from() string {
	contact, _ := contactURL(c.Contact)
	address, ok := strings.CutPrefix(contact, "mailto:")
	if !ok {
		return ""
	}
	address, _, _ = strings.Cut(address, "?")
	return address
}

// token returns the product token that robots.txt rules are looked up by.
func (c Config) token() string {
	token, _, _ := strings.Cut(c.Agent, "/")
	return token
}
