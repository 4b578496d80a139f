package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
)

type forgetCmd struct {
	Dir     string `arg:"" help:"Collection. No crawl may be running in it."`
	URL     string `arg:"" help:"Page to take down."`
	Because string `required:"" placeholder:"TEXT" help:"Why: it is kept with the date."`
	Yes     bool   `short:"y" help:"Do not ask; needed where nobody can be asked."`
	JSON    bool   `help:"As JSON."`
}

func (forgetCmd) Help() string {
	return `Examples:
  dowse forget reefs.dowse https://example.org/me --because "owner asked"
  dowse forget reefs.dowse example.org/me --because "owner asked" --yes

Takes a page down, for good: what the archive holds of it is erased, its title,
reasons and words go from journal, lists, index and examples, and what was said
of it from the labels. That it was taken down, when and why stays in the journal,
and so does the URL, so that it is never fetched again. Pages that are stored as a reference to it go with it; pages that say nearly the same stay
and are listed. Files that were exported before are not touched.`
}

// Run takes a page down.
func (c *forgetCmd) Run(w *world) error {
	if strings.TrimSpace(c.Because) == "" {
		return usage("--because: say why; it is kept with the date")
	}
	if !c.Yes && !w.isTTY {
		return usage("there is nobody to ask; --yes takes the page down without asking")
	}
	cr, err := c.open()
	if err != nil {
		return err
	}
	f, err := c.forget(w, cr.Collection)
	if err := errors.Join(err, cr.Close()); err != nil {
		return err
	}
	return c.print(w.out, f)
}

// open takes hold of the collection. Its archive is left alone, and nothing can be
// sent.
func (c *forgetCmd) open() (*crawler.Crawler, error) {
	if !collection.IsCollection(c.Dir) {
		return nil, usage("%s is not a collection", c.Dir)
	}
	cr, err := crawler.Open(c.Dir, crawler.Config{NoArchive: true, NoOutside: true, Transport: noNetwork{}})
	if errors.Is(err, collection.ErrLocked) {
		return nil, fmt.Errorf("%w; stop it first: dowse stop %s", err, c.Dir)
	}
	return cr, inCollection(err)
}

// noNetwork is a transport that sends nothing.
type noNetwork struct{}

func (noNetwork) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("nothing may be sent")
}

func (c *forgetCmd) forget(w *world, col *collection.Collection) (*collection.Forgotten, error) {
	u, err := knownURL(col, c.URL)
	if err != nil {
		return nil, err
	}
	if !c.Yes {
		if err := c.ask(w, col, u); err != nil {
			return nil, err
		}
	}
	return col.Forget(u, c.Because, time.Now())
}

// ask lets a person think again.
func (c *forgetCmd) ask(w *world, col *collection.Collection, u dowse.URL) error {
	row, err := col.Row(u)
	if err != nil {
		return err
	}
	fmt.Fprintln(w.err, oneLine(string(u)))
	if row.Title != "" {
		fmt.Fprintf(w.err, " %q\n", fit(oneLine(row.Title), 76))
	}
	fmt.Fprint(w.err, "Erase it for good? This can't be undone. [y/N] ")
	answer, err := bufio.NewReader(w.in).ReadString('\n')
	if err != nil && err != io.EOF {
		return err
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return &exitError{exitInterrupted, errors.New("nothing was done")}
}

func (c *forgetCmd) print(out io.Writer, f *collection.Forgotten) error {
	if c.JSON {
		return jsonLine(out, f)
	}
	s := &sheet{}
	title := "took down "
	if f.Already {
		title = "had been taken down before: "
	}
	s.whole(title + string(f.URL))
	s.field("archive", "%s erased", some(f.Records, "record"))
	if f.Entries == 1 {
		s.field("journal", "1 entry lost its words")
	} else {
		s.field("journal", "%s entries lost their words", count(f.Entries))
	}
	if f.Labels > 0 {
		s.field("labels", "%s forgotten", some(f.Labels, "line"))
	}
	for i, u := range f.Copies {
		s.field(head(i, "with it"), "%s", u)
	}
	for i, u := range f.SameAs {
		s.field(head(i, "alike"), "%s", u)
	}
	if len(f.SameAs) > 0 {
		s.more("%s nearly the same, and stay: forget them, too, if they should go", say(len(f.SameAs)))
	}
	for _, l := range s.lines {
		fmt.Fprintln(out, l)
	}
	return nil
}

func say(n int) string {
	if n == 1 {
		return "this page says"
	}
	return "these pages say"
}
