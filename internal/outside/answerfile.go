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

// A key identifies a question: by the name of the judge and by what is sent,
// except the URL, so that the same text elsewhere is not asked about again.
type key [16]byte

// keyOf hashes a question. The lengths come first, so that no two questions
// have the same bytes.
func keyOf(name string, q Question) (k key) {
	h := sha256.New()
	fmt.Fprintf(h, "%d %d %d ", len(name), len(q.Title), len(q.Text))
	io.WriteString(h, name+q.Title+q.Text)
	copy(k[:], h.Sum(nil))
	return k
}

// An answerLine is a stored answer: with everything that was sent, because it
// is a training example, too.
type answerLine struct {
	Judge string `json:"judge"`
	URL   string `json:"url"`
	Title string `json:"title"`
	Text  string `json:"text"`
	Answer
}

// An answerFile stores answers, one line of JSON each. A last line that a crash
// cut off is skipped, and so is every other line that is not an answer.
//
// A line is the answer together with the question and the name of the judge:
//
//	{"judge": "exec rate.py", "url": "…", "title": "…", "text": "…", "score": 0.9}
//
// Lines of other judges stay in the file and are ignored, so that a user can
// switch judges and come back.
type answerFile struct{ f *durable.File }

// maxAnswerLine is the length that a line may have, in bytes.
const maxAnswerLine = 1 << 20

// openAnswers opens or creates the file, and calls each with every answer in
// it.
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

// readAnswers calls each with every valid answer of a file.
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

// endLine seeks to the end of the file, and ends a line that was cut off.
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

// add appends an answer with one write.
func (a *answerFile) add(l answerLine) error {
	data, err := json.Marshal(l)
	if err != nil {
		return err
	}
	_, err = a.f.Write(append(data, '\n'))
	return err
}

func (a *answerFile) close() error { return a.f.Close() }
