package collection

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/goccy/go-yaml"
)

// A change of the threshold, the scope or the topic decides a crawl again, and so it concerns
// three files: the journal, crawl.yaml and topic.yaml. A plan of it is written first. The
// change is made by the entry of the journal that closes what was decided again: with it
// the plan holds, and without it the plan is dropped. So a crash leaves the collection as it
// was, or as it is to be.
const changeName = "state/change.json"

// A plan is a change that is being made.
type plan struct {
	After    uint64 `json:"after"`    // the change is made if the journal decides again from this place on
	Settings string `json:"settings"` // crawl.yaml as it is to be
	Topic    string `json:"topic"`    // topic.yaml as it is to be
}

// BeginChange writes the plan of a change to other settings and another topic. Everything
// before it must be committed; what decides the crawl again must follow.
func (c *Collection) BeginChange(s Settings, topic []byte) error {
	if err := s.Check(); err != nil {
		return fmt.Errorf("collection: %w", err)
	}
	text, err := yaml.Marshal(s)
	if err != nil {
		return fmt.Errorf("collection: settings: %w", err)
	}
	data, err := json.Marshal(plan{c.Journal.End(), string(text), string(topic)})
	if err != nil {
		return fmt.Errorf("collection: %w", err)
	}
	if err := writeWhole(c.Dir, changeName, data); err != nil {
		return err
	}
	c.planned, c.plannedTopic = &s, topic
	return nil
}

// EndChange makes the planned settings and topic those of the collection, after the entries
// that decided it again are committed.
func (c *Collection) EndChange() error {
	c.Settings = *c.planned
	if err := writeWhole(c.Dir, "topic.yaml", c.plannedTopic); err != nil {
		return err
	}
	if err := c.SaveSettings(); err != nil {
		return err
	}
	return c.DropChange()
}

// DropChange gives up a change of which the journal has no entry, or ends one that was made.
func (c *Collection) DropChange() error {
	c.planned, c.plannedTopic = nil, nil
	if err := c.files().Remove(changeName); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("collection: %w", err)
	}
	return nil
}

// settleChange finds out what became of a change that a crash may have interrupted. A reader
// changes no file: it goes by the plan, if that holds.
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
	c.planned, c.plannedTopic = &s, []byte(p.Topic)
	if c.readOnly {
		c.Settings = s
		return nil
	}
	return c.EndChange()
}

// readPlan returns the plan of a change, nil for none.
func (c *Collection) readPlan() (*plan, error) {
	data, err := c.files().ReadBounded(changeName, 2*(maxSettings+maxTopic))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &DamageError{c.Dir, err}
	}
	p := &plan{}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(p); err != nil || len(p.Topic) > maxTopic {
		return nil, &DamageError{c.Dir, fmt.Errorf("%s: %w", changeName, errors.Join(err, errPlan))}
	}
	return p, nil
}

var errPlan = errors.New("not the plan of a change; remove the file to go on without the change")
