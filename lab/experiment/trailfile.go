package experiment

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"dowse"
	"dowse/lab/measure"
	"dowse/weburl"
)

// A trail is kept as gzip of tab-separated lines, so that anybody can read it:
//
//	# dowse trail/1
//	# strategy	otie:a=0.85
//	# …
//	url	flags	judged	at	bytes
//	http://…	rs-	0.9312	1.5	20144
//
// Flags are r for relevant, s for a seed, t for trained on, o for on topic as the
// judge sees it. Times are in seconds. The work of the machine is not in it: all that
// is can be made again to the byte.
const (
	trailHead    = "# dowse trail/1"
	trailColumns = "url\tflags\tjudged\tat\tbytes"
	maxTrailLine = 64 << 10
	maxSteps     = 50_000_000
)

// ErrTrail is returned for a file that is no trail, or a damaged one.
var ErrTrail = errors.New("not a whole trail")

// WriteTrail writes a trail. The same trail gives the same bytes.
func WriteTrail(w io.Writer, t *measure.Trail) error {
	z := gzip.NewWriter(w)
	b := bufio.NewWriter(z)
	fmt.Fprintln(b, trailHead)
	for _, f := range trailFields(t) {
		fmt.Fprintf(b, "# %s\t%s\n", f.name, f.write())
	}
	fmt.Fprintln(b, trailColumns)
	for i := range t.Steps {
		s := &t.Steps[i]
		fmt.Fprintf(b, "%s\t%s\t%s\t%s\t%d\n", s.URL, flags(s), number(s.Judged), number(s.At.Seconds()), s.Bytes)
	}
	fmt.Fprintf(b, "# end\t%d\n", len(t.Steps))
	return errors.Join(b.Flush(), z.Close())
}

// A trailField is one line of the head of a trail.
type trailField struct {
	name  string
	write func() string
	read  func(string) error
}

func trailFields(t *measure.Trail) []trailField {
	return []trailField{
		textField("strategy", &t.Strategy), textField("label", &t.Label), textField("topic", &t.Topic),
		countField("seed_set", &t.SeedSet), countField("targets", &t.Targets), countField("reachable", &t.Reachable),
		countField("unseen", &t.Unseen), countField("pages", &t.Pages), countField("relevant", &t.Relevant),
		countField("failed", &t.Failed), textField("stopped", &t.Stopped),
		{"elapsed", func() string { return number(t.Elapsed.Seconds()) }, func(s string) (err error) { t.Elapsed, err = seconds(s); return err }},
	}
}

func textField(name string, v *string) trailField {
	return trailField{name, func() string { return strings.Join(strings.Fields(*v), " ") }, func(s string) error { *v = s; return nil }}
}

func countField(name string, v *int) trailField {
	return trailField{name, func() string { return strconv.Itoa(*v) }, func(s string) (err error) { *v, err = strconv.Atoi(s); return err }}
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

func seconds(s string) (time.Duration, error) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f < 0 || f > 1e9 || f != f {
		return 0, ErrTrail
	}
	return time.Duration(math.Round(f * 1e9)), nil
}

func flags(s *measure.Step) string {
	b := []byte("----")
	for i, on := range []bool{s.Relevant, s.Seed, s.Trained, s.OnTopic} {
		if on {
			b[i] = "rsto"[i]
		}
	}
	return string(b)
}

// ReadTrail reads what WriteTrail wrote.
func ReadTrail(r io.Reader) (*measure.Trail, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTrail, err)
	}
	in := bufio.NewScanner(z)
	in.Buffer(nil, maxTrailLine)
	t := &measure.Trail{}
	if !in.Scan() || in.Text() != trailHead {
		return nil, ErrTrail
	}
	for _, f := range trailFields(t) {
		if !in.Scan() {
			return nil, ErrTrail
		}
		name, value, ok := strings.Cut(strings.TrimPrefix(in.Text(), "# "), "\t")
		if !ok || name != f.name || f.read(value) != nil {
			return nil, fmt.Errorf("%w: no %s", ErrTrail, f.name)
		}
	}
	if !in.Scan() || in.Text() != trailColumns {
		return nil, ErrTrail
	}
	for in.Scan() {
		if end, ok := strings.CutPrefix(in.Text(), "# end\t"); ok {
			if end != strconv.Itoa(len(t.Steps)) || in.Scan() || in.Err() != nil {
				return nil, ErrTrail
			}
			return t, nil
		}
		step, err := readStep(in.Text())
		if err != nil || len(t.Steps) >= maxSteps {
			return nil, fmt.Errorf("%w: step %d", ErrTrail, len(t.Steps))
		}
		t.Steps = append(t.Steps, step)
	}
	return nil, ErrTrail
}

func readStep(line string) (s measure.Step, err error) {
	f := strings.Split(line, "\t")
	if len(f) != 5 || len(f[1]) != 4 {
		return s, ErrTrail
	}
	s.URL = dowse.URL(f[0])
	s.Host = weburl.Host(s.URL)
	s.Relevant, s.Seed, s.Trained, s.OnTopic = f[1][0] == 'r', f[1][1] == 's', f[1][2] == 't', f[1][3] == 'o'
	s.Judged, err = strconv.ParseFloat(f[2], 64)
	if err != nil {
		return s, err
	}
	if s.At, err = seconds(f[3]); err != nil {
		return s, err
	}
	s.Bytes, err = strconv.ParseInt(f[4], 10, 64)
	return s, err
}
