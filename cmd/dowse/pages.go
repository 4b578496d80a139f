package main

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"dowse"
	"dowse/collection"
	"dowse/internal/facts"
)

// pagesCmd lists pages and other URLs of a collection: as a table, as JSONL or in a
// format of the user's own.
//
// The flags have three parts. --on, --off, --unsure, --skipped and --failed choose the
// kinds of URLs, and what any of them asks for is listed; --host, --since, --lang, --text,
// --because and --model restrict all of these; --sort and --limit apply last. The order uncertainty puts pages near the
// threshold first, which are the ones to label; surprise puts those first whose link
// promised something else than the page is, which show what the strategy gets wrong.
type pagesCmd struct {
	Dir string `arg:"" help:"Collection."`
	// Which kinds of URLs; without any, every page that was fetched.
	On      bool          `help:"List pages on topic."`
	Off     bool          `help:"List pages off topic."`
	Unsure  bool          `help:"List pages near the threshold, on either side."`
	Skipped skippedReason `placeholder:"REASON" help:"List skipped URLs: --skipped, or --skipped=REASON."`
	Failed  bool          `help:"List URLs that failed for good."`
	// Which of these, in which order, and how many.
	Host  string `placeholder:"NAME" help:"List only this host."`
	Since moment `placeholder:"WHEN" help:"List only pages since (e.g. 2h, 3d, 2026-11-15)."`
	Lang  string `placeholder:"CODE" help:"List only this language (en: also en-gb)."`
	Text  string `placeholder:"TEXT" help:"List only titles and URLs with this text."`

	Because string `placeholder:"TEXT" help:"List only pages whose verdict has this reason."`
	Model   string `placeholder:"NAME" help:"List only verdicts of this judge (its name begins so)."`

	Sort  string `enum:",score,time,uncertainty,surprise,host" default:"" shown:"as fetched" placeholder:"ORDER" help:"Sort by score, time, uncertainty, surprise or host."`
	Limit int    `short:"n" placeholder:"N" help:"Print at most N."`
	Skip  int    `placeholder:"N" help:"Leave out the first N."`
	// How they are printed; without both, as a table.
	JSON   bool   `help:"Print JSON, one line per page."`
	Format string `placeholder:"TEXT" help:"Print each page as TEXT, with {field}s filled in."`
}

func (pagesCmd) Help() string {
	return `Examples:
  dowse pages reefs.dowse --on --sort score
  dowse pages reefs.dowse --unsure --sort uncertainty -n 20
  dowse pages reefs.dowse --skipped=robots --format '{url}\t{host}'
  dowse pages reefs.dowse --failed --since 2h --json | jq -r .reason
  dowse pages reefs.dowse --on --lang en --because bleach --sort host

Without --on, --off, --unsure, --skipped and --failed: every page that was
fetched. With several of them: what any one asks for. --sort surprise puts first
the pages that differ most from what their links promised. A reason may be given by
its beginning, as robots for robots.txt and robots.meta; see dowse help reasons.

Fields:
` + indented(strings.Join(pageFields(), " "))
}

// indented wraps a text into indented lines, which the help prints unchanged.
func indented(text string) string { return "  " + strings.Join(wrap(text, 74), "\n  ") }

// A skippedReason is the value of --skipped: a reason, the beginning of one, or any
// reason if the flag has no value. The parser sees it as a boolean flag that may be
// written with a value (--skipped=robots), since a flag with an optional value that
// follows a space would swallow the next argument.
type skippedReason string

// Decode implements kong.MapperValue for a flag whose value is optional.
func (s *skippedReason) Decode(ctx *kong.DecodeContext) error {
	*s = collection.AnyReason
	if ctx.Scan.Peek().Type == kong.FlagValueToken {
		*s = skippedReason(ctx.Scan.Pop().String())
	}
	return nil
}

// IsBool lets the parser accept the flag without a value.
func (skippedReason) IsBool() bool { return true }

// A moment is the value of --since: a date, a time, or how long ago it was.
type moment struct{ time.Time }

// UnmarshalText parses a moment. A date or time without a zone is in the local one.
func (m *moment) UnmarshalText(text []byte) (err error) {
	s := string(text)
	if ago, ok := parseAgo(s); ok {
		m.Time = time.Now().Add(-ago)
		return nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"} {
		if m.Time, err = time.ParseInLocation(layout, s, time.Local); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%q is not a time; write 2h, 3d, 2026-11-15 or 2026-11-15T09:30:00Z", s)
}

// parseAgo parses a duration before now, such as 2h or 3d; time.ParseDuration has no
// days.
func parseAgo(s string) (time.Duration, bool) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseFloat(days, 64)
		return time.Duration(n * 24 * float64(time.Hour)), err == nil && n >= 0 && n < 1e5
	}
	d, err := time.ParseDuration(s)
	return d, err == nil && d >= 0
}

// Run prints the URLs that the flags select. It reads the collection as a stream, so that
// large ones need little memory, and can be interrupted. Flags are checked before the
// collection is opened, which may take seconds. How many URLs there are goes to stderr,
// and only where a person reads it; the list alone is on stdout.
func (c *pagesCmd) Run(w *world) error {
	print, err := c.printer(w)
	if err != nil {
		return err
	}
	if err := c.checkReason(); err != nil {
		return err
	}
	cr, err := w.view(c.Dir)
	if err != nil {
		return err
	}
	defer cr.Close()
	out := bufio.NewWriter(w.out)
	// Only people need a heading; a pipe gets nothing but rows.
	if w.outTTY && !c.JSON && c.Format == "" {
		room, about := c.columns()
		fmt.Fprintf(out, "%-*s %-*s %s\n", room+5, "verdict", about, "title", "URL")
	}
	n, left := 0, 0
	for row, err := range cr.Collection.Pages(c.filter()) {
		if err != nil {
			return err
		}
		if w.ctx.Err() != nil {
			return &exitError{code: exitInterrupted, err: out.Flush()}
		}
		if left++; left <= c.Skip {
			continue
		}
		n++
		if err := print(out, row); err != nil {
			return err
		}
	}
	if w.isTTY || n == 0 {
		defer fmt.Fprintln(w.err, some(n, "URL"))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return passedOver(w, c.Dir, &cr.Collection.Unread)
}

// filter returns the selection, order and limit that the flags describe.
func (c *pagesCmd) filter() collection.Filter {
	most := c.Limit
	if most > 0 {
		most += max(c.Skip, 0)
	}
	return collection.Filter{
		On: c.On, Off: c.Off, Unsure: c.Unsure, Failed: c.Failed, Skipped: string(c.Skipped), Host: strings.ToLower(c.Host),
		Since: c.Since.Time, Limit: most, Sort: collection.Sort(c.Sort),
		Having: facts.Conditions{Reason: c.Because, Language: c.Lang, Text: c.Text, Model: c.Model},
	}
}

// checkReason returns an error for an unknown reason. Without it the list would be empty
// and look like an answer.
func (c *pagesCmd) checkReason() error {
	want := string(c.Skipped)
	if want == "" || want == collection.AnyReason {
		return nil
	}
	for _, r := range dowse.ReasonHelp() {
		if string(r.Reason) == want || strings.HasPrefix(string(r.Reason), want+".") {
			return nil
		}
	}
	return usage("unknown reason %q; see dowse help reasons", want)
}

// A rowPrinter prints one page.
type rowPrinter func(out io.Writer, row *collection.Row) error

// printer returns the printer that the flags select.
func (c *pagesCmd) printer(w *world) (rowPrinter, error) {
	switch {
	case c.Format != "" && c.JSON:
		return nil, usage("--json or --format, not both")
	case c.Format != "":
		return parseFormat(c.Format)
	case c.JSON:
		return func(out io.Writer, row *collection.Row) error { return jsonLine(out, row) }, nil
	}
	return c.tableRow(w), nil
}

// columns returns the widths of the first columns: verdict or reason, and title or
// detail.
func (c *pagesCmd) columns() (room, about int) {
	if c.Skipped != "" || c.Failed {
		return len(dowse.SkipPrivateIP), 17
	}
	return len(collection.VerdictUnsure), 26
}

// tableRow returns a printer for people: relevance and verdict, or the reason of a URL
// that was not kept, then title or detail, then the URL:
//
//	0.97 on     Anemones of the splash zone  shorewalks.demo/anemones
//	-    robots.txt closed                   private.example/x
//
// On a terminal, title and URL share its width and the URL is cut in the middle;
// elsewhere both are complete. A page that is kept without its end is marked [cut].
func (c *pagesCmd) tableRow(w *world) rowPrinter {
	room, about := c.columns()
	terminal := columnsOf(w.out)
	return func(out io.Writer, row *collection.Row) error {
		score, word := "-", string(row.Reason)
		if row.Judged {
			score, word = fmt.Sprintf("%.2f", row.Relevance()), row.Verdict()
		}
		title := oneLine(orDefault(row.Title, orDefault(row.Detail, row.Anchor())))
		if row.Outcome == dowse.Fetched && row.Fetch.Truncated {
			title = strings.TrimSpace("[cut] " + title)
		}
		head := fmt.Sprintf("%-4s %-*s ", score, room, orDefault(word, row.State.String()))
		url, left := oneLine(string(row.URL)), terminal-len(head)-1
		if terminal > 0 {
			about = max(about, left*2/5)
			title, url = fit(title, about), fitMiddle(oneLine(bare(row.URL)), max(left-about, 10))
		}
		line := fmt.Sprintf("%s%-*s %s", head, about, title, url)
		_, err := fmt.Fprintln(out, tint(line, colouredOf(w.out)))
		return err
	}
}
