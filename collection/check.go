package collection

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"dowse/internal/mistake"
	"dowse/internal/strictyaml"
)

// ErrSettings is returned for a crawl.yaml that no crawl could have written. A
// collection may come from elsewhere, so every field is checked before it is
// used.
var ErrSettings = errors.New("unusable settings")

// The limits of the files that are read whole. The time that the YAML parser
// takes grows with the square of the nesting and of the number of keys, so both
// are bounded before it reads crawl.yaml.
const (
	// maxSettings is in bytes. Nearly all of a large crawl.yaml is its seeds.
	maxSettings    = 64 << 20
	maxSettingLine = 256 << 10
	maxSettingKeys = 500
	maxIndent      = 64
	maxNesting     = 32

	// maxTopic and maxModel are the limits of topic.yaml and of a model, in
	// bytes.
	maxTopic = 1 << 20
	maxModel = 256 << 20 // bytes of a model
)

// The limits of the fields that the program maintains. Package settings has the
// limits of the fields that a person decides.
const (
	maxSeeds = 1 << 20
	// maxForgotten is how many fingerprints of URLs that were taken down
	// crawl.yaml holds. The journal holds all of them.
	maxForgotten = 1 << 17
)

// decodeSettings decodes and checks the text of a crawl.yaml. The format version
// is checked first, so that a file of another version is reported as a
// [FormatError] and not as a file with unknown keys. A file that can't be
// decoded is a [DamageError]; a field with an impossible value is an
// [ErrSettings].
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

		Key       *uint64  `yaml:"key"`
		Forgotten []string `yaml:"forgotten"`
	}
	if err := yaml.NodeToValue(root, &head); err != nil {
		return s, bad(err)
	}
	if head.Dowse != format {
		return s, &FormatError{dir, fmt.Errorf("%s has format %q, this program reads %q: %w", settingsName, head.Dowse, format, ErrFormat), head.Version}
	}
	if head.Key == nil && len(head.Forgotten) > 0 { // every crawl writes its key, 0 too
		return s, bad(errors.New("the key is missing, without which the URLs that were taken down are not recognised"))
	}
	if e := settingsForm.Decode(root, settingsName, &s); e != nil {
		return s, bad(located(e))
	}
	if err := s.Check(); err != nil {
		return s, fmt.Errorf("collection: %s: %s: %w; %s", dir, settingsName, err, badSettingsFix)
	}
	return s, nil
}

// badSettingsFix is what a person can do about an unusable crawl.yaml.
const badSettingsFix = "correct the file, or bring it back from a copy"

// settingsForm bounds a crawl.yaml to the size, nesting and YAML features that a
// crawl writes.
var settingsForm = strictyaml.Form{
	Bytes: maxSettings, Line: maxSettingLine, Brackets: maxNesting, Dashes: maxNesting, Indent: maxIndent, Keys: maxSettingKeys,
}

// settingsNode parses a crawl.yaml within the limits of settingsForm, without
// decoding its values.
func settingsNode(data []byte) (ast.Node, error) {
	root, e := settingsForm.Parse(data, settingsName)
	if e != nil {
		return nil, located(e)
	}
	return root, nil
}

// located returns a mistake without the name of the file, which the caller adds,
// and without the advice that is meant for a file that a person wrote.
func located(e *mistake.Error) error {
	return fmt.Errorf("line %d, column %d: %s", e.Line, e.Column, e.Problem)
}

// A setting is the value of one field, whether it is valid, and a description of
// the valid values for the error message.
type setting struct {
	field string
	got   any
	ok    bool
	want  string
}

// Check returns an [ErrSettings] that names the first field whose value no crawl
// can have, with the value it has and the values it may have. It is called
// before settings are written and after they are read, so whatever is written
// can be read again.
func (s *Settings) Check() error {
	for _, f := range s.own() {
		if !f.ok {
			return fmt.Errorf("%w: %s: got %s, want %s", ErrSettings, f.field, shortened(fmt.Sprintf("%v", f.got)), f.want)
		}
	}
	if err := s.Settings.Check(); err != nil {
		return fmt.Errorf("%w: %w", ErrSettings, err)
	}
	return nil
}

// own returns the fields that the program maintains in addition to those that a
// person decides.
func (s *Settings) own() []setting {
	return slices.Concat(
		[]setting{
			{"name", s.Name, isFileName(s.Name), "a name without slashes, at most 200 bytes"},
			textSetting("version", s.Version, 200),
			{"seeds", len(s.Seeds), len(s.Seeds) <= maxSeeds, fmt.Sprintf("at most %d", maxSeeds)},
			textSetting("formula", s.Formula, 200),
			{"model", s.Model, s.Model == "" || modelName.MatchString(s.Model), "a model such as m0001"},
			{"wordnet", s.WordNet, s.WordNet == "" || s.WordNet == noWordNet, noWordNet},
			{"topic_dir", s.TopicDir, s.TopicDir == "" || filepath.IsAbs(s.TopicDir) && isLine(s.TopicDir, 4096), "an absolute path"},
		},
		s.Needs.fields(), printSettings("forgotten", s.Forgotten), textSettings("seeds", s.Seeds, 64<<10), s.Demo.fields())
}

// fields returns the names of the files in Needs. Each must lie directly in the
// folder of needs: a path would let a foreign crawl.yaml read other files.
func (n Needs) fields() (list []setting) {
	for _, f := range []struct{ field, name string }{
		{"needs.tgraph", n.TGraph}, {"needs.trace", n.Trace}, {"needs.links", n.Links}, {"needs.classes", n.Classes}, {"needs.vectors", n.Vectors}, {"needs.names", n.Names}, {"needs.kinds", n.Kinds}, {"needs.table", n.Table}, {"needs.learnt", n.Learnt},
	} {
		list = append(list, setting{f.field, f.name, f.name == "" || isNeeds(f.name), "a file in " + needsFolder + "/"})
	}
	return list
}

// fields returns the sizes of the synthetic web, bounded because the web is
// generated from them.
func (d *Demo) fields() []setting {
	if d == nil {
		return nil
	}
	return []setting{rangeSetting("demo.pages", d.Pages, 0, 1_000_000), rangeSetting("demo.sites", d.Sites, 0, 1_000_000)}
}

// rangeSetting is a number that is valid from low to high, both included.
func rangeSetting(field string, got, low, high int) setting {
	return setting{field, got, got >= low && got <= high, fmt.Sprintf("%v to %v", low, high)}
}

// textSetting is a text that is valid as one line of at most most bytes.
func textSetting(field, got string, most int) setting {
	return setting{field, got, isLine(got, most), fmt.Sprintf("one line of at most %d bytes without control characters", most)}
}

// textSettings returns the invalid texts of a list. Valid ones are left out,
// since a list of seeds can be long.
func textSettings(field string, list []string, most int) (out []setting) {
	for _, s := range list {
		if !isLine(s, most) {
			out = append(out, textSetting(field, s, most))
		}
	}
	return out
}

// printSettings returns the invalid fingerprints of a list, or only its length
// if it is too long.
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

// isLine reports whether a text is valid UTF-8 of at most most bytes without
// control characters, so that it can be printed on one line.
func isLine(s string, most int) bool {
	return len(s) <= most && utf8.ValidString(s) && strings.IndexFunc(s, unicode.IsControl) < 0
}

// isFileName reports whether a name can be the beginning of a file name: it has
// no slashes and does not begin with a dot.
func isFileName(s string) bool {
	return isLine(s, 200) && !strings.ContainsAny(s, `/\`) && !strings.HasPrefix(s, ".")
}

// isNeeds reports whether a name is that of a file directly in the folder of
// needs.
func isNeeds(name string) bool {
	folder, file := path.Split(name)
	return folder == needsFolder+"/" && isFileName(file) && file != ""
}

// shortened returns a text quoted and cut to 80 bytes, for error messages about
// values from outside.
func shortened(s string) string {
	const most = 80
	if len(s) <= most {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprintf("%q…", strings.ToValidUTF8(s[:most], ""))
}
