package crawler

import (
	"context"
	"fmt"
	"sync"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/fetch"
	"dowse/weburl"
)

// A Fetcher asks the web for single pages, outside of any collection, as a crawl
// would: nothing is sent before it is known who asks, robots.txt comes first, a
// host gets one request at a time with a pause after it. It may be used from many
// goroutines.
type Fetcher struct {
	cfg      Config
	settings collection.Settings
	client   *fetch.Client
	visitor  *Visitor

	mu    sync.Mutex
	hosts map[string]*hostTurn
}

// A hostTurn lets one visit to a host at a time pass.
type hostTurn struct {
	mu     sync.Mutex
	robots *dowse.Robots
	answer *fetch.Response // to the request for robots.txt
	ready  time.Time
}

// NewFetcher returns a fetcher with the identity, network and politeness of cfg.
// With a Judge in it pages are rated, with a Topic their languages are told if it asks.
func NewFetcher(cfg Config) (*Fetcher, error) {
	f := &Fetcher{cfg: cfg, hosts: map[string]*hostTurn{}, settings: collection.Settings{Settings: cfg.Settings}}
	var err error
	if f.client, err = clientOf(f.settings, cfg); err != nil {
		return nil, err
	}
	f.visitor = &Visitor{Client: f.client, Judge: cfg.Judge}
	if cfg.Topic != nil {
		f.visitor.Language = cfg.Topic.LanguageOf
	}
	if f.visitor.Judge == nil {
		f.visitor.Judge = silent{}
	}
	return f, nil
}

// silent is the judge of pages that are only fetched.
type silent struct{}

func (silent) Judge(*dowse.Page) dowse.Verdict { return dowse.Verdict{} }

// UserAgent returns what the fetcher calls itself.
func (f *Fetcher) UserAgent() string { return f.client.UserAgent() }

// Close lets go of connections.
func (f *Fetcher) Close() { f.client.Close() }

// A Hop is one request for a page, or why none was made.
type Hop struct {
	Page     *dowse.Page     // as a crawl would absorb it
	Robots   *dowse.Robots   // of its host
	Rule     string          // the rule of robots.txt that decided, "" for none
	Response *fetch.Response // nil if robots.txt forbids it
}

// Fetch asks for one page, without following a redirect. The error is ErrIdentity
// or the end of ctx; whatever the web does is in the page.
func (f *Fetcher) Fetch(ctx context.Context, u dowse.URL) (*Hop, error) {
	if err := identified(f.settings, f.cfg, []dowse.URL{u}); err != nil {
		return nil, err
	}
	h := f.host(u)
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := f.askRobots(ctx, h, u); err != nil {
		return nil, err
	}
	allowed, rule := h.robots.Rules.Allowed(u)
	hop := &Hop{Robots: h.robots, Rule: rule}
	visit := crawl.Visit{URL: u, Lead: dowse.Lead{URL: u}}
	if !allowed {
		hop.Page = h.refuse(visit.Page())
		return hop, nil
	}
	if err := h.wait(ctx); err != nil {
		return nil, err
	}
	hop.Response = f.client.Get(ctx, u)
	h.rest(f.delay(h.robots))
	hop.Page = pageOf(visit, hop.Response)
	if hop.Response.Outcome == dowse.Fetched {
		f.visitor.read(hop.Page, hop.Response)
	}
	return hop, ctx.Err()
}

// refuse tells why a page may not be asked for: a rule, or a host whose robots.txt
// could not be read.
func (h *hostTurn) refuse(p *dowse.Page) *dowse.Page {
	p.Outcome, p.Reason = dowse.Refused, dowse.SkipRobotsTxt
	switch {
	case h.robots.Status == 0:
		p.Outcome, p.Reason, p.Detail = h.answer.Outcome, h.answer.Reason, "robots.txt: "+h.answer.Detail
	case h.robots.Status >= 300:
		p.Detail = fmt.Sprintf("robots.txt was answered with %d, so nothing may be fetched", h.robots.Status)
	}
	return p
}

// Follow fetches u and goes after at most so many redirects, each as a page of its
// own. The last hop is the one that ended it.
func (f *Fetcher) Follow(ctx context.Context, u dowse.URL, redirects int) ([]*Hop, error) {
	var hops []*Hop
	for {
		hop, err := f.Fetch(ctx, u)
		if err != nil {
			return hops, err
		}
		hops = append(hops, hop)
		if hop.Page.Outcome != dowse.Redirected || len(hops) > redirects {
			return hops, nil
		}
		u = hop.Response.Location
	}
}

func (f *Fetcher) host(u dowse.URL) *hostTurn {
	f.mu.Lock()
	defer f.mu.Unlock()
	name := weburl.Host(u)
	if f.hosts[name] == nil {
		f.hosts[name] = &hostTurn{}
	}
	return f.hosts[name]
}

func (f *Fetcher) askRobots(ctx context.Context, h *hostTurn, u dowse.URL) error {
	if h.robots != nil {
		return nil
	}
	robots, answers := f.client.Robots(ctx, u)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	h.robots, h.answer = robots, answers[len(answers)-1]
	h.rest(f.delay(robots))
	return nil
}

// delay is how long a host rests: as it asks, or as is configured.
func (f *Fetcher) delay(r *dowse.Robots) time.Duration {
	polite := f.cfg.Politeness.Resolved()
	return min(max(polite.Delay, r.Delay), polite.MaxDelay)
}

func (h *hostTurn) rest(d time.Duration) { h.ready = time.Now().Add(d) }

func (h *hostTurn) wait(ctx context.Context) error {
	t := time.NewTimer(time.Until(h.ready))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
