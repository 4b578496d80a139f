package crawler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawl"
	"dowse/fetch"
	"dowse/internal/archive"
	"dowse/internal/durable"
	"dowse/internal/frontier"
	"dowse/internal/plain"
	"dowse/strategy"
	"dowse/topic"
	"dowse/weburl"
)

// SalvageConfig supplements what the damaged directory holds.
type SalvageConfig struct {
	// Topic replaces the topic of the collection.
	Topic *topic.Topic
	// Judge rates the pages in place of the judge of the topic. It is for the crawl of a program with a judge
	// of its own, whose pages are rated by the words of the topic without it.
	Judge dowse.Judge
	// Progress, if set, is called with what is being read, how many bytes of
	// it are done and how many there are.
	Progress func(what string, done, total int64)
}

// Salvaged reports what a new collection was made of by [Salvage], [Import] or [Merge], and
// what could not be read.
type Salvaged struct {
	Dir string `json:"dir"`
	// Pages counts the fetched pages of the new collection, and Answers all
	// answers that were copied, errors included; those of robots.txt count in a salvage only.
	Pages   int `json:"pages"`
	OnTopic int `json:"on_topic"`
	Answers int `json:"answers"`
	// Requisites counts the answers that are no pages: images, style sheets and the like.
	Requisites int `json:"requisites,omitempty"`
	// Passed counts what an import has passed over because it is no answer to keep, by its kind
	// in words.
	Passed map[string]int `json:"passed,omitempty"`
	// Unreadable are the parts of the archive that can't be read; More
	// counts those beyond the limit of the list.
	Unreadable []salvageLoss `json:"unreadable"`
	More       int           `json:"more_unreadable,omitempty"`
	// Undated are imported answers whose records have no valid date. Each has the date of the record
	// before it. UndatedAll counts them all; the list has a limit.
	Undated    []salvageLoss `json:"undated,omitempty"`
	UndatedAll int           `json:"undated_answers,omitempty"`
	// Missing are pages that the journal names and the archive does not
	// hold. They are queued to be fetched again.
	Missing    []dowse.URL `json:"missing,omitempty"`
	MissingAll int         `json:"missing_pages"`
	// Erased counts the records that had been taken down before. They are no
	// loss.
	Erased    int `json:"erased"`
	LeftOut   int `json:"left_out"`
	Forgotten int `json:"forgotten"`
	Labels    int `json:"labels"`
	// Entries counts the entries of the old journal that could be read.
	Entries int      `json:"journal_entries"`
	Notes   []string `json:"notes,omitempty"`
}

// A salvageLoss is a place of the archive that can't be read.
type salvageLoss struct {
	File   string `json:"file"`
	Offset int64  `json:"offset"`
	Bytes  int64  `json:"bytes"`
	Why    string `json:"why"`
}

// Lost returns how many things could not be recovered.
func (s *Salvaged) Lost() int { return len(s.Unreadable) + s.More + s.MissingAll }

// The losses that are listed; others are counted.
const (
	maxLosses  = 1000
	maxMissing = 1000
)

// ErrNoTopic is returned when the topic of a collection is not known.
var ErrNoTopic = errors.New("topic.yaml can't be read: give what the pages are judged by, as a topic file or a few words")

// ErrPlace is returned when the new collection can't be created in its
// directory.
var ErrPlace = errors.New("give a new directory, outside of the old one")

// ErrUnfinished is returned when the folder in which the new collection is made exists: a
// salvage that is running, or was interrupted, made it.
var ErrUnfinished = errors.New("nothing was changed")

// partSuffix ends the name of a collection that is being rebuilt.
const partSuffix = ".part"

// Salvage builds a new collection in out from whatever can be read of the
// one in dir: of this or another version, damaged, without journal or
// settings. Every complete answer in its archive is visited once more, in
// the order of the archive and with the clock at its date, and is copied
// byte for byte; links, counts and queue result from that. Nothing in dir is
// changed, and nothing is sent.
//
// The new collection is built next to out, under a name that ends in .part,
// and renamed at the end. So out is complete or absent after a crash.
func Salvage(ctx context.Context, dir, out string, cfg SalvageConfig) (*Salvaged, error) {
	if cfg.Progress == nil {
		cfg.Progress = func(string, int64, int64) {}
	}
	if err := checkPlace(dir, out); err != nil {
		return nil, err
	}
	w, err := collection.OpenWreck(dir)
	if err != nil {
		return nil, err
	}
	s := &salvage{cfg: cfg, wreck: w, out: &Salvaged{Dir: out, Unreadable: []salvageLoss{}}}
	s.readJournal()
	s.readForgotten()
	part := out + partSuffix
	err = s.rebuild(ctx, part)
	if err == nil {
		err = s.repeatTakedowns(part)
	}
	if err != nil {
		discardPart(part)
		return nil, err
	}
	if err := s.trainOnLabels(part); err != nil {
		s.note("the labels were taken over, and no model could be trained on them: %v", err)
	}
	if err := moveTo(part, out); err != nil {
		return nil, err
	}
	s.out.Notes = append(w.Notes, s.out.Notes...)
	return s.out, nil
}

// checkPlace returns an error unless the new collection has an empty place
// outside of the old one.
func checkPlace(dir, out string) error {
	from, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("crawler: %w", err)
	}
	to, err := filepath.Abs(out)
	if err != nil {
		return fmt.Errorf("crawler: %w", err)
	}
	if rel, err := filepath.Rel(from, to); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return fmt.Errorf("crawler: %w: %s is inside %s", ErrPlace, out, dir)
	}
	return checkFree(out)
}

// checkFree returns an error unless a new collection can be made in out: it is empty or absent,
// and nothing is being made there. What a killed process left there is removed.
func checkFree(out string) error {
	for _, name := range []string{out, out + partSuffix} {
		entries, err := os.ReadDir(name)
		if err == nil && len(entries) > 0 || err != nil && !errors.Is(err, os.ErrNotExist) {
			switch {
			case name == out:
				return fmt.Errorf("crawler: %w: %s is there already", ErrPlace, name)
			case isLeftover(name):
				discardPart(name)
			default:
				return fmt.Errorf("crawler: %s exists: a new collection is made there until it is complete. If it is left from a command that was interrupted, delete it and start again (%w)", name, ErrUnfinished)
			}
		}
	}
	return nil
}

// isLeftover reports whether a folder with the name of an unfinished collection is one, and no process works on it.
// The lock of a collection is free after its process was killed.
func isLeftover(part string) bool {
	info, err := os.Lstat(part)
	if err != nil || !info.IsDir() {
		return false
	}
	_, err = collection.ReadSettings(part)
	return err == nil && isFree(part)
}

// isFree reports whether no process works on a collection.
func isFree(dir string) bool {
	pid, _, err := collection.Holder(dir)
	return pid == 0 && err == nil
}

// discardPart removes an unfinished collection that this process made, and not one of another process. What can't be
// removed is reported when another one is to be made there.
func discardPart(part string) {
	begun, err := collection.Unfinished(part)
	if isLeftover(part) || begun && err == nil && isFree(part) {
		_ = durable.In(filepath.Dir(part)).RemoveAll(filepath.Base(part))
	}
}

// A salvage is a collection that is being rebuilt.
type salvage struct {
	cfg   SalvageConfig
	wreck *collection.Wreck
	out   *Salvaged
	// seeds and fetched are the seeds and the fetched pages that the journal
	// names, and takenDown the takedowns by fingerprint.
	seeds     []dowse.URL
	takenDown map[frontier.Fingerprint]*crawl.Entry // taken down
	fetched   []dowse.URL                           // pages that the journal knows

	c   *Crawler
	web *recordedVisits
	// kept are the places of records in the new archive by their ID, so that
	// references to them can be copied.
	kept map[string]dowse.Place
	// seen are the pages of which an answer was copied.
	seen  map[dowse.URL]bool
	clock time.Time
	// read counts the bytes of the archive so far, for the progress.
	read int64
	// tails counts the copied answers that had been cut off the archive.
	tails int
}

// note adds a message for a person.
func (s *salvage) note(format string, args ...any) {
	s.out.Notes = append(s.out.Notes, fmt.Sprintf(format, args...))
}

// readJournal takes from the journal what the archive does not contain: the
// seeds, the takedowns, and which pages there were. From a journal of
// another version only the takedowns are used.
func (s *salvage) readJournal() {
	s.takenDown = map[frontier.Fingerprint]*crawl.Entry{}
	known := map[dowse.URL]bool{}
	nameless := 0
	var left *crawl.Leftovers
	var forgets []*crawl.Entry
	left, err := crawl.ReadLeftovers(s.wreck.State(), robotsParser(s.wreck.Settings), func(e *crawl.Entry) {
		switch {
		case e.Kind == crawl.EntryForget:
			forgets = append(forgets, e)
		case !s.wreck.Current && s.wreck.Frozen:
		case e.Kind == crawl.EntryStart:
			s.seeds = append(s.seeds, e.Seeds...)
		case e.Kind == crawl.EntryPage && e.Page.Outcome == dowse.Fetched && e.Page.URL != "" && !known[e.Page.URL]:
			known[e.Page.URL] = true
			s.fetched = append(s.fetched, e.Page.URL)
		}
	})
	if err != nil {
		s.note("the journal can't be read: %v", err)
		return
	}
	s.out.Entries = left.Entries
	for _, e := range forgets {
		switch {
		case e.Print == (frontier.Fingerprint{}): // a URL that stood only on a page that was taken down
		case s.wreck.Frozen: // the key of the fingerprints is known
			s.takenDown[e.Print] = e
		default:
			nameless++
		}
	}
	switch {
	case left.Entries == 0:
		s.note("no entry of the journal can be read")
	case left.Gaps > 0:
		s.note("the journal can't be read at %s (%d bytes): %s", plain.Some(left.Gaps, "place"), left.Unreadable, strings.Join(left.Where[:min(3, len(left.Where))], "; "))
	}
	if nameless > 0 {
		s.note("%s had been taken down and the journal no longer shows which: take them down again before you crawl", plain.Some(nameless, "page"))
	}
}

// readForgotten adds the takedowns that the settings record, which remain
// known when the journal is lost.
func (s *salvage) readForgotten() {
	bare := 0
	for _, print := range s.wreck.Forgotten() {
		if s.takenDown[print] == nil {
			s.takenDown[print] = &crawl.Entry{At: time.Now().UTC().Truncate(time.Second), Print: print, Text: lostReason}
			bare++
		}
	}
	if bare > 0 {
		s.note("crawl.yaml lists %s that had been taken down; when and why is lost with the journal", plain.Some(bare, "URL"))
	}
}

// lostReason is recorded for a takedown whose reason is unknown.
const lostReason = "taken down earlier; the reason was lost with the journal"

// rebuild creates and fills the new collection. The index of the archive is made
// from its files at the end.
func (s *salvage) rebuild(ctx context.Context, dir string) error {
	if err := s.create(ctx, dir); err != nil {
		return err
	}
	err := s.fill(ctx)
	if err == nil {
		s.c.Collection.Writer = nil // the index is made from the files
		err = s.c.checkpoint()
	}
	if err == nil {
		err = s.c.Collection.Summarise()
	}
	st := s.c.Status()
	s.out.Pages, s.out.OnTopic = st.Books.Fetched, st.OnTopic
	return errors.Join(err, s.c.Close())
}

// topic returns the topic by which the pages are judged, and its text.
func (s *salvage) topic() (*topic.Topic, []byte, error) {
	if t := s.cfg.Topic; t != nil {
		return t, t.YAML(), nil
	}
	if s.wreck.Topic == nil {
		return nil, nil, fmt.Errorf("crawler: %s: %w", s.wreck.Dir, ErrNoTopic)
	}
	t, err := topic.Parse(s.wreck.Topic, "topic.yaml")
	if err != nil {
		return nil, nil, fmt.Errorf("crawler: %s: %w (%w)", s.wreck.Dir, ErrNoTopic, err)
	}
	t.Dir = s.wreck.Settings.TopicDir
	return t, s.wreck.Topic, nil
}

// create creates the collection with the settings of the old one, as far as
// they can be read and used.
func (s *salvage) create(ctx context.Context, dir string) error {
	t, text, err := s.topic()
	if err != nil {
		return err
	}
	set, err := s.settings(t)
	if err != nil {
		return err
	}
	if t.Outside != nil {
		s.note("pages are judged without the outside judge of the topic: it is not asked")
		quiet := *t
		quiet.Outside = nil
		t = &quiet
	}
	if set.Formula == ownFormula && s.cfg.Judge == nil {
		s.note("a program rated the pages by a judge of its own, which is not kept: their verdicts are those of the words now")
	}
	files := s.wreck.Files()
	b, files, err := s.rebuildJudge(ctx, t, &set, files)
	if err != nil {
		return err
	}
	seeds, err := seedURLs(set.Seeds)
	if err != nil {
		return err
	}
	col, err := collection.Create(dir, set, text, robotsParser(set), files...)
	if err != nil {
		return err
	}
	if err := s.copyLabels(col.Dir); err != nil {
		return errors.Join(err, col.Close())
	}
	s.web = &recordedVisits{}
	if s.c, err = assemble(col, t, b, Config{Transport: s.web, Judge: s.cfg.Judge}); err != nil {
		return errors.Join(err, col.Close())
	}
	client, err := s.client(set)
	if err != nil {
		return errors.Join(err, s.c.Close())
	}
	s.c.visitor.Client, s.c.visitor.archiver = client, nil
	s.clock = set.Begun
	col.Crawl.Start(s.clock, seeds)
	return nil
}

// client returns a client that reads the recorded answers. It reaches no
// network, so every address is allowed.
func (s *salvage) client(set collection.Settings) (*fetch.Client, error) {
	return fetch.New(fetch.Config{
		Agent: set.Resolved().Agent, Version: Version, MaxBody: set.Network.MaxBody, Transport: s.web,
		AllowNet: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")},
	})
}

// settings returns the settings of the new collection.
func (s *salvage) settings(t *topic.Topic) (collection.Settings, error) {
	set := s.wreck.Settings
	if !s.wreck.Frozen {
		var err error
		if set, err = newSettings(t, Config{}); err != nil {
			return set, err
		}
		set.Begun = time.Time{}
		s.note("the settings are those of a new crawl: limits, scope, politeness and contact are to be given again")
	}
	if s.cfg.Topic != nil {
		set.Model, set.Formula, set.Threshold = "", formulaOf(t, Config{}), t.OnTopic()
	}
	set.Late = slices.DeleteFunc(slices.Clone(set.Late), func(x string) bool { return strings.HasPrefix(x, lateThreshold) }) // the new journal begins with the threshold
	set.Version = Version
	set.Key = cmp.Or(set.Key, randomKey())
	if _, err := seedURLs(set.Seeds); err != nil {
		if err := s.findSeeds(&set, t); err != nil {
			return set, err
		}
	}
	if set.Begun.IsZero() {
		set.Begun = s.firstDate()
	}
	if p, err := partsOf(s.wreck.Dir, set, t, noJudge{}, Config{}); err != nil {
		s.note("the strategy can't be used any more (%v): it is %s now", err, strategy.Default)
		set.Strategy, set.Shadows, set.Needs = strategy.Default, nil, collection.Needs{}
	} else {
		p.client.Close()
	}
	return set, nil
}

// findSeeds takes the seeds from the journal and the topic or, if these have
// none, from the distance to a seed that the archive records for each page.
func (s *salvage) findSeeds(set *collection.Settings, t *topic.Topic) error {
	set.Seeds = nil
	for _, u := range s.seeds {
		set.Seeds = append(set.Seeds, string(u))
	}
	if set.Seeds = append(set.Seeds, t.Seeds...); len(set.Seeds) > 0 {
		return nil
	}
	first := ""
	for k, err := range s.exchanges(func(archive.Loss) {}) {
		if err != nil {
			continue
		}
		u, err := weburl.Parse(k.Target())
		if err != nil || isRobots(u) {
			continue
		}
		first = cmp.Or(first, string(u))
		if k.Metadata("hopsFromSeed") == "0" {
			set.Seeds = append(set.Seeds, string(u))
		}
	}
	if len(set.Seeds) == 0 && first != "" {
		set.Seeds = []string{first}
	}
	if len(set.Seeds) == 0 {
		return fmt.Errorf("crawler: %s: nothing can be read of it: no settings, no journal, no page of the archive", s.wreck.Dir)
	}
	return nil
}

// firstDate returns the time of the first answer in the archive.
func (s *salvage) firstDate() time.Time {
	for k, err := range s.exchanges(func(archive.Loss) {}) {
		if err == nil && !k.Date().IsZero() {
			return k.Date().UTC().Truncate(time.Second)
		}
	}
	return time.Now().UTC().Truncate(time.Second)
}

// rebuildJudge makes the judge from the examples and models of the old collection,
// and returns the files that can be used.
func (s *salvage) rebuildJudge(ctx context.Context, t *topic.Topic, set *collection.Settings, files []collection.File) (*builtJudge, []collection.File, error) {
	without := func(names ...string) []collection.File {
		return slices.DeleteFunc(slices.Clone(files), func(f collection.File) bool { return slices.Contains(names, f.Name) })
	}
	if s.cfg.Judge != nil {
		set.Formula = ownFormula
		return &builtJudge{judge: s.cfg.Judge}, files, nil
	}
	judged := []string{collection.ExamplesName, collection.LockName, collection.GivenModel, collection.ModelFile(categoryModels), collection.ModelFile(collection.FirstModel)}
	if s.cfg.Topic != nil {
		b, err := buildJudge(ctx, t, set.Strategy, Config{Transport: &recordedVisits{}})
		if err != nil {
			return nil, nil, err
		}
		set.Model = b.model
		return b, append(without(append(judged, collection.AnswersName)...), b.files...), nil
	}
	old := s.wreck.Collection()
	old.Settings = *set
	b, err := rebuildJudge(old, t, Config{})
	if err == nil {
		return b, files, nil
	}
	s.note("what the judge was made from can't all be read: %v", err)
	if old.Settings.Model = ""; set.Model != "" {
		if b, err2 := rebuildJudge(old, t, Config{}); err2 == nil && !t.Needs() {
			set.Model = ""
			return b, without(collection.ModelFile(collection.FirstModel)), nil
		}
	}
	j, err2 := t.NewJudge(&topic.Material{})
	if err2 != nil || t.Needs() {
		return nil, nil, fmt.Errorf("crawler: %s: its judge can't be made again (%w): give a topic file or a few words", s.wreck.Dir, err)
	}
	set.Model = ""
	return &builtJudge{judge: j}, without(judged...), nil
}

// copyLabels copies the valid labels.
func (s *salvage) copyLabels(dir string) error {
	labels, err := collection.ReadLabels(s.wreck.Dir)
	if err != nil {
		s.note("the labels can't be read: %v", err)
		return nil
	}
	if labels.Bad > 0 {
		s.note("%s of labels.jsonl can't be read", plain.Some(labels.Bad, "line"))
	}
	current := labels.Standing()
	var lines []collection.Label
	for _, l := range slices.Backward(labels.Lines) {
		if x, ok := current[l.URL]; ok && !s.isTakenDown(l.URL) {
			x.Model = ""
			lines = append(lines, x)
			delete(current, l.URL)
		}
	}
	slices.Reverse(lines)
	s.out.Labels = len(lines)
	return collection.AppendLabels(dir, lines...)
}

// trainOnLabels trains a model on the labels if a crawl would. Where a program has a judge of its own, the labels
// wait for the program.
func (s *salvage) trainOnLabels(dir string) error {
	labels, err := collection.ReadLabels(dir)
	if err != nil || !trainingDue(labels, 0) {
		return err
	}
	if _, err = Retrain(dir, ""); errors.As(err, new(*FrozenError)) {
		return nil
	}
	return err
}

// exchanges yields the complete answers: those of the archive in order, then
// those that had been cut off it and saved.
func (s *salvage) exchanges(lost func(archive.Loss)) iter.Seq2[*archive.Kept, error] {
	return func(yield func(*archive.Kept, error) bool) {
		files, err := archive.Files(s.wreck.Archive())
		if err != nil {
			yield(nil, err)
			return
		}
		for _, path := range files {
			for k, err := range archive.Exchanges(path, lost) {
				if !yield(k, err) {
					return
				}
			}
		}
		for _, path := range s.wreck.Tails() {
			for k, err := range archive.Exchanges(path, func(archive.Loss) {}) { // the end of a tail is torn as a rule
				if !yield(k, err) {
					return
				}
			}
		}
	}
}

// isTail reports whether an answer had been cut off the archive.
func (s *salvage) isTail(k *archive.Kept) bool { return filepath.Dir(k.Path) == s.wreck.State() }

// countLoss counts a record that is not copied: erased, left out or unreadable.
func (s *salvage) countLoss(l archive.Loss) {
	switch {
	case errors.Is(l.Err, archive.ErrErased):
		s.out.Erased++
	case errors.Is(l.Err, archive.ErrCompanion):
		s.out.LeftOut++
	default:
		l.Path = "archive/" + filepath.Base(l.Path)
		s.out.lose(l)
	}
}

// lose counts what can't be read, and lists the first of it.
func (s *Salvaged) lose(l archive.Loss) {
	if len(s.Unreadable) >= maxLosses {
		s.More++
		return
	}
	s.Unreadable = append(s.Unreadable, salvageLoss{l.Path, l.Offset, l.Length, strings.TrimPrefix(l.Err.Error(), "archive: ")})
}

// noDate is the problem of an answer whose record has no valid date.
const noDate = "no valid WARC-Date; it has the date of the record before it"

// undated counts an imported answer without a date of its own, and lists the first of them.
func (s *Salvaged) undated(file string, offset int64) {
	if s.UndatedAll++; len(s.Undated) < maxLosses {
		s.Undated = append(s.Undated, salvageLoss{File: file, Offset: offset, Why: noDate})
	}
}

// commitEvery is after how many answers the new collection is made durable.
const commitEvery = 500

// fill visits every answer that can be read, and then queues the missing
// pages. It commits every commitEvery answers.
func (s *salvage) fill(ctx context.Context) error {
	s.kept, s.seen = map[string]dowse.Place{}, map[dowse.URL]bool{}
	next, stop := iter.Pull2(s.exchanges(s.countLoss))
	defer stop()
	s.web.next = next
	total := folderSize(s.wreck.Archive())
	for n := 1; ; n++ {
		k, err, ok := s.web.take()
		if !ok {
			break
		}
		if err == nil {
			err = s.visit(ctx, k)
			s.read += k.Length
			s.cfg.Progress("archive", s.read, total)
		} else {
			s.note("the archive can't be read: %v", err)
			err = nil
		}
		if err == nil && n%commitEvery == 0 {
			err = s.c.commit()
		}
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
	}
	if s.tails > 0 {
		s.note("%s had been cut off the archive, because the journal did not know of them: they were saved in state/uncommitted-*.warc.gz, and are taken over", plain.Some(s.tails, "answer"))
	}
	s.queueMissing()
	return s.c.commit()
}

// folderSize returns the size of the archive in bytes, for the progress
// only.
func folderSize(dir string) (size int64) {
	files, _ := archive.Files(dir)
	for _, path := range files {
		if info, err := os.Stat(path); err == nil {
			size += info.Size()
		}
	}
	return size
}

func isRobots(u dowse.URL) bool { return weburl.Robots(u) == u }

// visit repeats the visit that an answer came from. Answers of URLs that
// were taken down are not copied.
func (s *salvage) visit(ctx context.Context, k *archive.Kept) error {
	u, err := weburl.Parse(k.Target())
	original, known := s.kept[k.RefersTo()]
	switch {
	case err != nil:
		s.countLoss(archive.Loss{Path: k.Path, Offset: k.Offset, Length: k.Length, Err: fmt.Errorf("its URL is none: %w", err)})
		return nil
	case s.isTakenDown(u):
		s.out.Erased++
		return nil
	case s.isTail(k) && (s.seen[u] || k.IsRevisit() && !known):
		return nil // it was fetched again later, or belongs to an answer that was never kept
	case k.IsRevisit() && !known:
		s.countLoss(archive.Loss{Path: k.Path, Offset: k.Offset, Length: k.Length, Err: errors.New("the answer that it refers to can't be read")})
		return nil
	}
	answer, err := k.Response(s.c.Collection.ArchiveDir(), original)
	if err != nil {
		s.countLoss(archive.Loss{Path: k.Path, Offset: k.Offset, Length: k.Length, Err: err})
		return nil
	}
	defer answer.Body.Close()
	if at := k.Date(); at.After(s.clock) {
		s.clock = at
	}
	cr := s.c.Collection.Crawl
	var v crawl.Visit
	if isRobots(u) {
		var ok bool
		if v, ok = cr.DirectRobots(s.clock, u); !ok {
			s.out.LeftOut++ // nothing that could be read led to that host: it is asked again
			return nil
		}
	} else {
		v = cr.Direct(s.clock, u)
	}
	return s.absorb(ctx, v, k, answer)
}

// absorb records an answer as the crawl did when it arrived, with its
// original times. The visit runs the usual code, which reads answers from
// recordedVisits instead of the network; every answer that it was given is
// copied to the new archive before the page is recorded.
func (s *salvage) absorb(ctx context.Context, v crawl.Visit, k *archive.Kept, answer *http.Response) error {
	s.web.begin(k, answer)
	p := s.visited(ctx, v)
	p.Fetch.At, p.Fetch.Address = k.Date(), k.Address()
	p.Fetch.Truncated = p.Fetch.Truncated || k.Truncated()
	ms, _ := strconv.ParseInt(k.Metadata("fetchTimeMs"), 10, 32)
	p.Fetch.Took = time.Duration(ms) * time.Millisecond
	if p.Host != nil && p.Host.Robots != nil {
		p.Host.Robots.At = s.clock
	}
	for _, x := range s.web.served {
		place, err := s.copy(x)
		if err != nil {
			return err
		}
		p.Fetch.Archive = place
	}
	if s.isTail(k) {
		s.tails++
	}
	s.c.Collection.Crawl.Absorb(s.clock, p)
	s.seen[v.URL] = true
	return nil
}

// visited makes a visit. Whether a page that is asked again has changed is decided when it is
// stored, which a salvage does itself.
func (s *salvage) visited(ctx context.Context, v crawl.Visit) *dowse.Page {
	a := s.c.visitor.Visit(ctx, v)
	if v.Check && a.Keep != nil {
		a.Keep() // without an archiver it stores nothing and does not fail
	}
	return a.Page
}

// copy appends an answer to the new archive.
func (s *salvage) copy(k *archive.Kept) (dowse.Place, error) {
	enc, err := k.Encoded(s.kept[k.RefersTo()])
	if err != nil {
		return dowse.Place{}, err
	}
	place, err := s.c.writer.Append(enc)
	if err != nil {
		return dowse.Place{}, err
	}
	s.out.Answers++
	if !k.IsRevisit() {
		s.kept[k.ID()] = place
	}
	return place, nil
}

// isTakenDown reports whether a URL was taken down. Takedowns are known by
// fingerprint only, under the key of the old collection.
func (s *salvage) isTakenDown(u dowse.URL) bool {
	return len(s.takenDown) > 0 && s.takenDown[frontier.FingerprintOf(u, s.wreck.Settings.Key)] != nil
}

// repeatTakedowns repeats the takedowns of the old collection. The new one has the
// same key, so a fingerprint identifies the same URL.
func (s *salvage) repeatTakedowns(dir string) error {
	byReason := map[string]*collection.Takedown{}
	for print, e := range s.takenDown {
		x := byReason[e.Text]
		if x == nil {
			x = &collection.Takedown{Why: e.Text, At: e.At}
			byReason[e.Text] = x
		}
		x.Prints = append(x.Prints, print)
	}
	for _, why := range slices.Sorted(maps.Keys(byReason)) {
		x := byReason[why]
		slices.SortFunc(x.Prints, func(a, b frontier.Fingerprint) int { return slices.Compare(a[:], b[:]) })
		if _, err := Forget(dir, *x); err != nil {
			return err
		}
		s.out.Forgotten += len(x.Prints)
	}
	return nil
}

// queueMissing queues the pages that the journal names and the archive does not
// hold.
func (s *salvage) queueMissing() {
	cr := s.c.Collection.Crawl
	for _, u := range s.fetched {
		if s.seen[u] || s.isTakenDown(u) {
			continue
		}
		if s.out.MissingAll++; len(s.out.Missing) < maxMissing {
			s.out.Missing = append(s.out.Missing, u)
		}
		if _, known := cr.Frontier().Find(u); !known {
			cr.Start(s.clock, []dowse.URL{u})
		}
	}
}

// recordedVisits is a transport that answers the requests of a visit from
// the archive: the first one with the current answer, those that it leads to
// with the answers that follow.
type recordedVisits struct {
	next   func() (*archive.Kept, error, bool)
	ahead  *archive.Kept  // read, and not taken yet
	answer *http.Response // at hand; nil when it was given
	served []*archive.Kept
}

// take returns the next answer.
func (r *recordedVisits) take() (*archive.Kept, error, bool) {
	if k := r.ahead; k != nil {
		r.ahead = nil
		return k, nil, true
	}
	return r.next()
}

// begin makes an answer the current one.
func (r *recordedVisits) begin(k *archive.Kept, answer *http.Response) {
	r.answer, r.served = answer, []*archive.Kept{k}
}

var errNotRecorded = errors.New("it was not recorded")

// RoundTrip answers a request, or fails with errNotRecorded.
func (r *recordedVisits) RoundTrip(req *http.Request) (*http.Response, error) {
	resp := r.answer
	if r.answer = nil; resp == nil {
		resp = r.follows(req.URL.String())
	}
	if resp == nil {
		return nil, errNotRecorded
	}
	resp.Request = req
	return resp, nil
}

// follows returns the next answer if it belongs to the URL, otherwise nil.
func (r *recordedVisits) follows(written string) *http.Response {
	if r.next == nil {
		return nil
	}
	if r.ahead == nil {
		k, err, ok := r.next()
		if err != nil || !ok {
			return nil
		}
		r.ahead = k
	}
	k := r.ahead
	want, err := weburl.Parse(written)
	is, err2 := weburl.Parse(k.Target())
	if err != nil || err2 != nil || want != is || k.IsRevisit() {
		return nil
	}
	resp, err := k.Response("", dowse.Place{})
	if err != nil {
		return nil
	}
	r.ahead = nil
	r.served = append(r.served, k)
	return resp
}
