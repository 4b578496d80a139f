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
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"dowse"
	"dowse/internal/archive"
	"dowse/internal/durable"
	"dowse/internal/facts"
	"dowse/internal/maintext"
	"dowse/internal/plain"
)

// ExportOptions select what to export. If neither On nor All is set, the pages
// on topic are exported; a WACZ then holds the whole collection and lists the
// pages on topic first.
type ExportOptions struct {
	// Format is a suffix without its leading dot; default the suffix of the
	// file.
	Format string
	// On exports only pages on topic, All every page that was fetched.
	On  bool
	All bool
	// Since exports only pages fetched at or after this time; zero for no limit.
	Since time.Time
	// Changed exports only pages of which a new version was fetched at or after this time; zero for all.
	Changed time.Time
	// Fields are the columns of .jsonl and .csv in their order, see
	// ExportFields.
	Fields []string
	// Text adds the text of pages, extracted again from the archive: main for the
	// own text of a page, without the frame of its site; all for the whole text;
	// none. Default none, for .md, .parquet and .wacz main, otherwise all if Fields
	// names the text.
	Text string
	// Where exports only pages for which a condition holds: an expression, an
	// expression in CEL, or a tree in braces, as in topic files.
	Where string
	// Distinct leaves out pages whose text another page of the export has: exact,
	// near or none. Default near if the export has texts, otherwise none.
	Distinct string
	// MinScore is the least relevance; default 0.
	MinScore float64
	// Limit is the largest number of pages, and Sample the number of pages that are
	// chosen by their URLs; default 0, for all.
	Limit  int
	Sample int
	// Respect are the wishes of owners to keep: noarchive, noindex, tdm, ai; all or
	// none. Default noarchive for archives and texts, otherwise none.
	Respect []string
	// Shard begins a new file after this many bytes of data; default 0, for one file.
	Shard int64
	// Graph is what the nodes of a graph are: hosts or pages. Default the sites of a
	// crawl for sites, the hosts of others.
	Graph string
	// Progress, if set, is called with the pages that were looked at and how many
	// there are, or with the pages that were exported and Limit if that is nearer to
	// the end.
	Progress func(done, total int)
	// Force replaces an existing file, or a folder that an export has written.
	Force bool
	// CheckOnly checks the options and writes nothing. The collection is not read for it.
	CheckOnly bool
	// Stdout receives the export to "-"; default os.Stdout.
	Stdout io.Writer
	// Software is the name and version recorded in archives; default "dowse".
	Software string
	// Now is the time recorded in archives; default when their last page was fetched.
	Now time.Time
}

// ErrExists is returned for an export that would replace a file although Force
// is not set.
var ErrExists = errors.New("file exists")

// ErrSuffix is returned for an export whose suffix is not that of a format.
var ErrSuffix = errors.New("the suffix names no format")

// ErrInside is returned for an export into the directory of a collection. The
// files there belong to the crawl, and Verify would report the export as
// foreign.
var ErrInside = errors.New("that is inside a collection; export to a place outside")

// outside returns an ErrInside if a file lies in the directory of a collection
// or anywhere below one. Symbolic links in its folder are resolved first.
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
	// packed reports whether the suffix .gz or .zst may follow.
	packed bool
	about  string
	write  func(x *exporter, w io.Writer) error
	// list, if set, is how the format writes a list of pages, instead of write.
	list func(x *exporter, w io.Writer) (listSink, error)
}

// exportFormats returns the formats. If several suffixes match a name, the first
// one in this list counts, so longer suffixes come before shorter ones.
func exportFormats() []exportFormat {
	return []exportFormat{
		{"warc.gz", false, "the pages as the web sent them (WARC 1.1)", (*exporter).warc, nil},
		{"wacz", false, "the collection in one file, for replay (WACZ 1.1)", (*exporter).wacz, nil},
		{"decisions.jsonl", true, "what happened to every URL, and why", (*exporter).decisions, nil},
		{"sites.jsonl", true, "one JSON object per site, for a crawl for sites", (*exporter).sitesJSONL, nil},
		{"sites.csv", true, "one row per site", (*exporter).sitesCSV, nil},
		{"edges.csv", true, "the links of the graph as a table", (*exporter).edgesCSV, nil},
		{"gexf", true, "the graph of hosts, pages or sites, for Gephi", (*exporter).gexf, nil},
		{"graphml", true, "the graph of hosts, pages or sites", (*exporter).graphml, nil},
		{"dot", true, "the graph of hosts, pages or sites, for Graphviz", (*exporter).dot, nil},
		{"svg", false, "a picture of the graph of sites", (*exporter).svg, nil},
		{"md", false, "a folder with one Markdown file per page", nil, nil},
		{"parquet", false, "one row per page, with its text (Parquet)", nil, newParquetSink},
		{"jsonl", true, "one JSON object per page", nil, newJSONLSink},
		{"csv", true, "one row per page", nil, newCSVSink},
	}
}

// A formatInfo describes a format for people.
type formatInfo struct{ Suffix, About string }

// ExportFormats returns the formats of [Collection.Export].
func ExportFormats() (list []formatInfo) {
	for _, f := range exportFormats() {
		suffix := "." + f.suffix
		if f.packed {
			suffix += "(.gz, .zst)"
		}
		list = append(list, formatInfo{suffix, f.about})
	}
	return list
}

// formatOf returns the format that the suffix of a name selects, and the suffix
// of the compression around it, "" for none. Case does not matter. An unknown
// suffix is an ErrSuffix that lists the known ones.
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

// Export writes the selected part of the collection into one file; the suffix of
// the file selects the format. For the name "-" it writes to standard output in
// opt.Format. A list of pages has a data card next to it, in Markdown and in JSON;
// with opt.Shard it is several files. The format md writes a folder.
//
// Pages are in the order in which they were fetched, and the same collection and
// options always give the same bytes. Files appear only when they are complete: an
// error or a crash leaves no partial file. An export of several files that was
// interrupted continues with the file after the last complete one, if the collection
// and the options are the same. Export returns the number of pages
// written, for decisions the number of lines, for graphs the number of nodes. Parts that can't be read are
// passed over and recorded in Collection.Unread; other messages for a person are
// added to Collection.Notices.
func (c *Collection) Export(ctx context.Context, out string, opt ExportOptions) (n int, err error) {
	name := cmp.Or(opt.Format, filepath.Base(out))
	if out == "-" && opt.Format == "" {
		name = "jsonl"
	}
	format, pack, err := formatOf(name)
	if err != nil {
		return 0, fmt.Errorf("collection: export to %s: %w", out, err)
	}
	x, err := newExporter(ctx, c, out, format, opt)
	if err == nil && !opt.CheckOnly {
		err = x.run(format, pack)
	}
	if x != nil && len(x.unasked) > 0 {
		x.notes = append(x.notes, fmt.Sprintf("the tdmrep.json of %s is not in the collection: headers, pages and robots.txt were respected", plain.Some(len(x.unasked), "host")))
	}
	if x != nil && x.n == 0 && err == nil && !opt.CheckOnly {
		x.notes = append(x.notes, x.whyNothing()...)
	}
	if x != nil {
		c.Notices = append(c.Notices, x.notes...)
		n = x.n
	}
	if err != nil {
		return n, fmt.Errorf("collection: export to %s: %w", out, err)
	}
	return n, nil
}

// whyNothing returns a message that states why the export has no page, for formats that hold pages.
func (x *exporter) whyNothing() []string {
	if !x.hasPages() {
		return nil
	}
	var why []string
	for _, m := range leftMeanings() {
		if n := x.left[m[0]]; n > 0 {
			why = append(why, fmt.Sprintf("%s: %s", plain.Some(n, "page"), m[1]))
		}
	}
	f := x.filter()
	switch {
	case len(why) > 0:
	case x.c.Crawl.Status().Fetched == 0:
		why = append(why, "no page was fetched")
	case !f.Since.IsZero():
		why = append(why, "no such page was fetched since "+f.Since.Format(time.RFC3339))
	case !f.Changed.IsZero():
		why = append(why, "no such page has changed since "+f.Changed.Format(time.RFC3339))
	case f.On:
		why = append(why, "no page is on topic, and only such pages were asked for")
	default:
		return nil // what can't be read is listed
	}
	return []string{"the export has no pages: " + strings.Join(why, "; ")}
}

// hasPages reports whether the format holds pages, and not a graph or a list of something else.
func (x *exporter) hasPages() bool {
	return slices.Contains([]string{"jsonl", "csv", "parquet", "md", "wacz", "warc.gz"}, x.format)
}

// applies returns an error for an option that has no effect on a format: whoever gave it wanted something else.
func (f *exportFormat) applies(opt *ExportOptions) error {
	isList := f.list != nil || f.suffix == "md"
	switch {
	case opt.Graph != "" && !slices.Contains([]string{"gexf", "graphml", "dot", "edges.csv", "svg"}, f.suffix):
		return wrong("graph: %s is no graph; want .gexf, .graphml, .dot or .edges.csv", f.suffix)
	case len(opt.Fields) > 0 && f.list == nil:
		return wrong("fields: %s has none to choose from; want .jsonl, .csv or .parquet", f.suffix)
	case (opt.Text == textMain || opt.Text == textAll) && !isList && f.suffix != "wacz":
		return wrong("text: %s holds no texts of pages; want .jsonl, .csv, .parquet, .md or .wacz", f.suffix)
	}
	return nil
}

// exportedText returns which text an export has. Fields that name the text are as good as the option, so
// that the wishes of owners are kept for them, too.
func exportedText(format string, opt *ExportOptions) (string, error) {
	named := slices.Contains(opt.Fields, "text")
	switch {
	case opt.Text == none && named:
		return "", wrong("text: none, but the fields name text; leave out one of them")
	case slices.Contains([]string{none, textMain, textAll}, opt.Text):
		return opt.Text, nil
	case opt.Text != "":
		return "", wrong("text: %q is unknown; want main, all or none", opt.Text)
	case format == "md" || format == "parquet" || format == "wacz":
		return textMain, nil
	case named:
		return textAll, nil
	}
	return none, nil
}

// newExporter checks the options of an export.
func newExporter(ctx context.Context, c *Collection, out string, format exportFormat, opt ExportOptions) (x *exporter, err error) {
	if err := format.applies(&opt); err != nil {
		return nil, err
	}
	folder := format.suffix == "md"
	if opt.Text, err = exportedText(format.suffix, &opt); err != nil {
		return nil, err
	}
	x = &exporter{c: c, ctx: ctx, opt: opt, out: out, format: format.suffix, markdown: folder, left: map[string]int{}}
	if x.fields, err = fieldsOf(format.suffix, opt); err != nil {
		return nil, err
	}
	list := format.list != nil || folder
	archived := format.suffix == "wacz" || format.suffix == "warc.gz"
	x.needsFields = list && (opt.Text != none || slices.ContainsFunc(x.fields, func(name string) bool { return facts.Named(name).Document }))
	if x.sel, err = newSelection(&opt, list && opt.Text != none, archived); err != nil {
		return nil, err
	}
	if !list && !archived && (x.sel.isChosen(&opt) || opt.Sample > 0 || opt.Limit > 0 || opt.Shard > 0 || opt.Distinct != "" || len(opt.Respect) > 0) {
		return nil, wrong("%s holds no list of pages; where, min-score, distinct, limit, sample, shard and respect do not apply to it", format.suffix)
	}
	return x, nil
}

// run writes the export.
func (x *exporter) run(format exportFormat, pack string) error {
	if x.out != "-" {
		if err := outside(x.out); err != nil {
			return err
		}
	}
	durable.Sweep(x.workDir())
	switch {
	case x.markdown:
		return x.writeFolder()
	case format.list != nil:
		return x.writeList(format, pack)
	}
	write := func(w io.Writer) error {
		return packed(w, pack, func(w io.Writer) error { return format.write(x, w) })
	}
	if x.out == "-" {
		return toStdout(x.opt.Stdout, write)
	}
	return toFile(x.out, x.opt.Force, write)
}

// An exporter writes one export.
type exporter struct {
	c      *Collection
	ctx    context.Context
	opt    ExportOptions
	out    string
	format string // the suffix
	fields []string
	n      int
	// notes are messages for a person.
	notes []string

	sel         *selection
	needsFields bool // the export has facts of the content of pages
	noWords     bool // nothing counts the words of the own text of pages
	markdown    bool
	left        map[string]int // pages that were left out, by reason
	card        cardCounts
	looked      int // pages that were looked at
	skip        int // pages at the beginning that an interrupted export has looked at
	unread      int // parts that could not be read before an interruption

	// samples are the hosts whose templates are not learnt yet, and templates
	// those that are, by the numbers of hosts; learnt counts the blocks.
	samples   map[uint32]*hostSample
	templates map[uint32]*maintext.Template
	learnt    int

	withheld withheld  // what an archive must not have
	latest   time.Time // when the last page of an archive was fetched

	// unasked are the homepages of hosts that were not asked for what they reserve.
	unasked map[dowse.URL]bool

	// exported are the pages whose records were copied.
	exported map[dowse.URL]bool

	// lost are the parts of the archive that can't be read.
	lost []archive.Loss
	// there are the names of the archive files; nil for formats that do not
	// check them.
	there map[string]bool
	// gone are the pages that were left out.
	gone map[dowse.URL]bool
}

// now returns the time that archives are of: when their last page was fetched, and not when they were written, so
// that the same collection always gives the same bytes. An archive without pages is as old as the journal.
func (x *exporter) now() time.Time {
	switch {
	case !x.opt.Now.IsZero():
		return x.opt.Now
	case x.latest.IsZero():
		return x.c.LastCommit()
	}
	return x.latest
}

// filter returns which pages a list contains. A WACZ does not use it: it holds
// all pages unless On is set.
func (x *exporter) filter() Filter {
	return Filter{On: x.opt.On || !x.opt.All, Since: x.opt.Since, Changed: x.opt.Changed}
}

// pages calls do for the pages of a filter until there is an error or the
// context ends.
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

// packed calls write with a writer that compresses into w as the suffix demands,
// and ends the compressed stream.
func packed(w io.Writer, pack string, write func(io.Writer) error) error {
	z, err := packer(w, pack)
	if err != nil {
		return err
	}
	if z == nil {
		return write(w)
	}
	if err := write(z); err != nil {
		z.Close()
		return err
	}
	return z.Close()
}

// packer returns a writer that compresses into w, nil for no compression.
func packer(w io.Writer, pack string) (io.WriteCloser, error) {
	switch pack {
	case ".gz":
		return gzip.NewWriter(w), nil
	case ".zst":
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	}
	return nil, nil
}

// toStdout writes through a buffer to w, or to standard output if w is nil.
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

// toFile writes a file that appears as a whole. A symbolic link at its path is
// replaced and not followed. Without force an existing file is never replaced,
// even if it appears while the export is being written.
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

// free returns an error if nothing can be written to a path. It is checked
// before the export is made, so that a long export does not fail at its end.
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
