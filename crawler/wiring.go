package crawler

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/fetch"
	"dowse/site"
	"dowse/strategy"
	"dowse/strategy/input"
	"dowse/topic"
	"dowse/weburl"
)

// DefaultHold is how much worse a lead may be than one whose host will be free
// soon, and still be visited first.
const DefaultHold = 0.1

// ErrIdentity is returned when a crawl would reach the public web and nobody says
// who is crawling.
var ErrIdentity = errors.New("no contact given: sites must be able to reach you")

// ErrSeeds is returned when there is nowhere to begin.
var ErrSeeds = errors.New("no seeds: say where to begin")

// wanted makes the topic from what the config gives.
func wanted(cfg *Config) (*topic.Topic, error) {
	switch {
	case cfg.Topic != nil:
		return cfg.Topic, nil
	case len(cfg.Words) > 0:
		return topic.FromWords(cfg.Words), nil
	case cfg.Judge != nil:
		return &topic.Topic{Name: "crawl", Words: []string{"anything"}}, nil
	}
	return nil, errors.New("crawler: nothing to look for: give Words, a Topic or a Judge")
}

// settings freezes what a new crawl is begun with.
func settings(t *topic.Topic, cfg Config) (collection.Settings, error) {
	s := collection.Settings{
		Name: t.Name, Version: Version, Begun: time.Now().UTC().Truncate(time.Second),
		Seeds: append(slices.Clone(cfg.Seeds), t.Seeds...), Threshold: t.OnTopic(),
		Limits: cfg.Limits, Scope: cfg.Scope, Politeness: cfg.Polite,
		Identity: collection.Identity{Agent: cfg.Agent, Contact: cfg.Contact},
		Network:  collection.Network{AllowNet: cfg.AllowNet, Resolver: cfg.Resolver, Timeout: cfg.Timeout, MaxBody: cfg.MaxBody},
		Demo:     cfg.Demo,
		Formula:  formulaOf(t, cfg),
	}
	s.Scope.Include, s.Scope.Exclude, s.Scope.Block = union(nil, s.Scope.Include), union(nil, s.Scope.Exclude), union(nil, s.Scope.Block)
	if cfg.Threshold > 0 {
		s.Threshold = cfg.Threshold
	}
	s.Contrast = cfg.Contrast
	if !slices.Contains([]string{"", ContrastSeen, ContrastEveryday}, cfg.Contrast) {
		return s, fmt.Errorf("crawler: contrast %q: want %s or %s", cfg.Contrast, ContrastSeen, ContrastEveryday)
	}
	s.Limits.Pages = cmp.Or(cfg.Pages, s.Limits.Pages)
	s.Limits.PerHost = cmp.Or(s.Limits.PerHost, t.PerHost)
	if s.Limits.Tunnel == 0 && t.Tunnel != nil {
		s.Limits.Tunnel = cmp.Or(*t.Tunnel, -1)
	}
	s.Scope.Reach = cmp.Or(s.Scope.Reach, string(t.Scope), string(crawl.ReachWeb))
	s.Strategy = cmp.Or(cfg.StrategyName, t.PreferredStrategy(), strategy.Default)
	if cfg.Unit == UnitSite && cfg.StrategyName == "" && !ForSites(t.Strategy) {
		s.Strategy = siteName
	}
	if cfg.Strategy != nil {
		s.Strategy = fmt.Sprintf("custom %T", cfg.Strategy)
	}
	if t.Outside != nil {
		dir, err := filepath.Abs(cmp.Or(t.Dir, "."))
		if err != nil {
			return s, fmt.Errorf("crawler: %w", err)
		}
		s.TopicDir = dir
	}
	s.Key = cmp.Or(cfg.Key, randomKey())
	s.Shadows, s.Explore = cfg.Shadows, cfg.Explore
	if s.Explore == 0 && t.Explore != nil {
		s.Explore = *t.Explore
	}
	if s.Explore < 0 || s.Explore > 1 {
		return s, fmt.Errorf("crawler: explore %v: want a share from 0 to 1", s.Explore)
	}
	return s, nil
}

// merge lets a resumed crawl keep its settings, but for what was given anew.
func merge(cfg Config, s *collection.Settings) {
	s.Limits.Pages = cmp.Or(cfg.Pages, cfg.Limits.Pages, s.Limits.Pages)
	s.Limits.OnTopic = cmp.Or(cfg.Limits.OnTopic, s.Limits.OnTopic)
	s.Limits.Bytes = cmp.Or(cfg.Limits.Bytes, s.Limits.Bytes)
	s.Limits.Time = cmp.Or(cfg.Limits.Time, s.Limits.Time)
	s.Limits.PerHost = cmp.Or(cfg.Limits.PerHost, s.Limits.PerHost)
	s.Limits.Depth = cmp.Or(cfg.Limits.Depth, s.Limits.Depth)
	s.Limits.Tunnel = cmp.Or(cfg.Limits.Tunnel, s.Limits.Tunnel)
	if cfg.Limits.Over > 0 {
		s.Limits.Harvest, s.Limits.Over = cfg.Limits.Harvest, cfg.Limits.Over
	}
	s.Politeness.Delay = cmp.Or(cfg.Polite.Delay, s.Politeness.Delay)
	s.Politeness.Conns = cmp.Or(cfg.Polite.Conns, s.Politeness.Conns)
	s.Politeness.InFlight = cmp.Or(cfg.Polite.InFlight, s.Politeness.InFlight)
	s.Politeness.Hold = cmp.Or(cfg.Polite.Hold, s.Politeness.Hold)
	s.Politeness.MaxRate = cmp.Or(cfg.Polite.MaxRate, s.Politeness.MaxRate)
	s.Politeness.Patience = cmp.Or(cfg.Polite.Patience, s.Politeness.Patience)
	s.Scope.Include = union(s.Scope.Include, cfg.Scope.Include)
	s.Scope.Exclude = union(s.Scope.Exclude, cfg.Scope.Exclude)
	s.Scope.Block = union(s.Scope.Block, cfg.Scope.Block)
	s.Identity.Agent = cmp.Or(cfg.Agent, s.Identity.Agent)
	s.Identity.Contact = cmp.Or(cfg.Contact, s.Identity.Contact)
	if len(cfg.AllowNet) > 0 {
		s.Network.AllowNet = cfg.AllowNet
	}
	s.Network.Resolver = cmp.Or(cfg.Resolver, s.Network.Resolver)
	s.Network.Timeout = cmp.Or(cfg.Timeout, s.Network.Timeout)
	s.Network.MaxBody = cmp.Or(cfg.MaxBody, s.Network.MaxBody)
	s.Contrast = cmp.Or(cfg.Contrast, s.Contrast)
}

// union returns a list with the further entries that are not in it.
func union(list, more []string) []string {
	list = slices.Clone(list)
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

func seedURLs(raw []string) ([]dowse.URL, error) {
	if len(raw) == 0 {
		return nil, fmt.Errorf("crawler: %w", ErrSeeds)
	}
	var urls []dowse.URL
	for _, s := range raw {
		u, err := weburl.Parse(s)
		if err != nil {
			return nil, fmt.Errorf("crawler: seed %q: %w", s, err)
		}
		if !slices.Contains(urls, u) {
			urls = append(urls, u)
		}
	}
	return urls, nil
}

// identified checks that the crawl has a contact, or can't reach the public web:
// all its seeds are addresses that the user allowed, or names that the user's own
// resolver answers, and then nothing public is ever dialled.
func identified(s collection.Settings, cfg Config, seeds []dowse.URL) error {
	if s.Identity.Contact != "" || cfg.Dial != nil || cfg.Transport != nil {
		return nil
	}
	nets, err := prefixes(s.Network.AllowNet)
	if err != nil {
		return err
	}
	if len(nets) == 0 {
		return ErrIdentity
	}
	for _, u := range seeds {
		if s.Network.Resolver == "" && !inside(weburl.Hostname(u), nets) {
			return ErrIdentity
		}
	}
	return nil
}

func inside(host string, nets []netip.Prefix) bool {
	if host == "localhost" {
		return true
	}
	a, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && slices.ContainsFunc(nets, func(n netip.Prefix) bool { return n.Contains(a) })
}

func prefixes(list []string) (nets []netip.Prefix, err error) {
	for _, s := range list {
		p, err := netip.ParsePrefix(s)
		if err != nil {
			a, err2 := netip.ParseAddr(s)
			if err2 != nil {
				return nil, fmt.Errorf("crawler: allow-net %q: want a network as 10.0.0.0/8 or an address", s)
			}
			p = netip.PrefixFrom(a, a.BitLen())
		}
		nets = append(nets, p)
	}
	return nets, nil
}

func robotsParser(s collection.Settings) crawl.RobotsParser {
	agent := cmp.Or(s.Identity.Agent, "dowse")
	agent, _, _ = strings.Cut(agent, "/")
	return func(body []byte, status int) dowse.Rules { return fetch.ParseRobots(body, status, agent).Rules }
}

// parts are what a crawl is assembled from.
type parts struct {
	client  *fetch.Client
	crawl   crawl.Config
	visitor *Visitor
}

// partsOf makes the parts for the collection in dir.
func partsOf(dir string, s collection.Settings, t *topic.Topic, judge dowse.Judge, cfg Config) (*parts, error) {
	needs, err := needsIn(dir, s.Needs, t)
	if err != nil {
		return nil, err
	}
	strat, err := strategyOf(s, cfg, needs)
	if err != nil {
		return nil, err
	}
	if err := learnAgain(strat, dir, s.Needs); err != nil {
		return nil, err
	}
	shadows, err := shadowsOf(s, needs)
	if err != nil {
		return nil, err
	}
	if ForSites(s.Strategy) {
		judge = site.Reader{By: judge}
		s.Politeness.Hold = cmp.Or(s.Politeness.Hold, -1) // priorities of different sites do not compare
	}
	scope, err := scopeOf(s.Scope)
	if err != nil {
		return nil, err
	}
	client, err := clientOf(s, cfg)
	if err != nil {
		return nil, err
	}
	v := &Visitor{Client: client, Judge: ruled(judge), Wants: t.AcceptsLanguage, Language: t.LanguageOf}
	if err := v.RateAll(strat, shadows); err != nil {
		return nil, err
	}
	return &parts{client: client, visitor: v, crawl: crawl.Config{
		Renew:    renewal(dir, s, cfg, needs),
		Strategy: strat, Shadows: shadows, Explore: s.Explore, Threshold: s.Threshold, Limits: s.Limits.Crawl(), Scope: scope,
		Polite: crawl.Politeness{
			Delay: s.Politeness.Delay, Conns: s.Politeness.Conns, MaxRate: s.Politeness.MaxRate,
			InFlight: min(cmp.Or(s.Politeness.InFlight, defaultInFlight), visitRoom()),
			Hold:     cmp.Or(s.Politeness.Hold, DefaultHold), Patience: s.Politeness.Patience,
		},
		Robots: true, Sitemaps: !cfg.NoSitemaps, NoFollow: s.Politeness.NoFollow,
	}}, nil
}

// renewal returns how the strategies of a crawl are had anew; nil for one that a
// program brought along.
func renewal(dir string, s collection.Settings, cfg Config, needs input.Inputs) func() (dowse.Strategy, []crawl.Shadow, error) {
	if cfg.Strategy != nil {
		return nil
	}
	return func() (dowse.Strategy, []crawl.Shadow, error) {
		st, err := strategyOf(s, cfg, needs)
		if err == nil {
			err = learnAgain(st, dir, s.Needs)
		}
		if err != nil {
			return nil, nil, err
		}
		shadows, err := shadowsOf(s, needs)
		return st, shadows, err
	}
}

func strategyOf(s collection.Settings, cfg Config, needs input.Inputs) (dowse.Strategy, error) {
	if cfg.Strategy != nil {
		return cfg.Strategy, nil
	}
	if strings.HasPrefix(s.Strategy, "custom ") {
		return nil, fmt.Errorf("crawler: %s was crawled with a strategy of its own program (%s); open it with that program", s.Name, s.Strategy)
	}
	st, err := strategy.NewFrom(Strategies(), s.Strategy, needs)
	if err != nil {
		return nil, fmt.Errorf("crawler: %w", err)
	}
	return st, nil
}

// shadowsOf makes the strategies that follow a crawl without steering it.
func shadowsOf(s collection.Settings, needs input.Inputs) (list []crawl.Shadow, err error) {
	for _, spec := range s.Shadows {
		st, err := strategy.NewWith(spec, needs)
		if err != nil {
			return nil, fmt.Errorf("crawler: shadow: %w", err)
		}
		list = append(list, crawl.Shadow{Name: spec, Strategy: st})
	}
	return list, nil
}

func scopeOf(s collection.Scope) (crawl.Scope, error) {
	out := crawl.Scope{Reach: crawl.Reach(s.Reach), Block: map[string]bool{}}
	switch out.Reach {
	case "", crawl.ReachWeb, crawl.ReachDomain, crawl.ReachHost, crawl.ReachPrefix:
	default:
		return out, fmt.Errorf("crawler: scope %q: want web, domain, host or prefix", s.Reach)
	}
	for _, h := range s.Block {
		out.Block[strings.ToLower(h)] = true
	}
	var err error
	if out.Include, err = patterns("include", s.Include); err != nil {
		return out, err
	}
	out.Exclude, err = patterns("exclude", s.Exclude)
	return out, err
}

func patterns(flag string, list []string) (res []*regexp.Regexp, err error) {
	for _, s := range list {
		re, err := regexp.Compile(s)
		if err != nil {
			return nil, fmt.Errorf("crawler: %s %q: %w", flag, s, err)
		}
		res = append(res, re)
	}
	return res, nil
}

func clientOf(s collection.Settings, cfg Config) (*fetch.Client, error) {
	nets, err := prefixes(s.Network.AllowNet)
	if err != nil {
		return nil, err
	}
	return fetch.New(fetch.Config{
		Agent: cmp.Or(s.Identity.Agent, "dowse"), Contact: s.Identity.Contact, Version: Version,
		AllowNet: nets, OnlyAllowed: s.Identity.Contact == "" && cfg.Dial == nil && cfg.Transport == nil,
		Resolver: s.Network.Resolver, Timeout: s.Network.Timeout,
		MaxBody: s.Network.MaxBody, Budget: cfg.budget, Dial: cfg.Dial, Transport: cfg.Transport,
		IdleConns: min(defaultIdle, visitRoom()),
	})
}

// restorer gives pages their text back from the archive, and their links as
// extracted, with the windows that a strategy wishes for; the ratings of windows are
// those of the journal.
func restorer(col *collection.Collection, wish Wish) crawl.Restorer {
	return func(page *dowse.Page) error {
		doc, err := col.Document(page)
		if errors.Is(err, collection.ErrErased) {
			return nil // taken down: it goes on without its text
		}
		if err != nil {
			return err
		}
		wish.window(doc)
		keepRatings(doc.Links, page.Links)
		takeOver(page, doc)
		return nil
	}
}

// takeOver gives a page a document that was extracted again, and keeps what does not
// come from the HTML.
func takeOver(page *dowse.Page, doc *dowse.Document) {
	doc.Sketch = page.Sketch
	doc.Language = cmp.Or(doc.Language, page.Language)
	doc.NoFollow, doc.NoIndex, doc.NoArchive = page.NoFollow, page.NoIndex, page.NoArchive
	page.Document = *doc
}

// keepRatings gives links that were extracted again the ratings that the visit kept. Of a
// link to a URL that was taken down the visit kept no URL, or nothing.
func keepRatings(fresh, rated []dowse.Link) {
	at := 0
	for i := range fresh {
		if at == len(rated) {
			return
		}
		r := &rated[at]
		if r.URL == "" {
			at++
		}
		if r.URL != fresh[i].URL {
			continue
		}
		at++
		fresh[i].Context, fresh[i].AnchorScore = r.Context, r.AnchorScore
		for k := range fresh[i].More {
			if k < len(r.More) {
				fresh[i].More[k].Context, fresh[i].More[k].AnchorScore = r.More[k].Context, r.More[k].AnchorScore
			}
		}
	}
}
