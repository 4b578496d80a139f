package fetch

import (
	"context"
	"strconv"
	"strings"
	"time"

	"dowse"
	"dowse/weburl"
)

const (
	// maxRobots is how much of a robots.txt is read. RFC 9309 2.5 wants at least
	// 500 KiB; there are longer ones, and what a site forbids in the rest counts too.
	maxRobots = 2 << 20
	// maxRobotsLine is how much of a line is read: Google's limit, eight times the
	// longest URL that browsers took.
	maxRobotsLine = 2083*8 - 1
	// maxRobotsHops is how many redirects lead to a robots.txt; RFC 9309 2.3.1.2
	// wants at least five.
	maxRobotsHops = 10
	// maxRobotsSitemaps is how many sitemaps one robots.txt may name.
	maxRobotsSitemaps = 500
	// maxDelay bounds Crawl-delay.
	maxDelay = 24 * time.Hour
)

// ParseRobots returns what a robots.txt that came with the given status says to
// the agent, by RFC 9309: the rules of the agent's own groups, or else those for
// everybody. An answer in the 4xx (but not 429), or redirects without an end, mean
// that everything may be fetched; 429, 5xx and no answer (status 0) that nothing
// may. The spelling mistakes that Google's parser takes are taken too. At most 2
// MiB are read. The result keeps body, and At is not set.
func ParseRobots(body []byte, status int, agent string) *dowse.Robots {
	r := &dowse.Robots{Status: status, Body: body, Rules: nothing{}}
	switch {
	case status >= 200 && status < 300:
		p := robotsParser{agent: agent}
		p.parse(string(whole(body)))
		r.Delay, r.Sitemaps, r.Rules = p.result()
	case status >= 300 && status < 500 && status != 429:
		r.Rules = everything{}
	}
	return r
}

// whole returns as many whole lines of body as are read. A line that is cut short
// could turn into a wider rule.
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

// A robotsParser sorts lines into what concerns the agent and what everybody.
type robotsParser struct {
	agent    string
	own, all group
	named    bool // there is a group for the agent
	inOwn    bool // the current group names the agent
	inAll    bool // the current group is for everybody
	closed   bool // the current group has rules: the next agent begins another
	sitemaps []dowse.URL
}

type group struct {
	rules []rule
	delay time.Duration
}

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

// trimBOM cuts off a byte order mark, or what a careless editor left of one.
func trimBOM(text string) string {
	for _, b := range []byte{0xEF, 0xBB, 0xBF} {
		if text == "" || text[0] != b {
			break
		}
		text = text[1:]
	}
	return text
}

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

// keyValue cuts a line at the colon. Where there is none and the line has just
// two words, the space between them will do.
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

// directives lists the beginnings of keys, with the mistakes that are common.
var directives = [...]struct{ begins, means string }{
	{"user-agent", "user-agent"}, {"useragent", "user-agent"}, {"user agent", "user-agent"},
	{"allow", "allow"},
	{"disallow", "disallow"}, {"dissallow", "disallow"}, {"dissalow", "disallow"}, {"disalow", "disallow"},
	{"diaslow", "disallow"}, {"diasllow", "disallow"}, {"disallaw", "disallow"},
	{"sitemap", "sitemap"}, {"site-map", "sitemap"},
	{"crawl-delay", "crawl-delay"}, {"crawldelay", "crawl-delay"}, {"crawl delay", "crawl-delay"},
}

func directive(key string) string {
	for _, d := range directives {
		if len(key) >= len(d.begins) && strings.EqualFold(key[:len(d.begins)], d.begins) {
			return d.means
		}
	}
	return ""
}

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

// productToken returns what of s may be a product token.
func productToken(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c != '-' && c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') {
			return s[:i]
		}
	}
	return s
}

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
	// A folder is let in with its default document, as Google does.
	if slash := strings.LastIndexByte(pattern, '/'); allow && slash >= 0 && strings.HasPrefix(pattern[slash:], "/index.htm") {
		p.add(newRule(pattern[:slash+1]+"$", line, true))
	}
}

// add puts a rule into the groups that are open. One that names the agent hides
// the one for everybody, in the same lines too.
func (p *robotsParser) add(r rule) {
	if p.inOwn {
		p.own.rules = append(p.own.rules, r)
		return
	}
	p.all.rules = append(p.all.rules, r)
}

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

func (p *robotsParser) sitemap(value string) {
	if len(p.sitemaps) >= maxRobotsSitemaps {
		return
	}
	if u, err := weburl.Parse(value); err == nil {
		p.sitemaps = append(p.sitemaps, u)
	}
}

func (p *robotsParser) result() (time.Duration, []dowse.URL, dowse.Rules) {
	g := p.all
	if p.named {
		g = p.own
	}
	return g.delay, p.sitemaps, newRules(g.rules)
}

// Robots asks the host of u for its robots.txt, follows redirects to it within a
// bound, and returns what it says to the client. It never fails: a host that does
// not answer allows nothing.
func (c *Client) Robots(ctx context.Context, u dowse.URL) *dowse.Robots {
	robots, _ := c.RobotsHops(ctx, u)
	return robots
}

// RobotsHops is Robots, and returns the answers on the way too: to be archived,
// and because the last one tells why a host could not be reached. There is at
// least one.
func (c *Client) RobotsHops(ctx context.Context, u dowse.URL) (*dowse.Robots, []*Response) {
	at := time.Now()
	limits := limits{wire: maxRobots, decoded: maxRobots}
	last := c.fetch(ctx, weburl.Robots(u), limits)
	hops := []*Response{last}
	for last.Outcome == dowse.Redirected && len(hops) <= maxRobotsHops {
		last = c.fetch(ctx, last.Location, limits)
		hops = append(hops, last)
	}
	robots := ParseRobots(last.Body, robotsStatus(last), c.Agent())
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
