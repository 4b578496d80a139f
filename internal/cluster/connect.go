package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// DefaultName is the name of a cluster for which none is given.
const DefaultName = "crawl"

// Options say where the servers of a cluster are, and how to be let in.
type Options struct {
	// URLs are servers, nats://host:port or tls://host:port, separated by commas.
	URLs string
	// Name distinguishes crawls on the same servers; default [DefaultName].
	Name string
	// TokenFile is a file with the token that the servers want; "" for none.
	TokenFile string
	// Version is that of the program.
	Version string
	// Getenv returns environment variables: NATS_CREDS, NATS_USER, NATS_PASSWORD, NATS_CA,
	// NATS_CERT and NATS_KEY, as other programs for NATS read them. Nil returns none.
	Getenv func(string) string
	// Log is called with what a person should know of the connection. Nil drops it.
	Log func(format string, args ...any)
}

// A Conn is a connection to the servers of a cluster, with the names of its parts.
type Conn struct {
	opt      Options
	nc       *nats.Conn
	js       jetstream.JetStream
	replicas int
	state    jetstream.KeyValue
	// up reports whether there is a connection. The connection's own methods wait for its lock, which it
	// holds while it tries to connect again.
	up atomic.Bool
}

// Errors that a person can do something about.
var (
	// ErrJetStream is returned for servers without JetStream.
	ErrJetStream = errors.New("JetStream is not enabled there; start the server with -js")
	// ErrCredentials is returned for servers elsewhere without any credentials.
	ErrCredentials = errors.New("a server on another machine needs credentials: a token file, or NATS_CREDS or NATS_USER and NATS_PASSWORD")
)

var nameForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// Check returns an error for options that can't be right, without connecting.
func (o *Options) Check() error {
	if o.Name == "" {
		o.Name = DefaultName
	}
	if !nameForm.MatchString(o.Name) {
		return fmt.Errorf("cluster: name %q: want up to 32 of a-z, 0-9 and -", o.Name)
	}
	auth, err := o.hasCredentials()
	if err != nil {
		return err
	}
	for s := range strings.SplitSeq(o.URLs, ",") {
		u, err := url.Parse(strings.TrimSpace(s))
		if err != nil || u.Scheme != "nats" && u.Scheme != "tls" || u.Hostname() == "" || !isPort(u.Port()) || u.Path != "" && u.Path != "/" {
			return fmt.Errorf("cluster: server %q: want nats://host:port or tls://host:port", redacted(s))
		}
		if !isLoopback(u.Hostname()) && !auth && u.User == nil {
			return fmt.Errorf("cluster: server %s: %w", u.Host, ErrCredentials)
		}
	}
	for _, name := range []string{"NATS_CREDS", "NATS_CA", "NATS_CERT", "NATS_KEY"} {
		if file := o.env(name); file != "" {
			if _, err := os.Stat(file); err != nil {
				return fmt.Errorf("cluster: %s: %w", name, err)
			}
		}
	}
	return nil
}

// isPort reports whether a server can listen at the port of a URL; "" is the usual one.
func isPort(s string) bool {
	n, err := strconv.ParseUint(s, 10, 16)
	return s == "" || err == nil && n > 0
}

// redacted returns servers without their passwords, also where the list can't be read.
func redacted(servers string) string {
	list := strings.Split(servers, ",")
	for i, s := range list {
		scheme, rest, _ := strings.Cut(s, "://")
		if at := strings.LastIndex(rest, "@"); at >= 0 {
			user, _, _ := strings.Cut(rest[:at], ":")
			list[i] = scheme + "://" + user + ":xxxxx" + rest[at:]
		}
	}
	return strings.Join(list, ",")
}

// isLoopback reports whether a host is this machine.
func isLoopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && a.IsLoopback()
}

func (o *Options) env(name string) string {
	if o.Getenv == nil {
		return ""
	}
	return o.Getenv(name)
}

// hasCredentials reports whether there is anything to be let in with. A token file that can't be
// used is an error.
func (o *Options) hasCredentials() (bool, error) {
	token, err := o.token()
	return token != "" || o.env("NATS_CREDS") != "" || o.env("NATS_USER") != "" || o.env("NATS_CERT") != "", err
}

// token returns the token of the token file, "" for none.
func (o *Options) token() (string, error) {
	if o.TokenFile == "" {
		return "", nil
	}
	return ReadToken(o.TokenFile)
}

// ReadToken reads a token from a file. A file that others can read is refused, as ssh refuses it.
func ReadToken(file string) (string, error) {
	info, err := os.Stat(file)
	if err != nil {
		return "", fmt.Errorf("cluster: token file: %w", err)
	}
	if info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		return "", fmt.Errorf("cluster: token file %s: others can read it; chmod 600 it", file)
	}
	if info.Size() > 4096 {
		return "", fmt.Errorf("cluster: token file %s: too long; want one line", file)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("cluster: token file: %w", err)
	}
	token := strings.TrimSpace(string(data))
	if len(token) < 8 || strings.ContainsAny(token, " \r\n\t") {
		return "", fmt.Errorf("cluster: token file %s: want one token of at least 8 characters", file)
	}
	return token, nil
}

// options returns the options of a connection.
func (o *Options) options() ([]nats.Option, error) {
	list := []nats.Option{
		nats.Name("dowse/" + o.Version), nats.Timeout(5 * time.Second),
		nats.MaxReconnects(-1), nats.ReconnectWait(250 * time.Millisecond), nats.ReconnectJitter(100*time.Millisecond, 100*time.Millisecond),
		nats.PingInterval(2 * time.Second), nats.MaxPingsOutstanding(2),
		nats.ReconnectBufSize(-1), // what can't be sent now is an error, and is sent again by whoever knows whether it still matters
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // by default they are printed
	}
	token, err := o.token()
	if err != nil {
		return nil, err
	}
	switch {
	case token != "":
		list = append(list, nats.Token(token))
	case o.env("NATS_CREDS") != "":
		list = append(list, nats.UserCredentials(o.env("NATS_CREDS")))
	case o.env("NATS_USER") != "":
		list = append(list, nats.UserInfo(o.env("NATS_USER"), o.env("NATS_PASSWORD")))
	}
	if ca := o.env("NATS_CA"); ca != "" {
		list = append(list, nats.RootCAs(ca))
	}
	if cert := o.env("NATS_CERT"); cert != "" {
		list = append(list, nats.ClientCert(cert, o.env("NATS_KEY")))
	}
	return list, nil
}

func (o *Options) logf(format string, args ...any) {
	if o.Log != nil {
		o.Log(format, args...)
	}
}

// Connect connects to the servers and makes sure that they have JetStream. It creates nothing there.
func Connect(ctx context.Context, o Options) (*Conn, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	c := &Conn{opt: o}
	list, err := c.opt.options()
	if err != nil {
		return nil, err
	}
	list = append(list, c.watched()...)
	if c.nc, err = nats.Connect(o.URLs, list...); err != nil {
		return nil, explained(o.URLs, err)
	}
	if c.js, err = jetstream.New(c.nc, jetstream.WithDefaultTimeout(patience)); err != nil {
		c.Close()
		return nil, fmt.Errorf("cluster: %w", err)
	}
	if err := c.settled(ctx, func() error { return c.account(ctx) }); err != nil {
		c.Close()
		return nil, explained(o.URLs, err)
	}
	c.replicas = 1
	if len(c.nc.Servers()) >= 3 {
		c.replicas = 3
	}
	return c, nil
}

// watched returns options with which the connection reports what becomes of it.
func (c *Conn) watched() []nats.Option {
	c.up.Store(true)
	return []nats.Option{
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			c.up.Store(false)
			if err != nil {
				c.opt.logf("the connection to NATS is lost (%v); trying again until it is back", err)
			}
		}),
		nats.ReconnectHandler(func(nc *nats.Conn) {
			c.up.Store(true)
			c.opt.logf("connected to NATS again at %s", nc.ConnectedUrlRedacted())
		}),
	}
}

// account asks for the state of JetStream.
func (c *Conn) account(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	_, err := c.js.AccountInfo(ctx)
	return err
}

// settling is for how long servers may be without a leader when a process of the cluster begins.
const settling = 45 * time.Second

// settled calls f until it succeeds, fails for good, or the servers had time enough to settle: those
// that were started together answer only when they have agreed on a leader.
func (c *Conn) settled(ctx context.Context, f func() error) error {
	begun, said := time.Now(), false
	for {
		err := f()
		took := time.Since(begun)
		if err == nil || !isPassing(err) || took > settling || !pause(ctx, 300*time.Millisecond) {
			return err
		}
		if took > patience && !said {
			said = true
			c.opt.logf("NATS does not answer (%v); trying again for %v", err, (settling - took).Round(time.Second))
		}
	}
}

// isPassing reports whether an error may be gone when the servers have agreed on a leader.
func isPassing(err error) bool {
	var api *jetstream.APIError
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, jetstream.ErrNoStreamResponse) ||
		errors.Is(err, nats.ErrDisconnected) || errors.Is(err, nats.ErrReconnectBufExceeded) || errors.Is(err, nats.ErrConnectionReconnecting) ||
		errors.As(err, &api) && api.Code == 503 && api.ErrorCode != 10076 && api.ErrorCode != 10039 // JetStream is not enabled
}

// patience is how long a request to the servers may take.
const patience = 5 * time.Second

// explained returns an error of connecting with what to do about it.
func explained(servers string, err error) error {
	servers = redacted(servers)
	var op *net.OpError
	switch {
	case errors.Is(err, nats.ErrSecureConnWanted):
		return fmt.Errorf("cluster: %s: the server has no TLS, which tls://, NATS_CA or NATS_CERT ask for: %w", servers, err)
	case errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) || errors.Is(err, nats.ErrAuthRevoked):
		return fmt.Errorf("cluster: %s: the server refuses these credentials: %w", servers, err)
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled) || errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) || errors.Is(err, nats.ErrNoResponders):
		return fmt.Errorf("cluster: %s: %w", servers, ErrJetStream)
	case errors.Is(err, nats.ErrNoServers) || errors.As(err, &op):
		return fmt.Errorf("cluster: %s: no NATS server answers there: %w", servers, err)
	}
	return fmt.Errorf("cluster: %s: %w", servers, err)
}

// IsConnected reports whether there is a connection to a server at the moment.
func (c *Conn) IsConnected() bool { return c.up.Load() }

// Close closes the connection.
func (c *Conn) Close() { c.nc.Close() }

// The names of streams, buckets and subjects of a cluster.
func (c *Conn) arrivalStream() string  { return "dowse-" + c.opt.Name + "-arrivals" }
func (c *Conn) commitStream() string   { return "dowse-" + c.opt.Name + "-commits" }
func (c *Conn) stateBucket() string    { return "dowse-" + c.opt.Name }
func (c *Conn) judgeBucket() string    { return "dowse-" + c.opt.Name + "-judges" }
func (c *Conn) arrivalSubject() string { return c.subject("arrival") }
func (c *Conn) commitSubject() string  { return c.subject("commit") }
func (c *Conn) subject(what string) string {
	return "dowse." + c.opt.Name + "." + what
}

// room returns how many bytes a message may have.
func (c *Conn) room() int { return int(c.nc.MaxPayload()) - 4096 } // header fields count, too

// prepare creates the streams and buckets of the cluster, unless they are there.
func (c *Conn) prepare(ctx context.Context) error {
	return c.settled(ctx, func() error { return c.create(ctx) })
}

func (c *Conn) create(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 4*patience)
	defer cancel()
	for _, s := range []struct{ name, subject string }{{c.arrivalStream(), c.arrivalSubject()}, {c.commitStream(), c.commitSubject()}} {
		_, err := c.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
			Name: s.name, Subjects: []string{s.subject}, Storage: jetstream.FileStorage, Replicas: c.replicas,
			Duplicates: 5 * time.Minute,
		})
		if err != nil {
			return c.refused("stream "+s.name, err)
		}
	}
	if err := c.openState(ctx, true); err != nil {
		return err
	}
	_, err := c.js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: c.judgeBucket(), Storage: jetstream.FileStorage, Replicas: c.replicas})
	if err != nil {
		return c.refused("bucket "+c.judgeBucket(), err)
	}
	return nil
}

// openState opens the bucket with the state of the cluster; with create it makes it.
func (c *Conn) openState(ctx context.Context, create bool) (err error) {
	if c.state != nil {
		return nil
	}
	if create {
		c.state, err = c.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: c.stateBucket(), Storage: jetstream.FileStorage, Replicas: c.replicas, History: 1})
	} else {
		c.state, err = c.js.KeyValue(ctx, c.stateBucket())
	}
	if err != nil && !errors.Is(err, jetstream.ErrBucketNotFound) {
		return c.refused("bucket "+c.stateBucket(), err)
	}
	return err
}

// refused returns the error of a server that did not create something, with what to do.
func (c *Conn) refused(what string, err error) error {
	var api *jetstream.APIError
	if errors.As(err, &api) && (api.ErrorCode == 10047 || api.ErrorCode == 10023 || api.ErrorCode == 10005) {
		return fmt.Errorf("cluster: %s: the servers have too little disk or memory for it, or too few of them are up: %w", what, err)
	}
	return fmt.Errorf("cluster: %s: %w", what, err)
}

// whyNot returns the error of a publish for people: servers without room name no cause that they would understand.
func whyNot(err error) error {
	var api *jetstream.APIError
	if errors.As(err, &api) && (api.ErrorCode == 10047 || api.ErrorCode == 10023) {
		return fmt.Errorf("the servers have too little disk or memory: %w", err)
	}
	return err
}

// wrongSequence reports whether a publish was refused because another message came first.
func wrongSequence(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) &&
		(api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// pause waits before another try. It reports false if ctx ended.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
