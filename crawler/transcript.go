package crawler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/fetch"
	"dowse/internal/admission"
	"dowse/internal/archive"
	"dowse/internal/durable"
	"dowse/internal/extract"
	"dowse/internal/plain"
	"dowse/internal/requisite"
	"dowse/topic"
	"dowse/weburl"
)

// A transcript is a collection that is being made of answers which were recorded elsewhere: by
// another program, or in another collection. Every answer is visited once, with the clock at its
// date, and stored with its content unchanged; links, counts and queue result from that, as in
// a crawl. Nothing is sent.
type transcript struct {
	cfg      SalvageConfig
	out      *Salvaged
	c        *Crawler
	web      *oneAnswer
	archiver *archiver
	ledger   *requisite.Ledger // of answers that are no pages
	clock    time.Time
	visits   int
	early    *earlyRobots // robots.txt files that wait for a page of their host
}

// An earlyRobots keeps the robots.txt files that come before the first page of their host, since a crawl knows
// no host without a page. It may be filled before there is a transcript.
type earlyRobots struct {
	byHost map[string]recordedRobots
	bytes  int // of all of them
	left   int // that there was no room for
}

// A recordedRobots is an answer with the robots.txt of the host of u, and the place that it comes from.
type recordedRobots struct {
	u    dowse.URL
	ex   *archive.Exchange
	from string
}

// maxEarlyRobots bounds the bytes of robots.txt files that wait for a page of their host.
const maxEarlyRobots = 64 << 20

// add keeps a robots.txt, if there is room for it. Of several for one host the last is kept.
func (e *earlyRobots) add(r recordedRobots) {
	e.take(r.u)
	if e.bytes+len(r.ex.Payload) > maxEarlyRobots {
		e.left++
		return
	}
	if e.byHost == nil {
		e.byHost = map[string]recordedRobots{}
	}
	e.byHost[weburl.Host(r.u)] = r
	e.bytes += len(r.ex.Payload)
}

// take removes and returns the robots.txt of the host of u, if there is one.
func (e *earlyRobots) take(u dowse.URL) (recordedRobots, bool) {
	r, ok := e.byHost[weburl.Host(u)]
	if ok {
		delete(e.byHost, weburl.Host(u))
		e.bytes -= len(r.ex.Payload)
	}
	return r, ok
}

// newTranscript creates the collection in dir. agents are the crawlers that got the answers.
func newTranscript(ctx context.Context, dir string, t *topic.Topic, cfg SalvageConfig, first *archive.Exchange, agents []string) (*transcript, error) {
	x := &transcript{cfg: cfg, out: &Salvaged{Unreadable: []salvageLoss{}}, web: &oneAnswer{}, early: &earlyRobots{}}
	u, err := weburl.Parse(string(first.URL))
	if err != nil {
		return nil, err
	}
	set, err := newSettings(t, Config{Seeds: []string{string(u)}})
	if err != nil {
		return nil, err
	}
	set.Begun = first.At.Truncate(time.Second)
	set.Agents = otherAgents(set, agents)
	quiet := *t
	if t.Outside != nil {
		x.note("pages are judged without the outside judge of the topic: it is not asked")
		quiet.Outside = nil
	}
	b, err := buildJudge(ctx, &quiet, set.Strategy, Config{Transport: &oneAnswer{}})
	if err != nil {
		return nil, err
	}
	set.Model = b.model
	addErrorRate(&set, b.judge, Config{})
	col, err := collection.Create(dir, set, t.YAML(), robotsParser(set), b.files...)
	if err != nil {
		return nil, err
	}
	if x.c, err = assemble(col, &quiet, b, Config{Transport: x.web}); err != nil {
		return nil, errors.Join(err, col.Close())
	}
	// The visitor reads answers from the transcript, and the transcript stores them.
	x.c.visitor.Client, err = fetch.New(fetch.Config{
		Agent: set.Resolved().Agent, Version: Version, MaxBody: set.Network.MaxBody, Transport: x.web,
		AllowNet: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")},
	})
	if err != nil {
		return nil, errors.Join(err, x.c.Close())
	}
	x.archiver, x.c.visitor.archiver = x.c.visitor.archiver, nil
	if x.ledger, err = openRequisites(x.c); err != nil {
		return nil, errors.Join(err, x.c.Close())
	}
	return x, nil
}

// otherAgents returns the names of crawlers other than the one of the settings.
func otherAgents(set collection.Settings, agents []string) []string {
	return extract.Agents(set.Resolved().Agent, agents...)[1:]
}

// note adds a message for a person.
func (x *transcript) note(format string, args ...any) {
	x.out.Notes = append(x.out.Notes, fmt.Sprintf(format, args...))
}

// An understanding is what a crawl made of an answer.
type understanding struct {
	verdict                      *dowse.Verdict
	noFollow, noIndex, noArchive bool // directives for robots, also those for the agent of that crawl alone
}

// add visits an answer. from names the place that it comes from, for people. was, if it is
// not nil, has the verdict in place of that of the judge, and directives for robots that hold with those
// for all agents.
func (x *transcript) add(ctx context.Context, u dowse.URL, ex *archive.Exchange, from string, was *understanding) error {
	if ex.At.After(x.clock) {
		x.clock = ex.At
	}
	v := x.c.Collection.Crawl.Direct(x.clock, u)
	x.web.answer = ex
	a := x.c.visitor.Visit(ctx, v)
	p := a.Page
	p.Fetch.At, p.Fetch.Address, p.Fetch.Took = ex.At, ex.Address, 0
	p.Fetch.Truncated = p.Fetch.Truncated || ex.Truncated != ""
	if was != nil && p.Outcome == dowse.Fetched {
		p.Verdict = *was.verdict
		p.NoFollow, p.NoIndex, p.NoArchive = p.NoFollow || was.noFollow, p.NoIndex || was.noIndex, p.NoArchive || was.noArchive
	}
	answer := *ex
	answer.URL, answer.Metadata = u, []archive.Field{{Name: "dowse-origin", Value: from}}
	if p.Outcome == dowse.Fetched && len(p.Verdict.Because) > 0 {
		answer.Metadata = append(answer.Metadata, metadata(p)...)
	}
	if err := x.archiver.store(p, []encodedAnswer{x.archiver.pack(&answer)}); err != nil {
		return err
	}
	if v.Check && a.Keep != nil {
		a.Keep() // without an archiver it stores nothing and does not fail
	}
	p.Detail = join(p.Detail, originPrefix+from)
	x.c.Collection.Crawl.Absorb(x.clock, p)
	x.out.Answers++
	if err := x.noteUses(u, ex, p); err != nil {
		return err
	}
	if r, ok := x.early.take(u); ok {
		if err := x.addRobots(r); err != nil {
			return err
		}
	}
	return x.commitSometimes()
}

// addEnding records a URL that was asked for and is no page: as it ended elsewhere at a time, and with the
// answer, if there was one. ex is nil if there was none.
func (x *transcript) addEnding(u dowse.URL, ex *archive.Exchange, from string, at time.Time, end *ending) error {
	if at.After(x.clock) {
		x.clock = at
	}
	p := x.c.Collection.Crawl.Direct(x.clock, u).Page()
	p.Outcome, p.Reason, p.Detail = end.outcome, end.reason, join(end.detail, originPrefix+from)
	p.Fetch, p.Fetch.Archive = end.fetch, dowse.Place{}
	if ex != nil {
		answer := *ex
		answer.URL, answer.Metadata = u, []archive.Field{{Name: "dowse-origin", Value: from}}
		if err := x.archiver.store(p, []encodedAnswer{x.archiver.pack(&answer)}); err != nil {
			return err
		}
		x.out.Answers++
	}
	x.c.Collection.Crawl.Absorb(x.clock, p)
	return x.commitSometimes()
}

// addRobots records a robots.txt, because it declares what the pages of its host may be used for. Its
// answer may be one that the URL was redirected to. Of several for one host the last counts. Answers
// without rules are passed over.
func (x *transcript) addRobots(r recordedRobots) error {
	ex := r.ex
	status := ex.Response().StatusCode
	if status < 200 || status > 299 {
		return nil
	}
	if ex.At.After(x.clock) {
		x.clock = ex.At
	}
	v, known := x.c.Collection.Crawl.DirectRobots(x.clock, r.u)
	if !known {
		x.early.add(r)
		return nil
	}
	p := v.Page()
	p.Outcome, p.Detail = dowse.Listed, originPrefix+r.from
	p.Fetch = dowse.Fetch{At: ex.At, Address: ex.Address, Status: status, Bytes: int64(len(ex.Payload)), Truncated: ex.Truncated != ""}
	rules := fetch.ParseRobots(bodyOf(ex), status, x.c.visitor.Client.Agent())
	rules.At = ex.At
	p.Host = &dowse.HostReport{Robots: rules}
	if isRobots(ex.URL) { // the target of a redirect would be taken for a page
		answer := *ex
		answer.Metadata = []archive.Field{{Name: "dowse-origin", Value: r.from}}
		if err := x.archiver.store(p, []encodedAnswer{x.archiver.pack(&answer)}); err != nil {
			return err
		}
	}
	x.c.Collection.Crawl.Absorb(x.clock, p)
	return nil
}

// maxUses bounds the requisites that are noted of a page.
const maxUses = 1000

// noteUses notes what a page needs to be shown, so that a takedown of the page removes what only it needs.
func (x *transcript) noteUses(u dowse.URL, ex *archive.Exchange, p *dowse.Page) error {
	if p.Outcome != dowse.Fetched {
		return nil
	}
	uses := requisite.InHTML(bodyOf(ex), u, maxUses)
	if len(uses) == 0 {
		return nil
	}
	return x.ledger.Write(requisite.Line{Page: u, Uses: uses, Partial: true})
}

// bodyOf returns the payload of an answer without its content coding.
func bodyOf(ex *archive.Exchange) []byte {
	return fetch.Decoded(ex.Response().Header, ex.Payload, maxImported)
}

// commitSometimes makes the collection durable after every commitEvery answers.
func (x *transcript) commitSometimes() error {
	if x.visits++; x.visits%commitEvery != 0 {
		return nil
	}
	return errors.Join(x.ledger.Commit(), x.c.commit())
}

// addRequisite stores an answer that is no page, such as an image. Of several for one URL the first is kept.
func (x *transcript) addRequisite(ex *archive.Exchange, from string) error {
	if x.ledger.Has(ex.URL) {
		return nil
	}
	answer := *ex
	answer.Metadata = []archive.Field{{Name: "hopsFromSeed", Value: embeddedHops}, {Name: "dowse-origin", Value: from}}
	resp := ex.Response()
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	line := requisite.Line{URL: ex.URL, At: ex.At, Status: resp.StatusCode, Type: kind, Bytes: int64(len(ex.Payload))}
	switch to, err := weburl.Href(resp.Header.Get("Location"), string(ex.URL)); {
	case resp.StatusCode >= 300 && resp.StatusCode < 400 && err == nil:
		line.Uses = []dowse.URL{dowse.URL(to)}
	case kind == "text/css":
		line.Uses = requisite.InCSS(bodyOf(ex), ex.URL, maxRefs)
	}
	if err := x.ledger.Keep(line, &answer); err != nil {
		return err
	}
	x.out.Requisites++
	return x.commitSometimes()
}

// isPage reports whether an answer is, or leads to, a page. What is neither a page nor a failed
// request for one is an image, a style sheet or the like.
func isPage(u dowse.URL, resp *http.Response) bool {
	if resp.StatusCode != http.StatusOK {
		return !admission.IsFile(u)
	}
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case err != nil:
		return !admission.IsFile(u)
	case kind == "application/xml" || kind == "text/xml":
		return !admission.IsFile(u)
	}
	return strings.Contains(kind, "html")
}

// originPrefix begins the part of the detail of a page that names where its answer was recorded.
const originPrefix = "from "

// join joins two texts that may be empty.
func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

// finish completes the collection in dir, which is to be moved to out.
func (x *transcript) finish(dir, out string) error {
	err := errors.Join(x.ledger.Commit(), x.ledger.Close(), x.c.commit())
	if err == nil && x.ledger.Totals.Kept == 0 { // the uses of pages alone are of no use
		err = durable.In(dir).RemoveAll(requisite.Folder)
	}
	if err == nil {
		x.c.Collection.Writer = nil // the index is made from the files
		err = x.c.checkpoint()
	}
	if err == nil {
		err = x.c.Collection.Summarise()
	}
	if x.early.left > 0 {
		x.note("%s came before the pages of their hosts and were too large to wait for them: what these hosts reserve is not known", plain.Some(x.early.left, "robots.txt file"))
	}
	st := x.c.Status()
	x.out.Dir, x.out.Pages, x.out.OnTopic = out, st.Fetched, st.OnTopic
	return errors.Join(err, x.c.Close())
}

// abandon closes what was begun.
func (x *transcript) abandon(err error) error { return errors.Join(err, x.ledger.Close(), x.c.Close()) }

// moveTo gives a complete collection its name.
func moveTo(part, out string) error {
	os.Remove(out) // an empty directory
	if err := durable.In(filepath.Dir(out)).Rename(filepath.Base(part), filepath.Base(out)); err != nil {
		return fmt.Errorf("crawler: %w", err)
	}
	return nil
}

// oneAnswer is a transport that answers one request.
type oneAnswer struct{ answer *archive.Exchange }

// RoundTrip returns the answer, or fails with errNotRecorded if it was given already.
func (o *oneAnswer) RoundTrip(req *http.Request) (*http.Response, error) {
	if o.answer == nil {
		return nil, errNotRecorded
	}
	resp := o.answer.Response()
	o.answer, resp.Request = nil, req
	return resp, nil
}

// errNothing is returned if there is no page of which a collection could be made.
var errNothing = errors.New("there is no page in it")

// Import makes a collection in out of the answers that other programs recorded in WARC and WACZ
// files. They are judged by cfg.Topic, and each is stored with the file and the offset that it
// comes from. Answers are visited in the order of their dates, so of a page that was recorded
// several times the newest version counts, and the others are its history.
//
// The collection is made next to out, under a name that ends in .part, and renamed at the end.
func Import(ctx context.Context, files []string, out string, cfg SalvageConfig) (*Salvaged, error) {
	if cfg.Topic == nil {
		return nil, fmt.Errorf("crawler: %w", ErrNoTopic)
	}
	if cfg.Progress == nil {
		cfg.Progress = func(string, int64, int64) {}
	}
	if err := checkFree(out); err != nil {
		return nil, err
	}
	durable.Sweep(filepath.Dir(out))
	temp, err := durable.NewScratch(filepath.Dir(out), "import")
	if err != nil {
		return nil, fmt.Errorf("crawler: %w", err)
	}
	defer temp.Remove()
	found := &Salvaged{Unreadable: []salvageLoss{}}
	f := &archive.Foreign{Lost: found.lose, Temp: temp.Path, MaxBody: maxImported, IsPage: isPage}
	defer f.Close()
	for _, name := range files {
		cfg.Progress("reading "+filepath.Base(name), 0, 0)
		if err := f.Add(name); err != nil {
			return nil, fmt.Errorf("crawler: import: %w", err)
		}
	}
	part := out + partSuffix
	x, err := importAnswers(ctx, f, part, cfg, found)
	if err == nil {
		x.out.Passed = f.Passed
		err = x.finish(part, out)
	}
	if err != nil {
		discardPart(part)
		return nil, err
	}
	return x.out, moveTo(part, out)
}

// maxImported is how many bytes of an answer are imported.
const maxImported = 64 << 20

// importAnswers visits the answers of other programs.
func importAnswers(ctx context.Context, f *archive.Foreign, dir string, cfg SalvageConfig, found *Salvaged) (x *transcript, err error) {
	n := 0
	var early earlyRobots
	for a := range f.Answers() {
		n++
		cfg.Progress("answers", int64(n), int64(f.Len()))
		u, err := weburl.Parse(string(a.URL))
		if err != nil {
			found.lose(archive.Loss{Path: a.File, Offset: a.Offset, Err: fmt.Errorf("its URL is none: %w", err)})
			continue
		}
		from := fmt.Sprintf("%s, offset %d", a.File, a.Offset)
		if a.Undated {
			found.undated(a.File, a.Offset)
		}
		if x == nil && isRobots(u) {
			early.add(recordedRobots{u, &a.Exchange, from})
			continue
		}
		if x == nil {
			if x, err = newTranscript(ctx, dir, cfg.Topic, cfg, &a.Exchange, f.Agents()); err != nil {
				return nil, err
			}
			x.early = &early
		}
		switch {
		case isRobots(u):
			err = x.addRobots(recordedRobots{u, &a.Exchange, from})
		case !a.Requisite && isPage(a.URL, a.Response()):
			err = x.add(ctx, u, &a.Exchange, from, nil)
		default:
			err = x.addRequisite(&a.Exchange, from)
		}
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, x.abandon(err)
		}
	}
	if x == nil && found.Lost() > 0 {
		l := found.Unreadable[0]
		return nil, fmt.Errorf("crawler: import: %w: %s of it can't be read, first %s, offset %d: %s", errNothing, plain.Some(found.Lost(), "part"), l.File, l.Offset, l.Why)
	}
	if x == nil {
		return nil, fmt.Errorf("crawler: import: %w: no record is the answer of a web server to GET", errNothing)
	}
	x.out.Unreadable, x.out.More = found.Unreadable, found.More
	x.out.Undated, x.out.UndatedAll = found.Undated, found.UndatedAll
	return x, nil
}
