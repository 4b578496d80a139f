package collection

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"

	"github.com/goccy/go-yaml"
)

// A change of the threshold, the scope or the topic revises decisions of a
// crawl, so it concerns several files: the journal, crawl.yaml, topic.yaml, and
// the examples and models that belong to the topic. No file system replaces
// several files in one step, so the change is written as a plan first, in
// changeName. The change takes effect with the entry in the
// journal that completes the revised decisions. If a crash leaves the plan with
// that entry, the next opening completes the change; if it leaves the plan
// without the entry, the next opening drops the plan. So after a crash the
// collection is entirely in its old state or entirely in its new one.
const changeName = "state/change.json"

// A plan is a change in progress, as changeName holds it.
type plan struct {
	// After is where the journal ended when the plan was written. The change is
	// in effect if the journal has a ruling at or after this offset.
	After uint64 `json:"after"`
	// Settings and Topic are the new texts of crawl.yaml and topic.yaml.
	Settings string `json:"settings"`
	Topic    string `json:"topic"` // topic.yaml as it is to be
	// Files are the examples and models that belong to the new topic. One without
	// content is removed.
	Files map[string][]byte `json:"files,omitempty"`
}

// ofTopic are the files that belong to the topic: a new topic replaces or
// removes all of them.
var ofTopic = []string{ExamplesName, LockName, GivenModel, ModelFile(categoryModels), ModelFile(FirstModel)}

// maxPlan bounds the plan in bytes.
const maxPlan = 2*(maxSettings+maxTopic) + 64<<20

// BeginChange writes the plan of a change to new settings and a new topic. All
// earlier entries must be committed before the call, and the entries that revise
// the decisions must follow it. From now on c returns the topic, examples and
// models of the plan.
//
// The files are the examples and models of the topic; those of the old topic are
// removed. With nil files these stay as they are. Settings that fail their check
// are refused and nothing is written.
func (c *Collection) BeginChange(s Settings, topic []byte, files []File) error {
	if err := s.Check(); err != nil {
		return fmt.Errorf("collection: %w", err)
	}
	replaced, err := replacement(files)
	if err != nil {
		return err
	}
	text, err := yaml.Marshal(s)
	if err != nil {
		return fmt.Errorf("collection: settings: %w", err)
	}
	data, err := json.Marshal(plan{c.Journal.End(), string(text), string(topic), replaced})
	if err != nil {
		return fmt.Errorf("collection: %w", err)
	}
	if len(data) > maxPlan {
		return fmt.Errorf("collection: the examples of the topic are too large to replace those of a crawl: %d bytes", len(data))
	}
	if err := writeWhole(c.Dir, changeName, data); err != nil {
		return err
	}
	c.planned, c.plannedTopic, c.plannedFiles = &s, topic, replaced
	return nil
}

// replacement returns the files of a new topic by name. Those that it does not have
// are without content, and are removed. It returns nil for nil files.
func replacement(files []File) (map[string][]byte, error) {
	if files == nil {
		return nil, nil
	}
	all := map[string][]byte{}
	for _, name := range ofTopic {
		all[name] = nil
	}
	for _, f := range files {
		if _, known := all[f.Name]; !known {
			return nil, fmt.Errorf("collection: %s does not belong to a topic", f.Name)
		}
		all[f.Name] = f.Data
	}
	return all, nil
}

// EndChange replaces the files of the topic, then topic.yaml, then crawl.yaml, and
// removes the plan last. The
// entries that revise the decisions must be committed before the call. Each step
// can be repeated, so a crash in between is repaired by the next opening.
func (c *Collection) EndChange() error {
	c.Settings = *c.planned
	for _, name := range slices.Sorted(maps.Keys(c.plannedFiles)) {
		if err := c.replaceFile(name, c.plannedFiles[name]); err != nil {
			return err
		}
	}
	if err := writeWhole(c.Dir, "topic.yaml", c.plannedTopic); err != nil {
		return err
	}
	if err := c.SaveSettings(); err != nil {
		return err
	}
	return c.DropChange()
}

// replaceFile writes a file, or removes it if there is no content.
func (c *Collection) replaceFile(name string, data []byte) error {
	if data != nil {
		if err := c.files().Mkdir(path.Dir(name)); err != nil {
			return fmt.Errorf("collection: %w", err)
		}
		return writeWhole(c.Dir, name, data)
	}
	if err := c.files().Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("collection: %w", err)
	}
	return nil
}

// DropChange removes the plan. It is called for a change that has no entry in
// the journal, and as the last step of one that is complete. It is not an error
// if there is no plan.
func (c *Collection) DropChange() error {
	c.planned, c.plannedTopic, c.plannedFiles = nil, nil, nil
	if err := c.files().Remove(changeName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("collection: %w", err)
	}
	return nil
}

// settleChange completes or drops a change that a crash interrupted. A reader
// must not change files: if the change is in effect it uses the planned settings
// and topic from memory.
func (c *Collection) settleChange() error {
	p, err := c.readPlan()
	if p == nil || err != nil {
		return err
	}
	if !c.Journal.RuledAfter(p.After) {
		if c.readOnly {
			return nil
		}
		return c.DropChange()
	}
	s, err := decodeSettings(c.Dir, []byte(p.Settings))
	if err != nil {
		return err
	}
	c.planned, c.plannedTopic, c.plannedFiles = &s, []byte(p.Topic), p.Files
	if c.readOnly {
		c.Settings = s
		return nil
	}
	return c.EndChange()
}

// readPlan returns the plan of a change, nil if there is none. A plan that can't
// be decoded is a DamageError: ignoring it could leave the journal and the
// settings inconsistent.
func (c *Collection) readPlan() (*plan, error) {
	data, err := c.files().ReadBounded(changeName, maxPlan)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &DamageError{c.Dir, err}
	}
	p := &plan{}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	err = dec.Decode(p)
	switch {
	case err != nil:
	case len(p.Topic) > maxTopic:
		err = fmt.Errorf("its topic is longer than %d bytes", maxTopic)
	default:
		for _, name := range slices.Sorted(maps.Keys(p.Files)) {
			if !slices.Contains(ofTopic, name) {
				err = fmt.Errorf("%q is no file of a topic", name)
				break
			}
		}
	}
	if err != nil {
		return nil, &DamageError{c.Dir, fmt.Errorf("%s: %w: %w; remove the file to go on without the change", changeName, errPlan, err)}
	}
	return p, nil
}

// errPlan is the problem of a plan that can't be decoded.
var errPlan = errors.New("not the plan of a change")
