package fetch

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"dowse"
	"dowse/weburl"
)

const (
	// maxRobots is how much of a robots.txt is read. RFC 9309 2.5 wants at
	// least 500 KiB; there are longer ones, and what a site forbids in the rest
	// counts too.
	maxRobots = 2 << 20
	// maxRobotsLine is how many bytes of a line are read: the limit of Google's
	// parser, eight times the longest URL that browsers accepted.
	maxRobotsLine = 2083*8 - 1
	// maxRobotsHops is how many redirects are followed to a robots.txt; RFC
	// 9309 2.3.1.2 wants at least five.
	maxRobotsHops = 10
	// maxRobotsSitemaps is how many sitemaps one robots.txt may name.
	maxRobotsSitemaps = 500
	// maxDelay bounds Crawl-delay.
	maxDelay = 24 * time.Hour
)

// ParseRobots returns the rules for agent in a robots.txt that came with the
// given status, by RFC 9309: those of the groups that name the agent, or else
// those for all agents. A status in the 4xx (but not 429), or endless
// redirects, mean that everything may be fetched; 429, 5xx and no answer
// (status 0) mean that nothing may. The misspelt directives that Google's
// parser accepts are accepted. At most 2 MiB are read. The result refers to
// body, and its field At is not set. Relative URLs of sitemaps are left out.
func ParseRobots(body []byte, status int, agent string) *dowse.Robots {
	return parseRobots(body, status, agent, nil)
}

// parseRobots is ParseRobots with the URL that relative URLs of sitemaps belong to; nil for none. The protocol wants
// absolute ones, but many sites name a path.
func parseRobots(body []byte, status int, agent string, base *weburl.Base) *dowse.Robots {
	r := &dowse.Robots{Status: status, Body: body, Rules: nothing{}}
	switch {
	case status >= 200 && status < 300:
		p := robotsParser{agent: agent, base: base}
		p.parse(string(whole(body)))
		r.Delay, r.Sitemaps, r.Rules = p.result()
	case status >= 300 && status < 500 && status != 429:
		r.Rules = everything{}
	}
	return r
}

// whole returns the part of body that is parsed, cut after a whole line: a rule
// that is cut short could forbid or allow more than the whole rule.
func whole(body []byte) []byte {
	if len(body) < maxRobots {
		return body
	}
	for n := maxRobots; n > 0; n-- {
		if body[n-1] == '\n' || body[n-1] == '\r' {
			return body[:n]
		}
	}
	return nil
}

// A robotsParser collects the rules of the groups that name the agent and of
// those for all agents. Which of the two counts is known only at the end of the
// file.
type robotsParser struct {
	agent    string
	base     *weburl.Base // of relative URLs of sitemaps; nil to leave them out
	own, all group
	named    bool // there is a group for the agent
	inOwn    bool // the current group names the agent
	inAll    bool // the current group is for all agents
	closed   bool // the current group has rules, so the next user-agent line begins another
	sitemaps []dowse.URL
}

// A group holds the rules of all groups of a file that concern the same agent.
type group struct {
	rules []rule
	delay time.Duration
}

// parse reads lines that end in CR, LF or both. An over-long line is cut, not
// dropped.
func (p *robotsParser) parse(text string) {
	text = trimBOM(text)
	for text != "" {
		line := text
		if end := strings.IndexAny(text, "\r\n"); end >= 0 {
			line, text = text[:end], text[end+1:]
		} else {
			text = ""
		}
		p.line(line[:min(len(line), maxRobotsLine)])
	}
}

// trimBOM removes a byte order mark, or the part of one that a careless editor
// left.
func trimBOM(text string) string {
	for _, b := range []byte{0xEF, 0xBB, 0xBF} {
		if text == "" || text[0] != b {
			break
		}
		text = text[1:]
	}
	return text
}

// line reads one directive. Comments, unknown directives and lines without a
// key are ignored.
func (p *robotsParser) line(line string) {
	line, _, _ = strings.Cut(line, "#")
	line = strings.TrimSpace(line)
	key, value, ok := keyValue(line)
	if !ok {
		return
	}
	switch directive(key) {
	case "user-agent":
		p.userAgent(value)
	case "allow":
		p.rule(value, line, true)
	case "disallow":
		p.rule(value, line, false)
	case "crawl-delay":
		p.delay(value)
	case "sitemap":
		p.sitemap(value)
	}
}

// keyValue cuts a line at the colon. A line of exactly two words may lack the
// colon.
func keyValue(line string) (key, value string, ok bool) {
	if key, value, ok = strings.Cut(line, ":"); !ok {
		words := strings.Fields(line)
		if len(words) != 2 {
			return "", "", false
		}
		key, value = words[0], words[1]
	}
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	return key, value, key != ""
}

// directives lists the accepted beginnings of keys, including common
// misspellings.
var directives = [...]struct{ begins, means string }{
	{"user-agent", "user-agent"}, {"useragent", "user-agent"}, {"user agent", "user-agent"},
	{"allow", "allow"},
	{"disallow", "disallow"}, {"dissallow", "disallow"}, {"dissalow", "disallow"}, {"disalow", "disallow"},
	{"diaslow", "disallow"}, {"diasllow", "disallow"}, {"disallaw", "disallow"},
	{"sitemap", "sitemap"}, {"site-map", "sitemap"},
	{"crawl-delay", "crawl-delay"}, {"crawldelay", "crawl-delay"}, {"crawl delay", "crawl-delay"},
}

// directive returns the directive that key means, "" for an unknown one.
func directive(key string) string {
	for _, d := range directives {
		if len(key) >= len(d.begins) && strings.EqualFold(key[:len(d.begins)], d.begins) {
			return d.means
		}
	}
	return ""
}

// userAgent reads a user-agent line. Consecutive ones share a group. "*" may be
// followed by a space and anything, as in Google's parser.
func (p *robotsParser) userAgent(value string) {
	if p.closed {
		p.inOwn, p.inAll, p.closed = false, false, false
	}
	if value == "*" || strings.HasPrefix(value, "* ") || strings.HasPrefix(value, "*\t") {
		p.inAll = true
		return
	}
	if strings.EqualFold(productToken(value), p.agent) {
		p.inOwn, p.named = true, true
	}
}

// productToken returns the longest beginning of s that may be a product token.
func productToken(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c != '-' && c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') {
			return s[:i]
		}
	}
	return s
}

// rule reads an Allow or Disallow line. An empty pattern matches nothing, but
// ends the list of user agents.
func (p *robotsParser) rule(pattern, line string, allow bool) {
	if !p.inOwn && !p.inAll {
		return
	}
	p.closed = true
	if pattern == "" {
		return
	}
	line = clean(line)
	p.add(newRule(pattern, line, allow))
	// Allowing a default document allows its folder, as in Google's parser.
	if slash := strings.LastIndexByte(pattern, '/'); allow && slash >= 0 && strings.HasPrefix(pattern[slash:], "/index.htm") {
		p.add(newRule(pattern[:slash+1]+"$", line, true))
	}
}

// add adds a rule to the current group. If the group names the agent, its rules
// are not for all agents, even if it also has a line for "*".
func (p *robotsParser) add(r rule) {
	if p.inOwn {
		p.own.rules = append(p.own.rules, r)
		return
	}
	p.all.rules = append(p.all.rules, r)
}

// delay reads a Crawl-delay in seconds. Of several the longest counts; what is
// not a positive number is ignored.
func (p *robotsParser) delay(value string) {
	s, err := strconv.ParseFloat(value, 64)
	if err != nil || !(s > 0) {
		return
	}
	delay := time.Duration(min(s, maxDelay.Seconds()) * float64(time.Second))
	if p.inOwn {
		p.own.delay = max(p.own.delay, delay)
	}
	if p.inAll {
		p.all.delay = max(p.all.delay, delay)
	}
}

// sitemap reads a Sitemap line, which belongs to no group.
func (p *robotsParser) sitemap(value string) {
	if len(p.sitemaps) >= maxRobotsSitemaps {
		return
	}
	u, err := weburl.Parse(value)
	if errors.Is(err, weburl.ErrNoScheme) && p.base != nil && isPathOfMap(value) {
		u, err = p.base.Resolve(value)
	}
	if err == nil {
		p.sitemaps = append(p.sitemaps, u)
	}
}

// isPathOfMap reports whether the value of a Sitemap line looks like a path or the name of a file, and not like a word.
func isPathOfMap(value string) bool {
	return !strings.ContainsAny(value, " \t") && (strings.HasPrefix(value, "/") || strings.Contains(value, "."))
}

// result returns what concerns the agent: its own groups if there are any, even
// without rules, else those for all agents.
func (p *robotsParser) result() (time.Duration, []dowse.URL, dowse.Rules) {
	g := p.all
	if p.named {
		g = p.own
	}
	return g.delay, p.sitemaps, newRules(g.rules)
}

// Robots requests the robots.txt of the host of u, follows redirects to it
// within a bound, and returns the rules for the client. It never fails: a host
// that does not answer allows nothing. It also returns the responses on the
// way, at least one, for the archive; the last one shows why a host could not
// be reached.
func (c *Client) Robots(ctx context.Context, u dowse.URL) (*dowse.Robots, []*Response) {
	at := time.Now()
	limits := limits{wire: maxRobots, decoded: maxRobots}
	last := c.fetch(ctx, weburl.Robots(u), limits)
	hops := []*Response{last}
	for last.Outcome == dowse.Redirected && len(hops) <= maxRobotsHops {
		last = c.fetch(ctx, last.Location, limits)
		hops = append(hops, last)
	}
	base, _ := weburl.NewBase(string(weburl.Robots(u)))
	robots := parseRobots(last.Body, robotsStatus(last), c.Agent(), base)
	robots.At = at
	return robots, hops
}

// robotsStatus returns the status of the answer, 0 for one that broke off: half
// of the rules are worse than none.
func robotsStatus(r *Response) int {
	whole := r.Outcome == dowse.Fetched && (!r.Fetch.Truncated || len(r.Body) >= maxRobots)
	if r.Fetch.Status >= 200 && r.Fetch.Status < 300 && !whole {
		return 0
	}
	return r.Fetch.Status
}
