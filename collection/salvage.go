package collection

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/goccy/go-yaml"

	"dowse/internal/durable"
)

// A Wreck is a directory that was a collection and may not be one any more.
// It is only read, never changed.
type Wreck struct {
	Dir      string
	Settings Settings // as far as they can be read
	Notes    []string // what could not be read
	Topic    []byte   // the topic file; nil if it can't be read

	// Frozen reports whether the settings could be read, Current whether they are of this
	// version.
	Frozen, Current bool
}

// OpenWreck reads the settings and the topic of a collection, of this or
// another version, as far as possible. What can't be read is recorded in
// Notes. The error is ErrLocked if a process works on it.
func OpenWreck(dir string) (*Wreck, error) {
	if _, err := durable.In(dir).ReadDir("."); err != nil {
		return nil, fmt.Errorf("collection: %w", err)
	}
	if isHeld(dir) {
		return nil, lockedError(dir)
	}
	w := &Wreck{Dir: dir}
	w.readSettings()
	topic, err := durable.In(dir).ReadFile("topic.yaml")
	if err != nil {
		w.note("topic.yaml", err)
	} else {
		w.Topic = topic
	}
	return w, nil
}

// note records a file that can't be read.
func (w *Wreck) note(name string, err error) {
	w.Notes = append(w.Notes, fmt.Sprintf("%s can't be read: %v", name, err))
}

// decodeLoosely decodes a well-formed crawl.yaml and ignores unknown keys,
// which other versions may have.
func decodeLoosely(data []byte, s *Settings) error {
	root, err := settingsNode(data)
	if err != nil {
		return err
	}
	return yaml.NodeToValue(root, s)
}

// readSettings reads crawl.yaml without checking its values, since a salvage
// checks those that it uses.
func (w *Wreck) readSettings() {
	data, err := durable.In(w.Dir).ReadFile(settingsName)
	var s Settings
	if err == nil {
		err = decodeLoosely(data, &s)
	}
	if err == nil && s.Dowse == "" {
		err = errors.New("it has no version")
	}
	if err != nil {
		w.note(settingsName, err)
		return
	}
	w.Settings, w.Frozen, w.Current = s, true, s.Dowse == format
}

// State returns the folder of the journal.
func (w *Wreck) State() string { return filepath.Join(w.Dir, "state") }

// Archive returns the folder of the WARC files.
func (w *Wreck) Archive() string { return filepath.Join(w.Dir, "archive") }

// Collection returns a collection that gives access to examples, models and
// the files of strategies. It is not open and has no journal.
func (w *Wreck) Collection() *Collection {
	return &Collection{Dir: w.Dir, Settings: w.Settings, readOnly: true}
}

// maxCopied bounds a file that is copied, in bytes.
const maxCopied = 1 << 30

// Files returns the files that the judge and the strategies use, to be
// written into another collection. What can't be read is recorded in Notes.
func (w *Wreck) Files() (list []File) {
	names := []string{ExamplesName, LockName, AnswersName, GivenModel, ModelFile(categoryModels), ModelFile(FirstModel)}
	needs, _ := filepath.Glob(filepath.Join(w.Dir, needsFolder, "*"))
	slices.Sort(needs)
	for _, path := range needs {
		names = append(names, NeedsName(filepath.Base(path)))
	}
	for _, name := range names {
		data, err := durable.In(w.Dir).ReadBounded(name, maxCopied)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			w.note(name, err)
		default:
			list = append(list, File{name, data})
		}
	}
	return list
}
