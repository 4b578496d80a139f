package crawler

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"sync/atomic"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/internal/admission"
	"dowse/internal/archive"
	"dowse/internal/cluster"
	"dowse/internal/durable"
	"dowse/internal/garbage"
	"dowse/internal/plain"
	"dowse/weburl"
)

// A remote is the part of a Crawler that coordinates a cluster. Its visits are made by workers; what
// they bring is kept and absorbed by the loop like that of visits on this machine. Every commit is
// published before it is reported.
type remote struct {
	ship *cluster.Shipper
	co   *cluster.Coordinator

	// judge is the judge whose files the workers have, and version is their name. Only the loop
	// uses them.
	judge   *labelledJudge
	version string
	late    *admission.Gate // what was left out while this process crawls; nil for nothing. Only the loop uses it.

	// sealed is what the next commit covers: everything that was absorbed when it began.
	sealed   atomic.Pointer[cluster.Covered]
	progress atomic.Pointer[cluster.Progress]
	fenced   atomic.Bool
	// byHand is set when a person ended the crawl without waiting for the servers, or while they were
	// away. No standby is to go on with it, as far as this process can help it.
	byHand atomic.Bool
}

// checkCluster returns an error for a crawl that can't be made by workers on other machines.
func checkCluster(c *Crawler) error {
	switch {
	case c.cfg.Judge != nil:
		return errors.New("crawler: a judge of a Go program can't be sent to workers; crawl without a cluster")
	case c.outside != nil:
		return errors.New("crawler: the topic asks an outside judge, which workers do not have; crawl without a cluster, or leave the outside judge out")
	case c.Collection.Settings.Demo != nil:
		return errors.New("crawler: the synthetic web exists on this machine only; crawl it without a cluster")
	case c.cfg.Dial != nil || c.cfg.Transport != nil:
		return errors.New("crawler: workers use the network themselves; crawl without a cluster")
	}
	return nil
}

// joinCluster makes this crawl the one that the cluster works on. The commits of the last term say
// which arrivals the journal has; those in the tail of the journal that was not published are found
// by reading it.
func (c *Crawler) joinCluster(ctx context.Context) error {
	if err := checkCluster(c); err != nil {
		return err
	}
	ship := c.cfg.Cluster
	s := &c.Collection.Settings
	if err := ship.Claim(ctx, cluster.CrawlID(s.Key), s.Name); err != nil {
		return err
	}
	r := &remote{ship: ship, judge: c.visitor.currentJudge()}
	files, err := c.judgeFiles()
	if err != nil {
		return err
	}
	if r.version, err = ship.Conn().PutJudge(ctx, files); err != nil {
		return err
	}
	known, err := c.absorbedSince(ship.Covered().Journal)
	if err != nil {
		return err
	}
	if r.co, err = ship.Conn().Coordinate(ship.Lease(), r.version, ship.Covered().Arrivals, known); err != nil {
		return err
	}
	c.remote = r
	c.garbage.Least = garbage.ForMany() // it keeps little, and discards what all workers bring
	c.live.Dispatch, c.live.Seal, c.live.AtMost = c.dispatch, c.seal, -1
	r.sealed.Store(&cluster.Covered{Journal: c.Collection.Journal.End(), Arrivals: ship.Covered().Arrivals})
	if err := r.commit(ctx, c.Collection.Journal); err != nil {
		return err
	}
	return r.co.Serve(context.WithoutCancel(ctx), ship, r.shown)
}

// absorbedSince returns the results that the journal has from a place on.
func (c *Crawler) absorbedSince(place uint64) (map[string]bool, error) {
	known := map[string]bool{}
	if place >= c.Collection.Journal.End() {
		return known, nil
	}
	for e, err := range c.Collection.Journal.Visits(place) {
		if err != nil {
			return nil, err
		}
		if e.Page != nil && e.Kind == crawl.EntryPage {
			u := c.Collection.Crawl.Frontier().URL(e.ID)
			known[cluster.ResultKey(u, e.Page.Fetch.At)] = true
		}
	}
	return known, nil
}

// visitSpec is what workers need to know of a crawl in addition to its files.
type visitSpec struct {
	Model    string `json:"model"`
	Window   int    `json:"window"`
	Anchors  bool   `json:"anchors"`
	Archives bool   `json:"archives"`
}

// specName is the file of the visitSpec among those that workers get.
const specName = "visit.json"

// judgeFiles returns the files from which a worker makes the client and the judge of this crawl: the
// settings, the topic, its examples and the models in use.
func (c *Crawler) judgeFiles() (map[string][]byte, error) {
	dir := durable.In(c.Collection.Dir)
	spec, err := json.Marshal(visitSpec{c.labels.model, c.visitor.wish.Window, c.visitor.wish.Anchors, c.visitor.archiver != nil})
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{specName: spec}
	names := []string{"crawl.yaml", "topic.yaml", collection.ExamplesName, "models/log.jsonl"}
	models, err := dir.Sub("models").Names("*.json")
	if err != nil {
		return nil, fmt.Errorf("crawler: %w", err)
	}
	for _, name := range models {
		trained, _ := path.Match("m[0-9]*.json", name)
		if !trained || name == c.labels.model+".json" || name == c.Collection.Settings.Model+".json" {
			names = append(names, "models/"+name)
		}
	}
	for _, name := range names {
		if _, err := dir.Lstat(name); err != nil {
			continue // most crawls have only some of them
		}
		if files[name], err = dir.ReadFile(name); err != nil {
			return nil, fmt.Errorf("crawler: %w", err)
		}
	}
	return files, nil
}

// dispatch sends a visit to a worker. It is called by the loop. If the judge was replaced, its files
// are published first.
func (c *Crawler) dispatch(ctx context.Context, v crawl.Visit, arrive func(crawl.Arrival)) {
	r := c.remote
	if now := c.visitor.currentJudge(); now != r.judge {
		if err := c.publishJudge(ctx); err != nil {
			arrive(crawl.Arrival{Page: undone(v, err.Error())})
			return
		}
		r.judge = now
	}
	known := c.visitor.versionOf(v)
	left := v.Deadline.Sub(c.live.Clock())
	r.co.Send(cluster.Job{Visit: v, Known: known.header}, time.Now().Add(left), func(x *cluster.Result) {
		if x == nil {
			arrive(crawl.Arrival{Page: v.Page(), Unbegun: true})
			return
		}
		if x == cluster.Lost {
			arrive(crawl.Arrival{Page: lost(v)})
			return
		}
		arrive(c.arrivalOf(v, known, x))
	})
}

// publishJudge stores the files of the present judge for the workers.
func (c *Crawler) publishJudge(ctx context.Context) error {
	files, err := c.judgeFiles()
	if err != nil {
		return err
	}
	version, err := c.remote.ship.Conn().PutJudge(ctx, files)
	if err != nil {
		return err
	}
	c.remote.version = version
	c.remote.co.SetJudge(version)
	return nil
}

// lost returns the page of a visit that did not come back. The host may have been asked.
func lost(v crawl.Visit) *dowse.Page {
	p := v.Page()
	p.Outcome, p.Reason, p.Detail = dowse.Temporary, dowse.FailTimeout, "the visit did not come back"
	p.Host = &dowse.HostReport{BackOff: true}
	return p
}

// undone returns the page of a visit that could not be sent to a worker. It is no evidence against the host, so
// the lead waits again; the crawl tries one visit at a time until one succeeds.
func undone(v crawl.Visit, why string) *dowse.Page {
	p := v.Page()
	p.Outcome, p.Reason, p.Detail = dowse.Temporary, dowse.FailTimeout, why
	p.Host = &dowse.HostReport{Local: true}
	return p
}

// arrivalOf returns what a worker brought as the arrival of a visit. What the crawl knows of the visit
// is its own; rules of a robots.txt are made from its text. A page that was judged by another version
// of the judge, or that has a label, is judged again when it is kept, by the loop.
func (c *Crawler) arrivalOf(v crawl.Visit, known version, x *cluster.Result) crawl.Arrival {
	r := c.remote
	p := x.Page
	p.Lead, p.Depth, p.Hops, p.Again, p.Via, p.LinksIn = v.Lead, v.Depth, v.Hops, v.Again, v.Via, v.LinksIn
	if p.Host != nil && p.Host.Robots != nil {
		rules := p.Host.Robots
		rules.Rules = robotsParser(c.Collection.Settings)(rules.Body, rules.Status)
	}
	var encoded []encodedAnswer
	if c.visitor.archiver != nil {
		for i := range x.Answers {
			encoded = append(encoded, encodedAnswer{ex: &x.Answers[i].Exchange, enc: x.Answers[i].Encoded})
		}
	}
	keep := c.visitor.keeper(v, known, p, encoded, func() bool {
		now := c.visitor.currentJudge()
		return now == nil || now == r.judge && x.Judge == r.version && now.labels[p.URL] == crawl.Unlabelled
	})
	return crawl.Arrival{
		Page: p,
		Keep: func() error {
			r.co.Absorbed(x)
			if keep == nil {
				return nil
			}
			return keep()
		},
		Done: func() { r.co.Freed(x) },
	}
}

// seal notes what the next commit covers. It is called by the loop, between two pages. Pages of a round
// that is not complete are not in the journal, so their arrivals are not covered yet.
func (c *Crawler) seal() {
	r := c.remote
	if r == nil {
		return
	}
	x := cluster.Covered{Journal: c.Collection.Journal.End(), Arrivals: r.sealed.Load().Arrivals}
	if !c.Collection.Crawl.MidRound() {
		x.Arrivals = r.co.Mark()
	}
	r.sealed.Store(&x)
}

// commit publishes what was sealed.
func (r *remote) commit(ctx context.Context, journal *crawl.Journal) error {
	x := *r.sealed.Load()
	err := r.ship.Commit(ctx, x, func(name string) int64 { return journal.SegmentBytes(path.Base(name), x.Journal) })
	if errors.Is(err, cluster.ErrFenced) {
		r.fenced.Store(true)
	}
	return err
}

// What limits a crawl in a cluster that has no worker, or whose servers do not answer.
const (
	byWorkers = "no worker"
	// byNATS is what Status.LimitedBy names while the servers of a cluster do not answer; commands compare it.
	byNATS = "NATS"
)

// limitedBy returns what keeps the cluster from going faster, "" for nothing. A nil remote is limited by
// nothing.
func (r *remote) limitedBy() string {
	switch {
	case r == nil:
		return ""
	case r.isAway():
		return byNATS
	case r.co.Capacity() == 0:
		return byWorkers
	}
	return ""
}

// isAway reports whether the servers do not answer, or do not accept commits.
func (r *remote) isAway() bool { return r.ship.Stuck() > 0 || !r.ship.Conn().IsConnected() }

// tickCluster adapts the crawl to the workers that are there. It is called by the loop.
func (c *Crawler) tickCluster(st crawl.Status) {
	r := c.remote
	if r == nil {
		return
	}
	c.live.AtMost = cmp.Or(r.co.Window(), -1) // without a worker none
	if c.Collection.Crawl.Stopped() != "" {
		r.co.Recall() // each time: the servers may have been away
	}
	r.co.Review(c.mayBegin)
	r.co.DropUnwanted(c.mayVisit)
	b := c.Collection.Crawl.Books()
	r.progress.Store(&cluster.Progress{Known: b.Known, Queued: b.Queued, Fetched: st.Fetched, OnTopic: st.OnTopic})
}

// recallExcluded asks workers for the visits that they have not begun, after the late scope of the crawl was
// changed: those that it leaves out now are not made.
func (c *Crawler) recallExcluded(late crawl.Scope) {
	r := c.remote
	if r == nil {
		return
	}
	r.late = admission.New(admission.Scope{}, admission.Traps{}, 0)
	r.late.SetLate(late)
	r.co.Recall()
	r.co.Review(c.mayBegin)
}

// mayBegin reports whether a visit that waits may still begin: not after the crawl has stopped, nor if its URL was
// left out since. It is called by the loop.
func (c *Crawler) mayBegin(kind crawl.VisitKind, u dowse.URL) bool {
	switch r := c.remote; {
	case c.Collection.Crawl.Stopped() != "":
		return false
	case r.late == nil:
		return true
	case kind == crawl.VisitRobots:
		return r.late.Late(u) != dowse.SkipHostBlocked
	default:
		return r.late.Late(u) == ""
	}
}

// mayVisit reports whether a visit may still be made: a URL that is not known yet may become known. It is
// called by the loop.
func (c *Crawler) mayVisit(kind crawl.VisitKind, u dowse.URL) bool {
	f := c.Collection.Crawl.Frontier()
	if kind == crawl.VisitRobots {
		h, known := f.HostOf(weburl.Host(u))
		return !known || c.Collection.Crawl.Host(int(h)).Robots == nil
	}
	id, known := f.Find(u)
	if !known {
		return true
	}
	switch f.State(id) {
	case dowse.Visited, dowse.Dead, dowse.Aliased, dowse.Excluded:
		return false
	}
	return true
}

// shown returns the progress for a status.
func (r *remote) shown() cluster.Progress {
	if p := r.progress.Load(); p != nil {
		return *p
	}
	return cluster.Progress{}
}

// maxShown bounds how many workers the pulse of a process names.
const maxShown = 200

// status returns the state of the cluster for the pulse, nil without one.
func (r *remote) status() *cluster.Status {
	if r == nil {
		return nil
	}
	st := r.co.Status()
	st.Workers = st.Workers[:min(len(st.Workers), maxShown)]
	return st
}

// stopWithout is for how long a crawl that is to stop waits for servers that do not answer. The pages of
// the last moments are in its journal, and the next run publishes them.
const stopWithout = 5 * time.Second

// runCluster delivers the results of workers until the returned function is called. giveUp is called if
// another process takes the lead, or if the crawl is to stop (ctx ended) while the servers are away.
func (c *Crawler) runCluster(stop, abort context.Context, giveUp func()) (end func()) {
	r := c.remote
	if r == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(abort)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		r.co.Run(ctx)
	}()
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		away := time.Time{} // since when the crawl is to stop and the servers are away
		for {
			select {
			case <-r.ship.Lease().Lost():
				r.fenced.Store(true)
				giveUp()
				return
			case <-tick.C:
				switch {
				case !r.isAway():
					away = time.Time{}
					r.ship.Trim(ctx)
				case stop.Err() == nil:
					away = time.Time{}
				case away.IsZero():
					away = time.Now()
				case time.Since(away) >= stopWithout:
					r.byHand.Store(true)
					giveUp()
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

// leaveCluster publishes the last changes of the files, when they are closed, and gives the lease back. If
// this machine can't go on with the crawl, the lease goes to a standby.
func (c *Crawler) leaveCluster() error {
	r := c.remote
	if r == nil {
		return nil
	}
	c.remote = nil
	patience := 30 * time.Second
	if r.byHand.Load() {
		patience = time.Second
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var err error
	if !r.fenced.Load() {
		x := *r.sealed.Load()
		if c.err == nil {
			x.Journal = c.Collection.Journal.End()
		}
		err = r.ship.Commit(ctx, x, func(name string) int64 { return c.Collection.Journal.SegmentBytes(path.Base(name), x.Journal) })
		r.awaitStandbys(c.failure() != "" || c.finished())
		r.ship.Trim(context.Background())
		if c.finished() {
			r.ship.DropArrivals(context.Background())
		}
	}
	if why := c.failure(); why != "" && !r.byHand.Load() {
		r.ship.Fail(why)
	} else {
		r.ship.Close(c.finished())
	}
	return err
}

// awaitStandbys waits until the copies of standbys are complete: for as long as they come closer to it if
// this is the last chance, and else for a moment.
func (r *remote) awaitStandbys(last bool) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if !last {
		ctx, cancel = context.WithTimeout(ctx, stopWithout)
		defer cancel()
	}
	if !r.byHand.Load() {
		r.co.AwaitStandbys(ctx)
	}
}

// failure returns why this machine can't go on with the crawl although another one might, "" if a person
// stopped it or it has come to its end.
func (c *Crawler) failure() string {
	switch {
	case c.stopped == dowse.StopDisk:
		return "its disk is full"
	case c.stopped == dowse.StopMemory:
		return "its memory is full"
	case c.err != nil:
		return plain.OneLine(c.err.Error())
	case c.stopped == dowse.StopError:
		return "an error"
	}
	return ""
}

// finished reports whether the crawl has come to its end, so that no other process need go on with it.
func (c *Crawler) finished() bool {
	switch c.stopped {
	case "", dowse.StopSignal, dowse.StopDisk, dowse.StopMemory, dowse.StopError, dowse.StopNetwork:
		return false
	}
	return c.err == nil
}

// answersOf returns the answers of a visit for the wire.
func answersOf(encoded []encodedAnswer) (list []cluster.Answer) {
	for _, c := range encoded {
		list = append(list, cluster.Answer{Exchange: *c.ex, Encoded: c.enc})
	}
	return list
}

// packer returns an archiver that only encodes.
func packer() *archiver { return newArchiver((*archive.Writer)(nil), "") }
