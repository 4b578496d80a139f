package collection

import (
	"bytes"
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
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
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

// The limits of what the program keeps in the settings; package settings has those of what
// a person decides.
const (
	maxSeeds     = 1 << 20
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
		return s, bad(errors.New(plainYAML(err)))
	}
	if head.Dowse != Format {
		return s, &FormatError{dir, fmt.Errorf("%s says %q, this program reads %q: %w", settingsName, head.Dowse, Format, ErrFormat), head.Version}
	}
	if err := yaml.NodeToValue(root, &s, yaml.Strict()); err != nil {
		return s, bad(errors.New(plainYAML(err)))
	}
	if err := s.Check(); err != nil {
		return s, fmt.Errorf("collection: %s: %s: %w; %s", dir, settingsName, err, badSettingsFix)
	}
	return s, nil
}

const badSettingsFix = "correct the file, or bring it back from a copy"

// plainYAML returns what the YAML reader says without the lines of the file around it.
func plainYAML(err error) string {
	var e yaml.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	if t := e.GetToken(); t != nil && t.Position != nil {
		return fmt.Sprintf("line %d: %s", t.Position.Line, e.GetMessage())
	}
	return e.GetMessage()
}

// settingsNode parses the text of a crawl.yaml, if it is no larger, no more nested and
// no more clever than what a crawl writes.
func settingsNode(data []byte) (ast.Node, error) {
	if !utf8.Valid(data) {
		return nil, errors.New("it is not UTF-8")
	}
	for line := range bytes.Lines(data) {
		if len(line) > maxSettingLine {
			return nil, fmt.Errorf("a line has more than %d KiB", maxSettingLine>>10)
		}
	}
	tokens := lexer.Tokenize(string(data))
	if err := checkTokens(tokens); err != nil {
		return nil, err
	}
	f, err := parser.Parse(tokens, 0)
	if err != nil {
		return nil, errors.New(plainYAML(err))
	}
	if len(f.Docs) != 1 || f.Docs[0].Body == nil {
		return nil, errors.New("want one YAML document")
	}
	return f.Docs[0].Body, nil
}

// checkTokens returns why tokens are not given to the YAML parser, nil for nothing:
// nesting and keys beyond what settings have, and all by which a small file stands for a
// large value.
func checkTokens(tokens token.Tokens) error {
	var open, keys, dashes, line int
	for _, t := range tokens {
		if t.Position.Line != line {
			line, dashes = t.Position.Line, 0
		}
		switch t.Type {
		case token.AnchorType, token.AliasType, token.MergeKeyType, token.TagType, token.DirectiveType, token.MappingKeyType:
			return fmt.Errorf("line %d: anchors, aliases, merge keys, tags and directives are not used here", line)
		case token.SequenceStartType, token.MappingStartType:
			open++
		case token.SequenceEndType, token.MappingEndType:
			open--
		case token.SequenceEntryType:
			dashes++
		case token.MappingValueType:
			keys++
		}
		switch {
		case open > maxNesting || dashes > maxNesting || t.Position.IndentNum > maxIndent:
			return fmt.Errorf("line %d: values are nested too deeply", line)
		case keys > maxSettingKeys:
			return fmt.Errorf("line %d: more than %d keys", line, maxSettingKeys)
		}
	}
	return nil
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

// own lists the fields that the program keeps beside what a person decides.
func (s *Settings) own() []setting {
	return slices.Concat(
		[]setting{
			{"name", s.Name, isFileName(s.Name), "a name without slashes, at most 200 bytes"},
			textSetting("version", s.Version, 200),
			{"seeds", len(s.Seeds), len(s.Seeds) <= maxSeeds, fmt.Sprintf("at most %d", maxSeeds)},
			textSetting("formula", s.Formula, 200),
			{"model", s.Model, s.Model == "" || modelName.MatchString(s.Model), "a model such as m0001"},
			{"topic_dir", s.TopicDir, s.TopicDir == "" || filepath.IsAbs(s.TopicDir) && isLine(s.TopicDir, 4096), "an absolute path"},
		},
		s.Needs.fields(), printSettings("forgotten", s.Forgotten), textSettings("seeds", s.Seeds, 64<<10), s.Demo.fields())
}

func (n Needs) fields() (list []setting) {
	for _, f := range []struct{ field, name string }{
		{"needs.tgraph", n.TGraph}, {"needs.trace", n.Trace}, {"needs.links", n.Links}, {"needs.classes", n.Classes}, {"needs.learnt", n.Learnt},
	} {
		list = append(list, setting{f.field, f.name, f.name == "" || isNeeds(f.name), "a file in " + needsFolder + "/"})
	}
	return list
}

func (d *Demo) fields() []setting {
	if d == nil {
		return nil
	}
	return []setting{rangeSetting("demo.pages", d.Pages, 0, 1_000_000), rangeSetting("demo.sites", d.Sites, 0, 1_000_000)}
}

// rangeSetting is a number from low to high.
func rangeSetting(field string, got, low, high int) setting {
	return setting{field, got, got >= low && got <= high, fmt.Sprintf("%v to %v", low, high)}
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
