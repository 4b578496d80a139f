package collection

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/klauspost/compress/zstd"
)

// An Example is a page that the crawl's judge was made from, as the collection keeps
// it, so that it can be made again when the page itself is gone.
type Example struct {
	URL         string    `json:"url,omitempty"`
	Relevant    bool      `json:"relevant"`
	Contrast    bool      `json:"contrast,omitempty"` // nobody said that it is off topic: it stands in
	Source      string    `json:"source,omitempty"`   // as the topic names it
	Title       string    `json:"title,omitempty"`
	Description string    `json:"description,omitempty"`
	Keywords    string    `json:"keywords,omitempty"`
	Language    string    `json:"language,omitempty"`
	Text        string    `json:"text"`
	SHA256      string    `json:"sha256,omitempty"`
	Fetched     time.Time `json:"fetched,omitzero"`
}

// The files that hold what a judge was made from.
const (
	ExamplesName = "examples.jsonl.zst"
	LockName     = "topic.lock"
	AnswersName  = "answers.jsonl"     // of the outside judge
	GivenModel   = "models/given.json" // the model that the topic names
)

const (
	maxExampleLine = 32 << 20  // bytes of an example
	maxExamples    = 512 << 20 // bytes of all of them
)

// EncodeExamples writes examples as they stand in a collection.
func EncodeExamples(list []Example) ([]byte, error) {
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("collection: %w", err)
	}
	e := json.NewEncoder(z)
	e.SetEscapeHTML(false)
	for i := range list {
		if err := e.Encode(&list[i]); err != nil {
			return nil, errors.Join(fmt.Errorf("collection: example %s: %w", list[i].URL, err), z.Close())
		}
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("collection: %w", err)
	}
	return b.Bytes(), nil
}

// Examples returns what the collection's judge was made from beside its topic; none if
// that is words alone.
func (c *Collection) Examples() ([]Example, error) {
	f, err := c.files().Open(ExamplesName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("collection: %w", err)
	}
	defer f.Close()
	list, err := DecodeExamples(f)
	if err != nil {
		return nil, fmt.Errorf("collection: %s: %w", ExamplesName, err)
	}
	return list, nil
}

// DecodeExamples reads what [EncodeExamples] wrote.
func DecodeExamples(r io.Reader) (list []Example, err error) {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(64<<20))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	lines := bufio.NewScanner(io.LimitReader(z, maxExamples))
	lines.Buffer(nil, maxExampleLine)
	for n := 1; lines.Scan(); n++ {
		var e Example
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		list = append(list, e)
	}
	return list, lines.Err()
}
