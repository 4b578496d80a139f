package crawler

import (
	"cmp"
	"context"
	"sync"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/fetch"
	"dowse/internal/archive"
	"dowse/internal/requisite"
	"dowse/settings"
	"dowse/weburl"
)

const (
	requisiteBatch = 32             // pages whose requisites are fetched together
	requisiteWaves = 5              // steps from a page to a requisite: sheets import sheets, and URLs redirect
	requisiteTries = 3              // answers in a row that a host may fail to give
	maxRefs        = 1000           // URLs that are read from one style sheet, and from one page if its limit is not larger
	robotsValid    = 24 * time.Hour // as in a crawl
	requisiteHosts = 16             // hosts that are asked concurrently

	reservationBatch = 256 // hosts whose tdmrep.json is asked for together
)

// A requisitePass fetches the requisites of the pages on topic after the pages of a run. It is no
// part of the crawl: what it does is in a ledger of its own (see package requisite), and the journal
// does not know of it. Hosts are asked as politely as in the crawl: one request at a time, with its
// delays, and only for what robots.txt allows.
//
// One goroutine asks each host; all state is guarded by mu.
type requisitePass struct {
	c     *Crawler
	set   settings.Requisites
	scope crawl.Scope
	delay time.Duration
	most  time.Duration // that a host can lengthen the delay to
	begun time.Time

	mu     sync.Mutex
	ledger *requisite.Ledger
	hosts  map[string]*requisiteHost
	next   []*requisiteTask // of the next wave
	asked  map[dowse.URL]bool
	err    error
	paused bool // the context ended before all pages were served
}

// A requisiteHost is what a pass knows of a host.
type requisiteHost struct {
	robots *dowse.Robots // nil until it is known
	left   dowse.Reason  // why nothing is asked of it, ever; "" for no reason
	ready  time.Time     // when it may be asked again
	failed int           // answers in a row that it did not give
	closed bool          // it is not asked again in this pass
}

// A servedPage is a page whose requisites are fetched.
type servedPage struct {
	url        dowse.URL
	uses       []dowse.URL        // as its HTML names them
	seen       map[dowse.URL]bool // those and what they name in turn
	bytes      int64
	cut        requisite.Limits // that some were left out for
	unfinished bool             // some are to be asked for in a later run
}

// A requisiteTask is a requisite to be fetched for a page.
type requisiteTask struct {
	url  dowse.URL
	page *servedPage
}

// fetchRequisites fetches the requisites of all pages on topic that were not served yet, until the
// context ends. It reports whether the context ended before all of them were served.
func (c *Crawler) fetchRequisites(ctx context.Context) (paused bool, err error) {
	col := c.Collection
	scope, err := scopeOf(col.Settings.Scope)
	if err != nil {
		return false, err
	}
	ledger, err := openRequisites(c)
	if err != nil {
		return false, err
	}
	set := col.Settings.Resolved()
	k := &requisitePass{
		c: c, set: set.Requisites, scope: scope, delay: max(set.Delay, 0), most: set.MaxDelay, begun: time.Now(),
		ledger: ledger, hosts: map[string]*requisiteHost{}, asked: map[dowse.URL]bool{},
	}
	if set.WithTDMRep {
		err = k.askReservations(ctx)
	}
	if err == nil && set.WithRequisites {
		err = k.run(ctx)
	}
	return k.paused, cmp.Or(err, ledger.Close())
}

// needsRequisites reports whether a run that has visited its pages goes on with their requisites. A run
// that ended for want of room or of a network leaves them to the next one.
func (c *Crawler) needsRequisites() bool {
	if set := c.Collection.Settings.Requisites; c.err != nil || !set.WithRequisites && !set.WithTDMRep {
		return false
	}
	switch c.Collection.Crawl.Stopped() {
	case dowse.StopSignal, dowse.StopDisk, dowse.StopMemory, dowse.StopNetwork, dowse.StopError:
		return false
	}
	return true
}

// openRequisites opens the ledger of the requisites of a crawl. Its WARC files have names of their own,
// because a WACZ has all files in one folder.
func openRequisites(c *Crawler) (*requisite.Ledger, error) {
	opt := archiveOptions(c.Collection, c.client, c.cfg.Clock)
	opt.Prefix = c.Collection.Prefix() + "_REQUISITES"
	return requisite.Open(c.Collection.Dir, opt)
}

// run serves the pages in batches.
func (k *requisitePass) run(ctx context.Context) error {
	var batch []*servedPage
	for row, err := range k.c.Collection.Pages(collection.Filter{On: true}) {
		if err != nil {
			return err
		}
		if row.NoArchive || k.ledger.Served(row.URL, k.limits()) {
			continue
		}
		if k.paused = ctx.Err() != nil; k.paused || k.full() {
			break
		}
		if p := k.page(row); p != nil {
			batch = append(batch, p)
		}
		if len(batch) == requisiteBatch {
			if err := k.serve(ctx, batch); err != nil {
				return err
			}
			batch = nil
		}
	}
	return k.serve(ctx, batch)
}

// askReservations asks the hosts of pages on topic for their tdmrep.json, each once. The answers are
// requisites that belong to no page.
func (k *requisitePass) askReservations(ctx context.Context) error {
	for row, err := range k.c.Collection.Pages(collection.Filter{On: true}) {
		if err != nil {
			return err
		}
		u := requisite.TDMRep(row.URL)
		if u == "" || k.ledger.Has(u) {
			continue
		}
		if k.paused = ctx.Err() != nil; k.paused {
			break
		}
		k.use(&servedPage{url: u, seen: map[dowse.URL]bool{}}, []dowse.URL{u})
		if len(k.next) >= reservationBatch {
			if err := k.serve(ctx, nil); err != nil {
				return err
			}
		}
	}
	rest := len(k.next) > 0
	err := k.serve(ctx, nil)
	k.paused = k.paused || rest && ctx.Err() != nil
	return err
}

// full reports whether the collection has as many bytes of requisites as it may have.
func (k *requisitePass) full() bool { return k.ledger.Totals.Bytes >= k.set.AllBytes }

// limits returns the limits of this pass.
func (k *requisitePass) limits() requisite.Limits {
	return requisite.Limits{PerPage: k.set.PerPage, PageBytes: k.set.PageBytes, AllBytes: k.set.AllBytes}
}

// page returns a page with the requisites that its HTML names, nil if it can't be read.
func (k *requisitePass) page(row *collection.Row) *servedPage {
	body, _, err := k.c.Collection.Body(row.Page)
	if err != nil {
		return nil
	}
	p := &servedPage{url: row.URL, seen: map[dowse.URL]bool{}}
	list := requisite.InHTML(body, row.URL, max(k.set.PerPage, maxRefs)) // also those beyond the limit, which are counted
	p.uses = list[:min(len(list), k.set.PerPage)]
	k.use(p, list)
	return p
}

// use asks for the requisites of a page that are not known, within the budget of the page. For those
// that are known it does so for what they name in turn: an earlier run may have been ended before it
// asked for that. What the page itself names comes first, so that a style sheet which many pages share
// does not use up their budgets. What is beyond the budget is recorded as left out. The caller must hold
// mu, or be the only goroutine.
func (k *requisitePass) use(p *servedPage, list []dowse.URL) {
	for len(list) > 0 {
		var named []dowse.URL
		for _, u := range list {
			switch {
			case p.seen[u]:
			case len(p.seen) >= k.set.PerPage:
				p.cut.PerPage = k.set.PerPage
				k.leave(u)
			default:
				p.seen[u] = true
				named = append(named, k.want(p, u)...)
			}
		}
		list = named
	}
}

// want asks for a requisite unless it is known. It returns what a known one names in turn.
func (k *requisitePass) want(p *servedPage, u dowse.URL) []dowse.URL {
	if k.ledger.Has(u) {
		named, err := k.ledger.Uses(u)
		k.err = cmp.Or(k.err, err)
		return named
	}
	if !k.asked[u] {
		k.asked[u] = true
		k.next = append(k.next, &requisiteTask{u, p})
	}
	return nil
}

// leave records that a requisite was left out for the limit of a page, unless it is known or asked for.
func (k *requisitePass) leave(u dowse.URL) {
	if k.err == nil && !k.asked[u] && !k.ledger.Has(u) && !k.ledger.Wants(u) {
		k.err = k.ledger.Write(requisite.Line{URL: u, At: time.Now().UTC().Truncate(time.Millisecond), Left: requisite.LeftForPage})
	}
}

// serve fetches the requisites of a batch in waves: what style sheets and redirects name comes in the
// next one. Pages without open questions are then recorded as served.
func (k *requisitePass) serve(ctx context.Context, batch []*servedPage) error {
	for range requisiteWaves {
		wave := k.next
		k.next = nil
		if len(wave) == 0 || ctx.Err() != nil || k.err != nil {
			break
		}
		k.fetchAll(ctx, wave)
	}
	for _, t := range k.next {
		t.page.unfinished = t.page.unfinished || ctx.Err() != nil
	}
	clear(k.asked)
	k.next = nil
	for _, p := range batch {
		if ctx.Err() != nil || p.unfinished || k.err != nil {
			k.paused = k.paused || ctx.Err() != nil
			continue
		}
		line := requisite.Line{Page: p.url, Uses: p.uses}
		if p.cut != (requisite.Limits{}) {
			line.Cut = &p.cut
		}
		k.err = k.ledger.Write(line)
	}
	return cmp.Or(k.err, k.ledger.Commit())
}

// fetchAll fetches the tasks of a wave, one goroutine per host.
func (k *requisitePass) fetchAll(ctx context.Context, wave []*requisiteTask) {
	byHost := map[string][]*requisiteTask{}
	var names []string
	for _, t := range wave {
		name := weburl.Host(t.url)
		if byHost[name] == nil {
			names = append(names, name)
		}
		byHost[name] = append(byHost[name], t)
	}
	slots := make(chan struct{}, requisiteHosts)
	var hosts sync.WaitGroup
	for _, name := range names {
		slots <- struct{}{}
		h := k.hosts[name]
		if h == nil {
			h = &requisiteHost{ready: k.begun.Add(k.delay)} // the crawl may have asked it just before
			k.hosts[name] = h
		}
		hosts.Go(func() {
			defer func() { <-slots }()
			for _, t := range byHost[name] {
				k.fetch(ctx, h, t)
			}
		})
	}
	hosts.Wait()
}

// fetch asks a host for a requisite, unless a rule forbids it, and records what came of it.
func (k *requisitePass) fetch(ctx context.Context, h *requisiteHost, t *requisiteTask) {
	if why := k.refuses(t); why != "" {
		k.record(t, nil, why)
		return
	}
	if h.closed || ctx.Err() != nil {
		k.postpone(t)
		return
	}
	if h.robots == nil && h.left == "" && !k.readRobots(ctx, h, t.url) {
		k.postpone(t)
		return
	}
	if h.left != "" {
		k.record(t, nil, string(h.left))
		return
	}
	if ok, _ := h.robots.Rules.Allowed(t.url); !ok {
		k.record(t, nil, "robots.txt")
		return
	}
	if !h.wait(ctx) {
		k.postpone(t)
		return
	}
	r := k.c.client.File(ctx, t.url)
	defer r.Claim.Release()
	k.rest(h, r)
	if ctx.Err() != nil || r.Host != nil && (r.Host.Local || r.Host.BackOff) {
		h.failed++
		h.closed = h.closed || h.failed >= requisiteTries || r.Host != nil && (r.Host.Local || r.Host.RetryAfter > 0)
		k.postpone(t)
		return
	}
	h.failed = 0
	k.record(t, r, "")
}

// refuses returns why a requisite is not asked for, whatever its host says, or "".
func (k *requisitePass) refuses(t *requisiteTask) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case k.c.Collection.Crawl.Reason(t.url) == dowse.SkipForgotten:
		return "taken down"
	case k.scope.Blocks(weburl.Host(t.url)):
		return "blocked host"
	case t.page.bytes >= k.set.PageBytes:
		t.page.cut.PageBytes = k.set.PageBytes
		return requisite.LeftForPage
	case k.full():
		t.page.cut.AllBytes = k.set.AllBytes
		return requisite.LeftForAll
	}
	for _, re := range k.scope.Exclude {
		if re.MatchString(string(t.url)) {
			return "excluded"
		}
	}
	return ""
}

// readRobots sets the robots.txt of a host to that of the crawl if it is still valid, and asks the host
// for it otherwise. It reports false if the host is to be asked in a later run: the context has ended, or
// the host can't answer now. A host that must not or can never be asked gets a reason.
func (k *requisitePass) readRobots(ctx context.Context, h *requisiteHost, u dowse.URL) bool {
	if h.robots = k.knownRobots(u); h.robots != nil {
		return true
	}
	if !h.wait(ctx) {
		return false
	}
	robots, hops := k.c.client.Robots(ctx, weburl.Robots(u))
	for _, r := range hops {
		r.Claim.Release()
	}
	last := hops[len(hops)-1]
	k.rest(h, last)
	switch {
	case ctx.Err() != nil:
		return false
	case last.Host != nil && (last.Host.Local || last.Host.BackOff), robots.Status == 0 && last.Reason == "":
		h.closed = true
		return false
	case robots.Status == 0: // a private address, a name without an address, a connection that is not safe
		h.left = last.Reason
	default:
		h.robots = robots
	}
	return true
}

// knownRobots returns the robots.txt of a host as the crawl read it, nil if it is too old, or if the
// host had none to give.
func (k *requisitePass) knownRobots(u dowse.URL) *dowse.Robots {
	k.mu.Lock()
	defer k.mu.Unlock()
	cr := k.c.Collection.Crawl
	id, ok := cr.Frontier().HostOf(weburl.Host(u))
	if !ok {
		return nil
	}
	r := cr.Host(int(id)).Robots
	if r == nil || r.Rules == nil || r.Status == 0 || r.Status >= 500 || time.Since(r.At) >= robotsValid {
		return nil
	}
	return r
}

// wait waits until a host may be asked. It reports false if the context ended before.
func (h *requisiteHost) wait(ctx context.Context) bool {
	timer := time.NewTimer(time.Until(h.ready))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// rest sets when a host may be asked again: after the delay, its Crawl-delay, or twice as long as it
// took to answer, whichever is longest.
func (k *requisitePass) rest(h *requisiteHost, r *fetch.Response) {
	d := k.delay
	if d > 0 {
		d = max(d, min(2*r.Fetch.Took, k.most))
	}
	if h.robots != nil {
		d = max(d, min(h.robots.Delay, k.most))
	}
	h.ready = time.Now().Add(d)
}

// postpone leaves a requisite to a later run.
func (k *requisitePass) postpone(t *requisiteTask) {
	k.mu.Lock()
	defer k.mu.Unlock()
	t.page.unfinished = true
}

// embeddedHops is how the archive marks an answer that was asked for because a page embeds it. An import
// of the archive reads it.
const embeddedHops = "E"

// commitRequisites is after how many bytes of requisites the ledger is committed.
const commitRequisites = 4 << 20

// record writes what came of a request, and adds what a style sheet or a redirect names to the next
// wave. why is set for a requisite that was not asked for.
func (k *requisitePass) record(t *requisiteTask, r *fetch.Response, why string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err != nil {
		return
	}
	if k.ledger.Wants(t.url) && (why == requisite.LeftForPage || why == requisite.LeftForAll) {
		return // the ledger has that already
	}
	line := requisite.Line{URL: t.url, At: time.Now().UTC().Truncate(time.Millisecond), Left: why}
	if r == nil || r.ResponseHead == nil {
		if r != nil {
			line.Left = cmp.Or(string(r.Reason), "no answer")
		}
		k.err = k.ledger.Write(line)
		return
	}
	line.At, line.Status, line.Type, line.Bytes = r.Fetch.At.UTC().Truncate(time.Millisecond), r.Fetch.Status, r.Fetch.Type, int64(len(r.RawBody))
	ex := &archive.Exchange{
		URL: t.url, At: r.Fetch.At, Address: r.Fetch.Address, RequestHead: r.RequestHead, ResponseHead: r.ResponseHead, Payload: r.RawBody,
		Metadata: []archive.Field{{Name: "via", Value: string(t.page.url)}, {Name: "hopsFromSeed", Value: embeddedHops}},
	}
	if r.Fetch.Truncated {
		ex.Truncated = "length"
	}
	switch {
	case r.Outcome == dowse.Redirected:
		line.Uses = []dowse.URL{r.Location}
	case line.Type == "text/css":
		line.Uses = requisite.InCSS(r.Body, t.url, maxRefs)
	}
	k.use(t.page, line.Uses)
	before := k.ledger.Totals.Bytes / commitRequisites
	k.err = k.ledger.Keep(line, ex)
	t.page.bytes += line.Bytes
	if k.err == nil && k.ledger.Totals.Bytes/commitRequisites != before {
		k.err = k.ledger.Commit()
	}
}
