package crawler

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"dowse"
	"dowse/collection"
	"dowse/internal/sink"
	"dowse/settings"
	"dowse/topic"
)

// A FrozenError is returned when a config asks an existing crawl for
// something that can only be set when a crawl is created.
type FrozenError struct {
	Dir     string // the collection
	Setting string // as its flag is called; "topic" for the topic, "judge" for that of a program
}

// Error names the setting and what to do.
func (e *FrozenError) Error() string {
	if e.Setting == ownJudge {
		return fmt.Sprintf("crawler: a program rates the pages of %s by a judge of its own: continue the crawl with that program", e.Dir)
	}
	return fmt.Sprintf("crawler: %s can only be set when a crawl is created; %s exists: start another, or leave it out", e.Setting, e.Dir)
}

// ownJudge is the setting of a crawl that only a program with a judge of its own can continue.
const ownJudge = "judge"

// checkFrozen returns a FrozenError for a setting that is given, differs from
// that of the collection, and can only be set when a crawl is created.
func checkFrozen(dir string, kept collection.Settings, given settings.Settings, cfg Config) error {
	if kept.Formula == ownFormula && cfg.Judge == nil {
		return &FrozenError{dir, ownJudge}
	}
	for _, f := range settings.Fields() {
		if f.When != settings.AtCreation || !f.Given(&given) || f.Same(&given, &kept.Settings) {
			continue
		}
		if f.Flag != "strategy" || !sameStrategy(given.Strategy, kept.Strategy) {
			return &FrozenError{dir, f.Flag}
		}
	}
	if cfg.Unit != "" && (cfg.Unit == UnitSite) != ForSites(kept.Strategy) {
		return &FrozenError{dir, "unit"}
	}
	return nil
}

// sameStrategy reports whether a given strategy is the one that the
// collection keeps. A crawl for sites keeps the order of sites and the error rate
// of its judge with it, which need not be given.
func sameStrategy(given, kept string) bool {
	for _, param := range []string{"order=", "p_err="} {
		if !strings.Contains(given, param) {
			kept = withoutParam(kept, param)
		}
	}
	return given == kept
}

// withoutParam returns a strategy without the parameter that begins as given.
func withoutParam(strategy, begin string) string {
	name, params, _ := strings.Cut(strategy, ":")
	list := slices.DeleteFunc(strings.Split(params, ","), func(p string) bool { return p == "" || strings.HasPrefix(p, begin) })
	if len(list) == 0 {
		return name
	}
	return name + ":" + strings.Join(list, ",")
}

// givenTopic returns the topic in a config, nil if there is none or it
// equals the kept one. Languages that were required when the crawl was
// created may be left out later.
func givenTopic(cfg Config, kept *topic.Topic) *topic.Topic {
	var given topic.Topic
	switch {
	case cfg.Topic != nil:
		given = *cfg.Topic
	case len(cfg.Words) > 0:
		given = *topic.FromWords(cfg.Words)
	default:
		return nil
	}
	if kept.Only && len(given.Languages) == 0 {
		given.Languages, given.Only = kept.Languages, true
	}
	if bytes.Equal(given.YAML(), kept.YAML()) {
		return nil
	}
	return &given
}

// canReplace returns an error if a topic can't replace the one of an
// existing crawl. The name must be the same, which guards against mistakes.
// A topic with an outside judge stays, since the answers of that judge belong
// to it, and so does one with examples in a crawl for sites, whose strategy
// depends on the error rate of its judge.
func canReplace(col *collection.Collection, kept, given *topic.Topic, cfg Config) error {
	trained := kept.Needs() || given.Needs()
	if kept.Name != given.Name || cfg.Judge != nil || kept.Outside != nil || given.Outside != nil || trained && ForSites(col.Settings.Strategy) {
		return &FrozenError{col.Dir, "topic"}
	}
	return nil
}

// withTopic adds to the given settings those that an edited topic contains,
// as far as the edit changed them. It also returns the flags of the settings
// that the topic no longer contains.
func withTopic(given settings.Settings, before, after *topic.Topic) (settings.Settings, []string) {
	was, is := topicSettings(before), topicSettings(after)
	var dropped []string
	for _, f := range settings.Fields() {
		switch {
		case f.Given(&given) || f.Same(&was, &is):
		case f.Given(&is):
			f.Copy(&given, &is)
		default:
			dropped = append(dropped, f.Flag)
		}
	}
	return given, dropped
}

// A resumePlan is the topic, settings and seeds with which an existing crawl
// is resumed.
type resumePlan struct {
	topic *topic.Topic
	// before is the topic of the collection, and edited reports that topic is
	// another one.
	before *topic.Topic
	edited bool
	// settings are the kept ones with the given ones merged in.
	settings    collection.Settings
	changes     []settings.Change
	kept, given []dowse.URL // seeds
}

// planResume returns what resuming an existing crawl with a config means. A
// setting that may not be given, or an act without consent, is an error. It
// changes nothing in the collection; all checks come before Config.Agreed is
// called, so a refused resume leaves no record of consent.
func planResume(col *collection.Collection, cfg Config) (*resumePlan, error) {
	t, err := topicOf(col)
	if err != nil {
		return nil, err
	}
	a := &resumePlan{topic: t, before: t, settings: col.Settings}
	given, reset, seeds := cfg.Settings, cfg.Reset, cfg.Seeds
	if edited := givenTopic(cfg, t); edited != nil {
		if err := canReplace(col, t, edited, cfg); err != nil {
			return nil, err
		}
		var dropped []string
		given, dropped = withTopic(given, t, edited)
		reset, seeds = slices.Concat(reset, dropped), slices.Concat(seeds, edited.Seeds)
		a.topic, a.edited = edited, true
	}
	if err := checkFrozen(col.Dir, col.Settings, given, cfg); err != nil {
		return nil, err
	}
	a.settings.Settings, a.changes = settings.Merge(col.Settings.Settings, given.Changeable(), reset)
	a.settings.WordNet = cfg.keptWordNet(col.Settings)
	if err := a.settings.Check(); err != nil {
		return nil, fmt.Errorf("crawler: %w", err)
	}
	if err := checkCost(col.Settings.Strategy, given); err != nil {
		return nil, err
	}
	if _, err := sink.ParseAll(a.settings.Sinks); err != nil {
		return nil, fmt.Errorf("crawler: %w", err)
	}
	if a.revises() && (cfg.Strategy != nil || strings.HasPrefix(col.Settings.Strategy, customStrategy)) {
		return nil, &FrozenError{col.Dir, a.revisedSetting()} // its decisions can't be made again
	}
	if cfg.NoOutside {
		a.topic.Outside = nil
	}
	if err := checkConsent(col.Dir, actsOf(a.topic, a.settings, cfg), cfg); err != nil {
		return nil, err
	}
	if a.kept, err = seedURLs(col.Settings.Seeds); err != nil && !errors.Is(err, ErrSeeds) { // without any, they were taken down
		return nil, err
	}
	if a.given, err = seedURLs(seeds); err != nil && !errors.Is(err, ErrSeeds) {
		return nil, err
	}
	if err := checkIdentity(a.settings, cfg, slices.Concat(a.kept, a.given)); err != nil {
		return nil, err
	}
	return a, cfg.reportAgreed(col.Dir, a.settings, a.topic)
}

// revises reports whether all earlier decisions have to be made again.
func (a *resumePlan) revises() bool { return a.revisedSetting() != "" }

// changesIn reports whether a setting of a section of crawl.yaml changes, or one that is a section by itself.
func (a *resumePlan) changesIn(section string) bool {
	return slices.ContainsFunc(a.changes, func(x settings.Change) bool {
		first, _, _ := strings.Cut(x.Key, ".")
		return first == section
	})
}

// revisedSetting returns the first setting that requires all decisions to be made
// again, "" if there is none.
func (a *resumePlan) revisedSetting() string {
	if a.edited {
		return "topic"
	}
	for _, c := range a.changes {
		if c.When == settings.Again {
			return cmp.Or(c.Flag, c.Name())
		}
	}
	return ""
}

// changeNotes returns the changes for a person: those that apply from now
// on, and those that required all decisions to be made again.
func (a *resumePlan) changeNotes() (fromNow, again string) {
	var now, anew []string
	if a.edited {
		anew = append(anew, "topic")
	}
	for _, c := range a.changes {
		line := changeLine(c)
		if c.When == settings.Again {
			anew = append(anew, line)
		} else {
			now = append(now, line)
		}
	}
	return strings.Join(now, ", "), strings.Join(anew, ", ")
}

// Rehearse returns the error with which [Open] would refuse dir, as far as
// that is known without creating, changing or sending anything. For an
// existing collection it also returns what would change, one line per
// change.
func Rehearse(dir string, cfg Config) (changes []string, err error) {
	if !collection.IsCollection(dir) {
		_, _, err := planNew(&cfg)
		return nil, err
	}
	if err := collection.Plain(dir); err != nil {
		return nil, err
	}
	cfg.Agreed = nil
	col, err := collection.Open(dir, nil, true)
	if err != nil {
		return nil, err
	}
	defer col.Close()
	a, err := planResume(col, cfg)
	if err != nil {
		return nil, err
	}
	now, again := a.changeNotes()
	if now != "" {
		changes = append(changes, now)
	}
	if again != "" {
		changes = append(changes, again+" (decides all pages and links again)")
	}
	return changes, nil
}

// requeueRelaxed queues the URLs that a limit excluded which has now been
// relaxed, and returns one line per limit. A limit that was tightened applies
// only to links that are found from now on.
func (c *Crawler) requeueRelaxed(changes []settings.Change) (notes []string) {
	keptOut := map[string]dowse.Reason{"max-depth": dowse.SkipScopeDepth, "tunnel": dowse.SkipScopeTunnel, "per-host": dowse.SkipBudgetHost}
	for _, x := range changes {
		why := keptOut[x.Flag]
		if why == "" || !x.Looser() {
			continue
		}
		if n, err := c.Collection.Crawl.Requeue(c.live.Clock(), string(why)); err == nil && n > 0 {
			notes = append(notes, fmt.Sprintf("%s: %d links wait again that it kept out", x.Name(), n))
		}
	}
	return notes
}
