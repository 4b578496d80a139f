package measure

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"dowse"
	"dowse/internal/estimate"
)

// ErrTrail is wrapped by the error of ReadTrail for bytes that are not a trail.
var ErrTrail = errors.New("not a trail")

// The format of a trail and its limits. Reading is bounded by them whatever a
// header claims.
const (
	trailFormat = "dowse trail/v3"
	maxLine     = 1 << 20                   // bytes per line
	maxSteps    = 20_000_000                // steps per trail
	maxBytes    = math.MaxInt64 >> markBits // size of a page that fits next to the marks
)

// A header is the first line of a trail, as JSON. One line per step and then one
// per site follow, with fields separated by tabs:
//
//	MARKS  JUDGED  AT_NS  BYTES  URL  FROM  ANCHOR  [HOST]
//	MARKS  PAGES  SITE  [JUDGED]
//
// Steps and Sites are the numbers of these lines; they detect a file that was cut
// off. A field that begins with a quote is a Go string literal.
type header struct {
	Format    string        `json:"format"`
	Strategy  string        `json:"strategy"`
	Label     string        `json:"label,omitempty"`
	Topic     string        `json:"topic"`
	SeedSet   int           `json:"seed_set"`
	Targets   int           `json:"targets"`
	Reachable int           `json:"reachable"`
	Popular   int           `json:"popular"`
	Listed    int           `json:"listed"`
	Pages     int           `json:"pages"`
	Relevant  int           `json:"relevant"`
	Failed    int           `json:"failed"`
	Stopped   string        `json:"stopped,omitempty"`
	Elapsed   time.Duration `json:"elapsed_ns"`
	Steps     int           `json:"steps"`
	Sites     int           `json:"sites,omitempty"`
	OnTopic   int           `json:"on_topic,omitempty"`
	Estimates []estimate.At `json:"estimates,omitempty"`
}

// WriteTrail writes a trail. Equal trails give equal bytes, so CPU, which no
// second run repeats, is not written.
func WriteTrail(w io.Writer, t *Trail) error {
	b := bufio.NewWriterSize(w, 1<<16)
	head, err := json.Marshal(header{
		trailFormat, t.Strategy, t.Label, t.Topic, t.SeedSet, t.Targets, t.Reachable, t.Popular, t.Listed, t.Pages, t.Relevant,
		t.Failed, t.Stopped, t.Elapsed, t.Steps.Len(), len(t.Sites), t.OnTopic, t.Estimates,
	})
	if err != nil {
		return fmt.Errorf("measure: write trail: %w", err)
	}
	b.Write(head)
	b.WriteByte('\n')
	var line []byte
	for _, s := range t.Steps.All() {
		line = appendStep(line[:0], &s)
		b.Write(line)
	}
	for _, s := range t.Sites {
		line = appendSite(line[:0], s)
		b.Write(line)
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("measure: write trail: %w", err)
	}
	return nil
}

// markLetters are the letters of the marks of a step (relevant, seed, trained, on
// topic, popular, listed), in the order of the mark constants. A step has those that
// apply.
const markLetters = "rstopl"

// appendStep appends the line of a step. The host is written only if it is not
// the one in the URL.
func appendStep(b []byte, s *Step) []byte {
	for i, on := range s.marks() {
		if on {
			b = append(b, markLetters[i])
		}
	}
	b = append(b, '\t')
	b = strconv.AppendFloat(b, s.Judged, 'g', -1, 64)
	b = append(b, '\t')
	b = strconv.AppendInt(b, int64(s.At), 10)
	b = append(b, '\t')
	b = strconv.AppendInt(b, s.Bytes, 10)
	b = append(b, '\t')
	b = appendField(b, string(s.URL))
	b = append(b, '\t')
	b = appendField(b, string(s.From))
	b = append(b, '\t')
	b = appendField(b, s.Anchor)
	if s.Host != hostOf(s.URL) {
		b = append(b, '\t')
		b = appendField(b, s.Host)
	}
	return append(b, '\n')
}

// appendSite appends the line of a site. Judged is written only if it differs
// from Pages.
func appendSite(b []byte, s SiteStep) []byte {
	if s.Relevant {
		b = append(b, 'r')
	}
	if s.Verdict {
		b = append(b, 'v')
	}
	b = append(b, '\t')
	b = strconv.AppendInt(b, int64(s.Pages), 10)
	b = append(b, '\t')
	b = appendField(b, s.Site)
	if s.Judged != s.Pages {
		b = append(b, '\t')
		b = strconv.AppendInt(b, int64(s.Judged), 10)
	}
	return append(b, '\n')
}

// appendField appends a string as a field, quoted if it contains a control
// character, so that a field never contains a tab or an end of line.
func appendField(b []byte, s string) []byte {
	if strings.HasPrefix(s, `"`) || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return strconv.AppendQuote(b, s)
	}
	return append(b, s...)
}

// field reverses appendField.
func field(s string) (string, error) {
	if !strings.HasPrefix(s, `"`) {
		return s, nil
	}
	return strconv.Unquote(s)
}

// hostOf returns the host part of a URL, as text.
func hostOf(u dowse.URL) string {
	_, rest, ok := strings.Cut(string(u), "://")
	if !ok {
		return ""
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	return rest
}

// ReadTrail is [ReadTrail] for trails that share their names, as those of one run
// do.
func (n *Names) ReadTrail(r io.Reader) (*Trail, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	t, h, err := readHeader(lines)
	if err != nil {
		return nil, fmt.Errorf("measure: read trail: line 1: %w", err)
	}
	t.Steps = n.Steps()
	for i := range h.Steps + h.Sites {
		if !lines.Scan() {
			return nil, fmt.Errorf("measure: read trail: %w", cutShort(lines.Err(), i+1))
		}
		if err := t.readLine(lines.Text(), i < h.Steps); err != nil {
			return nil, fmt.Errorf("measure: read trail: line %d: %w", i+2, err)
		}
	}
	if lines.Scan() {
		return nil, fmt.Errorf("measure: read trail: %w: more lines than the header states", ErrTrail)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("measure: read trail: %w", err)
	}
	t.Steps.Trim()
	return t, nil
}

// cutShort returns the error for input that ended early: that of reading, or
// ErrTrail.
func cutShort(err error, lines int) error {
	if err != nil {
		return err
	}
	return fmt.Errorf("%w: it ends after %d lines", ErrTrail, lines)
}

// readHeader reads the first line and checks its counts.
func readHeader(lines *bufio.Scanner) (*Trail, header, error) {
	var h header
	if !lines.Scan() {
		return nil, h, cutShort(lines.Err(), 0)
	}
	d := json.NewDecoder(bytes.NewReader(lines.Bytes()))
	if err := d.Decode(&h); err != nil {
		return nil, h, fmt.Errorf("%w: %v", ErrTrail, err)
	}
	if h.Format != trailFormat {
		return nil, h, fmt.Errorf("%w: format is %q, want %q", ErrTrail, h.Format, trailFormat)
	}
	for _, n := range []int{h.SeedSet, h.Targets, h.Reachable, h.Popular, h.Listed, h.Pages, h.Relevant, h.Failed, h.Steps, h.Sites, int(h.Elapsed), h.OnTopic} {
		if n < 0 {
			return nil, h, fmt.Errorf("%w: negative count", ErrTrail)
		}
	}
	if h.Steps > maxSteps || h.Sites > maxSteps {
		return nil, h, fmt.Errorf("%w: more than %d steps", ErrTrail, maxSteps)
	}
	return &Trail{
		Strategy: h.Strategy, Label: h.Label, Topic: h.Topic, SeedSet: h.SeedSet,
		Targets: h.Targets, Reachable: h.Reachable, Popular: h.Popular, Listed: h.Listed, Pages: h.Pages, Relevant: h.Relevant,
		Failed: h.Failed, Stopped: h.Stopped, Elapsed: h.Elapsed, OnTopic: h.OnTopic, Estimates: h.Estimates,
	}, h, nil
}

func (t *Trail) readLine(line string, step bool) error {
	if !step {
		s, err := readSite(line)
		t.Sites = append(t.Sites, s)
		return err
	}
	s, err := readStep(line)
	if err == nil {
		t.Steps.Append(s)
	}
	return err
}

// readStep reverses appendStep.
func readStep(line string) (s Step, err error) {
	f := strings.Split(line, "\t")
	if len(f) != 7 && len(f) != 8 {
		return s, fmt.Errorf("%w: %d fields of a step, want 7 or 8", ErrTrail, len(f))
	}
	marks, ok := readMarks(f[0], markLetters)
	judged, errJudged := strconv.ParseFloat(f[1], 64)
	at, errAt := strconv.ParseInt(f[2], 10, 64)
	size, errSize := strconv.ParseInt(f[3], 10, 64)
	u, errURL := field(f[4])
	from, errFrom := field(f[5])
	anchor, errAnchor := field(f[6])
	host := hostOf(dowse.URL(u))
	if len(f) == 8 {
		host, err = field(f[7])
	}
	if err := errors.Join(errJudged, errAt, errSize, errURL, errFrom, errAnchor, err); err != nil || !ok || math.IsNaN(judged) || at < 0 || size < 0 || size > maxBytes {
		return s, fmt.Errorf("%w: invalid step %.80q", ErrTrail, line)
	}
	return Step{
		URL: dowse.URL(u), Host: host, Relevant: marks[0], Seed: marks[1], Trained: marks[2], OnTopic: marks[3], Popular: marks[4], Listed: marks[5],
		Judged: judged, At: time.Duration(at), Bytes: size, From: dowse.URL(from), Anchor: anchor,
	}, nil
}

// readSite reverses appendSite.
func readSite(line string) (s SiteStep, err error) {
	f := strings.Split(line, "\t")
	if len(f) != 3 && len(f) != 4 {
		return s, fmt.Errorf("%w: %d fields of a site, want 3 or 4", ErrTrail, len(f))
	}
	marks, ok := readMarks(f[0], "rv")
	pages, errPages := strconv.Atoi(f[1])
	name, errName := field(f[2])
	judged := pages
	if len(f) == 4 {
		judged, err = strconv.Atoi(f[3])
	}
	if err := errors.Join(errPages, errName, err); err != nil || !ok || pages < 0 || judged < 0 {
		return s, fmt.Errorf("%w: invalid site %.80q", ErrTrail, line)
	}
	return SiteStep{Site: name, Relevant: marks[0], Verdict: marks[1], Pages: pages, Judged: judged}, nil
}

// readMarks reports which of the letters s contains. They must occur at most once
// and in order, so that there is one way only to write a step.
func readMarks(s, letters string) (on [markBits]bool, ok bool) {
	for i := range letters {
		if s != "" && s[0] == letters[i] {
			on[i], s = true, s[1:]
		}
	}
	return on, s == ""
}
