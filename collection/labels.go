package collection

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"dowse"
	"dowse/internal/durable"
)

// The labels that a person can give a page.
const (
	LabelOn  = "on"
	LabelOff = "off"
	// LabelSkip means that the person looked at the page and gave no
	// verdict. It withdraws an earlier label.
	LabelSkip = "skip"
)

// The requests that a line of labels.jsonl can make in place of a label.
const (
	// DoTrain asks for a model to be trained now, however few the new labels
	// are.
	DoTrain = "train"
	// DoUndo asks to return to an earlier model. Labels that only later models
	// were trained on no longer count; see Label.Through and Label.Since.
	DoUndo = "undo"

	// doForgotten replaces the label of a page that was taken down. It
	// requests nothing, and still counts as a line.
	doForgotten = "forgotten"
)

// A Label is one line of labels.jsonl: a person's verdict on a page, or a
// request. Lines are only ever appended; if several are about the same URL,
// the last one counts.
type Label struct {
	URL   dowse.URL `json:"url,omitempty"`
	Label string    `json:"label,omitempty"` // LabelOn, …
	By    string    `json:"by,omitempty"`
	At    time.Time `json:"at,omitzero"`
	// Model is the newest model when the label was given; for DoUndo, the
	// model to return to.
	Model string `json:"model,omitempty"`
	Note  string `json:"note,omitempty"`

	Queue string `json:"queue,omitempty"` // that it was asked in
	// Of is, for an audit, the number of fetched pages that the sample is
	// drawn from.
	Of int `json:"of,omitempty"`

	Do string `json:"do,omitempty"`
	// Accept asks, for DoTrain, to put the model into use even if
	// labels do not show that it is better or it changes many verdicts.
	Accept bool `json:"accept,omitempty"`
	// Through is, for DoUndo, how many lines from the beginning count again.
	Through int `json:"through,omitempty"`
	// Since is, for DoUndo, the number of the first line, counted from 1, that
	// no model had been trained on. The labels from that line up to the undo
	// belong to no model, so they still count. An undo without Since, as older
	// versions wrote it, keeps none of them.
	Since int `json:"since,omitempty"`
}

// IsVerdict reports whether the line is a person's answer about a page, and
// not a request.
func (l *Label) IsVerdict() bool {
	return l.Do == "" && l.URL != "" && (l.Label == LabelOn || l.Label == LabelOff || l.Label == LabelSkip)
}

// check returns an error for a line that would not be read as a label or a request. size is that
// of its JSON in bytes.
func (l *Label) check(size int) error {
	switch {
	case size > maxLabelLine:
		return fmt.Errorf("a line of %d bytes (want at most %d)", size, maxLabelLine)
	case l.Do != "" || l.IsVerdict():
		return nil
	case l.URL == "":
		return errors.New("a label without a URL")
	}
	return fmt.Errorf("%s: label: got %q, want on, off or skip", l.URL, l.Label)
}

const labelsName = "labels.jsonl"

// The limits of labels.jsonl in bytes, of the file and of one line. People
// and their programs write it, so it may contain anything.
const (
	maxLabels    = 64 << 20 // bytes that are read
	maxLabelLine = 64 << 10
)

// Labels is the content of labels.jsonl.
type Labels struct {
	// Lines are all lines in order. A line that can't be decoded is a zero
	// Label, so that line numbers stay valid, and is counted in Bad.
	Lines []Label
	Bad   int
	// Size is the length of the file in bytes up to the end of its last
	// complete line.
	Size int64
}

// ReadLabels reads the labels of the collection in dir; without a file there
// are none. It may be called while other processes append. A line that is
// torn or is no label is counted and does not affect others.
func ReadLabels(dir string) (*Labels, error) {
	data, err := durable.In(dir).ReadBounded(labelsName, maxLabels)
	if errors.Is(err, fs.ErrNotExist) {
		return &Labels{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("collection: labels: %w", err)
	}
	return parseLabels(data), nil
}

// parseLabels decodes the text of a labels.jsonl. Text after the last
// newline is being written, and is ignored.
func parseLabels(data []byte) *Labels {
	l := &Labels{Size: int64(bytes.LastIndexByte(data, '\n') + 1)}
	for line := range bytes.Lines(data[:l.Size]) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		var x Label
		if len(line) > maxLabelLine || json.Unmarshal(line, &x) != nil || x.URL == "" && x.Do == "" {
			l.Bad++
			x = Label{} // it still counts as a line
		}
		l.Lines = append(l.Lines, x)
	}
	return l
}

// AppendLabels appends lines to the labels of the collection in dir. When it
// returns, they are synced to disk. A running crawl takes them into account, and otherwise
// Retrain of package crawler, or the next run. Any process may call it at any time,
// also during a crawl; concurrent calls wait for each other. In a directory that
// a standby keeps as a copy the error is [ErrCopy]. A label of a
// URL that was taken down is an [ErrForgotten], and one that ReadLabels would not
// take for a label is an error, too; then none of the lines is appended.
func AppendLabels(dir string, lines ...Label) error {
	var b bytes.Buffer
	var urls []dowse.URL
	for i := range lines {
		if lines[i].URL != "" {
			urls = append(urls, lines[i].URL)
		}
		data, err := json.Marshal(lines[i])
		if err == nil {
			err = lines[i].check(len(data))
		}
		if err != nil {
			return fmt.Errorf("collection: labels: %w", err)
		}
		b.Write(append(data, '\n'))
	}
	if b.Len() == 0 {
		return nil
	}
	if err := notCopy(dir); err != nil {
		return err
	}
	check := func() error { return notForgotten(dir, urls) }
	if err := appendSafely(dir, labelsName, b.Bytes(), check); err != nil {
		return fmt.Errorf("collection: labels: %w", err)
	}
	return nil
}

// LabelsSize returns the length of labels.jsonl in bytes, 0 if it can't be
// read. It is a cheap way to notice new labels.
func LabelsSize(dir string) int64 {
	st, err := durable.In(dir).Stat(labelsName)
	if err != nil {
		return 0
	}
	return st.Size()
}

// How long an append waits for other processes, and how often it tries.
const (
	appendWait = 10 * time.Second
	appendPoll = 5 * time.Millisecond
)

// appendSafely appends complete lines to a file of a collection under its
// lock, and syncs it. A line that a crash tore is ended first, so that it
// does not spoil the next one. check is called under the lock before
// anything is written; its error is returned.
func appendSafely(dir, name string, data []byte, check func() error) (err error) {
	f, err := durable.In(dir).Ensure(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := awaitLock(f); err != nil {
		return err
	}
	if err := check(); err != nil {
		return err
	}
	st, err := f.Stat()
	if err != nil {
		return err
	}
	at := st.Size()
	if last := make([]byte, 1); at > 0 {
		if _, err := f.ReadAt(last, at-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			data = append([]byte{'\n'}, data...)
		}
	}
	if _, err := f.WriteAt(data, at); err != nil {
		return err
	}
	return f.Sync()
}

// awaitLock waits for the lock of a file that several processes append to.
// Closing the file releases it.
func awaitLock(f *durable.File) error {
	for wait := time.Now().Add(appendWait); f.TryLock() != nil; time.Sleep(appendPoll) {
		if time.Now().After(wait) {
			return fmt.Errorf("%s is locked by another process for more than %v; end that first", f.Name(), appendWait)
		}
	}
	return nil
}

// Standing returns the labels that are valid now: for each URL the last line
// that counts. A URL that was skipped last has none.
func (l *Labels) Standing() map[dowse.URL]Label { return standing(l.Lines) }

// standing returns the labels that are valid after lines.
func standing(lines []Label) map[dowse.URL]Label {
	at := map[dowse.URL]Label{}
	for _, i := range counted(lines) {
		switch x := &lines[i]; {
		case !x.IsVerdict():
		case x.Label == LabelSkip:
			delete(at, x.URL)
		default:
			at[x.URL] = *x
		}
	}
	return at
}

// counted returns the indices of the lines that count after all of lines, in the order in which they apply. The last undo
// decides alone what counts of the lines before it.
func counted(lines []Label) []int {
	for i, x := range slices.Backward(lines) {
		if x.Do == DoUndo {
			at := counted(lines[:min(max(x.Through, 0), i)])
			at = appendRange(at, untouched(lines[:i], x.Since), i)
			return appendRange(at, i+1, len(lines))
		}
	}
	return appendRange(nil, 0, len(lines))
}

// appendRange appends the numbers from a to b, without b.
func appendRange(list []int, a, b int) []int {
	list = slices.Grow(list, max(b-a, 0))
	for i := a; i < b; i++ {
		list = append(list, i)
	}
	return list
}

// untouched returns the index of the first line that an undo after lines keeps, for its Since; len(lines) if it keeps
// none. An earlier undo that keeps no line ends what came before it.
func untouched(lines []Label, since int) int {
	if since < 1 {
		return len(lines)
	}
	first := min(since-1, len(lines))
	for i, x := range slices.Backward(lines[first:]) {
		if x.Do == DoUndo && x.Since < 1 {
			return first + i + 1
		}
	}
	return first
}

// asked returns every URL that a person was asked about, skipped ones
// included, with the last answer.
func (l *Labels) asked() map[dowse.URL]Label {
	at := map[dowse.URL]Label{}
	for i := range l.Lines {
		if x := &l.Lines[i]; x.IsVerdict() {
			at[x.URL] = *x
		}
	}
	return at
}

// of returns the verdicts on a URL, in order.
func (l *Labels) of(u dowse.URL) (list []Label) {
	for _, x := range l.Lines {
		if x.URL == u && x.IsVerdict() {
			list = append(list, x)
		}
	}
	return list
}

// The reasons for which a line of a page is no longer in force.
const (
	labelUndone    = "undone"    // an undo set it aside
	labelReplaced  = "replaced"  // a later line of the page counts
	labelWithdrawn = "withdrawn" // a skip took it back
)

// A pageLabel is a label in the account of a page.
type pageLabel struct {
	Label
	Ended string `json:"ended,omitempty" doc:"why the line is not in force: undone, replaced or withdrawn; missing if it is in force"`
}

// Ending describes for people why the line is not in force; "" if it is.
func (l *pageLabel) Ending() string {
	switch l.Ended {
	case labelUndone:
		return "set aside by an undo"
	case labelWithdrawn:
		return "taken back"
	}
	return l.Ended
}

// history returns the verdicts on a URL in order, and which of them is in force.
func (l *Labels) history(u dowse.URL) (list []pageLabel) {
	place := map[int]int{} // from the index of a line to that in list
	for i, x := range l.Lines {
		if x.URL == u && x.IsVerdict() {
			place[i] = len(list)
			list = append(list, pageLabel{x, labelUndone})
		}
	}
	if list == nil {
		return nil
	}
	var last *pageLabel
	for _, i := range counted(l.Lines) {
		at, ok := place[i]
		if !ok {
			continue
		}
		x := &list[at]
		if last != nil {
			last.Ended = labelReplaced
			if x.Label.Label == LabelSkip && last.Label.Label != LabelSkip {
				last.Ended = labelWithdrawn
			}
		}
		x.Ended, last = "", x
	}
	return list
}

// A Conflict is a page that was labelled both on and off topic, without a
// skip in between that withdraws the first.
type Conflict struct {
	URL dowse.URL `json:"url"`
	// Stands is the label that counts. After an undo it may be an earlier one
	// than the last.
	Stands string  `json:"stands"`
	Labels []Label `json:"labels"`
}

// Conflicts returns the pages with contradicting labels, sorted by URL.
func (l *Labels) Conflicts() (list []Conflict) {
	valid := l.Standing()
	for _, u := range slices.Sorted(maps.Keys(valid)) {
		var lines []Label // since the last skip
		for _, x := range l.of(u) {
			if lines = append(lines, x); x.Label == LabelSkip {
				lines = nil
			}
		}
		if slices.ContainsFunc(lines, func(x Label) bool { return x.Label != lines[0].Label }) {
			list = append(list, Conflict{u, valid[u].Label, lines})
		}
	}
	return list
}
