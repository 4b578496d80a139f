package dowse

// Reason is why a URL was not fetched or not used. The list is closed and
// stable: scripts may match on it.
type Reason string

// The reasons for skipping.
const (
	SkipScopeHost    Reason = "scope.host"
	SkipScopeExclude Reason = "scope.exclude"
	SkipScopeDepth   Reason = "scope.depth"
	SkipScopeTunnel  Reason = "scope.tunnel"
	SkipRobotsTxt    Reason = "robots.txt"
	SkipRobotsMeta   Reason = "robots.meta"
	SkipScoreLow     Reason = "score.low"
	SkipBudgetHost   Reason = "budget.host"
	SkipBudgetCrawl  Reason = "budget.crawl"
	SkipTrapPattern  Reason = "trap.pattern"
	SkipTrapFarm     Reason = "trap.farm"
	SkipDupURL       Reason = "dup.url"
	SkipTypeMIME     Reason = "type.mime"
	SkipTypeSize     Reason = "type.size"
	SkipLang         Reason = "lang"
	SkipHostBlocked  Reason = "host.blocked"
	SkipChallenge    Reason = "host.challenge"
	SkipPrivateIP    Reason = "policy.private-ip"
	SkipLogin        Reason = "policy.login"
	SkipPayment      Reason = "policy.payment"
	SkipUserBlocked  Reason = "user.blocked"
	SkipForgotten    Reason = "user.forgotten"
	SkipSiteDone     Reason = "site.done"
	SkipUnchanged    Reason = "unchanged" // a page that was asked again, and is as before
	SkipMemory       Reason = "memory"    // a link that no memory was left for
)

// The reasons for failing.
const (
	FailHTTP     Reason = "http.status"   // the server said no: 404, 410, 500 after retries
	FailProtocol Reason = "http.protocol" // what came back is not sound HTTP
	FailTimeout  Reason = "net.timeout"
	FailConnect  Reason = "net.connect"
	FailDNS      Reason = "net.dns"
	FailTLS      Reason = "net.tls"
	FailEncoding Reason = "body.encoding" // a content coding that can't be undone
	FailRedirect Reason = "redirect"      // a chain too long, a loop, a target that is no URL
	FailGone     Reason = "gone"          // a page that was fetched, and then missing three times in a row
)

// ReasonHelp lists every reason with its meaning, in the order of printing. New reasons
// are added at its end: collections keep the place of a reason in this list.
func ReasonHelp() []struct {
	Reason Reason
	Means  string
} {
	type row = struct {
		Reason Reason
		Means  string
	}
	return []row{
		{SkipScopeHost, "outside the scope of the crawl"},
		{SkipScopeExclude, "matches an excluded pattern, or none of the included ones"},
		{SkipScopeDepth, "more links away from a seed than the limit"},
		{SkipScopeTunnel, "reached over more off-topic pages in a row than the limit"},
		{SkipRobotsTxt, "the host's robots.txt forbids it"},
		{SkipRobotsMeta, "nofollow: in the page, its header or the link"},
		{SkipScoreLow, "the strategy does not want it"},
		{SkipBudgetHost, "the host has given as many pages as the limit per host"},
		{SkipBudgetCrawl, "the crawl ended before its turn"},
		{SkipTrapPattern, "one of too many URLs of one pattern with nothing useful in them"},
		{SkipTrapFarm, "its host or folder leads to ever new pages, and hardly to a known one"},
		{SkipDupURL, "another spelling of a URL that is known"},
		{SkipTypeMIME, "neither HTML nor text"},
		{SkipTypeSize, "larger than the size limit"},
		{SkipLang, "in a language that the topic does not want"},
		{SkipHostBlocked, "the host was blocked"},
		{SkipChallenge, "the host wants a person, not a crawler"},
		{SkipPrivateIP, "a private address, in no network that may be crawled"},
		{SkipLogin, "behind a login"},
		{SkipPayment, "behind a payment (402)"},
		{SkipUserBlocked, "excluded by the user"},
		{SkipForgotten, "taken down"},
		{FailHTTP, "the server answered with an error"},
		{FailProtocol, "the answer was not sound HTTP"},
		{FailTimeout, "no answer in time"},
		{FailConnect, "no connection"},
		{FailDNS, "the name has no address"},
		{FailTLS, "no secure connection"},
		{FailEncoding, "a content coding that can't be undone"},
		{FailRedirect, "redirects in a circle, too often, or to no URL"},
		{SkipSiteDone, "the strategy wants no more of its site"},
		{SkipUnchanged, "asked again, and the same as before"},
		{FailGone, "fetched before, and missing (404, 410) three times in a row since"},
		{SkipMemory, "found when memory was scarce, and not promising enough to be remembered"},
	}
}

// StopReason is why a crawl ended. The list is closed and stable.
type StopReason string

// The reasons for stopping.
const (
	StopPages     StopReason = "pages"
	StopBytes     StopReason = "bytes"
	StopTime      StopReason = "time"
	StopOnTopic   StopReason = "on_topic"
	StopExhausted StopReason = "exhausted" // nothing is left to visit
	StopDriedUp   StopReason = "dried_up"  // hardly any page on topic is found any more
	StopRecall    StopReason = "recall"    // enough of what there is was found, by the estimate
	StopStarved   StopReason = "starved"   // all that is left waits for hosts that do not answer
	StopNetwork   StopReason = "network"   // this machine has no network
	StopDisk      StopReason = "disk"
	StopMemory    StopReason = "memory"
	StopSignal    StopReason = "signal"
	StopError     StopReason = "error"
)
