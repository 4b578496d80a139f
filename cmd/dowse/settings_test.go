package main

import (
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"dowse/collection"
	"dowse/crawl"
	"dowse/settings"
	"dowse/strategy"
)

func parserFor(t *testing.T, c *cli) *kong.Kong {
	t.Helper()
	p, err := newParser(c, &world{out: io.Discard, err: io.Discard, env: noEnv}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSettingsAreFlags compares the flags of all commands with the table of settings: crawl has
// every setting, with the help, default and variable of the table, and a flag of the same
// group means the same in every command.
func TestSettingsAreFlags(t *testing.T) {
	p := parserFor(t, &cli{})
	resolved := settings.Settings{}.Resolved()
	for _, f := range settings.Fields() {
		if f.Flag == "" {
			continue
		}
		found := 0
		for _, command := range p.Model.Children {
			for _, flag := range command.Flags {
				if flag.Name != f.Flag || groupOf(flag) != f.Group {
					continue
				}
				found++
				if flag.Help != f.Help || flag.PlaceHolder != f.Placeholder || shownDefault(flag) != f.Default {
					t.Errorf("%s --%s: %q, %q, default %q; the table has %q, %q, %q", command.Name, f.Flag,
						flag.Help, flag.PlaceHolder, shownDefault(flag), f.Help, f.Placeholder, f.Default)
				}
				if command.Name == "crawl" && (!slices.Equal(flag.Envs, []string{f.Var}) || flag.Tag.Has("rare") != f.Rare) {
					t.Errorf("crawl --%s: variables %v, want %s", f.Flag, flag.Envs, f.Var)
				}
			}
		}
		if found == 0 {
			t.Errorf("--%s is a setting, and no flag of crawl", f.Flag)
		}
		if x, err := f.Read(f.Default); f.Default != "" && err == nil {
			var s settings.Settings
			f.Put(&s, x)
			if s = s.Resolved(); !f.Same(&s, &resolved) {
				t.Errorf("--%s: the help shows %s, and %s holds", f.Flag, f.Default, f.Text(&resolved))
			}
		}
	}
	if f, _ := settings.ByFlag("strategy"); f.Default != strategy.Default {
		t.Errorf("the help shows the strategy %s, and %s is the default", f.Default, strategy.Default)
	}
	reaches := []string{string(crawl.ReachWeb), string(crawl.ReachDomain), string(crawl.ReachHost), string(crawl.ReachPrefix)}
	if f, _ := settings.ByFlag("scope"); !slices.Equal(f.Choices, reaches) {
		t.Errorf("--scope: %v, want %v", f.Choices, reaches)
	}
}

// samples has a value of each kind, as a person types it.
var samples = map[settings.Kind]string{
	"text": "some-name", "list": "one", "number": "17", settings.Count: "5", settings.Time: "1m30s", settings.Size: "1000MiB", "sink": "jsonl:pages.jsonl",
	settings.Rate: "2.5/s", settings.Share: "0.25", settings.Until: "harvest<0.05 over 500", settings.Often: "7d", "pattern": "/a[bc]$", "net": "10.0.0.0/8", "flag": "true",
}

func sampleOf(f settings.Field) string {
	if len(f.Choices) > 0 {
		return f.Choices[len(f.Choices)-1]
	}
	return samples[f.Kind]
}

// TestSettingsStayThemselves gives every setting as a flag, and as a variable, keeps it in a
// crawl.yaml and reads it again.
func TestSettingsStayThemselves(t *testing.T) {
	args := []string{"crawl", "x"}
	for _, f := range settings.Fields() {
		if f.Flag != "" {
			args = append(args, "--"+f.Flag+"="+sampleOf(f))
		}
	}
	var byFlag, byVar cli
	if _, err := parserFor(t, &byFlag).Parse(args); err != nil {
		t.Fatal(err)
	}
	given := byFlag.Crawl.Settings
	for _, f := range settings.Fields() {
		if f.Flag != "" && strings.TrimSuffix(f.Text(&given), "s") != strings.TrimSuffix(sampleOf(f), "s") {
			t.Errorf("--%s %s: %s", f.Flag, sampleOf(f), f.Text(&given))
		}
	}
	for _, f := range settings.Fields() {
		if f.Flag != "" {
			t.Setenv(f.Var, sampleOf(f))
		}
	}
	if _, err := parserFor(t, &byVar).Parse(args[:2]); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(byVar.Crawl.Settings, given) {
		t.Errorf("by variables %+v\nby flags     %+v", byVar.Crawl.Settings, given)
	}
	dir := filepath.Join(t.TempDir(), "x.dowse")
	col, err := collection.Create(dir, collection.Settings{Name: "x", Settings: given}, []byte("name: x\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	col.Close()
	kept, err := collection.ReadSettings(dir)
	if err != nil || !reflect.DeepEqual(kept.Settings, given) {
		t.Errorf("kept  %+v, %v\ngiven %+v", kept.Settings, err, given)
	}
}

// TestBadFlags gives values that a setting can't have. The error names the flag, what was
// got and what is wanted.
func TestBadFlags(t *testing.T) {
	for args, want := range map[string]string{
		"--trace-gap 0s":       `--trace-gap: got 0s, want more than 0; see dowse crawl --help`,
		"--hold 2":             `--hold: got 2, want a share from 0 to 1, or none; see dowse crawl --help`,
		"--tunnel many":        `--tunnel: got "many", want 0 or more, or none; see dowse crawl --help`,
		"--max-rate 20":        `--max-rate: got "20", want requests per second (e.g. 20/s); see dowse crawl --help`,
		"--max-body 5":         `--max-body: got "5", want a size with its unit (e.g. 500MB, 5GB); see dowse crawl --help`,
		"--until dry":          `--until: got "dry", want recall>0.8, gain<0.01 over 500, harvest<0.05 over 500 (over at most 1000 pages) or pprs>20 (sites); column 1: want recall, gain, harvest or pprs, got "dry"; see dowse crawl --help`,
		"--conns 0":            `--conns: got 0, want 1 or more; see dowse crawl --help`,
		"--exclude (":          `--exclude: got "(", want a regular expression (RE2): missing closing )`,
		"--allow-net anywhere": `--allow-net: got "anywhere", want a network as 10.0.0.0/8, or an address`,
		"--delay -1s":          `--delay: got -1s, want 0 or more; see dowse crawl --help`,
		"--delay=-1s":          `--delay: got "-1s", want a time with its unit (e.g. 90s, 2h); see dowse crawl --help`,
	} {
		code, _, errs := capture(t, append([]string{"crawl", "x"}, strings.Fields(args)...)...)
		if code != exitUsage || errs != "dowse: "+want+"\n" {
			t.Errorf("%s: code %d, %q, want %q", args, code, errs, want)
		}
	}
}
