package collection

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"net"
	"slices"
	"strings"

	"dowse"
	"dowse/crawl"
	"dowse/internal/archive"
	"dowse/internal/frontier"
	"dowse/weburl"
)

// plan finds out what a takedown has to do. It changes no file, except that it
// cuts off what a crash left at the end of the journal and the archive.
func (t *takedown) plan(x Takedown) error {
	t.Why, t.At, t.From = x.Why, x.At, math.MaxUint64
	if err := t.trim(); err != nil {
		return err
	}
	if err := t.recoverArchive(); err != nil {
		return err
	}
	if err := t.resolve(x); err != nil {
		return err
	}
	t.index()
	if err := t.copies(); err != nil {
		return err
	}
	if err := t.visits(); err != nil {
		return err
	}
	if err := t.leads(); err != nil {
		return err
	}
	t.index()
	return t.hosts()
}

// recoverArchive cuts off the records that were written to the archive and never
// committed. It finds the last committed one from the journal alone, since the
// crawl is not loaded here.
func (t *takedown) recoverArchive() error {
	var last dowse.Place
	for e, err := range t.c.Journal.Visits(0) {
		if err != nil {
			return err
		}
		if e.Page != nil && e.Page.Fetch.Archive.File != "" {
			last = crawl.LaterPlace(last, e.Page.Fetch.Archive)
		}
	}
	if last.File == "" {
		return nil
	}
	tail, err := t.c.uncommitted(last, true)
	if err != nil {
		return err
	}
	if _, err := t.c.saveTail(tail); err != nil { // a takedown removes it at its end
		return err
	}
	_, err = archive.Recover(t.c.ArchiveDir(), last)
	return err
}

// resolve finds the pages that the takedown selects. If it selects nothing at
// all the error is ErrUnknown, with hosts that may have been meant.
func (t *takedown) resolve(x Takedown) error {
	wanted := map[dowse.URL]bool{}
	for _, u := range x.URLs {
		wanted[u] = true
	}
	prints := map[frontier.Fingerprint]bool{}
	for _, p := range x.Prints {
		prints[p] = true
	}
	print := func(u dowse.URL) frontier.Fingerprint { return frontier.FingerprintOf(u, t.c.Settings.Key) }
	err := t.c.Journal.EachName(func(id frontier.ID, u dowse.URL) {
		switch {
		case u == "":
		case len(prints) > 0 && prints[print(u)]:
			t.Pages = append(t.Pages, pendingPage{ID: id, URL: u})
			t.out.URLs = append(t.out.URLs, u)
			delete(prints, print(u))
		case wanted[u], x.covers(u):
			t.Pages = append(t.Pages, pendingPage{ID: id, URL: u})
			t.out.URLs = append(t.out.URLs, u)
			delete(wanted, u)
		}
	})
	if err != nil {
		return err
	}
	if err := t.resolveRequisites(x, wanted); err != nil {
		return err
	}
	for _, p := range x.Prints {
		if prints[p] {
			t.Pages = append(t.Pages, pendingPage{ID: frontier.None, Print: p})
		}
	}
	for _, u := range x.URLs {
		if !wanted[u] || slices.Contains(t.out.Ended, u) {
			continue
		}
		if err := t.unseen(u); err != nil {
			return err
		}
	}
	if err := t.onceMore(); err != nil {
		return err
	}
	if len(t.Pages)+len(t.out.Already) > 0 || t.hasEnded(func(u dowse.URL) bool { return slices.Contains(x.URLs, u) || x.covers(u) }) {
		return nil
	}
	return fmt.Errorf("%s: %w%s", strings.TrimSpace(x.Host+" "+x.Prefix), ErrUnknown, t.alike(x.Host))
}

// covers reports whether a URL belongs to the host, or begins with the prefix,
// of the takedown.
func (x *Takedown) covers(u dowse.URL) bool {
	return x.Host != "" && weburl.Host(u) == x.Host || x.Prefix != "" && strings.HasPrefix(string(u), x.Prefix)
}

// maxAlike is how many hosts an error suggests.
const maxAlike = 5

// alike returns a suggestion with the hosts of the crawl that differ from host
// only by their port, "" if there are none.
func (t *takedown) alike(host string) string {
	bare := func(s string) string {
		if name, _, err := net.SplitHostPort(s); err == nil {
			return name
		}
		return s
	}
	found := map[string]bool{}
	_ = t.c.Journal.EachName(func(_ frontier.ID, u dowse.URL) {
		if h := weburl.Host(u); u != "" && host != "" && bare(h) == bare(host) {
			found[h] = true
		}
	})
	if len(found) == 0 {
		return ""
	}
	list := slices.Sorted(maps.Keys(found))
	return "; a port is part of the host: " + strings.Join(list[:min(len(list), maxAlike)], ", ")
}

// onceMore adds the URLs that were taken down before to the plan if something of
// a takedown is left, such as a label from a copy of an old file. Otherwise
// nothing is to be done for them, and the state and the lists stay.
func (t *takedown) onceMore() error {
	if len(t.buried) == 0 {
		return nil
	}
	v := &verifier{c: t.c, out: &Verification{}}
	if err := v.forgotten(); err != nil || v.out.OK() {
		return err
	}
	t.Pages = append(t.Pages, t.buried...)
	return nil
}

// unseen handles a URL that the journal does not contain: it was taken down
// before, or it is an example, or a person labelled it. Any other URL is
// ErrUnknown.
func (t *takedown) unseen(u dowse.URL) error {
	stones, err := t.c.Journal.Tombstones()
	if err != nil {
		return err
	}
	print := frontier.FingerprintOf(u, t.c.Settings.Key)
	for id, e := range stones {
		if e.Print == print {
			t.out.Already = append(t.out.Already, u)
			t.buried = append(t.buried, pendingPage{ID: id, URL: u})
			return nil
		}
	}
	examples, err := t.c.Examples()
	if err != nil {
		return err
	}
	labels, err := ReadLabels(t.c.Dir)
	if err != nil {
		return err
	}
	isExample := slices.ContainsFunc(examples, func(x Example) bool { return x.URL != "" && canonical(x.URL) == u })
	if !isExample && len(labels.of(u)) == 0 {
		return fmt.Errorf("%s: %w", u, ErrUnknown)
	}
	t.Pages = append(t.Pages, pendingPage{ID: frontier.None, URL: u})
	t.out.URLs = append(t.out.URLs, u)
	return nil
}

// copies adds the pages that were archived only as a reference to one of the
// pages, then those that refer to these, until there are no more.
func (t *takedown) copies() error {
	for more := true; more; {
		more = false
		added := map[dowse.URL]bool{}
		_, err := t.survey(func(target, first string) {
			u, of := canonical(target), canonical(first)
			switch {
			case t.urls[of] && !t.urls[u]:
				added[u] = true
			case t.urls[u] && !t.urls[of]:
				t.addSame(of)
			}
		})
		if err != nil {
			return err
		}
		if len(added) == 0 {
			return nil
		}
		fetched, err := t.fetched(added)
		if err != nil {
			return err
		}
		for _, p := range fetched {
			t.Pages = append(t.Pages, p)
			t.out.Copies = append(t.out.Copies, p.URL)
			more = true
		}
		t.index()
	}
	return nil
}

// fetched returns those of some URLs that were fetched as pages. Others, such as
// error messages, left no words in the journal.
func (t *takedown) fetched(urls map[dowse.URL]bool) (list []pendingPage, err error) {
	ids := map[frontier.ID]dowse.URL{}
	err = t.c.Journal.EachName(func(id frontier.ID, u dowse.URL) {
		if urls[u] {
			ids[id] = u
		}
	})
	if err != nil {
		return nil, err
	}
	for e, err := range t.c.Journal.Visits(0) {
		if err != nil {
			return nil, err
		}
		if u, ok := ids[e.ID]; ok && e.Kind == crawl.EntryPage && e.Page.Outcome == dowse.Fetched {
			list = append(list, pendingPage{ID: e.ID, URL: u})
			delete(ids, e.ID)
		}
	}
	return list, nil
}

// visits finds the first visit to one of the pages, their archived answers, and
// other pages with nearly the same text.
func (t *takedown) visits() error {
	var near []frontier.ID
	for e, err := range t.c.Journal.Visits(0) {
		if err != nil {
			return err
		}
		if e.Kind != crawl.EntryPage {
			continue
		}
		switch p := e.Page; {
		case t.ids[e.ID]:
			t.From = min(t.From, e.Place())
			if p.Near != "" && !t.urls[p.Near] {
				t.addSame(p.Near)
			}
			if p.Outcome == dowse.Fetched && p.Fetch.Archive.File != "" {
				t.Bodies = append(t.Bodies, p.Fetch.Archive)
			}
		case p.Near != "" && t.urls[p.Near]:
			near = append(near, e.ID)
		}
	}
	if len(near) == 0 {
		return nil
	}
	return t.c.Journal.EachName(func(id frontier.ID, u dowse.URL) {
		if u != "" && slices.Contains(near, id) {
			t.addSame(u)
		}
	})
}

// addSame adds a page to SameAs once.
func (t *takedown) addSame(u dowse.URL) {
	if !slices.Contains(t.out.SameAs, u) {
		t.out.SameAs = append(t.out.SameAs, u)
	}
}

// feedsOf returns the feeds that a page offers.
func feedsOf(e *crawl.Entry) []dowse.URL {
	if e.Kind == crawl.EntryPage && e.Page.Outcome == dowse.Fetched {
		return e.Page.Maps
	}
	return nil
}

// leads finds the URLs that are known only from links and feeds of the pages and were
// never requested. Such a URL is part of the content of the pages. Seeds and
// URLs in sitemaps are known independently and remain.
func (t *takedown) leads() error {
	if t.From == math.MaxUint64 {
		return nil
	}
	only, offered := map[frontier.ID]bool{}, map[dowse.URL]bool{}
	each := func(show func(e *crawl.Entry)) error {
		for e, err := range t.c.Journal.AsWritten(0) {
			if err != nil {
				return err
			}
			show(e)
		}
		return nil
	}
	err := each(func(e *crawl.Entry) {
		for i := range e.Links {
			if t.ids[e.ID] && !t.ids[e.Links[i].ID] {
				only[e.Links[i].ID] = true
			}
		}
		for _, u := range feedsOf(e) {
			offered[u] = offered[u] || t.ids[e.ID]
		}
	})
	if err == nil && len(offered) > 0 {
		err = t.c.Journal.EachName(func(id frontier.ID, u dowse.URL) {
			if offered[u] && !t.ids[id] {
				only[id] = true
			}
		})
	}
	if err != nil || len(only) == 0 {
		return err
	}
	listed := map[dowse.URL]bool{}
	err = each(func(e *crawl.Entry) {
		if e.Kind == crawl.EntryPage || e.Kind == crawl.EntryRetry {
			delete(only, e.ID)
		}
		for i := range e.Links {
			if !t.ids[e.ID] {
				delete(only, e.Links[i].ID)
				delete(only, e.Links[i].Target)
			}
		}
		for _, u := range e.Seeds {
			listed[u] = true
		}
		if e.Robots != nil {
			for _, u := range e.Robots.Sitemaps {
				listed[u] = true
			}
		}
		if e.Page != nil && !(len(feedsOf(e)) > 0 && t.ids[e.ID]) {
			for _, u := range e.Page.Maps {
				listed[u] = true
			}
		}
	})
	if err != nil {
		return err
	}
	return t.c.Journal.EachName(func(id frontier.ID, u dowse.URL) {
		if u != "" && only[id] && !listed[u] {
			t.Leads = append(t.Leads, id)
			t.out.Leads++
		}
	})
}

// hosts finds the hosts of which nothing remains when the pages and leads are
// removed.
func (t *takedown) hosts() error {
	gone := map[string]bool{}
	for _, p := range t.Pages {
		if p.ID != frontier.None {
			gone[weburl.Host(p.URL)] = true
		}
	}
	err := t.c.Journal.EachName(func(id frontier.ID, u dowse.URL) {
		if t.gone[id] && u != "" {
			gone[weburl.Host(u)] = gone[weburl.Host(u)] || !t.ids[id]
		}
	})
	if err != nil {
		return err
	}
	err = t.c.Journal.EachName(func(id frontier.ID, u dowse.URL) {
		if u != "" && !t.gone[id] {
			delete(gone, weburl.Host(u))
		}
	})
	for h := range gone {
		t.Hosts = append(t.Hosts, h)
	}
	slices.Sort(t.Hosts)
	return err
}

// Knows returns a function that reports whether the crawl in dir knows a URL, or
// knew it before it was taken down. The function works on fingerprints and stays
// usable after the collection is closed.
func Knows(dir string) (func(u dowse.URL) bool, error) {
	c, err := Open(dir, nil, true)
	if err != nil {
		return nil, err
	}
	prints := map[frontier.Fingerprint]bool{}
	err = c.Journal.EachName(func(_ frontier.ID, u dowse.URL) { prints[frontier.FingerprintOf(u, c.Settings.Key)] = true })
	stones, stonesErr := c.Journal.Tombstones()
	for _, e := range stones {
		prints[e.Print] = true
	}
	if err := errors.Join(err, stonesErr, c.Close()); err != nil {
		return nil, err
	}
	return func(u dowse.URL) bool { return prints[frontier.FingerprintOf(u, c.Settings.Key)] }, nil
}
