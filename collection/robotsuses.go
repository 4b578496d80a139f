package collection

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"dowse"
	"dowse/internal/extract"
	"dowse/internal/facts"
	"dowse/internal/frontier"
	"dowse/weburl"
)

// A usageRule is a line of a robots.txt about what pages may be used for: Content-Signal, as
// Cloudflare defines it, or Content-Usage, as the IETF drafts it.
type usageRule struct {
	prefix string // of the paths that it is about
	uses   []string
}

// hostUses are what a host reserves for its pages.
type hostUses struct {
	robots [][]usageRule // one list per crawler that the host can address
	tdm    []tdmRule
	asked  bool // the collection has the answer to the request for its tdmrep.json
}

// reservedByHost returns the uses that the robots.txt and the tdmrep.json of a host reserve for a page. Of the
// robots.txt the rule with the longest prefix counts, for each crawler that the collection has answers of. While a crawl runs, only its loop may call it.
func (c *Collection) reservedByHost(u dowse.URL) []string {
	uses := c.usesOf(u)
	path := weburl.Path(u)
	var list []string
	for _, rules := range uses.robots {
		list = append(list, usesFor(rules, path)...)
	}
	if reservesTDM(uses.tdm, path) && !slices.Contains(list, facts.UseTDM) {
		list = append(list, facts.UseTDM)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// usesFor returns the uses that rules reserve for a path.
func usesFor(rules []usageRule, path string) []string {
	var best usageRule
	found := false
	for _, r := range rules {
		if strings.HasPrefix(path, r.prefix) && (!found || len(r.prefix) > len(best.prefix)) {
			best, found = r, true
		}
	}
	return best.uses
}

// maxUsageHosts bounds for how many hosts the rules are kept.
const maxUsageHosts = 10_000

// addressed returns the names of crawlers whose directives for robots hold: that of this crawl, and those of the
// crawls that the collection was made of.
func (c *Collection) addressed() []string {
	return extract.Agents(cmp.Or(c.Settings.Identity.Agent, defaults.Identity.Agent), c.Settings.Agents...)
}

// usesOf returns what the host of a page reserves.
func (c *Collection) usesOf(u dowse.URL) hostUses {
	id, ok := c.Crawl.Frontier().Find(u)
	if !ok {
		return hostUses{}
	}
	host := c.Crawl.Frontier().Host(id)
	if uses, known := c.usages[host]; known {
		return uses
	}
	if len(c.usages) >= maxUsageHosts || c.usages == nil {
		c.usages = map[frontier.HostID]hostUses{}
	}
	var uses hostUses
	if r := c.Crawl.Host(int(host)).Robots; r != nil && r.Status >= 200 && r.Status < 300 {
		for _, agent := range c.addressed() {
			uses.robots = append(uses.robots, parseUsages(r.Body, agent))
		}
	}
	uses.tdm, uses.asked = c.tdmOf(u)
	c.usages[host] = uses
	return uses
}

// parseUsages returns the rules of a robots.txt for a crawler: those of the groups that name
// it, or else those of the groups for all. Lines before the first group are for all.
func parseUsages(body []byte, agent string) []usageRule {
	var own, all []usageRule
	forOwn, forAll, named, inAgents := false, true, false, false
	for line := range bytes.Lines(body) {
		text, _, _ := strings.Cut(string(line), "#")
		key, value, ok := strings.Cut(text, ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		switch strings.ToLower(strings.TrimSpace(key)) {
		case "user-agent":
			if !inAgents {
				forOwn, forAll = false, false
			}
			inAgents = true
			forAll = forAll || value == "*"
			forOwn = forOwn || strings.EqualFold(value, agent)
			named = named || forOwn
			continue
		case "content-signal", "content-usage":
			if r, ok := usageOf(value); ok && forOwn {
				own = append(own, r)
			} else if ok && forAll {
				all = append(all, r)
			}
		}
		inAgents = false
	}
	if named {
		return own
	}
	return all
}

// usageOf reads the value of a line: perhaps a path, then preferences.
func usageOf(value string) (usageRule, bool) {
	r := usageRule{}
	if strings.HasPrefix(value, "/") {
		r.prefix, value, _ = strings.Cut(value, " ")
	}
	if !strings.Contains(value, "=") {
		return r, false
	}
	r.uses = usesReserved(value)
	return r, true
}

// usesReserved returns the uses that preferences reserve: ai-train=no and train-ai=n reserve
// the training of models, tdm=n text and data mining.
func usesReserved(preferences string) (uses []string) {
	for _, p := range strings.FieldsFunc(strings.ToLower(preferences), func(r rune) bool { return r == ',' || r == ';' }) {
		name, value, _ := strings.Cut(strings.ReplaceAll(p, " ", ""), "=")
		if value != "n" && value != "no" {
			continue
		}
		switch name {
		case "ai-train", "train-ai":
			uses = append(uses, facts.UseAI)
		case "tdm":
			uses = append(uses, facts.UseTDM)
		}
	}
	slices.Sort(uses)
	return slices.Compact(uses)
}
