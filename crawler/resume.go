package crawler

import (
	"bytes"
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"dowse/collection"
	"dowse/topic"
)

// A FrozenError is returned when a config asks a crawl that exists for something that can
// only be set when a crawl is created.
type FrozenError struct {
	Dir     string // the collection
	Setting string // as its flag is called; "topic" for the topic
}

// Error says what can't be set, and what to do.
func (e *FrozenError) Error() string {
	return fmt.Sprintf("crawler: %s can only be set when a crawl is created; %s exists: start another, or leave it out", e.Setting, e.Dir)
}

// frozen compares what a config gives with what a collection keeps of its beginning. The
// same value is no error.
func frozen(dir string, s collection.Settings, kept *topic.Topic, cfg Config) error {
	for _, f := range []struct {
		setting string
		differs bool
	}{
		{"threshold", cfg.Threshold > 0 && cfg.Threshold != s.Threshold},
		{"unit", cfg.Unit != "" && (cfg.Unit == UnitSite) != ForSites(s.Strategy)},
		{"scope", cfg.Scope.Reach != "" && cfg.Scope.Reach != s.Scope.Reach},
		{"explore", cfg.Explore > 0 && cfg.Explore != s.Explore},
		{"strategy", cfg.StrategyName != "" && !sameStrategy(cfg.StrategyName, s.Strategy)},
		{"shadow", len(cfg.Shadows) > 0 && !slices.Equal(cfg.Shadows, s.Shadows)},
		{"rng", cfg.Key != 0 && cfg.Key != s.Key},
		{"topic", !sameTopic(cfg, kept)},
	} {
		if f.differs {
			return &FrozenError{dir, f.setting}
		}
	}
	return nil
}

// sameStrategy reports whether a strategy that is given is the one that is kept. A crawl
// for sites keeps with it how often its judge is wrong.
func sameStrategy(given, kept string) bool {
	if i := strings.LastIndex(kept, "p_err="); i > 0 && !strings.Contains(given, "p_err=") {
		kept = kept[:i-1]
	}
	return given == kept
}

// sameTopic reports whether a config gives no topic, or the one that is kept. Languages
// that were required by the config at the beginning may be left out later.
func sameTopic(cfg Config, kept *topic.Topic) bool {
	var given topic.Topic
	switch {
	case cfg.Topic != nil:
		given = *cfg.Topic
	case len(cfg.Words) > 0:
		given = *topic.FromWords(cfg.Words)
	default:
		return true
	}
	if kept.Only && len(given.Languages) == 0 {
		given.Languages, given.Only = kept.Languages, true
	}
	return bytes.Equal(given.YAML(), kept.YAML())
}

// changes lists the settings that differ, as their keys in crawl.yaml, the old value and the
// new one.
func changes(before, after collection.Settings) (list []string) {
	for _, part := range [][2]any{
		{before.Limits, after.Limits}, {before.Scope, after.Scope}, {before.Politeness, after.Politeness},
		{before.Identity, after.Identity}, {before.Network, after.Network},
	} {
		old, now := reflect.ValueOf(part[0]), reflect.ValueOf(part[1])
		for i := range old.NumField() {
			if x, y := old.Field(i), now.Field(i); !reflect.DeepEqual(x.Interface(), y.Interface()) {
				key, _, _ := strings.Cut(old.Type().Field(i).Tag.Get("yaml"), ",")
				list = append(list, fmt.Sprintf("%s %s → %s", key, valueText(x), valueText(y)))
			}
		}
	}
	if x, y := cmp.Or(before.Contrast, ContrastSeen), cmp.Or(after.Contrast, ContrastSeen); x != y {
		list = append(list, fmt.Sprintf("contrast %s → %s", x, y))
	}
	return list
}

// valueText writes the value of a setting.
func valueText(v reflect.Value) string {
	if v.IsZero() {
		return "unset"
	}
	return fmt.Sprint(v.Interface())
}

// Rehearse returns the error with which [Open] would refuse the collection in dir, or a new
// one, as far as that can be told without making, changing or sending anything.
func Rehearse(dir string, cfg Config) error {
	if !collection.IsCollection(dir) {
		_, _, err := plan(&cfg)
		return err
	}
	if err := collection.Plain(dir); err != nil {
		return err
	}
	col, err := collection.Open(dir, nil, true)
	if err != nil {
		return err
	}
	defer col.Close()
	_, err = agree(col, cfg)
	return err
}
