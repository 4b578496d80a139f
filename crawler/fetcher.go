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
	"dowse/internal/rawpage"
	"dowse/weburl"
)

// A Fetcher fetches single pages outside of any collection, with the same
// rules as a crawl: it sends nothing without an identity, asks for
// robots.txt first, and sends one request at a time to a host with a pause
// after it. It is safe for concurrent use.
type Fetcher struct {
	cfg      Config
	settings collection.Settings
	client   *fetch.Client
	visitor  *Visitor

	mu    sync.Mutex
	hosts map[string]*hostTurn
}

// A hostTurn serialises the visits to one host: its mutex is held during a
// request and the pause before it.
type hostTurn struct {
	mu     sync.Mutex
	robots *dowse.Robots
	// answer is the last answer to the request for robots.txt.
	answer *fetch.Response
	ready  time.Time
}

// NewFetcher returns a fetcher with the identity, network and politeness of
// cfg. With a Judge in cfg pages are judged; with a Topic their language is
// detected if the topic asks for it. The caller must call Close.
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
		f.visitor.Judge = noJudge{}
	}
	return f, nil
}

// noJudge is the judge of pages that are only fetched: every verdict is zero.
type noJudge struct{}

func (noJudge) Judge(*dowse.Page) dowse.Verdict { return dowse.Verdict{} }

// UserAgent returns the User-Agent header that the fetcher sends.
func (f *Fetcher) UserAgent() string { return f.client.UserAgent() }

// Close closes idle connections.
func (f *Fetcher) Close() { f.client.Close() }

// A Hop is one request for a page, or the reason why none was sent.
type Hop struct {
	// Page is the result in the form that a crawl records.
	Page   *dowse.Page
	Robots *dowse.Robots // of its host
	// Rule is the rule of robots.txt that decided, "" if there is none.
	Rule string
	// Response is nil if robots.txt forbids the request.
	Response *fetch.Response
}

// Fetch requests one page without following redirects. The error is
// ErrIdentity or that of ctx; anything that goes wrong on the web is in the
// page. It holds the turn of the host until the request is done, so calls for
// one host wait for each other, and calls for different hosts do not.
func (f *Fetcher) Fetch(ctx context.Context, u dowse.URL) (*Hop, error) {
	if err := checkIdentity(f.settings, f.cfg, []dowse.URL{u}); err != nil {
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
		f.visitor.read(hop.Page, hop.Response, nil)
	}
	return hop, ctx.Err()
}

// refuse sets why a page may not be requested: a rule, or a robots.txt that
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

// Follow fetches u and follows at most the given number of redirects, with
// one hop per request. The last hop is the result.
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

// host returns the turn of the host of a URL, a new one if the host is new.
// Turns are never removed: a fetcher is for a few hosts.
func (f *Fetcher) host(u dowse.URL) *hostTurn {
	f.mu.Lock()
	defer f.mu.Unlock()
	name := weburl.Host(u)
	if f.hosts[name] == nil {
		f.hosts[name] = &hostTurn{}
	}
	return f.hosts[name]
}

// askRobots requests robots.txt unless it is known. If ctx ends, nothing is
// remembered.
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

// delay returns the pause after a request: the longer of what robots.txt
// asks for and what is configured, up to the configured maximum.
func (f *Fetcher) delay(r *dowse.Robots) time.Duration {
	polite := f.cfg.Politeness.Resolved()
	return min(max(polite.Delay, r.Delay), polite.MaxDelay)
}

// rest starts the pause of a host, and wait waits for its end or that of
// ctx.
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

// HTMLPage extracts a page from its HTML as a crawl does, for a judge to rate. Links are
// resolved against name if that is a URL; otherwise name is only the label of the page.
func HTMLPage(name string, body []byte, contentType string) *dowse.Page {
	return rawpage.HTML(name, body, contentType)
}
