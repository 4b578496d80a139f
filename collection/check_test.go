package collection

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sound is a crawl.yaml as a crawl writes it, but for what a test adds.
func soundSettings(more string) string {
	return "dowse: " + format + "\nname: reefs\nversion: \"0.1\"\nbegun: 2026-01-02T03:04:05Z\nkey: 7\nstrategy: link-context\nthreshold: 0.5\n" + more
}

func readText(t *testing.T, text string) (Settings, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, settingsName), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return ReadSettings(dir)
}

// TestSettingsAreChecked reads files with one value that no crawl can have. The error
// names the field.
func TestSettingsAreChecked(t *testing.T) {
	for _, c := range []struct{ more, want string }{
		{"politeness: {delay: -1h}", "politeness.delay: got \"-1h0m0s\", want 0s to 24h"},
		{"politeness: {delay: 9000h}", "politeness.delay"},
		{"politeness: {conns: 1000000000}", "politeness.conns"},
		{"politeness: {host_conns: -3}", "politeness.host_conns"},
		{"politeness: {max_rate: .inf}", "politeness.max_rate"},
		{"politeness: {max_rate: -1}", "politeness.max_rate"},
		{"politeness: {hold: .nan}", "politeness.hold"},
		{"network: {max_body: 1e15}", "max_body"},
		{"network: {max_body: 1000000000000000}", "network.max_body: got \"1000000000000000\", want 0 to 1073741824"},
		{"network: {max_body: -1}", "network.max_body"},
		{"network: {timeout: -5s}", "network.timeout"},
		{"network: {allow_net: [everything]}", "network.allow_net"},
		{"network: {resolver: \"a\\nb\"}", "network.resolver"},
		{"explore: 2", "explore"},
		{"explore: .nan", "explore"},
		{"limits: {pages: -1}", "limits.pages"},
		{"limits: {time: -1s}", "limits.time"},
		{"limits: {until_harvest: .nan}", "limits.until_harvest"},
		{"scope: {reach: galaxy}", "scope.reach"},
		{"scope: {include: ['(']}", "scope.include"},
		{"model: ../../etc/passwd", "model"},
		{"needs: {tgraph: ../../../etc/passwd}", "needs.tgraph"},
		{"needs: {learnt: /etc/passwd}", "needs.learnt"},
		{"needs: {vectors: ../x}", "needs.vectors"},
		{"needs: {names: ../x}", "needs.names"},
		{"topic_dir: ../elsewhere", "topic_dir"},
		{"contrast: loud", "contrast"},
		{"demo: {pages: 2000000000}", "demo.pages"},
		{"surprise: 1", "surprise"},
		{"politeness: {dleay: 1s}", "dleay"},
		{"threshold: 0.7", "threshold"}, // twice
		{"limits: {pages: many}", "line 8"},
		{"seeds: &a [x]\nshadows: *a", "anchors"},
		{"seeds: [" + strings.Repeat("[", 100_000) + "]", "nested too deeply"},
		{"seeds:\n" + strings.Repeat("- ", 100_000) + "a", "nested too deeply"},
		{strings.Repeat("[\n\"\",", 100_000), "nested too deeply"},
		{"name2: " + strings.Repeat("x", maxSettingLine), "the line has more than"},
		{strings.Repeat("a: 1\n", 2*maxSettingKeys), "keys"},
		{"---\nname: second", "document"},
	} {
		_, err := readText(t, soundSettings(c.more+"\n"))
		if !errors.Is(err, ErrSettings) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), settingsName) {
			t.Errorf("%.60q: %v, want an unusable setting %q", c.more, err, c.want)
		}
	}
	for field, value := range map[string]string{"threshold: 0.5": "threshold: .nan", "name: reefs": "name: ../reefs", "key: 7": "key: -7"} {
		_, err := readText(t, strings.Replace(soundSettings(""), field, value, 1))
		if name, _, _ := strings.Cut(value, ":"); !errors.Is(err, ErrSettings) || !strings.Contains(err.Error(), name) && !strings.Contains(err.Error(), "line 5") {
			t.Errorf("%s: %v, want an unusable setting", value, err)
		}
	}
}

// TestSettingsStay reads what is written, with every kind of value.
func TestSettingsStay(t *testing.T) {
	s, err := readText(t, soundSettings(`seeds: ["https://example.org/[a]{b}", "https://example.org/*x&y"]
needs: {tgraph: needs/tgraph.json}
model: m0000
topic_dir: /home/someone
limits: {tunnel: -1, pages: 100}
scope: {reach: web, include: ['[a-z]{2}', 'a: b']}
politeness: {delay: -1ns, hold: -1}
network: {allow_net: [127.0.0.1, 10.0.0.0/8, "::1"], resolver: "127.0.0.1:53"}
`))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := writeSettings(dir, s); err != nil {
		t.Fatal(err)
	}
	again, err := ReadSettings(dir)
	if err != nil || len(again.Seeds) != 2 || again.Politeness.Delay != -1 || again.Limits.Tunnel != -1 || len(again.Network.AllowNet) != 3 {
		t.Errorf("%+v, %v: want what was written", again, err)
	}
	s.Threshold = 3
	if err := writeSettings(dir, s); !errors.Is(err, ErrSettings) {
		t.Errorf("a threshold of 3 was written: %v", err)
	}
}

// TestHugeSettings refuses a file of a gigabyte without reading it.
func TestHugeSettings(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, settingsName)
	if err := os.WriteFile(path, []byte(soundSettings("")), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 1<<30); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadSettings(dir); err == nil || !strings.Contains(err.Error(), "limit") {
		t.Errorf("%v, want the limit", err)
	}
}

// TestModelNames keeps the names of models inside their folder.
func TestModelNames(t *testing.T) {
	c := &Collection{Dir: t.TempDir()}
	if _, err := c.Model("../crawl"); err == nil {
		t.Error("a model outside its folder was read")
	}
}

// FuzzSettings reads any text as a crawl.yaml: it is refused, or every field is in range
// and can be written again.
func FuzzSettings(f *testing.F) {
	for _, more := range []string{
		"", "limits: {pages: 3}\n", "seeds:\n- https://example.org/\n- \"a\"\n", "politeness:\n  delay: -1ns\n  max_rate: .inf\n",
		"demo:\n  pages: 600\n", "scope: {include: ['a: b', \"[x]\"]}\n", "seeds: &a [*a]\n", "? a\n: b\n", "name: |-\n  x\n", "<<: {a: b}\n", "!!binary x: y\n", "network:\n",
	} {
		f.Add([]byte(soundSettings(more)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := decodeSettings("crawl.yaml", data)
		if err != nil {
			return
		}
		if err := s.Check(); err != nil {
			t.Errorf("it was read, and is refused: %v", err)
		}
	})
}
