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
	"dowse/internal/cluster"
	"dowse/internal/ledger"
	"dowse/internal/linkrating"
	"dowse/internal/refresh"
	"dowse/internal/repeats"
	"dowse/internal/site"
	"dowse/settings"
	"dowse/strategy"
	"dowse/strategy/input"
	"dowse/topic"
	"dowse/weburl"
)

// ErrIdentity is returned when a crawl would reach the public web and no
// contact is given.
var ErrIdentity = errors.New("no contact given: sites must be able to reach you")

// customStrategy is the prefix of the name of a strategy that a Go program
// provides.
const customStrategy = "custom "

// ErrSeeds is returned when there are no seeds.
var ErrSeeds = errors.New("no seeds: give a URL to begin with")

// topicFor returns the topic of a config: its Topic, one made of its Words, or
// a placeholder for a Judge.
func topicFor(cfg *Config) (*topic.Topic, error) {
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

// newSettings returns the settings of a new crawl: the given ones, then
// those of the topic, then the defaults.
func newSettings(t *topic.Topic, cfg Config) (collection.Settings, error) {
	s := collection.Settings{
		Name: t.Name, Version: Version, Begun: time.Now().UTC().Truncate(time.Second),
		Seeds: append(slices.Clone(cfg.Seeds), t.Seeds...), Demo: cfg.Demo, Formula: formulaOf(t, cfg), FilesLast: true,
	}
	s.Settings, _ = settings.Merge(topicSettings(t), cfg.Settings, nil)
	if cfg.Unit == UnitSite && cfg.Settings.Strategy == "" && !ForSites(t.Strategy) {
		s.Settings.Strategy = siteName
	}
	if cfg.Strategy != nil {
		s.Settings.Strategy = fmt.Sprintf(customStrategy+"%T", cfg.Strategy)
	}
	if t.Outside != nil {
		dir, err := filepath.Abs(cmp.Or(t.Dir, "."))
		if err != nil {
			return s, fmt.Errorf("crawler: %w", err)
		}
		s.TopicDir = dir
	}
	s.Key = cmp.Or(cfg.Key, randomKey())
	return s, nil
}

// topicSettings returns the settings that a topic contains.
func topicSettings(t *topic.Topic) (s settings.Settings) {
	s.Strategy = cmp.Or(t.PreferredStrategy(), strategy.Default)
	s.Threshold, s.PerHost = t.OnTopic(), t.PerHost
	if f, ok := settings.ByFlag("until"); ok && t.Until != "" {
		if rules, err := f.Read(t.Until); err == nil { // a topic that is read has no others
			f.Put(&s, rules)
		}
	}
	s.Reach = cmp.Or(string(t.Scope), string(crawl.ReachWeb))
	if t.Tunnel != nil {
		s.Tunnel = cmp.Or(*t.Tunnel, -1)
	}
	if t.Explore != nil {
		s.Explore = *t.Explore
	}
	return s
}

// seedURLs parses seeds, each once. An empty list is an ErrSeeds.
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

// includeSeeds adds those seeds to the patterns of Include that match none of them, and
// returns one note per seed. A person who gives a seed wants its links to be read, also if
// only other pages are to be collected; without it the crawl would end before it began.
func includeSeeds(s *settings.Scope, seeds []dowse.URL) (notes []string) {
	include, err := patterns("include", s.Include)
	if err != nil || len(include) == 0 {
		return nil // an error is reported where the scope is made
	}
	for _, u := range seeds {
		if slices.ContainsFunc(include, func(re *regexp.Regexp) bool { return re.MatchString(string(u)) }) {
			continue
		}
		s.Include = append(slices.Clone(s.Include), "^"+regexp.QuoteMeta(string(u))+"$")
		notes = append(notes, fmt.Sprintf("the seed %s matches no pattern of include; it is fetched for its links", u))
	}
	return notes
}

// checkIdentity returns an ErrIdentity unless the crawl has a contact or can't
// reach the public web: all its seeds are addresses that the user allowed,
// or names that the user's own resolver answers. Nothing public is dialled
// then.
func checkIdentity(s collection.Settings, cfg Config, seeds []dowse.URL) error {
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

// inside reports whether a host is localhost or an address within one of the
// networks.
func inside(host string, nets []netip.Prefix) bool {
	if host == "localhost" {
		return true
	}
	a, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && slices.ContainsFunc(nets, func(n netip.Prefix) bool { return n.Contains(a) })
}

// prefixes parses networks; a single address is a network of one.
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

// robotsParser returns a parser for the rules that apply to the agent of the
// settings.
func robotsParser(s collection.Settings) crawl.RobotsParser {
	agent, _, _ := strings.Cut(s.Resolved().Agent, "/")
	return func(body []byte, status int) dowse.Rules { return fetch.ParseRobots(body, status, agent).Rules }
}

// parts are what a crawl is assembled from.
type parts struct {
	client  *fetch.Client
	crawl   crawl.Config
	visitor *Visitor
	lost    error // why a recorded strategy is in the place of the collection's own; nil if it is not
}

// partsOf makes client, visitor and configuration for the collection in dir.
// The number of visits in flight is limited by the files that the process
// may open.
func partsOf(dir string, s collection.Settings, t *topic.Topic, judge dowse.Judge, cfg Config) (*parts, error) {
	needs, strat, shadows, err := strategiesIn(dir, s, t, cfg)
	var lost error
	switch {
	case err != nil && cfg.readOnly:
		lost, strat, shadows = err, crawl.Recorded(), recordedShadows(s)
	case err != nil:
		return nil, err
	}
	if ForSites(s.Strategy) {
		judge = site.Reader{By: judge}
	}
	early, _ := splitScope(s)
	scope, err := scopeOf(early)
	if err != nil {
		return nil, err
	}
	late, err := lateScope(s)
	if err != nil {
		return nil, err
	}
	client, err := clientOf(s, cfg)
	if err != nil {
		return nil, err
	}
	threshold, from := earlyThreshold(s)
	templates := repeats.UseOf(s.Templates)
	v := &Visitor{Client: client, Judge: replaceable(judge), Wants: t.AcceptsLanguage, Language: t.LanguageOf, Templates: templates, others: s.Agents}
	if err := v.rateAll(strat, shadows); err != nil {
		return nil, err
	}
	return &parts{client: client, visitor: v, lost: lost, crawl: crawl.Config{
		Renew: renewal(dir, s, cfg, needs), Refresh: planOf(s),
		Strategy: strat, Shadows: shadows, Explore: s.Explore, Threshold: threshold, ThresholdFrom: from, Limits: s.Limits, Scope: scope, Late: late, Polite: politeIn(s, cfg.Cluster != nil),
		Robots: true, Sitemaps: !cfg.NoSitemaps, NoFollow: s.Politeness.NoFollow, FilesLast: s.FilesLast,
		Templates: templates.Any(),
	}}, nil
}

// strategiesIn makes the strategy and the shadows of the collection in dir with the inputs that it keeps. If
// these can't be read, the error is a [ledger.ErrInputLost].
func strategiesIn(dir string, s collection.Settings, t *topic.Topic, cfg Config) (needs input.Inputs, st dowse.Strategy, shadows []crawl.Shadow, err error) {
	if needs, err = needsIn(dir, s.Needs, t); err != nil {
		return needs, nil, nil, fmt.Errorf("crawler: %s: %w: %w", dir, ledger.ErrInputLost, err)
	}
	if st, err = strategyOf(s, cfg, needs); err != nil {
		return needs, nil, nil, err
	}
	if err = learnAgain(st, dir, s.Needs); err != nil {
		return needs, nil, nil, fmt.Errorf("crawler: %s: %w: %w", dir, ledger.ErrInputLost, err)
	}
	shadows, err = shadowsOf(s, needs)
	return needs, st, shadows, err
}

// recordedShadows returns shadows in the place of those that can't be made, for reading a crawl: what they
// did is in its state.
func recordedShadows(s collection.Settings) (list []crawl.Shadow) {
	for _, spec := range s.Shadows {
		list = append(list, crawl.Shadow{Name: spec, Strategy: crawl.Recorded()})
	}
	return list
}

// planOf returns how pages are asked again.
func planOf(s collection.Settings) refresh.Plan {
	every, aim := s.RefreshEvery()
	return refresh.Plan{Every: every, Auto: aim == "auto", Changes: aim == "changes", Share: s.Resolved().RefreshShare}
}

// politeOf returns the politeness of the settings as a crawl takes it. The number of visits
// in flight is limited by the files that the process may open.
func politeOf(s collection.Settings) settings.Politeness {
	polite := s.Resolved().Politeness
	polite.InFlight = min(polite.InFlight, maxVisits())
	if polite.Delay == 0 {
		polite.Delay = crawl.None
	}
	if ForSites(s.Strategy) && s.Hold == 0 { // it was not asked for, and priorities of different sites do not compare
		polite.Hold = 0
	}
	return polite
}

// politeIn is politeOf for a crawl that may be that of a cluster: there the connections are those of
// workers, so that the files of this process do not limit them.
func politeIn(s collection.Settings, clustered bool) settings.Politeness {
	polite := politeOf(s)
	if clustered {
		polite.InFlight = cmp.Or(s.InFlight, cluster.MaxVisits)
	}
	return polite
}

// renewal returns a function that makes the strategies of a crawl again, as
// they were at its start, for deciding everything again; nil for a strategy
// that a Go program provides, which can't be made again.
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

// strategyOf makes the strategy of the settings, or returns that of the
// config.
func strategyOf(s collection.Settings, cfg Config, needs input.Inputs) (dowse.Strategy, error) {
	if cfg.Strategy != nil {
		return cfg.Strategy, nil
	}
	if strings.HasPrefix(s.Strategy, customStrategy) {
		if cfg.readOnly {
			return crawl.Recorded(), nil
		}
		return nil, fmt.Errorf("crawler: %s was crawled with a strategy of its own program (%s); open it with that program", s.Name, s.Strategy)
	}
	st, err := strategy.NewFrom(Strategies(), s.Strategy, needs)
	if err != nil {
		return nil, fmt.Errorf("crawler: %w", err)
	}
	return st, nil
}

// shadowsOf makes the strategies that observe a crawl without steering it.
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

// scopeOf converts the scope of the settings; an unknown reach or an invalid
// pattern is an error.
func scopeOf(s settings.Scope) (crawl.Scope, error) {
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

// patterns compiles regular expressions. Errors name the setting.
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

// clientOf makes the HTTP client. Without a contact it can reach only the
// allowed networks.
func clientOf(s collection.Settings, cfg Config) (*fetch.Client, error) {
	nets, err := prefixes(s.Network.AllowNet)
	if err != nil {
		return nil, err
	}
	set := s.Resolved()
	return fetch.New(fetch.Config{
		Agent: set.Agent, Contact: set.Contact, Version: Version,
		AllowNet: nets, OnlyAllowed: set.Contact == "" && cfg.Dial == nil && cfg.Transport == nil,
		Resolver: set.Resolver, Timeout: set.Timeout,
		MaxBody: set.MaxBody, Budget: cfg.budget, Dial: cfg.Dial, Transport: cfg.Transport,
		IdleConns: min(defaultIdle, maxVisits()),
	})
}

// restorer returns a function that restores the text and the links of a page
// from the archive, with the windows that a strategy uses. The ratings of
// windows are those of the journal. A page that was taken down stays without
// text. A record that can't be decoded is damage; a disk that fails is not.
func restorer(col *collection.Collection, wish linkrating.Wish) crawl.Restorer {
	return func(page *dowse.Page) error {
		doc, err := col.Document(page)
		if errors.Is(err, collection.ErrErased) {
			return nil // taken down: it goes on without its text
		}
		if errors.Is(err, collection.ErrNotKept) {
			return fmt.Errorf("%w: %w", collection.ErrDamaged, err)
		}
		if err != nil {
			return err
		}
		doc.Links = recordedLinks(doc.Links, page.Links)
		replaceDocument(page, doc)
		wish.SetWindows(page)
		return nil
	}
}

// replaceDocument sets a document that was extracted again, and keeps what does not
// come from the HTML.
func replaceDocument(page *dowse.Page, doc *dowse.Document) {
	doc.Sketch = page.Sketch
	doc.Language = cmp.Or(doc.Language, page.Language)
	doc.NoFollow, doc.NoIndex, doc.NoArchive = page.NoFollow, page.NoIndex, page.NoArchive
	page.Document = *doc
}

// recordedLinks returns those of the links that were extracted again which the
// visit has, with its ratings. The visit has no link where there was no place for
// one, in memory or in a budget of hosts, and no URL for a link to a page that was
// taken down.
func recordedLinks(fresh, rated []dowse.Link) (list []dowse.Link) {
	at := 0
	for i := range fresh {
		if at == len(rated) {
			break
		}
		r := &rated[at]
		if r.URL == "" {
			at++
		}
		if r.URL != fresh[i].URL {
			continue
		}
		at++
		fresh[i].Mention = ratedAs(fresh[i].Mention, &r.Mention)
		for k := range fresh[i].More {
			if k < len(r.More) {
				fresh[i].More[k] = ratedAs(fresh[i].More[k], &r.More[k])
			}
		}
		list = append(list, fresh[i])
	}
	return list
}

// ratedAs returns a mention that was extracted again with what the visit found out about it.
func ratedAs(m dowse.Mention, by *dowse.Mention) dowse.Mention {
	m.Context, m.AnchorScore, m.Repeated = by.Context, by.AnchorScore, by.Repeated
	return m
}
