package collection

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/goccy/go-yaml"

	"dowse/crawl"
	"dowse/internal/durable"
)

// Format is the version of the directory. A collection of another version is
// refused with what to do.
const Format = "collection/v2"

// Settings are what a crawl was begun with. They are frozen in crawl.yaml; limits
// may be changed when it is resumed.
type Settings struct {
	Dowse     string    `yaml:"dowse"` // Format
	Name      string    `yaml:"name"`
	Version   string    `yaml:"version"` // of the program that began it
	Begun     time.Time `yaml:"begun"`
	Key       uint64    `yaml:"key"` // of the fingerprints
	Seeds     []string  `yaml:"seeds,omitempty"`
	Strategy  string    `yaml:"strategy"`
	Shadows   []string  `yaml:"shadows,omitempty"` // strategies that follow the crawl without steering it
	Explore   float64   `yaml:"explore,omitempty"` // share of the picks that are made by chance
	Needs     Needs     `yaml:"needs,omitempty"`
	Predicate string    `yaml:"predicate,omitempty"` // what makes a page be on topic: its words, and a hash
	Formula   string    `yaml:"formula,omitempty"`   // by which the topic's words were judged last; "" for none, or words/1
	Threshold float64   `yaml:"threshold"`
	Model     string    `yaml:"model,omitempty"`     // trained model that judges; "" for none
	Contrast  string    `yaml:"contrast,omitempty"`  // "everyday" where pages seen are never what the judge is trained against
	TopicDir  string    `yaml:"topic_dir,omitempty"` // where the topic's outside judge is run; "" where it has none
	Forgotten []string  `yaml:"forgotten,omitempty"` // fingerprints of URLs that were taken down, in hexadecimal

	Limits     Limits     `yaml:"limits,omitempty"`
	Scope      Scope      `yaml:"scope,omitempty"`
	Politeness Politeness `yaml:"politeness,omitempty"`
	Identity   Identity   `yaml:"identity,omitempty"`
	Network    Network    `yaml:"network,omitempty"`
	Demo       *Demo      `yaml:"demo,omitempty"`
}

// Needs names what the strategies of a crawl go by: files of the collection, so that
// nothing outside is needed to go on.
type Needs struct {
	TGraph  string `yaml:"tgraph,omitempty"`  // the ways to known pages
	Trace   string `yaml:"trace,omitempty"`   // who went where, names hashed
	Links   string `yaml:"links,omitempty"`   // links to learn from
	Classes string `yaml:"classes,omitempty"` // a decimal classification
	Learnt  string `yaml:"learnt,omitempty"`  // what an earlier crawl has learnt
}

// Limits are those of package crawl, as they stand in a file.
type Limits struct {
	Pages   int           `yaml:"pages,omitempty"`
	OnTopic int           `yaml:"on_topic,omitempty"`
	Bytes   int64         `yaml:"bytes,omitempty"`
	Time    time.Duration `yaml:"time,omitempty"`
	PerHost int           `yaml:"per_host,omitempty"`
	Depth   int           `yaml:"max_depth,omitempty"`
	Tunnel  int           `yaml:"tunnel,omitempty"`
	Harvest float64       `yaml:"until_harvest,omitempty"`
	Over    int           `yaml:"until_over,omitempty"`
}

// Crawl returns the limits in the words of package crawl.
func (l Limits) Crawl() crawl.Limits {
	return crawl.Limits{
		Pages: l.Pages, OnTopic: l.OnTopic, Bytes: l.Bytes, Time: l.Time, PerHost: l.PerHost,
		Depth: l.Depth, Tunnel: l.Tunnel, Dry: crawl.Dry{Harvest: l.Harvest, Over: l.Over},
	}
}

// Scope is that of package crawl, as it stands in a file.
type Scope struct {
	Reach   string   `yaml:"reach,omitempty"`
	Include []string `yaml:"include,omitempty"`
	Exclude []string `yaml:"exclude,omitempty"`
	Block   []string `yaml:"block,omitempty"`
}

// Politeness is that of package crawl, as it stands in a file.
type Politeness struct {
	Delay    time.Duration `yaml:"delay,omitempty"` // -1ns for none
	Conns    int           `yaml:"host_conns,omitempty"`
	InFlight int           `yaml:"conns,omitempty"`
	MaxRate  float64       `yaml:"max_rate,omitempty"`
	Hold     float64       `yaml:"hold,omitempty"` // 0.1; negative for never
	Patience time.Duration `yaml:"patience,omitempty"`
	NoFollow bool          `yaml:"follow_nofollow,omitempty"`
}

// Identity tells who crawls.
type Identity struct {
	Agent   string `yaml:"agent,omitempty"`
	Contact string `yaml:"contact,omitempty"`
}

// Network tells what may be reached, and how.
type Network struct {
	AllowNet []string      `yaml:"allow_net,omitempty"`
	Resolver string        `yaml:"resolver,omitempty"`
	Timeout  time.Duration `yaml:"timeout,omitempty"`
	MaxBody  int64         `yaml:"max_body,omitempty"`
}

// Demo marks a collection of the made web, so that it can be served again.
type Demo struct {
	Pages int    `yaml:"pages,omitempty"`
	Sites int    `yaml:"sites,omitempty"` // of a made town; 0 for the made web
	Seed  uint64 `yaml:"seed,omitempty"`
	Own   bool   `yaml:"own_topic,omitempty"` // crawled for a topic of the user's own
}

const settingsName = "crawl.yaml"

// IsCollection reports whether a directory holds a collection. One that can't be looked
// into counts as one, so that nobody begins another in its place: opening it returns why.
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

// ReadSettings reads how the crawl of the collection in dir was begun, without opening it.
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

// writeWhole replaces a file of a collection as a whole: after a crash it is the old or the
// new one.
func writeWhole(dir, name string, data []byte) error {
	if err := durable.In(dir).WriteFile(name, data); err != nil {
		return fmt.Errorf("collection: write %s: %w", name, err)
	}
	return nil
}
