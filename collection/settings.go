package collection

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"dowse/internal/durable"
	"dowse/settings"
)

// format is the version of the directory. A collection of another version is
// refused with what to do.
const format = "collection/v2"

// Settings are the content of crawl.yaml: what a person decided about the
// crawl, and what the program needs to know about its beginning to resume
// it.
type Settings struct {
	Dowse   string    `yaml:"dowse"` // Format
	Name    string    `yaml:"name"`
	Version string    `yaml:"version"` // of the program that created it
	Begun   time.Time `yaml:"begun"`
	Seeds   []string  `yaml:"seeds,omitempty"`

	settings.Settings `yaml:",inline"`

	Needs     Needs  `yaml:"needs,omitempty"`
	Predicate string `yaml:"predicate,omitempty"` // what makes a page be on topic: its words, and a hash
	// Formula names the formula that judged the words of the topic last; ""
	// for none, or for words/1.
	Formula string `yaml:"formula,omitempty"`
	// FilesLast has URLs that are named like files (.pdf, .jpg) visited after all
	// others. Crawls that were created before it existed keep their order without it.
	FilesLast bool `yaml:"files_last,omitempty"`
	// Late are the parts of the scope that were set while the crawl ran: "exclude PATTERN", "block
	// HOST" and "include PATTERN", and "reach NAME" with the wider reach that there was before. They apply when a URL is about to be visited, and not when a
	// link is found: so the journal is folded with the scope that links were decided under.
	Late []string `yaml:"late,omitempty"`
	// WordNet is "none" for a crawl that does without the dictionary, though there may be one; else "". A directory is of the
	// machine, and not kept.
	WordNet   string   `yaml:"wordnet,omitempty"`
	Model     string   `yaml:"model,omitempty"`     // trained model that judges; "" for none
	TopicDir  string   `yaml:"topic_dir,omitempty"` // where the topic's outside judge is run; "" where it has none
	Forgotten []string `yaml:"forgotten,omitempty"` // fingerprints of URLs that were taken down, in hexadecimal
	// Agents are the names of other crawlers whose answers were imported or merged into the collection. What
	// owners ask of them alone holds, too.
	Agents []string `yaml:"agents,omitempty"`
	Demo   *Demo    `yaml:"demo,omitempty"`
}

// settingsOrder is the order of the keys in crawl.yaml.
var settingsOrder = []string{
	"dowse", "name", "version", "begun", "key", "seeds", "strategy", "shadows", "explore", "templates", "wordnet", "needs", "predicate", "formula", "files_last", "threshold",
	"model", "contrast", "topic_dir", "forgotten", "agents", "limits", "scope", "late", "politeness", "identity", "network", "machine", "demo", "index", "sinks", "sink_wait",
}

// MarshalYAML returns the settings with their keys in a fixed order, so that two versions of
// a file can be compared line by line. A key that the order does not name comes last.
func (s Settings) MarshalYAML() (any, error) {
	list := yamlItems(reflect.ValueOf(s), nil)
	place := func(i yaml.MapItem) int {
		if at := slices.Index(settingsOrder, i.Key.(string)); at >= 0 {
			return at
		}
		return len(settingsOrder)
	}
	slices.SortStableFunc(list, func(a, b yaml.MapItem) int { return cmp.Compare(place(a), place(b)) })
	return list, nil
}

// yamlItems appends the keys and values of a struct that are to be written;
// inlined structs become part of it.
func yamlItems(v reflect.Value, list yaml.MapSlice) yaml.MapSlice {
	for i := range v.NumField() {
		key, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		switch {
		case options == "inline":
			list = yamlItems(v.Field(i), list)
		case options != "omitempty" || !isEmpty(v.Field(i)):
			list = append(list, yaml.MapItem{Key: key, Value: v.Field(i).Interface()})
		}
	}
	return list
}

// isEmpty reports whether a value is left out with omitempty.
func isEmpty(v reflect.Value) bool {
	return v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0
}

// Needs names the files that the strategies of a crawl use. They are copies
// within the collection, so that nothing outside is needed to resume.
type Needs struct {
	TGraph  string `yaml:"tgraph,omitempty"`  // the ways to known pages
	Trace   string `yaml:"trace,omitempty"`   // who went where, names hashed
	Links   string `yaml:"links,omitempty"`   // links to learn from
	Classes string `yaml:"classes,omitempty"` // a decimal classification
	Vectors string `yaml:"vectors,omitempty"` // vectors of words in general use
	Names   string `yaml:"names,omitempty"`   // what the words of the topic may stand for
	Kinds   string `yaml:"kinds,omitempty"`   // what names are names of
	Table   string `yaml:"table,omitempty"`   // the topic's table of weighted words
	Learnt  string `yaml:"learnt,omitempty"`  // what an earlier crawl has learnt
}

// Demo marks a collection of the synthetic web, so that the same web can be
// generated again.
type Demo struct {
	Pages int    `yaml:"pages,omitempty"`
	Sites int    `yaml:"sites,omitempty"` // of a synthetic town; 0 for the demo web
	Seed  uint64 `yaml:"seed,omitempty"`
	Own   bool   `yaml:"own_topic,omitempty"` // crawled for a topic of the user's own
}

const settingsName = "crawl.yaml"

// noWordNet is the value of [Settings.WordNet] for a crawl without the dictionary.
const noWordNet = "none"

// IsCollection reports whether a directory holds a collection. A directory
// that can't be read counts as one, so that no other collection is created
// in its place; opening it returns the reason.
func IsCollection(dir string) bool {
	_, err := durable.In(dir).Lstat(settingsName)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return err == nil
	}
	info, statErr := os.Lstat(dir + string(filepath.Separator) + ".") // a file has no such
	return statErr == nil && info.IsDir()
}

// ErrFormat is returned for collections that this version can't use.
var ErrFormat = errors.New("a collection of another version")

// ReadSettings reads and checks the settings of the collection in dir
// without opening it. Errors are those of [Open].
func ReadSettings(dir string) (Settings, error) {
	var s Settings
	data, err := durable.In(dir).ReadBounded(settingsName, maxSettings)
	if errors.Is(err, os.ErrNotExist) && Remains(dir) {
		return s, &DamageError{dir, fmt.Errorf("it has no %s", settingsName)}
	}
	if err != nil {
		return s, fmt.Errorf("collection: %s is not a collection: %w", dir, err)
	}
	return decodeSettings(dir, data)
}

// writeSettings checks and replaces crawl.yaml. Invalid settings are never
// written, so what is written can be read.
func writeSettings(dir string, s Settings) error {
	if err := s.Check(); err != nil { // what is written can be read
		return fmt.Errorf("collection: %w", err)
	}
	data, err := yaml.Marshal(s)
	if err != nil {
		return fmt.Errorf("collection: settings: %w", err)
	}
	return writeWhole(dir, settingsName, data)
}

// writeWhole replaces a file of a collection as a whole: after a crash it is
// the old or the new version.
func writeWhole(dir, name string, data []byte) error {
	if err := durable.In(dir).WriteFile(name, data); err != nil {
		return fmt.Errorf("collection: write %s: %w", name, err)
	}
	return nil
}
