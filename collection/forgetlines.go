package collection

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"strings"

	"dowse"
)

// lines removes what was written about the pages from the files that are neither the
// journal nor made from it: labels, answers of an outside judge, training links
// and examples.
func (t *takedown) lines() (err error) {
	if t.out.Labels, err = t.blank(labelsName, t.unlabel); err != nil {
		return err
	}
	if _, err = t.blank(AnswersName, t.unanswer); err != nil {
		return err
	}
	if err := t.needs(); err != nil {
		return err
	}
	return t.examples()
}

// needs blanks the training links that name one of the pages. Other files that
// strategies use were given by a person and have no lines to blank; if one names
// a page, a note reports that.
func (t *takedown) needs() error {
	files, err := t.c.files().ReadDir(needsFolder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, f := range files {
		if err != nil {
			break
		}
		name := NeedsName(f.Name())
		if strings.HasSuffix(name, ".tsv") {
			_, err = t.blank(name, t.mentions)
			continue
		}
		var data []byte
		if data, err = t.c.readFile(name); err == nil && t.inText(data) {
			t.out.Notes = append(t.out.Notes, name+" names a page that was taken down: it was given from outside; begin a crawl without it if it must go")
		}
	}
	return err
}

// mentions reports whether a line has the URL of a page as one of its fields.
// Nothing of such a line remains.
func (t *takedown) mentions(line []byte) (rest []byte, ok bool) {
	for field := range bytes.SplitSeq(line, []byte{'\t'}) {
		if t.names(string(bytes.TrimSpace(field))) {
			return nil, true
		}
	}
	return nil, false
}

// inText reports whether a text contains the URL of a page as a quoted string.
// The quotes keep a longer URL that begins with it from matching.
func (t *takedown) inText(data []byte) bool {
	for u := range t.urls {
		if bytes.Contains(data, []byte(`"`+string(u)+`"`)) {
			return true
		}
	}
	return false
}

// blank overwrites the lines for which left reports true with what left returns,
// and returns their number. A line keeps its position and length, filled up with
// spaces: models refer to lines by number, and other processes may be appending.
// The file is locked against these, and synced at the end.
func (t *takedown) blank(name string, left func(line []byte) (rest []byte, ok bool)) (n int, err error) {
	f, err := t.c.files().Edit(name)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := awaitLock(f); err != nil {
		return 0, err
	}
	at, in := int64(0), bufio.NewReader(f)
	for {
		line, err := in.ReadBytes('\n')
		text := bytes.TrimRight(line, "\r\n")
		if rest, ok := left(text); ok {
			n++
			if _, err := f.WriteAt(padded(rest, len(text)), at); err != nil {
				return n, err
			}
		}
		at += int64(len(line))
		if err == io.EOF {
			return n, f.Sync()
		}
		if err != nil {
			return n, err
		}
	}
}

// padded returns a text filled up with spaces to n bytes; a text that is too
// long is replaced by spaces.
func padded(text []byte, n int) []byte {
	if len(text) > n {
		text = nil
	}
	return append(bytes.Clone(text), bytes.Repeat([]byte{' '}, n-len(text))...)
}

// unlabel returns what remains of a line of labels.jsonl about one of the pages:
// that something was forgotten and, for an audit, the number of pages it was
// drawn from.
func (t *takedown) unlabel(line []byte) (rest []byte, ok bool) {
	var x Label
	if !t.about(line, &x, &x.URL) {
		return nil, false
	}
	rest, err := json.Marshal(Label{Do: doForgotten, Queue: x.Queue, Of: x.Of})
	if err != nil || len(rest) > len(line) {
		rest = []byte(`{"do":"` + doForgotten + `"}`)
	}
	return rest, true
}

// unanswer reports whether a line of answers.jsonl is about one of the pages.
// Nothing of such a line remains.
func (t *takedown) unanswer(line []byte) (rest []byte, ok bool) {
	var x struct {
		URL dowse.URL `json:"url"`
	}
	return nil, t.about(line, &x, &x.URL)
}

// about decodes a line and reports whether it is about one of the pages. A line
// that can't be decoded is, if it contains the URL of one anywhere.
func (t *takedown) about(line []byte, into any, u *dowse.URL) bool {
	if len(line) == 0 {
		return false
	}
	if json.Unmarshal(line, into) == nil {
		return *u != "" && t.names(string(*u))
	}
	for u := range t.urls {
		if bytes.Contains(line, []byte(u)) {
			return true
		}
	}
	return false
}

// names reports whether a URL, as a person or a program wrote it, is one of the
// pages.
func (t *takedown) names(written string) bool {
	return t.urls[dowse.URL(written)] || t.urls[canonical(written)]
}

// examples removes the words of the pages from the training data. The example
// itself remains without them, because the confidence of the judge depends on
// the number of examples.
func (t *takedown) examples() error {
	list, err := t.c.Examples()
	if err != nil {
		return err
	}
	had := false
	for i, x := range list {
		if x.URL == "" || !t.names(x.URL) {
			continue
		}
		had = true
		list[i] = Example{Relevant: x.Relevant, Contrast: x.Contrast, Source: x.Source, Fetched: x.Fetched}
		if strings.Contains(x.Source, x.URL) || t.names(x.Source) {
			list[i].Source = ""
		}
	}
	if !had {
		return nil
	}
	data, err := EncodeExamples(list)
	if err != nil {
		return err
	}
	return writeWhole(t.c.Dir, ExamplesName, data)
}
