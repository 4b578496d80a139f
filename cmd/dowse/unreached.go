package main

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/crawler"
	"dowse/weburl"
)

// outageLine states that there is no network or no name server, since when, why, and when the next try is.
// A crawl without a network waits instead of failing its URLs: they are not at fault.
func outageLine(o *crawl.Outage, now time.Time) string {
	what := "NO NETWORK"
	if o.Names {
		what = "NO NAME SERVICE"
	}
	line := fmt.Sprintf("%s for %s: %s; the crawl waits", what, max(0, now.Sub(o.Since)).Round(time.Second), oneLine(o.Why))
	if wait := o.Next.Sub(now).Round(time.Second); wait > 0 {
		line += fmt.Sprintf(", next try in %s", wait)
	}
	return line
}

// unreachedShown is the number of hosts without an answer that are listed.
const unreachedShown = 5

// unreachedLines lists what waits for hosts that did not answer, the hosts with the most
// URLs first:
//
//	unreached 41 URLs on 2 hosts that did not answer
//	          slow.example: 40 URLs, net.timeout since 14:02:11
//	          gone.example: 1 URL, net.connect since 13:58:40
func unreachedLines(u *crawl.Unreached) []string {
	if u == nil {
		return nil
	}
	lines := []string{fmt.Sprintf(" unreached %s on %s that did not answer", some(u.URLs, "URL"), some(u.Hosts, "host"))}
	for _, h := range u.Most[:min(len(u.Most), unreachedShown)] {
		lines = append(lines, fmt.Sprintf("           %s: %s, %s since %s", oneLine(h.Host), some(h.URLs, "URL"), h.Reason, clock(h.Since)))
	}
	if more := u.Hosts - min(len(u.Most), unreachedShown); more > 0 {
		lines = append(lines, fmt.Sprintf("           and %s more", some(more, "host")))
	}
	return lines
}

// failedByNetwork returns how many pages failed for reasons of the network.
func failedByNetwork(list []collection.ReasonCount) (n int) {
	for _, r := range list {
		if strings.HasPrefix(string(r.Reason), "net.") {
			n += r.Failed
		}
	}
	return n
}

// trapLines names the URLs that were left out because there may be endlessly many like them, one line per reason, with
// the command that visits them: a crawl that ends has not seen them, and no estimate counts them. dropped is the number
// of links to further hosts of domains that have too many, which are in no list.
func trapLines(list []collection.ReasonCount, dropped int) (lines []string) {
	for _, r := range list {
		switch {
		case r.Skipped == 0:
		case r.Reason == dowse.SkipTrapPattern:
			lines = append(lines, fmt.Sprintf("%s not visited: too many of one pattern gave nothing new; --retry trap.pattern visits them", some(r.Skipped, "URL")))
		case r.Reason == dowse.SkipTrapFarm:
			lines = append(lines, fmt.Sprintf("%s not visited: their hosts look like a link farm; --retry trap.farm visits them", some(r.Skipped, "URL")))
		}
	}
	if dropped > 0 {
		lines = append(lines, fmt.Sprintf("%s not kept: their domains have too many hosts; --seed URL adds a host that you want", some(dropped, "link")))
	}
	return lines
}

// unkeptLine returns how many links were left out for want of memory, and how their pages are asked for again; "" for
// none.
func unkeptLine(links int) string {
	if links == 0 {
		return ""
	}
	return fmt.Sprintf("%s not kept: there was no memory for them (--memory); --retry memory asks for their pages again", some(links, "link"))
}

// withoutAnswer returns how many pages were given up because their connections broke or
// timed out. A name that does not exist or a certificate that is not valid is an answer in
// this sense: another try would not change it.
func withoutAnswer(list []collection.ReasonCount) (n int) {
	for _, r := range list {
		if r.Reason == dowse.FailConnect || r.Reason == dowse.FailTimeout {
			n += r.Failed
		}
	}
	return n
}

// pagesNotReached returns the error of a crawl that has visited everything, apart from n
// pages that gave no answer although their hosts do.
func pagesNotReached(dir string, n int) error {
	return &exitError{exitNetwork, fmt.Errorf("not everything was reached: %s gave no answer; dowse crawl %s --retry failed asks again", some(n, "page"), shellWord(dir))}
}

// unreachedCount returns in parentheses how much waits for hosts that did not answer.
func unreachedCount(u *crawl.Unreached) string {
	if u == nil {
		return ""
	}
	return fmt.Sprintf(" (%s on %s)", some(u.URLs, "URL"), some(u.Hosts, "host"))
}

// notReached returns the error of a crawl that fetched pages and could not reach all
// hosts. It is no fault of the collection: the same command asks these hosts again.
func notReached(dir string, cr *crawler.Crawler) error {
	if cr.StopReason() == dowse.StopNetwork {
		st := cr.Status()
		return &exitError{exitNetwork, fmt.Errorf("%s (%s); the same command continues", stopMeaning(&st), orDefault(cr.Collection.Crawl.LastFailure(), "no host answers"))}
	}
	return &exitError{exitNetwork, fmt.Errorf("not everything was reached%s; the same command asks again, dowse hosts %s shows the hosts", unreachedCount(cr.Collection.Crawl.Unreached()), shellWord(dir))}
}

// nothingFetched returns the error of a crawl without a page: robots.txt forbids every
// seed, every page was taken down, or no host could be reached. In the last case it gives
// the cause for the first seeds, because a first crawl mostly fails for a misspelt host
// or a missing network, and the cause shows which.
func nothingFetched(dir string, cr *crawler.Crawler) error {
	if forbidden(cr.Collection.Crawl) {
		return &exitError{exitForbidden, fmt.Errorf("robots.txt forbids every seed; the rule: dowse why %s %s", shellWord(dir), firstSeed(cr))}
	}
	b := cr.Status().Books
	if cr.Collection.Crawl.HasForgotten() && b.Failed+b.Queued == 0 {
		return &exitError{exitNothing, fmt.Errorf("nothing to crawl: every page was taken down; add another seed with --seed URL")}
	}
	lines := []string{fmt.Sprintf("no seed could be fetched (%d failed, %d skipped, %d not reached)", b.Failed, b.Skipped, b.Queued)}
	lines = append(lines, seedCauses(cr)...)
	if net := privateSeed(cr); net != "" {
		lines = append(lines, "Private addresses are only reached if you allow them:", "  dowse crawl "+shellWord(dir)+" --allow-net "+net)
		return &exitError{exitNetwork, fmt.Errorf("%s", strings.Join(lines, "\n"))}
	}
	lines = append(lines, "The same command asks the seeds again. If one is mistyped, add the right one with", "--seed URL. More: dowse why "+shellWord(dir)+" "+firstSeed(cr))
	return &exitError{exitNetwork, fmt.Errorf("%s", strings.Join(lines, "\n"))}
}

// firstSeed returns the first seed as a word of a command.
func firstSeed(cr *crawler.Crawler) string {
	for _, s := range cr.Collection.Settings.Seeds {
		return shellWord(oneLine(s))
	}
	return "URL"
}

// seedsShown is the number of seeds that are listed if none could be fetched.
const seedsShown = 5

// seedCauses returns for the first seeds why they could not be fetched.
func seedCauses(cr *crawler.Crawler) (lines []string) {
	for _, s := range cr.Collection.Settings.Seeds {
		u, err := weburl.Parse(s)
		if err != nil || len(lines) == seedsShown {
			continue
		}
		why, err := cr.Collection.Why(u)
		if err != nil {
			continue
		}
		lines = append(lines, "  "+oneLine(s)+": "+seedCause(why, failureFor(why, weburl.Hostname(u), cr.Collection.Crawl.LastFailure())))
	}
	return lines
}

// privateSeed returns the network to allow for the first seed that is at a private address, "" if there
// is none.
func privateSeed(cr *crawler.Crawler) string {
	for _, s := range cr.Collection.Settings.Seeds {
		u, err := weburl.Parse(s)
		if err != nil {
			continue
		}
		if why, err := cr.Collection.Why(u); err == nil && why.Row.Reason == dowse.SkipPrivateIP {
			return networkOf(addressIn(failureFor(why, weburl.Hostname(u), cr.Collection.Crawl.LastFailure())))
		}
	}
	return ""
}

// isAt separates the name of a host from its address in the text of a failure.
const isAt = " is at "

// addressIn returns the address in the text of a failure, such as "a.example is at 10.0.0.1, which is
// not a public address"; the zero value if there is none.
func addressIn(failure string) netip.Addr {
	if _, rest, ok := strings.Cut(failure, isAt); ok {
		failure = rest
	}
	word, _, _ := strings.Cut(strings.ReplaceAll(failure, ",", " "), " ")
	addr, _ := netip.ParseAddr(word)
	return addr
}

// failureFor returns the latest failure of the crawl as far as it can be that of a host. The crawl
// keeps one text for all hosts, so a text about the name of another host is replaced by what is
// known of this one.
func failureFor(why *collection.Explanation, host, last string) string {
	const missing = "no address for "
	if other, _, at := strings.Cut(last, isAt); at && other != host {
		return ""
	}
	before, rest, found := strings.Cut(last, missing)
	name, _, _ := strings.Cut(rest, ":")
	switch {
	case !found || name == host:
		return last
	case why.Polite != nil && why.Polite.Why == dowse.FailDNS:
		return before + missing + host
	}
	return ""
}

// seedCause returns the reason and detail of one seed; last is the latest failure of the
// crawl, for a seed that has no detail of its own: it waited for a robots.txt that could
// not be fetched, and the failure belongs to that request.
func seedCause(why *collection.Explanation, last string) string {
	reason, detail := why.Row.Reason, why.Row.Detail
	if reason == "" && why.Polite != nil {
		reason, detail = why.Polite.Why, last
	}
	if (strings.HasSuffix(detail, "robots.txt could not be read") || reason == dowse.SkipPrivateIP) && last != "" {
		detail += ": " + last
	}
	parts := slices.DeleteFunc([]string{string(reason), detail}, func(s string) bool { return s == "" })
	return oneLine(orDefault(strings.Join(parts, ": "), last, why.Row.State.String()))
}
