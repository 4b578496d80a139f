package collection

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"dowse/crawl"
	"dowse/internal/mistake"
	"dowse/internal/strictyaml"
)

// ErrSettings is returned for a crawl.yaml that no crawl could have been begun with. A
// collection may come from elsewhere, so nothing in the file is believed unread.
var ErrSettings = errors.New("unusable settings")

// The limits of the files that are read whole. The YAML parser takes time in the square
// of the nesting and of the number of keys, so those of crawl.yaml are bounded before it
// sees the file.
const (
	maxSettings    = 64 << 20 // bytes of crawl.yaml, nearly all of them seeds
	maxSettingLine = 256 << 10
	maxSettingKeys = 500
	maxIndent      = 64
	maxNesting     = 32

	maxTopic = 1 << 20   // bytes of topic.yaml
	maxModel = 256 << 20 // bytes of a model
)

// The limits of the settings.
const (
	maxPages   = 1 << 40
	maxBytes   = 1 << 60
	maxTime    = 100 * 365 * 24 * time.Hour
	maxDelay   = 24 * time.Hour
	maxTimeout = 24 * time.Hour
	maxPageLen = 1 << 30 // bytes of one body
	maxConns   = 10_000
	maxRate    = 1e6 // requests a second
	maxList    = 100_000
	maxSeeds   = 1 << 20

	maxForgotten = 1 << 17 // fingerprints in crawl.yaml; the journal has all of them
)

// decodeSettings reads the text of a crawl.yaml. Its format is checked first, so that a
// file of another version is called that, and then every field.
func decodeSettings(dir string, data []byte) (s Settings, err error) {
	bad := func(err error) error {
		return &DamageError{dir, fmt.Errorf("%s: %w: %w; %s", settingsName, ErrSettings, err, badSettingsFix)}
	}
	root, err := settingsNode(data)
	if err != nil {
		return s, bad(err)
	}
	var head struct {
		Dowse   string `yaml:"dowse"`
		Version string `yaml:"version"`
	}
	if err := yaml.NodeToValue(root, &head); err != nil {
		return s, bad(err)
	}
	if head.Dowse != Format {
		return s, &FormatError{dir, fmt.Errorf("%s says %q, this program reads %q: %w", settingsName, head.Dowse, Format, ErrFormat), head.Version}
	}
	if e := settingsForm.Decode(root, settingsName, &s); e != nil {
		return s, bad(located(e))
	}
	if err := s.Check(); err != nil {
		return s, fmt.Errorf("collection: %s: %s: %w; %s", dir, settingsName, err, badSettingsFix)
	}
	return s, nil
}

const badSettingsFix = "correct the file, or bring it back from a copy"

// settingsForm bounds a crawl.yaml: no larger, no more nested and no more clever than what a
// crawl writes.
var settingsForm = strictyaml.Form{
	Bytes: maxSettings, Line: maxSettingLine, Brackets: maxNesting, Dashes: maxNesting, Indent: maxIndent, Keys: maxSettingKeys,
}

func settingsNode(data []byte) (ast.Node, error) {
	root, e := settingsForm.Parse(data, settingsName)
	if e != nil {
		return nil, located(e)
	}
	return root, nil
}

// located returns a fault without the name of the file, which the caller adds, and without
// what to do about a file that a person wrote.
func located(e *mistake.Error) error {
	return fmt.Errorf("line %d, column %d: %s", e.Line, e.Column, e.Problem)
}

// A setting is one field with what it may be.
type setting struct {
	field string
	got   any
	ok    bool
	want  string
}

// Check returns an [ErrSettings] that names the first field with a value that no crawl
// can have.
func (s *Settings) Check() error {
	for _, f := range slices.Concat(s.general(), s.Limits.fields(), s.Scope.fields(), s.Politeness.fields(), s.Network.fields(), s.Demo.fields()) {
		if !f.ok {
			return fmt.Errorf("%w: %s: got %s, want %s", ErrSettings, f.field, shortened(fmt.Sprintf("%v", f.got)), f.want)
		}
	}
	return nil
}

func (s *Settings) general() []setting {
	return slices.Concat(
		[]setting{
			{"name", s.Name, isFileName(s.Name), "a name without slashes, at most 200 bytes"},
			textSetting("version", s.Version, 200),
			{"seeds", len(s.Seeds), len(s.Seeds) <= maxSeeds, fmt.Sprintf("at most %d", maxSeeds)},
			textSetting("strategy", s.Strategy, 10_000),
			{"shadows", len(s.Shadows), len(s.Shadows) <= crawl.MaxShadows, fmt.Sprintf("at most %d", crawl.MaxShadows)},
			rangeSetting("explore", s.Explore, 0, 1),
			textSetting("formula", s.Formula, 200),
			rangeSetting("threshold", s.Threshold, 0, 1),
			{"model", s.Model, s.Model == "" || modelName.MatchString(s.Model), "a model such as m0001"},
			{"contrast", s.Contrast, slices.Contains([]string{"", "seen", "everyday"}, s.Contrast), "seen or everyday"},
			{"topic_dir", s.TopicDir, s.TopicDir == "" || filepath.IsAbs(s.TopicDir) && isLine(s.TopicDir, 4096), "an absolute path"},
			textSetting("identity.agent", s.Identity.Agent, 200),
			textSetting("identity.contact", s.Identity.Contact, 1000),
		},
		s.Needs.fields(), printSettings("forgotten", s.Forgotten), textSettings("shadows", s.Shadows, 10_000), textSettings("seeds", s.Seeds, 64<<10))
}

func (n Needs) fields() (list []setting) {
	for _, f := range []struct{ field, name string }{
		{"needs.tgraph", n.TGraph}, {"needs.trace", n.Trace}, {"needs.links", n.Links}, {"needs.classes", n.Classes}, {"needs.learnt", n.Learnt},
	} {
		list = append(list, setting{f.field, f.name, f.name == "" || isNeeds(f.name), "a file in " + needsFolder + "/"})
	}
	return list
}

func (l Limits) fields() []setting {
	return []setting{
		rangeSetting("limits.pages", l.Pages, 0, maxPages),
		rangeSetting("limits.on_topic", l.OnTopic, 0, maxPages),
		rangeSetting("limits.bytes", l.Bytes, 0, maxBytes),
		rangeSetting("limits.time", l.Time, 0, maxTime),
		rangeSetting("limits.per_host", l.PerHost, 0, maxPages),
		rangeSetting("limits.max_depth", l.Depth, 0, maxPages),
		rangeSetting("limits.tunnel", l.Tunnel, -1, maxPages),
		rangeSetting("limits.until_harvest", l.Harvest, 0, 1),
		rangeSetting("limits.until_over", l.Over, 0, 1_000_000),
	}
}

func (s Scope) fields() []setting {
	return slices.Concat([]setting{
		{"scope.reach", s.Reach, slices.Contains([]string{"", "web", "domain", "host", "prefix"}, s.Reach), "web, domain, host or prefix"},
		{"scope.block", len(s.Block), len(s.Block) <= maxSeeds, fmt.Sprintf("at most %d", maxSeeds)},
	}, patternSettings("scope.include", s.Include), patternSettings("scope.exclude", s.Exclude))
}

func (p Politeness) fields() []setting {
	return []setting{
		{"politeness.delay", p.Delay, p.Delay == -1 || p.Delay >= 0 && p.Delay <= maxDelay, fmt.Sprintf("0s to %s, or -1ns for none", maxDelay)},
		rangeSetting("politeness.host_conns", p.Conns, 0, maxConns),
		rangeSetting("politeness.conns", p.InFlight, 0, maxConns),
		rangeSetting("politeness.max_rate", p.MaxRate, 0, maxRate),
		rangeSetting("politeness.hold", p.Hold, -1, 1),
	}
}

func (n Network) fields() (list []setting) {
	for _, s := range n.AllowNet {
		_, err1 := netip.ParsePrefix(s)
		_, err2 := netip.ParseAddr(s)
		list = append(list, setting{"network.allow_net", s, err1 == nil || err2 == nil, "a network as 10.0.0.0/8, or an address"})
	}
	return append(list,
		setting{"network.allow_net", len(n.AllowNet), len(n.AllowNet) <= 1000, "at most 1000 networks"},
		textSetting("network.resolver", n.Resolver, 300),
		rangeSetting("network.timeout", n.Timeout, 0, maxTimeout),
		rangeSetting("network.max_body", n.MaxBody, 0, maxPageLen))
}

func (d *Demo) fields() []setting {
	if d == nil {
		return nil
	}
	return []setting{rangeSetting("demo.pages", d.Pages, 0, 1_000_000), rangeSetting("demo.sites", d.Sites, 0, 1_000_000)}
}

// rangeSetting is a number from low to high. Numbers that are not finite never are.
func rangeSetting[T int | int64 | float64 | time.Duration](field string, got, low, high T) setting {
	return setting{field, got, got >= low && got <= high && !math.IsInf(float64(got), 0), fmt.Sprintf("%v to %v", low, high)}
}

// textSetting is a line of at most so many bytes.
func textSetting(field, got string, most int) setting {
	return setting{field, got, isLine(got, most), fmt.Sprintf("one line of at most %d bytes without control characters", most)}
}

func textSettings(field string, list []string, most int) (out []setting) {
	for _, s := range list {
		if !isLine(s, most) {
			out = append(out, textSetting(field, s, most))
		}
	}
	return out
}

func printSettings(field string, list []string) (out []setting) {
	if len(list) > maxForgotten {
		return []setting{{field, len(list), false, fmt.Sprintf("at most %d fingerprints", maxForgotten)}}
	}
	for _, s := range list {
		if _, ok := parsePrint(s); !ok {
			out = append(out, setting{field, s, false, "a fingerprint: 32 hexadecimal digits"})
		}
	}
	return out
}

func patternSettings(field string, list []string) (out []setting) {
	if len(list) > maxList {
		return []setting{{field, len(list), false, fmt.Sprintf("at most %d patterns", maxList)}}
	}
	for _, s := range list {
		_, err := regexp.Compile(s)
		out = append(out, setting{field, s, err == nil && len(s) <= 64<<10, "a regular expression (RE2)"})
	}
	return out
}

// isLine reports whether a text is printed on one line as it is.
func isLine(s string, most int) bool {
	return len(s) <= most && utf8.ValidString(s) && strings.IndexFunc(s, unicode.IsControl) < 0
}

// isFileName reports whether a name can begin the names of files.
func isFileName(s string) bool {
	return isLine(s, 200) && !strings.ContainsAny(s, `/\`) && !strings.HasPrefix(s, ".")
}

// isNeeds reports whether a name is that of a file in the folder of needs.
func isNeeds(name string) bool {
	folder, file := path.Split(name)
	return folder == needsFolder+"/" && isFileName(file) && file != ""
}

// shortened returns the beginning of a text.
func shortened(s string) string {
	const most = 80
	if len(s) <= most {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%q…", strings.ToValidUTF8(s[:most], ""))
}
