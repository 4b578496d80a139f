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

// An Example is a page that the judge was trained on. The collection keeps its
// text, so that the judge can be trained again when the page itself is gone from
// the web.
type Example struct {
	URL      string `json:"url,omitempty"`
	Relevant bool   `json:"relevant"`
	// Contrast marks a negative example that was chosen by the program, because
	// no person had labelled enough pages off topic.
	Contrast bool `json:"contrast,omitempty"`
	// Source is the example as the topic file names it.
	Source      string    `json:"source,omitempty"`
	Title       string    `json:"title,omitempty"`
	Description string    `json:"description,omitempty"`
	Keywords    string    `json:"keywords,omitempty"`
	Language    string    `json:"language,omitempty"`
	Text        string    `json:"text"`
	SHA256      string    `json:"sha256,omitempty"`
	Fetched     time.Time `json:"fetched,omitzero"`
}

// The files that hold the training data of a judge.
const (
	ExamplesName = "examples.jsonl.zst"
	LockName     = "topic.lock"
	// AnswersName holds the answers of an outside judge.
	AnswersName = "answers.jsonl"
	// GivenModel is the copy of the model that the topic names.
	GivenModel = "models/given.json"
)

// Limits for reading examples, in bytes after decompression: one example, and
// all of them. They bound what a small compressed file can expand to.
const (
	maxExampleLine = 32 << 20
	maxExamples    = 512 << 20
)

// EncodeExamples returns examples as ExamplesName holds them: one JSON object
// per line, compressed with zstd. The same list always gives the same bytes.
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

// Examples returns the examples that the judge was trained on. There are none if
// the topic consists of words alone.
func (c *Collection) Examples() ([]Example, error) {
	planned, ok := c.plannedFiles[ExamplesName]
	if ok && planned == nil {
		return nil, nil
	}
	var from io.Reader = bytes.NewReader(planned)
	if !ok {
		f, err := c.files().Open(ExamplesName)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("collection: %w", err)
		}
		defer f.Close()
		from = f
	}
	list, err := DecodeExamples(from)
	if err != nil {
		return nil, fmt.Errorf("collection: %s: %w", ExamplesName, err)
	}
	return list, nil
}

// DecodeExamples reads what [EncodeExamples] wrote. It stops at the first line
// that can't be decoded: a judge that is trained on fewer examples would be
// another judge.
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
