package collection

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"dowse/crawl"
	"dowse/internal/durable"
)

// FirstModel is the judge that the topic alone gives, before anybody labelled. It has a
// file only where the topic has examples.
const FirstModel = "m0000"

// A Model is a line of models/log.jsonl: a model that was taken into use, and what
// that changed. Each leaves two lines, one when it begins and one when it is done, so
// that one that was broken off can be told.
type Model struct {
	Model    string    `json:"model"`
	At       time.Time `json:"at"`
	Labels   int       `json:"labels"`   // that it was trained on
	On       int       `json:"on"`       // of them on topic
	Examples int       `json:"examples"` // of the labels, those whose page could be read: the topic's own examples come on top
	Through  int       `json:"through"`  // lines of labels.jsonl, from the first, that count for it
	Read     int       `json:"read"`     // lines of labels.jsonl when it was taken into use
	Hash     string    `json:"hash"`     // SHA-256 of the model's file; of FirstModel, of the topic
	Before   string    `json:"before"`   // the model that was in use until then
	Undo     bool      `json:"undo,omitempty"`

	// What it was trained against where too few examples are not on topic: so many
	// pages, drawn from the first Seen that were fetched, instead of everyday texts.
	Contrast int      `json:"contrast,omitempty"`
	Seen     int      `json:"seen,omitempty"`
	Instead  int      `json:"instead,omitempty"` // everyday texts that stood in before
	Zero     *float64 `json:"zero,omitempty"`    // log-odds that count as none; nil in logs of old versions

	// Grown is how many pages that were seen it was trained on as on topic, since the
	// words of the topic rate them high; 0 for a model that did not grow from words.
	Grown   int     `json:"grown,omitempty"`
	WordNet bool    `json:"wordnet,omitempty"` // a dictionary was asked what the words mean
	Meant   []Meant `json:"meant,omitempty"`   // of the words, as pages that were seen bear them out

	Done    bool    `json:"done,omitempty"`
	Pages   int     `json:"pages,omitempty"` // visited pages on which it ruled anew
	Seconds float64 `json:"seconds,omitempty"`
	crawl.Change
	Error   string `json:"error,omitempty"`   // why it was not taken into use
	Refused bool   `json:"refused,omitempty"` // nothing went wrong: the crawl made it by itself, and it seemed worse than the one in use
}

// Meant is a meaning of a word of the topic that pages of the crawl confirmed.
type Meant struct {
	Word    string   `json:"word"`
	Gloss   string   `json:"gloss"`
	Found   int      `json:"found"`   // names of kinds, instances and parts that were found on pages
	Dropped int      `json:"dropped"` // names that are as frequent where the words are not
	Names   []string `json:"names"`   // the first of those that were found
}

const modelLog = "models/log.jsonl"

// Models reads the log of the models of the collection in dir, oldest first: of each
// time that one was taken into use the last line. Lines that can't be read are passed
// over.
func Models(dir string) ([]Model, error) {
	data, err := durable.In(dir).ReadBounded(modelLog, maxLabels)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("collection: models: %w", err)
	}
	var list []Model
	for line := range bytes.Lines(data) {
		var m Model
		if json.Unmarshal(line, &m) != nil || !modelName.MatchString(m.Model) {
			continue
		}
		if n := len(list); n > 0 && list[n-1].Model == m.Model && list[n-1].At.Equal(m.At) {
			list[n-1] = m
			continue
		}
		list = append(list, m)
	}
	return list, nil
}

// LogModel adds a line to the log of models.
func LogModel(dir string, m Model) error {
	data, err := json.Marshal(m)
	if err == nil {
		err = appendSafely(dir, modelLog, append(data, '\n'), func() error { return nil })
	}
	if err != nil {
		return fmt.Errorf("collection: models: %w", err)
	}
	return nil
}

// MadeModel returns how a model was made: the line of its training. FirstModel was
// made of nothing.
func MadeModel(list []Model, name string) (Model, bool) {
	for _, m := range list {
		if m.Model == name && !m.Undo {
			return m, true
		}
	}
	return Model{Model: FirstModel}, name == FirstModel
}

// ReadBy returns how many lines of labels.jsonl the models know.
func ReadBy(list []Model) (lines int) {
	for _, m := range list {
		if m.Done {
			lines = max(lines, m.Read)
		}
	}
	return lines
}

// Untrained counts the labels that no model knows yet.
func (l *Labels) Untrained(list []Model) (n int) {
	for _, x := range l.Lines[min(ReadBy(list), len(l.Lines)):] {
		if x.IsVerdict() {
			n++
		}
	}
	return n
}

// NameModel returns the name of the model to come: after those of the log, and of the
// collection's files.
func NameModel(dir string, list []Model) (string, error) {
	names, err := (&Collection{Dir: dir}).models()
	if err != nil {
		return "", err
	}
	for _, m := range list {
		names = append(names, m.Model)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return nextModel(names), nil
}

// modelFile returns the name of a model's file in a collection, checked.
func modelFile(name string) (string, error) {
	if !modelName.MatchString(name) {
		return "", fmt.Errorf("collection: %q is not the name of a model, as m0003", name)
	}
	return ModelFile(name), nil
}

// SaveModel writes a model down, synced, and returns its hash.
func SaveModel(dir, name string, data []byte) (hash string, err error) {
	file, err := modelFile(name)
	if err != nil {
		return "", err
	}
	if err := durable.In(dir).Mkdir("models"); err != nil {
		return "", fmt.Errorf("collection: %w", err)
	}
	return hashModel(data), writeWhole(dir, file, data)
}

// LoadModel reads what SaveModel wrote, and checks it against its hash.
func LoadModel(dir, name, hash string) ([]byte, error) {
	file, err := modelFile(name)
	if err != nil {
		return nil, err
	}
	data, err := durable.In(dir).ReadBounded(file, maxLabels)
	if err != nil {
		return nil, fmt.Errorf("collection: %w", err)
	}
	if got := hashModel(data); hash != "" && got != hash {
		return nil, fmt.Errorf("collection: %s is not the model that was trained: its hash is %s, not %s; bring it back from a copy, or go back to another model", durable.In(dir).Path(file), got, hash)
	}
	return data, nil
}

// hashModel returns the hash of a model's file.
func hashModel(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
