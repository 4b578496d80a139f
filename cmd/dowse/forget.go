package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/cluster"
	"dowse/internal/plain"
	"dowse/internal/sink"
	"dowse/weburl"
)

// forgetCmd takes pages down: it erases them from a collection for good. The
// owner of a page may have a right to that, so it must leave nothing behind: not in the archive, not in the
// journal, and not as a word in a trained model. Only a fingerprint of the URL stays, so
// that the page is not fetched again.
//
// Since it cannot be undone, it requires a reason, lists what it will erase and asks; a
// script, which cannot be asked, must give --yes. No crawl may run in the collection. A
// takedown that is interrupted is completed by the next forget or crawl.
type forgetCmd struct {
	Dir     string   `arg:"" help:"Collection. No crawl may be running in it."`
	URL     []string `arg:"" optional:"" help:"Pages to take down."`
	Host    string   `placeholder:"HOST" help:"Take down all pages of a host."`
	Prefix  string   `placeholder:"URL" help:"Take down all pages whose URL begins with this."`
	Because string   `required:"" placeholder:"TEXT" help:"Reason, kept with the date."`
	Yes     bool     `short:"y" help:"Do not ask; needed without a terminal."`
	JSON    bool     `help:"Print JSON."`
}

func (forgetCmd) Help() string {
	return `Examples:
  dowse forget reefs.dowse https://example.org/me --because "owner asked"
  dowse forget reefs.dowse example.org/a example.org/b --because "asked" --yes
  dowse forget reefs.dowse --host example.org --because "owner asked" --yes
  dowse forget reefs.dowse --prefix example.org/~me/ --because "owner asked"

Takes pages down, for good. What the archive holds of them is erased. Their URLs,
titles, reasons and words go from journal, saved state, lists, index, labels, answers,
examples, seeds and topic, and so do URLs that only they linked to. Words that occur on
no other page are removed from trained models. Only a fingerprint of each URL stays,
with date and reason, so that it is never fetched again. Neither judge nor strategy
runs.

Pages that are stored as a reference to one of them go with it; pages that say nearly
the same stay and are listed. Other pages keep what they say of a page, and their links
to it in the archive. Files that were exported before are not touched; the sinks of
the collection are sent a deletion. If it is interrupted, the next forget or crawl completes it.`
}

// Run erases the pages and prints what was changed. All flags are checked and the user is
// asked before anything is changed. The checks are in the order of their cost: the reason
// and the selection, the terminal, the collection, the URLs, the question.
func (c *forgetCmd) Run(w *world) error {
	if strings.TrimSpace(c.Because) == "" {
		return usage("--because: the reason is empty; give one, it is kept with the date")
	}
	if len(c.URL) == 0 && c.Host == "" && c.Prefix == "" {
		return usage("nothing to forget: give URLs, --host or --prefix")
	}
	if !c.Yes && !w.isTTY {
		return usage("cannot ask for confirmation here (no terminal); add --yes")
	}
	if !collection.IsCollection(c.Dir) {
		return usage("%s is not a collection", c.Dir)
	}
	x, err := c.takedown()
	if err != nil {
		return err
	}
	if !c.Yes {
		if err := c.ask(w, x); err != nil {
			return err
		}
	}
	f, err := crawler.Forget(c.Dir, x)
	if errors.Is(err, collection.ErrUnknown) {
		return c.unknown(err)
	}
	if err != nil {
		return inCollection(err)
	}
	if err := c.print(w.out, f); err != nil {
		return err
	}
	c.passOn(w)
	c.nameServers(w)
	return nil
}

// nameServers reports that the servers of a cluster may still have the pages, in commits that standbys had not
// read, and in bytes that were removed from a stream and not overwritten.
func (c *forgetCmd) nameServers(w *world) {
	m, err := cluster.ReadMembership(c.Dir)
	files := serverFiles(c.Dir)
	if _, missing := os.Stat(files); missing == nil {
		fmt.Fprintf(w.err, "note: %s, the files of the embedded NATS server, may still hold the pages; remove that directory\n", printable(files))
	} else if err == nil && m.Term != "" {
		fmt.Fprintf(w.err, "note: the NATS servers of the cluster %q may still hold the pages; dowse cluster drop SERVERS removes what they hold\n", m.Cluster)
	} else {
		return
	}
	fmt.Fprintln(w.err, "note: copies of standbys lose the pages when the crawl is resumed with its standbys")
}

// passOn sends the deletions to the sinks of the collection, as far as that is possible in a
// short time. The pages are gone from the collection whatever comes of it, so a problem is a
// note that names the command which sends the deletions later.
func (c *forgetCmd) passOn(w *world) {
	s, err := collection.ReadSettings(c.Dir)
	if err != nil || len(s.Sinks) == 0 {
		return
	}
	send := sinkCmd{Dir: c.Dir, Wait: s.Resolved().SinkWait}
	if err := send.Run(w); err != nil {
		fmt.Fprintf(w.err, "note: sinks may still have the pages: %s\nnote: dowse sink %s sends the deletions\n", oneLine(plain.Error(err)), shellWord(c.Dir))
	}
	for _, text := range s.Sinks {
		if spec, err := sink.Parse(text); err == nil {
			if file, ok := spec.IsFile(); ok {
				fmt.Fprintf(w.err, "note: %s still holds what was sent before the deletion; remove the lines with its key\n", oneLine(file))
			}
		}
	}
}

// takedown returns what is to be erased. A URL without a scheme is completed with the one
// under which the collection knows it, https if it knows neither: a page must not stay
// because the user copied its address without http://.
func (c *forgetCmd) takedown() (x collection.Takedown, err error) {
	x = collection.Takedown{Host: strings.ToLower(c.Host), Why: c.Because, At: time.Now()}
	if c.Prefix != "" {
		u, err := weburl.Parse(withScheme(c.Prefix))
		if err != nil {
			return x, usage("--prefix: %v", err)
		}
		x.Prefix = string(u)
	}
	// Which URLs the collection knows is read only if it matters: for a host or a
	// prefix it does not.
	known := func(dowse.URL) bool { return false }
	if len(c.URL) > 0 {
		if known, err = collection.Knows(c.Dir); err != nil {
			return x, inCollection(err)
		}
	}
	for _, raw := range c.URL {
		u, err := weburl.Parse(withScheme(raw))
		if err != nil {
			return x, usage("%s: %v", raw, err)
		}
		if plain, err := weburl.Parse("http://" + raw); err == nil && !strings.Contains(raw, "://") && !known(u) && known(plain) {
			u = plain
		}
		x.URLs = append(x.URLs, u)
	}
	return x, nil
}

// unknown turns the error for a URL that the crawl never saw into one that suggests the
// nearest known URL. A misspelt URL must not look like a page that was taken down.
func (c *forgetCmd) unknown(err error) error {
	cr, viewErr := view(c.Dir)
	if viewErr != nil {
		return usage("%v", err)
	}
	defer cr.Close()
	for _, raw := range c.URL {
		if _, err := knownURL(cr.Collection, raw); err != nil {
			return err
		}
	}
	return usage("%v", err)
}

// ask lists what will be erased and asks for confirmation; any answer but yes is an
// error. It is the only question that dowse asks before a command it was given, because
// it is the only command that cannot be undone.
func (c *forgetCmd) ask(w *world, x collection.Takedown) error {
	for _, u := range x.URLs {
		fmt.Fprintln(w.err, oneLine(string(u)))
	}
	if x.Host != "" {
		fmt.Fprintf(w.err, "all pages of %s\n", oneLine(x.Host))
	}
	if x.Prefix != "" {
		fmt.Fprintf(w.err, "all pages that begin with %s\n", oneLine(x.Prefix))
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

// print prints what was erased and what remains: copies that were erased too, and pages
// with nearly the same text, which stay because they are other pages and perhaps of other
// owners. The user decides about these.
func (c *forgetCmd) print(out io.Writer, f *collection.Forgotten) error {
	if c.JSON {
		return jsonLine(out, f)
	}
	s := &sheet{}
	for _, u := range f.URLs {
		s.whole("took down " + string(u))
	}
	for _, u := range f.Ended {
		s.whole("took down " + string(u) + " (it had been interrupted, and is complete now)")
	}
	for _, u := range f.Already {
		s.whole("had been taken down before: " + string(u))
	}
	s.field("archive", "%s erased", some(f.Records, "record"))
	if f.Entries == 1 {
		s.field("journal", "1 entry lost its words")
	} else {
		s.field("journal", "%s entries lost their words", count(f.Entries))
	}
	if f.Labels > 0 {
		s.field("labels", "%s forgotten", some(f.Labels, "line"))
	}
	if f.Leads > 0 {
		s.field("links", "%s that stood only there", some(f.Leads, "URL"))
	}
	for i, m := range f.Models {
		s.field(head(i, "models"), "%s lost words that stood only there", m)
	}
	for i, u := range f.Copies {
		s.field(head(i, "with it"), "%s", u)
	}
	for i, u := range f.SameAs {
		s.field(head(i, "alike"), "%s", u)
	}
	if len(f.SameAs) > 0 {
		s.more("%s nearly the same, and stay: forget them, too, if they should go", subjectOf(len(f.SameAs)))
	}
	for _, n := range f.Notes {
		s.more("%s", oneLine(n))
	}
	for _, l := range s.lines {
		fmt.Fprintln(out, l)
	}
	return nil
}

// subjectOf returns the subject and verb for n pages with similar text.
func subjectOf(n int) string {
	if n == 1 {
		return "this page says"
	}
	return "these pages say"
}
