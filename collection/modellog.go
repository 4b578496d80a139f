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

// FirstModel names the judge that the topic alone gives, before any page was
// labelled. It has a file only if the topic has examples.
const FirstModel = "m0000"

// A Model is one line of models/log.jsonl: a model and the change that its
// use made. Each use of a model leaves two lines, one when it begins and one
// with Done when it is complete. A first line without a second shows a use
// that was interrupted.
type Model struct {
	Model string    `json:"model"`
	At    time.Time `json:"at"`
	// Labels is how many labels the model was trained on, On how many of
	// them are on topic.
	Labels int `json:"labels"`
	On     int `json:"on"`
	// Examples counts the labels whose page could be read. The examples of
	// the topic are not included.
	Examples int `json:"examples"`
	// Through is how many lines of labels.jsonl, from the first, count for
	// the model. Read is how many there were when it was put into use.
	Through int `json:"through"`
	Read    int `json:"read"`
	// Hash is the SHA-256 of the file of the model; for FirstModel that of
	// the topic.
	Hash string `json:"hash"`
	// Before is the model that was in use until then.
	Before string `json:"before"`
	Undo   bool   `json:"undo,omitempty"`

	// Contrast is how many pages of the crawl served as negative examples
	// because the topic has too few. They were drawn from the first Seen
	// fetched pages.
	Contrast int `json:"contrast,omitempty"`
	Seen     int `json:"seen,omitempty"`
	// Instead is how many everyday texts served as negative examples before.
	Instead int `json:"instead,omitempty"`
	// Zero is the log-odds value that counts as neutral; nil in logs of old
	// versions.
	Zero *float64 `json:"zero,omitempty"`
	// Temperature divides the log-odds of the judge with the model; 0 in logs
	// of old versions, and for models that need none.
	Temperature float64 `json:"temperature,omitempty"`

	// Grown is how many pages of the crawl were positive examples because the
	// words of the topic rate them high; 0 for a model that did not grow from
	// words.
	Grown int `json:"grown,omitempty"`
	// WordNet reports that a dictionary was consulted for the meanings of the
	// words, and Meant lists the meanings that pages of the crawl confirmed.
	WordNet bool    `json:"wordnet,omitempty"`
	Meant   []Meant `json:"meant,omitempty"`

	Done bool `json:"done,omitempty"`
	// Pages counts the visited pages with a new verdict.
	Pages int `json:"pages,omitempty"`
	// OnTopic is how many pages were on topic when the model had been put into use, and WasOnTopic how
	// many were before; 0 in logs of old versions.
	OnTopic    int `json:"on_topic,omitempty"`
	WasOnTopic int `json:"was_on_topic,omitempty"`
	// Unread counts the pages whose records can't be read: the model learnt nothing from them, and they
	// keep their verdicts.
	Unread  int     `json:"unread,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
	crawl.Change
	// Error is why the model was not put into use.
	Error string `json:"error,omitempty"`
	// Refused marks a model that was not put into use because it seems worse
	// than the one in use, or changes many verdicts. That is not a failure.
	Refused bool `json:"refused,omitempty"`
	// Flips is how many unlabelled pages would change sides under a model that
	// was refused because there are too many.
	Flips int `json:"flips,omitempty"`
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

// Models returns the log of models of the collection in dir, oldest first,
// with the last line of each use. Lines that can't be decoded are skipped.
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

// LogModel appends a line to the log of models and syncs it.
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

// MadeModel returns the line of the training of a model. FirstModel has no
// line and is always found.
func MadeModel(list []Model, name string) (Model, bool) {
	for _, m := range list {
		if m.Model == name && !m.Undo {
			return m, true
		}
	}
	return Model{Model: FirstModel}, name == FirstModel
}

// ModelBefore returns the model that was in use when the named one was trained and put into use. The returns to earlier
// models since then change nothing about it, so going from a model to the one before leads to FirstModel without a
// cycle, and never to a model that had been left by an undo when the named one was trained.
func ModelBefore(list []Model, name string) string {
	made, _ := MadeModel(list, name)
	return cmp.Or(made.Before, FirstModel)
}

// ReadBy returns how many lines of labels.jsonl the completed models have
// taken into account.
func ReadBy(list []Model) (lines int) {
	for _, m := range list {
		if m.Done {
			lines = max(lines, m.Read)
		}
	}
	return lines
}

// Untrained counts the labels that no model has taken into account. A skip counts
// only if it withdraws a label: a page that was only looked at teaches nothing. A
// return to an earlier model trains on nothing, so labels that it keeps still count, and so do those of a training that
// failed.
func (l *Labels) Untrained(list []Model) (n int) {
	trained := slices.DeleteFunc(slices.Clone(list), func(m Model) bool { return m.Undo || m.Error != "" && !m.Refused })
	read, carriedOut := min(ReadBy(trained), len(l.Lines)), ReadBy(list)
	at := standing(l.Lines[:read])
	for i, x := range l.Lines[read:] {
		switch _, labelled := at[x.URL]; {
		case x.Do == DoUndo:
			at = standing(l.Lines[:read+i+1])
			if x.Since < 1 && read+i < carriedOut {
				n = 0
			}
		case !x.IsVerdict():
		case x.Label != LabelSkip:
			at[x.URL] = x
			n++
		case labelled:
			delete(at, x.URL)
			n++
		}
	}
	return n
}

// NameModel returns the name of the next model. It follows the highest
// number in the log and among the files, so that a name is never used twice.
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

// modelFile returns the file of a model, or an error for a name that is not
// that of a model. The check keeps a name from a label from becoming a path.
func modelFile(name string) (string, error) {
	if !modelName.MatchString(name) {
		return "", fmt.Errorf("collection: %q is not the name of a model, as m0003", name)
	}
	return ModelFile(name), nil
}

// SaveModel writes a model, synced, and returns its hash.
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

// LoadModel reads what SaveModel wrote. If hash is not "", a file with
// another hash is a DamageError: a changed model would give other verdicts than
// those in the journal.
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
		return nil, &DamageError{dir, fmt.Errorf("%s is not the model that was trained: its hash is %s, not %s; bring it back from a copy, or go back to another model", file, got, hash)}
	}
	return data, nil
}

// hashModel returns the SHA-256 of the file of a model in hexadecimal.
func hashModel(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
