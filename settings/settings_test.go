package settings

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestTable checks that every setting is described as far as the program relies on it: by a
// sentence, a key in crawl.yaml, and a flag with a variable, unless only a program gives it.
func TestTable(t *testing.T) {
	keys, flags, vars := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, f := range Fields() {
		name := f.Key + f.Flag
		if f.Help == "" || !strings.HasSuffix(f.Help, ".") {
			t.Errorf("%s: help %q, want a sentence", name, f.Help)
		}
		if f.When != AtCreation && f.When != atResume && f.When != Again {
			t.Errorf("%s: it can change %q", name, f.When)
		}
		programmeOnly := f.tag.Get("kong") == "-"
		if !programmeOnly && (f.Key == "" || f.Flag == "" || f.Group == "" || !strings.HasPrefix(f.Var, "DOWSE_")) {
			t.Errorf("%s: want a key, a flag with a group, and a variable: %+v", name, f)
		}
		if programmeOnly && f.Key == "" && f.tag.Get("yaml") != "-" {
			t.Errorf("%s: no file keeps it, and it is not listed", name)
		}
		for _, x := range []struct {
			seen map[string]bool
			name string
		}{{keys, f.Key}, {flags, f.Flag}, {vars, f.Var}} {
			if x.name != "" && x.seen[x.name] {
				t.Errorf("two settings are called %s", x.name)
			}
			x.seen[x.name] = true
		}
		f.testBounds(t)
	}
	if len(flags) < 25 {
		t.Errorf("%d flags, want those of a crawl", len(flags))
	}
}

// testBounds checks that a setting has the bounds that its type needs, and that its default
// keeps them.
func (f Field) testBounds(t *testing.T) {
	v := f.value(&Settings{})
	switch {
	case isNumber(v):
		low, err1 := f.bound("min")
		high, err2 := f.bound("max")
		if err1 != nil || err2 != nil || asFloat(reflect.ValueOf(low)) >= asFloat(reflect.ValueOf(high)) {
			t.Errorf("%s: from %v to %v: %v, %v", f.Key, low, high, err1, err2)
		}
	case (v.Kind() == reflect.String && len(f.Choices) == 0 || v.Kind() == reflect.Slice) && f.most() == 0:
		t.Errorf("%s: no bound", f.Key)
	}
	if _, err := f.Read(f.Default); f.Default != "" && err != nil {
		t.Errorf("default: %v", err)
	}
}

// TestDefaults resolves settings that were not given: each has the default that its help shows.
func TestDefaults(t *testing.T) {
	s := Settings{}.Resolved()
	for _, f := range Fields() {
		want := f.Default
		if want == "0" || want == "none" {
			want = ""
		}
		if want == "60s" {
			want = "1m"
		}
		if got := f.Text(&s); got != want {
			t.Errorf("%s: %q, want %q", f.Key, got, want)
		}
	}
	if s.Delay != time.Second || s.Hold != 0.05 || s.InFlight != 64 || s.MaxBody != 10<<20 || s.Agent != "dowse" {
		t.Errorf("%+v", s)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

// TestNothing resolves the values that mean nothing.
func TestNothing(t *testing.T) {
	for flag, texts := range map[string]map[string]string{
		"delay":  {"0": "0s", "0s": "0s", "5ms": "5ms"},
		"hold":   {"none": "none", "0": "none", "0.5": "0.5"},
		"tunnel": {"none": "", "0": "0", "3": "3"},
		"pages":  {"0": ""},

		"disk-floor": {"none": "none", "0": "none", "5GB": "5GB"},
		"memory":     {"none": "", "0": "", "2GB": "2GB", "100MB": "100MB"},
	} {
		f, _ := ByFlag(flag)
		for text, want := range texts {
			var s Settings
			x, err := f.Read(text)
			if err != nil {
				t.Errorf("--%s %s: %v", flag, text, err)
				continue
			}
			f.value(&s).Set(reflect.ValueOf(x))
			if got := f.Text(&s); got != want || s.Check() != nil {
				t.Errorf("--%s %s: %q, %v, want %q", flag, text, got, s.Check(), want)
			}
			if r := s.Resolved(); r.Delay < 0 || r.Hold < 0 {
				t.Errorf("--%s %s: resolved to %v, %v", flag, text, r.Delay, r.Hold)
			}
		}
	}
	none := Settings{Politeness: Politeness{Delay: None, Hold: -1}}.Resolved()
	if none.Delay != 0 || none.Hold != 0 {
		t.Errorf("no delay is %v, no hold %v, want 0", none.Delay, none.Hold)
	}
}

// samples has a value of each kind.
var samples = map[Kind][]string{
	textKind: {"reefbot"}, listKind: {"one"}, flagKind: {"true"}, numberKind: {"17"}, Count: {"5"}, Time: {"1h30m", "2m", "5ms"}, Size: {"3GiB", "5GB", "10MiB", "1000KiB", "999B"},
	Rate: {"2.5/s"}, Share: {"0.25"}, Until: {"harvest<0.05 over 500"}, Often: {"7d", "auto", "none"}, patternKind: {"a[bc]$"}, netKind: {"10.0.0.0/8", "::1"}, sinkKind: {"jsonl:pages.jsonl", "https://example.org/in#text=none"},
}

// TestReadsWhatItWrites reads a value of every setting and writes it as a text again.
func TestReadsWhatItWrites(t *testing.T) {
	for _, f := range Fields() {
		texts := samples[f.Kind]
		if len(f.Choices) > 0 {
			texts = f.Choices
		}
		if len(texts) == 0 {
			t.Errorf("%s: no value of the kind %s", f.Key, f.Kind)
		}
		for _, text := range texts {
			x, err := f.Read(text)
			if f.Key == "network.max_body" && (text == "3GiB" || text == "5GB") {
				continue // too large
			}
			if f.Key == "machine.memory" && !strings.HasPrefix(text, "3") && !strings.HasPrefix(text, "5") {
				continue // too small
			}
			if err != nil {
				t.Errorf("%v", err)
				continue
			}
			var s Settings
			if v := f.value(&s); v.Kind() == reflect.Slice {
				v.Set(reflect.ValueOf([]string{x.(string)}))
			} else {
				f.Put(&s, x)
			}
			if got := f.Text(&s); got != text || !f.Given(&s) || s.Check() != nil {
				t.Errorf("%s: %q is written as %q; %v", f.Key, text, got, s.Check())
			}
		}
	}
}

// TestBadValues reads texts that are no values. The error has the value and what is wanted.
func TestBadValues(t *testing.T) {
	for _, c := range []struct{ flag, text, want string }{
		{"pages", "-5", "limits.pages: got -5, want 0 or more"},
		{"pages", "many", `limits.pages: got "many", want 0 or more`},
		{"pages", "99999999999999", "got 99999999999999, want at most 1099511627776"},
		{"conns", "99999999", "politeness.conns: got 99999999, want at most 10000"},
		{"conns", "0", "politeness.conns: got 0, want 1 or more"},
		{"time", "5", `limits.time: got "5", want a time with its unit`},
		{"delay", "-1ns", `politeness.delay: got "-1ns"`},
		{"delay", "25h", `politeness.delay: got "25h", want at most 24h`},
		{"patience", "0", `politeness.patience: got "0"`},
		{"bytes", "5", `limits.bytes: got "5", want a size with its unit`},
		{"max-body", "2GiB", `network.max_body: got "2GiB"`},
		{"max-rate", "20", `politeness.max_rate: got "20", want requests per second (e.g. 20/s)`},
		{"max-rate", "-1/s", `politeness.max_rate: got "-1/s"`},
		{"max-rate", "inf/s", `politeness.max_rate: got "inf/s"`},
		{"hold", "2", "politeness.hold: got 2, want a share from 0 to 1, or none"},
		{"hold", "-1", "politeness.hold: got -1"},
		{"threshold", "0", "threshold: got 0"},
		{"threshold", "nan", "threshold: got nan, want a share from 0 to 1"},
		{"tunnel", "-1", "limits.tunnel: got -1, want 0 or more, or none"},
		{"until", "harvest<2 over 9", "limits.until: got"},
		{"until", "harvest<0.1 over 2000", "over at most 1000 pages"},
		{"rng", "-1", "key: got"},
	} {
		f, ok := ByFlag(c.flag)
		if !ok {
			t.Fatalf("no flag %s", c.flag)
		}
		x, err := f.Read(c.text)
		var wrong *Error
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("--%s %s: %v, %v, want %q", c.flag, c.text, x, err, c.want)
		}
	}
}

// TestMerge gives settings to a crawl that has some.
func TestMerge(t *testing.T) {
	kept := Settings{Order: Order{Strategy: "shark", Threshold: 0.5}, Limits: Limits{Pages: 100, PerHost: 3}, Scope: Scope{Reach: "web", Exclude: []string{"a", "b"}}}
	given := Settings{Order: Order{Strategy: "fish"}, Limits: Limits{Depth: 4}, Scope: Scope{Exclude: []string{"b", "c"}}, Politeness: Politeness{Delay: None}}
	got, changes := Merge(kept, given.Changeable(), []string{"pages"})
	want := kept
	want.Pages, want.Depth, want.Delay, want.Exclude = 0, 4, None, []string{"a", "b", "c"}
	if !reflect.DeepEqual(got.Exclude, want.Exclude) || got.Pages != 0 || got.PerHost != 3 || got.Depth != 4 || got.Delay != None || got.Strategy != "shark" {
		t.Errorf("got %+v", got)
	}
	var lines []string
	for _, c := range changes {
		lines = append(lines, c.Name()+" "+c.Before+" > "+c.After)
	}
	if s := strings.Join(lines, "; "); s != "exclude a,b > a,b,c; pages 100 > unset; max_depth unset > 4; delay 1s > 0s" {
		t.Errorf("changes: %s", s)
	}
	if got, _ := Merge(kept, Settings{Scope: Scope{Exclude: []string{"", "d"}}}, nil); !reflect.DeepEqual(got.Exclude, []string{"d"}) {
		t.Errorf("exclude %q, want the empty text to drop those before it", got.Exclude)
	}
	if _, changes := Merge(kept, Settings{Politeness: Politeness{Conns: 1}, Scope: Scope{Reach: "web"}}, nil); len(changes) > 0 {
		t.Errorf("the defaults are a change: %+v", changes)
	}
	if !reflect.DeepEqual(kept.Exclude, []string{"a", "b"}) {
		t.Errorf("kept settings were changed: %q", kept.Exclude)
	}
}
