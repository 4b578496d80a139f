package trace

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"dowse"
	"dowse/weburl"
)

// A Report counts what became of the lines of a log.
//
// Lines = kept lines + Other + Outside + Broken + Skipped + Beyond, except that a line
// with a path may count several times.
type Report struct {
	Format  Format
	Lines   int
	Kept    int    // accesses; a line with a path has several
	Other   int    // lines about something other than a delivered page: other methods, statuses, types
	Outside int    // accesses at times that Options.Keep rejects
	Broken  int    // lines, or steps of a path, that cannot be parsed
	Beyond  int    // accesses beyond the limit
	Flawed  []Flaw // the first broken lines
	Skipped int    // empty lines and comments
}

// A Flaw is a line that cannot be parsed. Its text is not repeated, because it
// may name a person.
type Flaw struct {
	Line int // from 1
	Why  string
}

func (f Flaw) String() string { return fmt.Sprintf("line %d: %s", f.Line, f.Why) }

// String returns the counts as one line for people. Accesses outside the range of times and beyond
// the limit are named only if there are any, since most logs are read without either.
func (r Report) String() string {
	s := fmt.Sprintf("%d lines: %d accesses kept, %d lines of other kinds, %d broken", r.Lines, r.Kept, r.Other, r.Broken)
	if len(r.Flawed) > 0 {
		s += " (first: " + r.Flawed[0].String() + ")"
	}
	if r.Outside > 0 {
		s += fmt.Sprintf(", %d outside the range of times", r.Outside)
	}
	if r.Beyond > 0 {
		s += fmt.Sprintf(", %d beyond the limit", r.Beyond)
	}
	return s
}

const (
	maxLine  = 1 << 16 // bytes; longer lines are broken
	maxFlaws = 20      // reported with their line
)

// flaw counts a broken line.
func (r *Report) flaw(why string) {
	r.Broken++
	if len(r.Flawed) < maxFlaws {
		r.Flawed = append(r.Flawed, Flaw{r.Lines, why})
	}
}

// Read reads one log, plain or gzip. An error is about the reader or the
// options, never about a line; what was read before it is returned, too.
//
// The log of a builder whose reader failed is complete up to the failure.
func Read(r io.Reader, o Options) (*Log, Report, error) {
	b, err := New(o)
	if err != nil {
		return nil, Report{}, err
	}
	report, err := b.Read(r)
	return b.Log(), report, err
}

// Read adds the accesses of a log, plain or gzip. It may be called for several
// logs, whose formats are recognised separately.
func (b *Builder) Read(r io.Reader) (Report, error) {
	report := Report{Format: b.opts.Format}
	in, err := unzipped(bufio.NewReaderSize(r, maxLine))
	if err != nil {
		return report, fmt.Errorf("trace: read: %w", err)
	}
	for {
		line, err := in.ReadSlice('\n')
		if len(line) > 0 {
			report.Lines++
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			report.flaw("longer than 65,536 bytes")
			err = skipLine(in)
		case len(line) > 0:
			b.line(bytes.TrimSpace(line), &report)
		}
		if err == io.EOF {
			return report, nil
		}
		if err != nil {
			return report, fmt.Errorf("trace: read line %d: %w", report.Lines, err)
		}
	}
}

func unzipped(in *bufio.Reader) (*bufio.Reader, error) {
	switch magic, err := in.Peek(2); {
	case err != nil && err != io.EOF:
		return nil, err
	case string(magic) != "\x1f\x8b":
		return in, nil
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	return bufio.NewReaderSize(z, maxLine), nil
}

// skipLine skips to the end of a line.
func skipLine(in *bufio.Reader) error {
	for {
		if _, err := in.ReadSlice('\n'); !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// line handles one line. Empty lines and comments are skipped.
func (b *Builder) line(line []byte, r *Report) {
	if len(line) == 0 || line[0] == '#' {
		r.Skipped++
		return
	}
	if r.Format == "" {
		if r.Format = sniff(line); r.Format == "" {
			r.flaw("no known format")
			return
		}
	}
	h, why := r.Format.parse(line)
	switch {
	case why != "":
		r.flaw(why)
	case !h.isPage():
		r.Other++
	default:
		b.hit(h, r)
	}
}

// hit adds the access, or the accesses, of a line.
func (b *Builder) hit(h hit, r *Report) {
	// One address can have many users (a proxy) and one user many addresses, so
	// both together are a person.
	b.name = append(append(append(b.name[:0], h.client...), ' '), h.ident...)
	if r.Format == Paths {
		b.walk(h, r)
		return
	}
	u, err := b.resolve(h.url)
	if err != nil {
		r.flaw(reason(err))
		return
	}
	b.keep(h.at, u, false, r)
}

// keep adds an access unless its time is outside the range or the log is full, and counts what
// became of it.
func (b *Builder) keep(at int64, u dowse.URL, begins bool, r *Report) {
	switch {
	case !b.keeps(at):
		r.Outside++
	case b.add(b.name, at, u, begins):
		r.Kept++
	default:
		r.Beyond++
	}
}

// ErrNoSite is for a log in which no line names a host, if no base was given: such a
// log belongs to a single site, which must be named.
var ErrNoSite = errors.New("the log of a single server has no hosts: name its site")

// errNoHost reports a path without a host in a log for which no base was given.
var errNoHost = errors.New("path without a host: give the site of the log")

func (b *Builder) resolve(raw string) (dowse.URL, error) {
	if b.base != nil {
		return b.base.Resolve(raw)
	}
	if len(raw) > 0 && raw[0] == '/' {
		return "", errNoHost
	}
	return weburl.Parse(raw)
}

// reason returns what is wrong with a URL, without repeating the URL.
func reason(err error) string {
	for _, known := range []error{errNoHost, weburl.ErrNoScheme, weburl.ErrScheme, weburl.ErrHost, weburl.ErrTooLong} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return "no URL"
}
