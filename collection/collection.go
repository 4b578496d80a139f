package collection

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"dowse"
	"dowse/crawl"
	"dowse/internal/archive"
	"dowse/internal/durable"
	"dowse/internal/frontier"
	"dowse/internal/requisite"
)

// A Collection is an open directory. It is not safe for concurrent use: while a
// crawl runs in it, only the loop of that crawl may call its methods.
//
// A Collection that was opened to write holds the lock of the directory until
// Close, so there is at most one writer. Readers take no lock and see what was
// committed before they opened.
type Collection struct {
	Dir      string
	Settings Settings
	Journal  *crawl.Journal
	// Crawl is nil until Load. Lists, explanations and exports need it.
	Crawl *crawl.Crawl
	// Notices are messages for a person about the opening and about exports,
	// such as torn ends that were cut off.
	Notices []string
	// Copy is the process of the standby that kept the directory as a copy when it was opened to be
	// read; 0 for none.
	Copy int
	// Unread is what lists and exports passed over because it can't be read.
	Unread Unread

	// History is how many bytes of the journal an explanation reads or decides again. Beyond it the
	// explanation is Partial. Default 128 MB, and no bound for deciding again.
	History uint64

	// Writer appends to the archive while the collection is being crawled; nil
	// otherwise. Summarise takes the new lines of the index from it instead of
	// reading the archive again.
	Writer *archive.Writer

	// cfg and restore are the arguments of Load. Explanations fold the journal
	// with them once more.
	cfg      crawl.Config
	restore  crawl.Restorer
	readOnly bool
	// opened is where the journal ended when the collection was opened.
	opened uint64
	// inFlight is how many visits could be in flight under the settings as they
	// were at the opening. It bounds what a crash can have left uncommitted.
	inFlight int
	lock     *durable.File

	// Lost is why the strategy of the crawl can't be made: mostly a file that it needs is missing or damaged. It is set by
	// whoever opens the collection to read it, and nil for a crawl that can go on.
	Lost error

	// planned, plannedTopic and plannedFiles are those of a change in progress,
	// see BeginChange; nil if there is none.
	planned      *Settings
	plannedTopic []byte
	plannedFiles map[string][]byte

	// saving is a save of the state that is under way, see Checkpoint.
	saving sync.WaitGroup

	// ended is an interrupted takedown that was completed when the collection
	// was opened; nil if there was none.
	ended *takedown
	// originals are the places of archived responses by record ID. They are
	// found when a revisit first needs them, see findOriginals.
	originals map[string]dowse.Place
	seeking   sync.Mutex // held while originals are looked for
	// usages are what hosts reserve in robots.txt and tdmrep.json, see usesOf.
	usages map[frontier.HostID]hostUses
	// tdm are the lines of the requisites that are tdmrep.json files, see tdmOf; nil until
	// they are needed.
	tdm map[dowse.URL]*requisite.Line
}

// folders are the folders that every collection has.
var folders = []string{"archive", "indexes", "pages", "models", "state", "log"}

// needsFolder holds the copies of the files that strategies use. It exists only
// if there are any.
const needsFolder = "needs"

// NeedsName returns the name within a collection of a file that strategies use,
// see [Needs].
func NeedsName(name string) string { return needsFolder + "/" + name }

// ErrMake is returned by [Create] for a directory in which no collection can be
// created.
var ErrMake = errors.New("a collection can't be made there; choose another place")

// Create creates a collection and opens it to write. The directory may be absent
// or empty, or hold what an interrupted Create left. It must not hold anything
// else: Create never mixes with files of others. The files are those that belong
// to the collection from the beginning, such as examples and models; one whose
// name the layout does not know is refused.
//
// The settings are written last. A directory with settings is a collection, so a
// crash before that leaves a directory in which Create can begin again.
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

// Unfinished reports whether a directory is absent or empty, or holds nothing
// but what Create, or a copy, writes before anything else, as after a kill. Create can begin
// there again without losing anything. A directory that can't be read is an
// error, since it may hold anything.
func Unfinished(dir string) (bool, error) {
	names, err := durable.In(dir).ReadDir(".")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err // it may hold anything
	}
	for _, n := range names {
		switch name := n.Name(); {
		case name == lockName: // of a process that was killed before it wrote anything
		case name == copyMark || name == copyMark+durable.Temporary || slices.Contains(madeFirst, strings.TrimSuffix(name, durable.Temporary)):
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

// A File is one to be written into a collection when it is created.
type File struct {
	// Name is relative to the collection, with forward slashes.
	Name string
	Data []byte
}

// madeFirst are the files that Create writes before the settings.
var madeFirst = []string{"topic.yaml", ExamplesName, LockName}

// onlyModels reports whether a folder holds nothing but models that Create can
// have written.
func onlyModels(dir string) bool {
	files, err := durable.Inner(dir).ReadDir(".")
	for _, f := range files {
		if !belongs("models/" + strings.TrimSuffix(f.Name(), ".tmp")) {
			return false
		}
	}
	return err == nil
}

// Open opens a collection, to write or only to read. The error is [ErrLocked] if
// another process has it open to write, a [DamageError] if something is missing
// that no crash removes, and a [FormatError] if another version wrote it.
//
// Opening to write completes what a crash interrupted: a change of the settings
// and a takedown. Opening to read changes no file; a reader may open a
// collection while another process crawls, and sees what was committed before.
// The crawl itself is not restored until [Collection.Load].
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
	} else if isHeld(dir) && lockHas(dir, lockCopy) {
		c.Copy, _ = readLock(dir)
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

// files returns the directory of the collection. Access through it never follows
// symbolic links, since a collection may come from elsewhere.
func (c *Collection) files() durable.Dir { return durable.In(c.Dir) }

// state returns the folder of the journal and the snapshots.
func (c *Collection) state() string { return filepath.Join(c.Dir, "state") }

// ArchiveDir returns the folder of the WARC files.
func (c *Collection) ArchiveDir() string { return filepath.Join(c.Dir, "archive") }

// Topic returns the text of the topic file. During a change of the topic it is
// the new one.
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

// SaveSettings replaces crawl.yaml with the current Settings, after checking
// them.
func (c *Collection) SaveSettings() error { return writeSettings(c.Dir, c.Settings) }

// Load restores the crawl from the newest sound snapshot and folds the journal
// after it. restore gives strategies that read the text of pages their documents
// back; it may be nil for others.
//
// A torn entry at the end of the journal, and records at the end of the archive
// that were never committed, are what a crash leaves. They are cut off and
// reported in Notices. Anything else that is missing is an [ErrDamaged], and
// then nothing is changed. A reader cuts nothing off.
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
	if c.readOnly {
		return nil
	}
	tail, err := c.unknownTail()
	if err != nil {
		return c.opening(err)
	}
	if err := c.Journal.Sync(); err != nil { // cuts the torn end, and adds what was decided again after a takedown
		return fmt.Errorf("collection: %s: %w", c.Dir, err)
	}
	if cut > 0 {
		c.notice("the last entry of the journal was torn: %d bytes cut off", cut)
	}
	return c.opening(c.recoverArchive(tail))
}

// notice adds a message to Notices.
func (c *Collection) notice(format string, args ...any) {
	c.Notices = append(c.Notices, fmt.Sprintf(format, args...))
}

// unlock releases the lock of a writer; it does nothing for a reader.
func (c *Collection) unlock() {
	if c.lock != nil {
		c.lock.Close()
		c.lock = nil
	}
}

// Close closes the journal and releases the lock. It does not save the state:
// call [Collection.Checkpoint] before it. Without a checkpoint nothing is lost,
// but the next opening folds more of the journal.
func (c *Collection) Close() error {
	err := c.Journal.Close()
	c.unlock()
	return err
}

// URL returns the string of a numbered URL. It is "" for a number that the crawl
// does not have, which a damaged journal can contain, and for a URL that was
// taken down.
func (c *Collection) URL(id frontier.ID) dowse.URL {
	if int(id) >= c.Crawl.Frontier().Len() {
		return ""
	}
	return c.Crawl.Frontier().URL(id)
}

// Prefix returns the beginning of the names of the WARC files.
func (c *Collection) Prefix() string {
	return strings.ToUpper(c.Settings.Name)
}
