package collection

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"dowse"
	"dowse/internal/durable"
)

// What a person can say of a page.
const (
	LabelOn   = "on"
	LabelOff  = "off"
	LabelSkip = "skip" // looked at, and no verdict; takes an earlier label back
)

// What a line of labels.jsonl can ask for in place of a label.
const (
	DoTrain = "train" // train a model on what was labelled, without waiting for more
	DoUndo  = "undo"  // go back to a model; labels that it did not know are set aside

	// DoForgotten stands where the label of a page was that has been taken down. It asks for
	// nothing, and still counts as a line.
	DoForgotten = "forgotten"
)

// A Label is a line of labels.jsonl: what a person said of a page, or wants done.
// The file is append-only, and of several lines for a URL the last one stands.
type Label struct {
	URL   dowse.URL `json:"url,omitempty"`
	Label string    `json:"label,omitempty"` // LabelOn, …
	By    string    `json:"by,omitempty"`
	At    time.Time `json:"at,omitzero"`
	Model string    `json:"model,omitempty"` // the newest when it was said; of DoUndo, the one to go back to
	Note  string    `json:"note,omitempty"`

	Queue string `json:"queue,omitempty"` // that it was asked in
	Of    int    `json:"of,omitempty"`    // of an audit: pages that the sample was drawn from, the first so many

	Do      string `json:"do,omitempty"`
	Through int    `json:"through,omitempty"` // DoUndo: how many lines, from the first, count again
}

// IsVerdict reports whether the line says something of a page.
func (l *Label) IsVerdict() bool {
	return l.Do == "" && l.URL != "" && (l.Label == LabelOn || l.Label == LabelOff || l.Label == LabelSkip)
}

const labelsName = "labels.jsonl"

// The limits of labels.jsonl. It is written by people and their programs.
const (
	maxLabels    = 64 << 20 // bytes that are read
	maxLabelLine = 64 << 10
)

// Labels is what labels.jsonl says.
type Labels struct {
	Lines []Label // all that can be read, in order
	Bad   int     // lines that can't be read
	Size  int64   // bytes of the file up to the end of its last whole line
}

// ReadLabels reads the labels of the collection in dir; without any, it is empty. It
// may be called while others label. A line that is torn, or is no label, is counted
// and passed over: it can't take others with it.
func ReadLabels(dir string) (*Labels, error) {
	data, err := durable.In(dir).ReadBounded(labelsName, maxLabels)
	if errors.Is(err, fs.ErrNotExist) {
		return &Labels{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("collection: labels: %w", err)
	}
	return ParseLabels(data), nil
}

// ParseLabels reads the text of a labels.jsonl.
func ParseLabels(data []byte) *Labels {
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

// AppendLabels adds lines to the labels of the collection in dir. When it returns
// they are on the disk. Any process may call it at any time, also while a crawl runs;
// several wait for each other. A label of a URL that was taken down is an [ErrForgotten];
// then none of the lines is added.
func AppendLabels(dir string, lines ...Label) error {
	var b bytes.Buffer
	var urls []dowse.URL
	for i := range lines {
		if lines[i].URL != "" {
			urls = append(urls, lines[i].URL)
		}
		data, err := json.Marshal(lines[i])
		if err != nil {
			return fmt.Errorf("collection: labels: %w", err)
		}
		b.Write(append(data, '\n'))
	}
	if b.Len() == 0 {
		return nil
	}
	check := func() error { return notForgotten(dir, urls) }
	if err := appendSafely(dir, labelsName, b.Bytes(), check); err != nil {
		return fmt.Errorf("collection: labels: %w", err)
	}
	return nil
}

// LabelsSize returns how long labels.jsonl is: a cheap look whether there is anything
// new.
func LabelsSize(dir string) int64 {
	st, err := durable.In(dir).Stat(labelsName)
	if err != nil {
		return 0
	}
	return st.Size()
}

// How long a process waits for others that append.
const (
	appendWait = 10 * time.Second
	appendPoll = 5 * time.Millisecond
)

// appendSafely appends whole lines to a file of a collection, under its lock, and syncs it. A line that
// a crash tore is ended first, so that it does not take the next with it. check is called
// under the lock, before anything is written; its error is returned.
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

// awaitLock takes the lock of a file that others append to. Closing it gives it back.
func awaitLock(f *durable.File) error {
	for wait := time.Now().Add(appendWait); tryLock(f) != nil; time.Sleep(appendPoll) {
		if time.Now().After(wait) {
			return fmt.Errorf("%s is locked by another process for more than %v; end that first", f.Name(), appendWait)
		}
	}
	return nil
}

// Standing returns what people say of pages now: of each URL the last line that
// counts. Of an URL that was skipped there is none.
func (l *Labels) Standing() map[dowse.URL]Label { return standing(l.Lines) }

func standing(lines []Label) map[dowse.URL]Label {
	at := map[dowse.URL]Label{}
	for i := range lines {
		switch x := &lines[i]; {
		case x.Do == DoUndo:
			at = standing(lines[:min(max(x.Through, 0), i)])
		case !x.IsVerdict():
		case x.Label == LabelSkip:
			delete(at, x.URL)
		default:
			at[x.URL] = *x
		}
	}
	return at
}

// asked returns the URLs that somebody was asked about, skipped ones too, and the
// last answer.
func (l *Labels) asked() map[dowse.URL]Label {
	at := map[dowse.URL]Label{}
	for i := range l.Lines {
		if x := &l.Lines[i]; x.IsVerdict() {
			at[x.URL] = *x
		}
	}
	return at
}

// of returns the lines about a URL, in order.
func (l *Labels) of(u dowse.URL) (list []Label) {
	for _, x := range l.Lines {
		if x.URL == u && x.IsVerdict() {
			list = append(list, x)
		}
	}
	return list
}

// A Conflict is a page of which people said both, and nobody took it back.
type Conflict struct {
	URL    dowse.URL `json:"url"`
	Stands string    `json:"stands"` // the last one
	Labels []Label   `json:"labels"`
}

// Conflicts lists the pages that are labelled on and off, by URL.
func (l *Labels) Conflicts() (list []Conflict) {
	said := map[dowse.URL][]Label{}
	for u := range l.Standing() {
		for _, x := range l.of(u) {
			if said[u] = append(said[u], x); x.Label == LabelSkip {
				said[u] = nil
			}
		}
	}
	for _, u := range slices.SortedFunc(maps.Keys(said), func(a, b dowse.URL) int { return strings.Compare(string(a), string(b)) }) {
		lines := said[u]
		if slices.ContainsFunc(lines, func(x Label) bool { return x.Label != lines[0].Label }) {
			list = append(list, Conflict{u, lines[len(lines)-1].Label, lines})
		}
	}
	return list
}
