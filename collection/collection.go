package collection

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"dowse"
	"dowse/crawl"
	"dowse/internal/archive"
	"dowse/internal/durable"
	"dowse/internal/frontier"
)

// A Collection is an open directory. Its methods must not be called while the
// crawl in it goes on, but from the crawl's own loop.
type Collection struct {
	Dir      string
	Settings Settings
	Journal  *crawl.Journal
	Crawl    *crawl.Crawl // after Load
	Notices  []string     // what a person should know of the opening: tails cut off
	Unread   Unread       // what lists and exports passed over

	// Writer appends to the archive, if the collection is being crawled. The index
	// takes from it what is new.
	Writer *archive.Writer

	cfg      crawl.Config // as Load was given it
	restore  crawl.Restorer
	readOnly bool
	opened   uint64 // where the journal ended when the collection was opened
	inFlight int    // visits at once, as the settings said when it was opened
	lock     *durable.File

	planned      *Settings // of a change that is being made, see BeginChange; nil for none
	plannedTopic []byte

	ended     *takedown              // that was broken off, and ended when the collection was opened
	originals map[string]dowse.Place // records that revisits refer to, by ID; made when needed
}

var folders = []string{"archive", "indexes", "pages", "models", "state", "log"}

const needsFolder = "needs"

// NeedsName is the name of a file that strategies go by, see [Needs].
func NeedsName(name string) string { return needsFolder + "/" + name }

// ErrMake is returned by [Create] for a place where no collection can be made.
var ErrMake = errors.New("a collection can't be made there; choose another place")

// Create makes a new collection and opens it. The directory may exist if it is
// empty, or if a crash ended an earlier Create.
// Files are what else belongs into it from the beginning.
func Create(dir string, s Settings, topic []byte, parse crawl.RobotsParser, files ...File) (*Collection, error) {
	if IsCollection(dir) {
		return nil, fmt.Errorf("collection: %s is a collection already", dir)
	}
	switch begun, err := Unfinished(dir); {
	case err != nil:
		return nil, fmt.Errorf("collection: %s: %w: %w", dir, ErrMake, err)
	case !begun:
		return nil, fmt.Errorf("collection: %s is not empty and not a collection", dir)
	}
	for _, f := range folders {
		if err := durable.In(dir).Mkdir(f); err != nil {
			return nil, fmt.Errorf("collection: %s: %w: %w", dir, ErrMake, err)
		}
	}
	s.Dowse = format
	if err := writeWhole(dir, "topic.yaml", topic); err != nil {
		return nil, err
	}
	for _, f := range files {
		if !belongs(f.Name) {
			return nil, fmt.Errorf("collection: %s has no place in a collection", f.Name)
		}
		if err := durable.In(dir).Mkdir(path.Dir(f.Name)); err != nil {
			return nil, fmt.Errorf("collection: %w", err)
		}
		if err := writeWhole(dir, f.Name, f.Data); err != nil {
			return nil, err
		}
	}
	// The settings come last: with them the directory is a collection.
	if err := writeSettings(dir, s); err != nil {
		return nil, err
	}
	return Open(dir, parse, false)
}

// Unfinished reports whether a directory is absent or empty, or holds nothing but what
// Create makes before the settings, as after a kill. Create can begin there anew, and
// nothing is lost by it.
func Unfinished(dir string) (bool, error) {
	names, err := durable.In(dir).ReadDir(".")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err // it may hold anything
	}
	for _, n := range names {
		switch name := n.Name(); {
		case name == settingsName+".tmp" || slices.Contains(madeFirst, strings.TrimSuffix(name, ".tmp")):
		case name == "models" && n.IsDir() && onlyModels(filepath.Join(dir, name)):
		case name == needsFolder && n.IsDir(): // copies
		case n.IsDir() && slices.Contains(folders, name):
			if inside, err := durable.In(dir).ReadDir(name); err != nil || len(inside) > 0 {
				return false, err
			}
		default:
			return false, nil
		}
	}
	return true, nil
}

// A File goes into a collection when it is made.
type File struct {
	Name string // as the layout has it, with slashes
	Data []byte
}

// madeFirst are the files that Create makes before the settings.
var madeFirst = []string{"topic.yaml", ExamplesName, LockName}

// onlyModels reports whether a folder holds nothing but what Create puts there.
func onlyModels(dir string) bool {
	files, err := durable.Inner(dir).ReadDir(".")
	for _, f := range files {
		if !belongs("models/" + strings.TrimSuffix(f.Name(), ".tmp")) {
			return false
		}
	}
	return err == nil
}

// Open opens a collection, to go on with it or only to read. A reader may open it
// while another process crawls; it sees what was committed before.
func Open(dir string, parse crawl.RobotsParser, readOnly bool) (*Collection, error) {
	s, err := ReadSettings(dir)
	if err != nil {
		return nil, err
	}
	c := &Collection{Dir: dir, Settings: s, readOnly: readOnly}
	if !readOnly {
		if c.lock, err = lock(dir); err != nil {
			return nil, err
		}
	}
	c.inFlight = s.Resolved().InFlight
	if err = c.journalLost(); err == nil {
		c.Journal, err = crawl.OpenJournal(c.state(), parse, readOnly)
	}
	if err != nil {
		c.unlock()
		return nil, c.opening(err)
	}
	c.opened = c.Journal.End()
	if err := c.settleChange(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	if !readOnly {
		if err := c.resumeTakedown(); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	return c, nil
}

// files returns the directory, to be used without following links.
func (c *Collection) files() durable.Dir { return durable.In(c.Dir) }

func (c *Collection) state() string { return filepath.Join(c.Dir, "state") }

// ArchiveDir is where the WARC files are.
func (c *Collection) ArchiveDir() string { return filepath.Join(c.Dir, "archive") }

// Topic returns the topic file of the collection.
func (c *Collection) Topic() ([]byte, error) {
	if c.planned != nil {
		return c.plannedTopic, nil
	}
	data, err := c.files().ReadBounded("topic.yaml", maxTopic)
	if err != nil {
		return nil, &DamageError{c.Dir, err}
	}
	return data, nil
}

// SaveSettings freezes changed settings.
func (c *Collection) SaveSettings() error { return writeSettings(c.Dir, c.Settings) }

// Load takes up the crawl: from the newest snapshot that is sound, and the journal
// after it. What a crash tore off at the end of journal and archive is cut off and
// told in Notices. What is missing and can't have been torn off by a crash is an
// [ErrDamaged], and nothing is changed.
func (c *Collection) Load(cfg crawl.Config, restore crawl.Restorer) error {
	cfg.Log = c.Journal
	cfg.Key = c.Settings.Key
	c.cfg, c.restore = cfg, restore
	if err := c.journalShort(); err != nil {
		return c.opening(err)
	}
	from, err := c.loadSnapshot(cfg)
	if err != nil {
		return err
	}
	if err := c.journalSound(from); err != nil {
		return c.opening(err)
	}
	_, cut, err := c.Crawl.Fold(c.Journal, from, restore)
	if err != nil {
		return c.opening(err)
	}
	if cut > 0 {
		c.notice("the last entry of the journal was torn: %d bytes cut off", cut)
	}
	if c.readOnly {
		return nil
	}
	if err := c.Journal.Sync(); err != nil { // what was decided again after a takedown
		return fmt.Errorf("collection: %s: %w", c.Dir, err)
	}
	return c.opening(c.recoverArchive())
}

func (c *Collection) notice(format string, args ...any) {
	c.Notices = append(c.Notices, fmt.Sprintf(format, args...))
}

func (c *Collection) unlock() {
	if c.lock != nil {
		c.lock.Close()
		c.lock = nil
	}
}

// Close closes the collection. It does not save: see Checkpoint.
func (c *Collection) Close() error {
	err := c.Journal.Close()
	c.unlock()
	return err
}

// URL returns the string of a numbered URL.
func (c *Collection) URL(id frontier.ID) dowse.URL {
	if int(id) >= c.Crawl.Frontier().Len() {
		return ""
	}
	return c.Crawl.Frontier().URL(id)
}

// Prefix is what the names of the collection's WARC files begin with.
func (c *Collection) Prefix() string {
	return strings.ToUpper(c.Settings.Name)
}
