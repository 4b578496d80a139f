package settings

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestCheck gives each kind of setting values that no crawl can have, as the file of a
// stranger may. The error names the key in crawl.yaml, what is there and what may be there.
func TestCheck(t *testing.T) {
	long := strings.Repeat("x", 11_000)
	for _, c := range []struct {
		name string
		set  func(s *Settings)
		want string // parts of the error, separated by …
	}{
		{"control characters", func(s *Settings) { s.Strategy = "fish\nshark" }, `strategy: got "fish\nshark"…one line of at most 10000 bytes`},
		{"text not in UTF-8", func(s *Settings) { s.Agent = "reef\xff" }, `identity.agent: got "reef\xff"…one line`},
		{"text too long", func(s *Settings) { s.Contact = long }, "identity.contact: got \"xxx…want one line of at most 1000 bytes"},
		{"no choice", func(s *Settings) { s.Reach = "galaxy" }, `scope.reach: got "galaxy", want web, domain, host or prefix`},
		{"too many entries", func(s *Settings) { s.Shadows = make([]string, 9) }, "shadows: got 9 entries, want at most 8"},
		{"entry too long", func(s *Settings) { s.Shadows = []string{"fish", long} }, "shadows: got \"xxx…one line of at most 10000 bytes"},
		{"no regular expression", func(s *Settings) { s.Exclude = []string{"a", "(b"} }, `scope.exclude: got "(b", want a regular expression (RE2): missing closing )`},
		{"regular expression too long", func(s *Settings) { s.Include = []string{strings.Repeat("a", maxPattern+1)} }, "scope.include: got…at most 65536 bytes"},
		{"no network", func(s *Settings) { s.AllowNet = []string{"10.0.0.0/8", "10.0.0.0/99"} }, `network.allow_net: got "10.0.0.0/99", want a network as 10.0.0.0/8, or an address`},
		{"number too low", func(s *Settings) { s.Pages = -1 }, `limits.pages: got "-1", want 0 to 1099511627776`},
		{"number too high", func(s *Settings) { s.InFlight = 10_001 }, `politeness.conns: got "10001", want 0 to 10000`},
		{"number that is not finite", func(s *Settings) { s.Explore = math.NaN() }, `explore: got "NaN", want 0 to 1`},
		{"infinite rate", func(s *Settings) { s.MaxRate = math.Inf(1) }, `politeness.max_rate: got "+Inf"`},
		{"below what means none", func(s *Settings) { s.Hold = -2 }, `politeness.hold: got "-2", want 0 to 1, or -1 for none`},
		{"time too long", func(s *Settings) { s.Delay = 25 * time.Hour }, `politeness.delay: got "25h0m0s", want 0s to 24h0m0s`},
		{"size too large", func(s *Settings) { s.MaxBody = 2 << 30 }, `network.max_body: got "2147483648"`},
		{"harvest above 1", func(s *Settings) { s.Dry = Dry{Harvest: 1.5, Over: 10} }, `limits.until_harvest: got "1.5", want 0 to 1`},
		{"harvest of too many", func(s *Settings) { s.Dry = Dry{Harvest: 0.5, Over: 2_000_000} }, `limits.until_over: got "2000000", want 0 to 1000000`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s Settings
			c.set(&s)
			err := s.Check()
			var wrong *Error
			if !errors.As(err, &wrong) {
				t.Fatalf("got %v, want an Error", err)
			}
			rest := err.Error()
			for part := range strings.SplitSeq(c.want, "…") {
				_, after, ok := strings.Cut(rest, part)
				if !ok {
					t.Fatalf("got %q, want %q", err, c.want)
				}
				rest = after
			}
			if len(err.Error()) > 300 {
				t.Errorf("the error has %d bytes: a value of a stranger is not repeated whole", len(err.Error()))
			}
		})
	}
	for _, s := range []Settings{{}, {Politeness: Politeness{Delay: None, Hold: -1}, Limits: Limits{Tunnel: -1}}} {
		if err := s.Check(); err != nil {
			t.Error(err)
		}
	}
}

// drawSettings draws settings in which some fields are given, with texts that a person may write.
func drawSettings(t *rapid.T, name string) (s Settings) {
	for _, f := range Fields() {
		if !rapid.Bool().Draw(t, name+" gives "+f.Key+f.Flag) {
			continue
		}
		texts := samples[f.Kind]
		if len(f.Choices) > 0 {
			texts = f.Choices
		}
		x, err := f.Read(rapid.SampledFrom(texts).Draw(t, f.Key))
		switch {
		case err != nil: // too large for this setting
		case f.value(&s).Kind() == reflect.Slice:
			f.Put(&s, []string{x.(string)})
		default:
			f.Put(&s, x)
		}
	}
	return s
}

// TestMergeOfAny merges settings of any kind. What is given replaces what is kept, or is added
// to it; the rest stays; and the changes are exactly the fields that are shown otherwise.
func TestMergeOfAny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kept, given := drawSettings(t, "kept"), drawSettings(t, "given")
		merged, changes := Merge(kept, given, nil)
		changed := map[string]bool{}
		for _, c := range changes {
			if c.Before == c.After {
				t.Fatalf("%s changes from %s to the same", c.Key, c.Before)
			}
			changed[fmt.Sprint(c.index)] = true
		}
		for _, f := range Fields() {
			want := &kept
			if f.Given(&given) {
				want = &given
			}
			if f.adds {
				list := f.value(&merged).Interface().([]string)
				for _, s := range []*Settings{&kept, &given} {
					for _, x := range f.value(s).Interface().([]string) {
						if !slices.Contains(list, x) {
							t.Fatalf("%s: %q has no %q", f.Key, list, x)
						}
					}
				}
			} else if !f.Same(&merged, want) {
				t.Fatalf("%s is %q, want %q", f.Key, f.Text(&merged), f.Text(want))
			}
			if shown := f.shown(merged) != f.shown(kept); shown != changed[fmt.Sprint(f.index)] {
				t.Fatalf("%s: %q, before %q; reported as a change: %v", f.Key, f.shown(merged), f.shown(kept), changed[fmt.Sprint(f.index)])
			}
		}
		if again, changes := Merge(merged, given, nil); len(changes) > 0 || !reflect.DeepEqual(again.Resolved(), merged.Resolved()) {
			t.Fatalf("merged again, it changes %+v", changes)
		}
		if err := merged.Check(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestReset returns every setting to its default.
func TestReset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kept := drawSettings(t, "kept")
		var flags []string
		for _, f := range Fields() {
			if f.Flag != "" {
				flags = append(flags, f.Flag)
			}
		}
		got, _ := Merge(kept, Settings{}, flags)
		for _, f := range Fields() {
			if f.Flag != "" && f.Given(&got) {
				t.Fatalf("%s is still %q", f.Flag, f.Text(&got))
			}
			if f.Flag == "" && !f.Same(&got, &kept) {
				t.Fatalf("%s has no flag and was reset", f.Key)
			}
		}
	})
}

// TestResolvedTwice resolves settings that are resolved already, which changes nothing.
func TestResolvedTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSettings(t, "given")
		once := s.Resolved()
		for _, f := range Fields() {
			if f.Default != "" && f.Default != "0" && f.Default != "none" && !f.Given(&once) && !f.Given(&s) {
				t.Fatalf("%s has no value after its default %q was set", f.Key, f.Default)
			}
		}
		if !reflect.DeepEqual(once.Politeness, s.Politeness.Resolved()) {
			t.Fatalf("the politeness alone is resolved as %+v, want %+v", s.Politeness.Resolved(), once.Politeness)
		}
	})
}

// TestSizes writes numbers of bytes and times as texts, which are read as the same.
func TestSizes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 1<<50).Draw(t, "bytes")
		if rapid.Bool().Draw(t, "round") {
			n -= n % rapid.SampledFrom([]int64{1 << 10, 1e3, 1 << 20, 1e6, 1 << 30, 1e9}).Draw(t, "unit")
		}
		if got, err := parseSize(sizeText(n)); n > 0 && (err != nil || got != n) {
			t.Fatalf("%d bytes are written as %s and read as %d: %v", n, sizeText(n), got, err)
		}
		d := time.Duration(rapid.Int64Range(1, int64(1000*time.Hour)).Draw(t, "time"))
		d -= d % rapid.SampledFrom([]time.Duration{1, time.Second, time.Minute, time.Hour}).Draw(t, "rounded to")
		if got, err := time.ParseDuration(durationText(d)); err != nil || got != d {
			t.Fatalf("%v is written as %s and read as %v: %v", d, durationText(d), got, err)
		}
	})
	for _, text := range []string{"", "5", "MB", "-1MB", "1e300TB", "nanKB", "5 MB", "5mb"} {
		if n, err := parseSize(text); err == nil {
			t.Errorf("%q is read as %d bytes", text, n)
		}
	}
}

// TestLooser compares limits: a higher one is looser, and none is the loosest.
func TestLooser(t *testing.T) {
	for _, c := range []struct {
		before, after string
		want          bool
	}{
		{"3", "4", true}, {"4", "3", false}, {"3", "3", false},
		{"3", "unset", true}, {"unset", "3", false}, {"none", "3", false}, {"0", "none", true}, {"unset", "none", false},
	} {
		if got := (Change{Before: c.before, After: c.after}).Looser(); got != c.want {
			t.Errorf("%s, then %s: looser is %v, want %v", c.before, c.after, got, c.want)
		}
	}
}

// TestChangeable leaves out the settings that can only be set when a crawl is created.
func TestChangeable(t *testing.T) {
	var all Settings
	for _, f := range Fields() {
		texts := samples[f.Kind]
		if len(f.Choices) > 0 {
			texts = f.Choices
		}
		if x, err := f.Read(texts[len(texts)-1]); err == nil && f.value(&all).Kind() != reflect.Slice {
			f.Put(&all, x)
		}
	}
	changeable := all.Changeable()
	for _, f := range Fields() {
		if want := f.When != AtCreation && f.Given(&all); f.Given(&changeable) != want {
			t.Errorf("%s, which can change at %s: given is %v", f.Key, f.When, f.Given(&changeable))
		}
		var copied Settings
		if f.Copy(&copied, &all); !f.Same(&copied, &all) {
			t.Errorf("%s: copied as %q, want %q", f.Key, f.Text(&copied), f.Text(&all))
		}
	}
}

// TestNames finds settings by their flags, and names those that no file keeps by them.
func TestNames(t *testing.T) {
	for _, f := range Fields() {
		found, ok := ByFlag(f.Flag)
		if ok != (f.Flag != "") || ok && found.Key != f.Key {
			t.Errorf("the flag %q is that of %q: %v", f.Flag, found.Key, ok)
		}
		if f.Name() == "" && f.Key+f.Flag != "" || strings.Contains(f.Name(), ".") {
			t.Errorf("%s, --%s is called %q", f.Key, f.Flag, f.Name())
		}
	}
	if f, ok := ByFlag("no-such-flag"); ok {
		t.Errorf("found %+v", f)
	}
	flagOnly := &Error{Field{Flag: "until"}, `"x"`, "one line"}
	if got, want := flagOnly.Error(), `until: got "x", want one line`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := shortened(strings.Repeat("é", 100)); !strings.HasSuffix(got, "…") || len(got) > 100 {
		t.Errorf("shortened to %s", fmt.Sprint(got))
	}
}
