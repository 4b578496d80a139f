package outside

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"dowse/internal/durable"
)

// A key tells questions apart: by whom is asked and by what is told of the page but
// for its URL, so that the same text elsewhere is not asked again.
type key [16]byte

func keyOf(name string, q Question) (k key) {
	h := sha256.New()
	fmt.Fprintf(h, "%d %d %d ", len(name), len(q.Title), len(q.Text))
	io.WriteString(h, name+q.Title+q.Text)
	copy(k[:], h.Sum(nil))
	return k
}

// An answerLine is an answer as it is kept: with all that was sent, since it is an
// example to learn from again.
type answerLine struct {
	Judge string `json:"judge"`
	URL   string `json:"url"`
	Title string `json:"title"`
	Text  string `json:"text"`
	Answer
}

// An answerFile keeps answers, a line of JSON to each. What a crash left of a last
// line is passed over, as is any other line that is none.
type answerFile struct{ f *durable.File }

// maxAnswerLine is how long a line may be, in bytes.
const maxAnswerLine = 1 << 20

// openAnswers opens or makes the file, and hands each answer in it to each.
func openAnswers(path string, each func(answerLine)) (*answerFile, error) {
	f, err := durable.In(filepath.Dir(path)).Ensure(filepath.Base(path))
	if err != nil {
		return nil, err
	}
	if err := readAnswers(f, each); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	a := &answerFile{f}
	if err := a.endLine(); err != nil {
		f.Close()
		return nil, err
	}
	return a, nil
}

func readAnswers(r io.Reader, each func(answerLine)) error {
	in := bufio.NewReaderSize(r, maxAnswerLine)
	for {
		line, err := in.ReadSlice('\n')
		for errors.Is(err, bufio.ErrBufferFull) { // too long to be ours
			line = nil
			_, err = in.ReadSlice('\n')
		}
		var l answerLine
		if len(bytes.TrimSpace(line)) > 0 && json.Unmarshal(line, &l) == nil {
			if a, unsound := sound(l.Answer); unsound == nil && l.Judge != "" {
				l.Answer = a
				each(l)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// endLine goes to the end of the file, and ends a line that was broken off.
func (a *answerFile) endLine() error {
	size, err := a.f.Seek(0, io.SeekEnd)
	if err != nil || size == 0 {
		return err
	}
	var last [1]byte
	if _, err := a.f.ReadAt(last[:], size-1); err != nil || last[0] == '\n' {
		return err
	}
	_, err = a.f.Write([]byte("\n"))
	return err
}

// add appends an answer, in one write.
func (a *answerFile) add(l answerLine) error {
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	_, err = a.f.Write(append(data, '\n'))
	return err
}

func (a *answerFile) close() error { return a.f.Close() }
