package frontier

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"dowse"
)

// TestScenarios plays the files in testdata/scenarios. A line is a command and,
// after an arrow, what it must answer. URLs are written host/page.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "scenarios", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { play(t, file) })
	}
}

func play(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := &scene{t: t}
	s.begin(Config{})
	for i, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "#")
		command, want, asks := strings.Cut(line, "->")
		words := strings.Fields(command)
		if len(words) == 0 {
			continue
		}
		s.at = fmt.Sprintf("%s:%d: %s", file, i+1, strings.TrimSpace(line))
		got := s.do(words[0], words[1:])
		if want = strings.TrimSpace(want); asks && got != want {
			t.Errorf("%s: got %s", s.at, got)
		}
	}
}

// A scene is a frontier that executes the lines of a scenario.
type scene struct {
	t   *testing.T
	at  string
	cfg Config
	f   *Frontier
	now time.Time
}

func (s *scene) begin(cfg Config) {
	cfg.Names = NewArena()
	s.cfg, s.f, s.now = cfg, New(cfg), epoch
}

var epoch = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)

func (s *scene) do(command string, args []string) string {
	for _, part := range []func(string, []string) (string, bool){s.doURL, s.doHost, s.doAll, s.ask} {
		if answer, ok := part(command, args); ok {
			return answer
		}
	}
	s.t.Fatalf("%s: no such command", s.at)
	return ""
}

func (s *scene) doURL(command string, args []string) (string, bool) {
	switch command {
	case "see":
		return fmt.Sprint(s.id(args[0])), true
	case "queue":
		s.lead(args)
		s.f.Queue(s.id(args[0]))
	case "rate":
		s.lead(args)
	case "hold":
		s.lead(args)
		s.f.Settle(s.id(args[0]), dowse.Held)
	case "settle":
		s.f.Settle(s.id(args[0]), s.state(args[1:]))
	case "take":
		s.f.Take(s.id(args[0]))
	case "redirect":
		s.f.SetAlias(s.id(args[0]), s.id(args[1]))
	case "visited":
		s.f.Settle(s.id(args[0]), dowse.Visited)
		s.f.SetVisit(s.id(args[0]), Visit{Relevance: s.number(args[1]), OnTopic: s.number(args[1]) >= 0.5})
	default:
		return "", false
	}
	return "", true
}

// lead reads URL, then words like 0.5, max, add, band=1, note=x, group=g.
func (s *scene) lead(args []string) {
	id := s.id(args[0])
	merge, rated, p := dowse.Replace, false, 0.0
	for _, word := range args[1:] {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "max":
			merge = dowse.Max
		case "add":
			merge = dowse.Add
		case "band":
			s.f.SetBand(id, int8(s.number(value)))
		case "note":
			s.f.SetNote(id, value)
		case "group":
			s.f.SetGroup(id, value)
		default:
			p, rated = s.number(word), true
		}
	}
	if rated {
		s.f.SetPriority(id, p, merge)
	}
}

func (s *scene) doHost(command string, args []string) (string, bool) {
	switch command {
	case "begin":
		s.f.Begin(s.host(args[0]))
	case "release":
		args = append(args, "0", "0")
		s.f.Release(s.host(args[0]), s.second(args[1]), s.second(args[2]))
	case "rest":
		s.f.Rest(s.host(args[0]), s.second(args[1]))
	case "lane":
		s.f.Lane(s.host(args[0]), strings.Join(args[1:], " "))
	case "host":
		h := s.host(args[0])
		return fmt.Sprintf("%d waiting, %d busy", s.f.WaitingOn(h), s.f.Busy(h)), true
	default:
		return "", false
	}
	return "", true
}

func (s *scene) doAll(command string, args []string) (string, bool) {
	switch command {
	case "conns":
		s.begin(Config{HostConns: int(s.number(args[0]))})
	case "revisits":
		s.begin(Config{Revisits: true})
	case "now":
		s.now = s.second(args[0])
	case "raise":
		args = append(args, "0")
		s.f.Raise(s.number(args[0]), s.number(args[1]), args[len(args)-2] == "visited")
	case "drop":
		return s.urls(s.f.Drop(args[0])), true
	case "reload":
		s.reload()
	case "next":
		return s.next(), true
	default:
		return "", false
	}
	return "", true
}

func (s *scene) next() string {
	id, when, ok := s.f.Next(s.now)
	switch {
	case ok:
		return string(s.f.URL(id))
	case when.IsZero():
		return "none"
	}
	return fmt.Sprintf("none until %v", when.Sub(epoch).Seconds())
}

func (s *scene) ask(command string, args []string) (string, bool) {
	switch command {
	case "peek":
		return s.maybe(s.f.Peek()), true
	case "best-visited":
		return s.maybe(s.f.BestVisited()), true
	case "alias":
		return s.maybe(s.f.Alias(s.id(args[0]))), true
	case "top":
		return s.urls(s.f.Top(int(s.number(args[0])))), true
	case "state":
		return s.f.State(s.id(args[0])).String(), true
	case "priority":
		return fmt.Sprint(s.f.Priority(s.id(args[0]))), true
	case "known":
		return fmt.Sprint(s.f.Known(s.id(args[0]))), true
	case "note":
		return s.f.Note(s.id(args[0])), true
	case "group":
		return s.f.Group(s.id(args[0])), true
	case "dropped":
		return fmt.Sprint(s.f.Dropped(args[0])), true
	case "count":
		return fmt.Sprint(s.f.Count(s.state(args))), true
	case "regret":
		return fmt.Sprint(s.f.LastRegret()), true
	case "visit":
		v, ok := s.f.Visit(s.id(args[0]))
		return fmt.Sprint(v.Relevance, v.OnTopic, ok), true
	}
	return "", false
}

func (s *scene) reload() {
	var b bytes.Buffer
	if err := s.f.Snapshot(&b); err != nil {
		s.t.Fatalf("%s: %v", s.at, err)
	}
	f, err := Load(&b, s.cfg)
	if err != nil {
		s.t.Fatalf("%s: %v", s.at, err)
	}
	s.f = f
}

func (s *scene) id(url string) ID {
	host, _, _ := strings.Cut(url, "/")
	id, _ := s.f.See(dowse.URL(url), host)
	return id
}

func (s *scene) host(name string) HostID { return s.f.Host(s.id(name + "/")) }

func (s *scene) number(word string) float64 {
	n, err := strconv.ParseFloat(word, 64)
	if err != nil {
		s.t.Fatalf("%s: %v", s.at, err)
	}
	return n
}

func (s *scene) second(word string) time.Time {
	return epoch.Add(time.Duration(s.number(word) * float64(time.Second)))
}

func (s *scene) state(words []string) dowse.State {
	for st := range dowse.State(states) {
		if st.String() == strings.Join(words, " ") {
			return st
		}
	}
	s.t.Fatalf("%s: no such state", s.at)
	return 0
}

func (s *scene) maybe(id ID, ok bool) string {
	if !ok {
		return "none"
	}
	return string(s.f.URL(id))
}

func (s *scene) urls(ids []ID) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = string(s.f.URL(id))
	}
	return strings.Join(words, " ")
}
