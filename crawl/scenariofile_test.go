package crawl_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"dowse"
	"dowse/crawl"
)

// A scenario is what one file of testdata/scenarios describes: a web, a crawl of it, and
// what happens to the crawl from outside. testdata/scenarios/README.md explains the files.
type scenario struct {
	strategy string
	seeds    []dowse.URL
	cfg      crawl.Config // without a strategy and a journal
	web      toy
	texts    map[dowse.URL]string // names of texts, of pages that share one
	robots   map[string]string    // text of robots.txt by host
	troubles []*upset
	events   []event
	given    string // the part of the file that a person writes
	expected string // the part that the test writes
}

// An event is something that happens to a crawl from outside.
type event struct {
	at   time.Duration // since the beginning
	end  bool          // it happens when the crawl has stopped, whenever that is
	verb string
	args []string
}

// expectedBelow separates what a person writes from what the test writes.
const expectedBelow = "=== expected\n"

// readScenario reads a scenario file.
func readScenario(t *testing.T, path string) *scenario {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := parseScenario(string(data))
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return s
}

func parseScenario(file string) (*scenario, error) {
	s := &scenario{
		strategy: "rated", web: toy{}, texts: map[dowse.URL]string{}, robots: map[string]string{},
		cfg: crawl.Config{Key: 42, LinksIn: true, Traps: crawl.Traps{Budget: -1}, Polite: crawl.Politeness{InFlight: 1}},
	}
	s.given, s.expected, _ = strings.Cut(file, expectedBelow)
	for i, line := range strings.Split(s.given, "\n") {
		for _, one := range unrolled(line) {
			if err := s.line(one); err != nil {
				return nil, fmt.Errorf("line %d: %q: %w", i+1, one, err)
			}
		}
	}
	if len(s.seeds) == 0 {
		return nil, fmt.Errorf("no seeds: add a line \"seeds URL...\"")
	}
	return s, nil
}

var (
	countFromTo = regexp.MustCompile(`\{(\d+)\.\.(\d+)\}`)
	countOn     = regexp.MustCompile(`\{n([+*]\d+)?(\+\d+)?\}`)
)

// unrolled returns the lines that a line with a count such as {1..9} is short for. In each of
// them the count and {n} are the number; {n+1} and {n*2+1} are computed from it.
func unrolled(line string) (list []string) {
	m := countFromTo.FindStringSubmatch(line)
	if m == nil {
		return []string{line}
	}
	from, _ := strconv.Atoi(m[1])
	to, _ := strconv.Atoi(m[2])
	for n := from; n <= to; n++ {
		one := strings.Replace(line, m[0], strconv.Itoa(n), 1)
		list = append(list, countOn.ReplaceAllStringFunc(one, func(term string) string { return strconv.Itoa(computed(term, n)) }))
	}
	return list
}

// computed returns the value of a term such as {n*2+1}.
func computed(term string, n int) int {
	for _, part := range countOn.FindStringSubmatch(term)[1:] {
		if part == "" {
			continue
		}
		by, _ := strconv.Atoi(part[1:])
		if part[0] == '*' {
			n *= by
		} else {
			n += by
		}
	}
	return n
}

// line reads one line of a scenario.
func (s *scenario) line(line string) error {
	if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
		return nil
	}
	word, rest, _ := strings.Cut(line, " ")
	args := strings.Fields(rest)
	if len(args) == 0 {
		return fmt.Errorf("nothing follows %q", word)
	}
	switch word {
	case "seeds":
		s.seeds = append(s.seeds, longURLs(args)...)
		return nil
	case "page":
		return s.page(args)
	case "redirect":
		return s.redirect(args)
	case "robots.txt":
		s.robots[args[0]] = strings.ReplaceAll(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(rest), args[0])), "; ", "\n") + "\n"
		s.cfg.Robots = true
		return nil
	case "fail":
		return s.trouble(args)
	case "at":
		return s.event(args)
	}
	return s.setting(word, args[0])
}

// page reads "URL RELEVANCE [took TIME] [text NAME] [-> URL[@RATING]...]".
func (s *scenario) page(args []string) error {
	if len(args) < 2 {
		return fmt.Errorf("want a URL and a relevance")
	}
	u, p := longURL(args[0]), page{}
	var err error
	if p.Relevance, err = strconv.ParseFloat(args[1], 64); err != nil {
		return err
	}
	for rest := args[2:]; len(rest) > 0; {
		switch {
		case rest[0] == "->":
			if p.Links, err = linksTo(rest[1:]); err != nil {
				return err
			}
			rest = nil
		case len(rest) < 2:
			return fmt.Errorf("nothing follows %q", rest[0])
		case rest[0] == "took":
			if p.Took, err = time.ParseDuration(rest[1]); err != nil {
				return err
			}
			rest = rest[2:]
		case rest[0] == "text":
			s.texts[u], rest = rest[1], rest[2:]
		default:
			return fmt.Errorf("unknown word %q, want took, text or ->", rest[0])
		}
	}
	if _, twice := s.web[u]; twice {
		return fmt.Errorf("the page is there twice")
	}
	s.web[u] = p
	return nil
}

func linksTo(words []string) (list []toyLink, err error) {
	for _, w := range words {
		u, rating, rated := strings.Cut(w, "@")
		l := toyLink{To: longURL(u)}
		if rated {
			if l.Context, err = strconv.ParseFloat(rating, 64); err != nil {
				return nil, err
			}
		}
		list = append(list, l)
	}
	return list, nil
}

// redirect reads "URL -> URL".
func (s *scenario) redirect(args []string) error {
	if len(args) != 3 || args[1] != "->" {
		return fmt.Errorf("want redirect URL -> URL")
	}
	s.web[longURL(args[0])] = page{Redirect: longURL(args[2])}
	return nil
}

// event reads "TIME VERB [ARGS...]" or "end VERB [ARGS...]".
func (s *scenario) event(args []string) (err error) {
	if len(args) < 2 {
		return fmt.Errorf("want a time and what happens")
	}
	e := event{end: args[0] == "end", verb: args[1], args: args[2:]}
	if _, known := verbs[e.verb]; !known {
		return fmt.Errorf("unknown event %q", e.verb)
	}
	if !e.end {
		e.at, err = time.ParseDuration(args[0])
	}
	s.events = append(s.events, e)
	return err
}

// setting reads a setting of the crawl.
func (s *scenario) setting(word, value string) error {
	if ok, err := setLimit(&s.cfg.Limits, word, value); ok {
		return err
	}
	switch word {
	case "strategy":
		s.strategy = value
		_, err := scenarioStrategy(value)
		return err
	case "scope":
		s.cfg.Scope.Reach = crawl.Reach(value)
	case "include", "exclude":
		re, err := regexp.Compile(value)
		if err != nil {
			return err
		}
		list := &s.cfg.Scope.Include
		if word == "exclude" {
			list = &s.cfg.Scope.Exclude
		}
		*list = append(*list, re)
	case "block":
		s.cfg.Scope.Block = map[string]bool{value: true}
	case "delay":
		return setDelay(&s.cfg.Polite.Delay, value)
	case "patience":
		return setDelay(&s.cfg.Polite.Patience, value)
	default:
		return s.number(word, value)
	}
	return nil
}

func setDelay(to *time.Duration, value string) (err error) {
	if *to = crawl.None; value != "none" {
		*to, err = time.ParseDuration(value)
	}
	return err
}

// number reads a setting that is a whole number.
func (s *scenario) number(word, value string) (err error) {
	to := map[string]*int{
		"conns": &s.cfg.Polite.InFlight, "host-conns": &s.cfg.Polite.Conns, "round": &s.cfg.Round, "tries": &s.cfg.Tries,
		"trap-budget": &s.cfg.Traps.Budget, "trap-strays": &s.cfg.Traps.Strays,
	}[word]
	if to == nil {
		return fmt.Errorf("unknown word %q", word)
	}
	*to, err = strconv.Atoi(value)
	return err
}

// setLimit sets a limit, and reports whether there is one of that name.
func setLimit(l *crawl.Limits, word, value string) (ok bool, err error) {
	to := map[string]*int{
		"pages": &l.Pages, "on-topic": &l.OnTopic, "per-host": &l.PerHost, "max-depth": &l.Depth, "tunnel": &l.Tunnel,
	}[word]
	if to == nil {
		return false, nil
	}
	*to, err = strconv.Atoi(value)
	return true, err
}

// Scenario files leave "http://" out.
const scheme = "http://"

func longURL(short string) dowse.URL { return dowse.URL(scheme + short) }

func longURLs(list []string) (urls []dowse.URL) {
	for _, short := range list {
		urls = append(urls, longURL(short))
	}
	return urls
}

func shortURL(u dowse.URL) string {
	if u == "" {
		return "(taken down)"
	}
	return strings.TrimPrefix(string(u), scheme)
}
