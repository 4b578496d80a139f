package crawler

import (
	"context"
	"net/http"

	"dowse"
	"dowse/crawl"
	"dowse/fetch"
	"dowse/internal/archive"
)

// A version is what the archive has of a page as it was last fetched.
type version struct {
	of     *archive.Original // nil if the archive does not have it
	header http.Header
}

// versionOf returns what the archive has of an earlier version, which may be nil. A record that can't be
// read is like none: the page is then asked for without a condition, and stored as a whole.
func (v *Visitor) versionOf(prior *dowse.Page) (k version) {
	if prior == nil || v.archiver == nil {
		return k
	}
	if of, header, err := archive.OriginalAt(v.archiver.dir, prior.Fetch.Archive); err == nil {
		k.of, k.header = &of, header
	}
	return k
}

// check asks whether a page that was fetched before has changed. A page is unchanged if the server
// answers 304, if it sends the same bytes, or if it sends the same words (see sameWords), which is
// decided when the page is stored.
func (v *Visitor) check(ctx context.Context, visit crawl.Visit) crawl.Arrival {
	known := v.versionOf(visit.Prior)
	conditions := known.header
	if visit.Whole { // an answer without a body has no links
		conditions = nil
	}
	r := v.Client.Get(fetch.WithKnown(ctx, conditions), visit.URL)
	p := pageOf(visit, r)
	under := v.currentJudge()
	if r.Outcome == dowse.Fetched {
		v.read(p, r)
	}
	forNow(p)
	a := v.arrival(p, known.of, r)
	keep := a.Keep
	a.Keep = func() error {
		if keep != nil {
			if err := keep(); err != nil {
				return err
			}
		}
		if v.settle(visit, known, p, r) && under != v.currentJudge() { // another judge was put in its place meanwhile
			v.wish.Rate(v.Judge, p)
		}
		return nil
	}
	return a
}

// forNow makes a redirect that is not for good a failure: the page is still where it was, and what
// is shown in its place at the moment is not its next version.
func forNow(p *dowse.Page) {
	s := p.Fetch.Status
	if p.Outcome != dowse.Redirected || s == http.StatusMovedPermanently || s == http.StatusPermanentRedirect {
		return
	}
	p.Outcome, p.Reason, p.Detail = dowse.Failed, dowse.FailRedirect, "it redirects for now, to "+string(p.Links[0].URL)
	p.Links = nil
}

// settle reports whether a page that was fetched again is to be followed: if it is a new version, or
// its links are wanted anyway. Otherwise it leaves of the page only that it was asked. It reads the
// archive, and must be called by the loop.
func (v *Visitor) settle(visit crawl.Visit, known version, p *dowse.Page, r *fetch.Response) bool {
	if p.Outcome != dowse.Fetched {
		return false
	}
	same := known.of != nil && archive.PayloadDigest(r.RawBody) == known.of.Digest && len(r.RawBody) > 0
	if !same && !v.sameWords(visit.Prior, p) {
		return true
	}
	if visit.Whole {
		p.Reason = dowse.SkipUnchanged
		return true
	}
	*p = dowse.Page{
		URL: p.URL, Lead: p.Lead, Depth: p.Depth, Hops: p.Hops, Again: p.Again, Via: p.Via, LinksIn: p.LinksIn,
		Outcome: dowse.Skipped, Reason: dowse.SkipUnchanged, Fetch: p.Fetch, Host: p.Host,
	}
	return false
}

// sameWords reports whether two versions of a page have the same title and text. Bytes that no reader
// sees change with every request on many sites: numbers of sessions, counters, advertisements.
// Without an archive to read the earlier text from, the hash in the journal is compared.
func (v *Visitor) sameWords(prior, p *dowse.Page) bool {
	if prior == nil || prior.Title != p.Title {
		return false
	}
	if v.document != nil {
		if was, err := v.document(prior); err == nil {
			return was.Text == p.Text
		}
	}
	return prior.Sketch.Text != 0 && prior.Sketch.Text == p.Sketch.Text
}
