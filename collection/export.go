package collection

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"dowse"
	"dowse/internal/archive"
	"dowse/internal/durable"
)

// ExportOptions say what to export. Without On and All that is the pages on topic,
// and for a WACZ the whole collection with the pages on topic first.
type ExportOptions struct {
	Format   string    // as a suffix without its dot; "" means that of the file
	On       bool      // only pages on topic
	All      bool      // all pages that were fetched
	Since    time.Time // only pages fetched from then on
	Fields   []string  // of .jsonl and .csv, in this order; see ExportFields
	Text     bool      // with the text of pages, extracted anew from the archive
	Force    bool      // replace a file that is there
	Stdout   io.Writer // for "-"; os.Stdout
	Software string    // name and version to put into archives; dowse
	Now      time.Time // when it is done, for archives; time.Now
}

// ErrExists is returned for an export that would replace a file.
var ErrExists = errors.New("file exists; use --force to overwrite it")

// ErrSuffix is returned for an export to a format that is none.
var ErrSuffix = errors.New("the suffix names no format")

// ErrInside is returned for an export to a place in a collection, whose files belong to the
// crawl.
var ErrInside = errors.New("that is inside a collection; export to a place outside")

// outside checks that a file is not in a collection, nor in a folder of one.
func outside(out string) error {
	folder, err := filepath.Abs(filepath.Dir(out))
	if err != nil {
		return err
	}
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	for {
		if _, err := os.Lstat(filepath.Join(folder, settingsName)); err == nil {
			return fmt.Errorf("%w (%s)", ErrInside, folder)
		}
		above := filepath.Dir(folder)
		if above == folder {
			return nil
		}
		folder = above
	}
}

// An exportFormat is a way to write a collection into one file.
type exportFormat struct {
	suffix string
	packed bool // .gz and .zst may follow
	about  string
	write  func(x *exporter, w io.Writer) error
}

// exportFormats lists the formats; of two suffixes that fit the first counts.
func exportFormats() []exportFormat {
	return []exportFormat{
		{"warc.gz", false, "the pages as the web sent them (WARC 1.1)", (*exporter).warc},
		{"wacz", false, "the collection in one file, for replay (WACZ 1.2)", (*exporter).wacz},
		{"decisions.jsonl", true, "what happened to every URL, and why", (*exporter).decisions},
		{"sites.jsonl", true, "a JSON object to a site, of a crawl for sites", (*exporter).sitesJSONL},
		{"sites.csv", true, "a row to a site", (*exporter).sitesCSV},
		{"gexf", true, "the graph of sites, for Gephi", (*exporter).gexf},
		{"graphml", true, "the graph of sites", (*exporter).graphml},
		{"dot", true, "the graph of sites, for Graphviz", (*exporter).dot},
		{"svg", false, "a picture of the graph of sites", (*exporter).svg},
		{"jsonl", true, "a JSON object to a page", (*exporter).jsonl},
		{"csv", true, "a row to a page", (*exporter).csv},
	}
}

// An ExportFormat describes a format for people.
type ExportFormat struct{ Suffix, About string }

// ExportFormats lists the formats of Export.
func ExportFormats() (list []ExportFormat) {
	for _, f := range exportFormats() {
		suffix := "." + f.suffix
		if f.packed {
			suffix += "(.gz, .zst)"
		}
		list = append(list, ExportFormat{suffix, f.about})
	}
	return list
}

// formatOf finds the format that a name ends in, and the packing around it.
func formatOf(name string) (exportFormat, string, error) {
	name = strings.ToLower(name)
	for _, f := range exportFormats() {
		for _, pack := range []string{"", ".gz", ".zst"} {
			end := f.suffix + pack
			if (pack == "" || f.packed) && (name == end || strings.HasSuffix(name, "."+end)) {
				return f, pack, nil
			}
		}
	}
	var known []string
	for _, f := range ExportFormats() {
		known = append(known, f.Suffix)
	}
	return exportFormat{}, "", fmt.Errorf("%w; there are %s", ErrSuffix, strings.Join(known, " "))
}

// Export writes the collection, or what opt asks for of it, into one file whose
// suffix says the format; "-" writes to standard output, as opt.Format says. The
// file appears as a whole when all is written. It returns how many pages (of
// decisions: lines) were written. What can't be read is passed over: see Collection.Unread;
// what else a person should know is added to Collection.Notices.
func (c *Collection) Export(ctx context.Context, out string, opt ExportOptions) (n int, err error) {
	name := cmp.Or(opt.Format, filepath.Base(out))
	if out == "-" && opt.Format == "" {
		name = "jsonl"
	}
	format, pack, err := formatOf(name)
	if err != nil {
		return 0, fmt.Errorf("collection: export to %s: %w", out, err)
	}
	x := &exporter{c: c, ctx: ctx, opt: opt, out: out}
	if x.fields, err = fieldsOf(format.suffix, opt); err != nil {
		return 0, fmt.Errorf("collection: export to %s: %w", out, err)
	}
	write := func(w io.Writer) error {
		return packed(w, pack, func(w io.Writer) error { return format.write(x, w) })
	}
	if out == "-" {
		err = toStdout(opt.Stdout, write)
	} else if err = outside(out); err == nil {
		err = toFile(out, opt.Force, write)
	}
	c.Notices = append(c.Notices, x.notes...)
	if err != nil {
		return x.n, fmt.Errorf("collection: export to %s: %w", out, err)
	}
	return x.n, nil
}

// An exporter writes one export.
type exporter struct {
	c      *Collection
	ctx    context.Context
	opt    ExportOptions
	out    string
	fields []string
	n      int
	notes  []string // what a person should know

	lost  []archive.Loss     // parts of the archive that can't be read
	there map[string]bool    // files of the archive; nil where nobody asks
	gone  map[dowse.URL]bool // pages that were left out
}

func (x *exporter) now() time.Time {
	if x.opt.Now.IsZero() {
		return time.Now()
	}
	return x.opt.Now
}

// filter is what an export lists. A WACZ has all pages unless On says otherwise.
func (x *exporter) filter() Filter {
	return Filter{On: x.opt.On || !x.opt.All, Since: x.opt.Since}
}

// pages runs over the pages of a filter until the context ends.
func (x *exporter) pages(f Filter, do func(*Row) error) error {
	for row, err := range x.c.Pages(f) {
		if err = errors.Join(err, x.ctx.Err()); err != nil {
			return err
		}
		if err := do(row); err != nil {
			return err
		}
	}
	return nil
}

func packed(w io.Writer, pack string, write func(io.Writer) error) error {
	var z io.WriteCloser
	var err error
	switch pack {
	case ".gz":
		z = gzip.NewWriter(w)
	case ".zst":
		if z, err = zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)); err != nil {
			return err
		}
	default:
		return write(w)
	}
	if err := write(z); err != nil {
		z.Close()
		return err
	}
	return z.Close()
}

func toStdout(w io.Writer, write func(io.Writer) error) error {
	if w == nil {
		w = os.Stdout
	}
	b := bufio.NewWriterSize(w, 1<<16)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}

// toFile writes a file that appears as a whole. A link in its place is replaced, not followed.
func toFile(path string, force bool, write func(io.Writer) error) error {
	if err := free(path, force); err != nil {
		return err
	}
	if force {
		return durable.Replace(path, write)
	}
	err := durable.New(path, write)
	if errors.Is(err, fs.ErrExist) { // it has come in the meantime
		return ErrExists
	}
	return err
}

func free(path string, force bool) error {
	info, err := os.Lstat(path)
	switch {
	case err == nil && info.IsDir():
		return errors.New("that is a folder")
	case err == nil && !force:
		return ErrExists
	}
	return nil
}
