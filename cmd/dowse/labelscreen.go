package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/term"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/weburl"
)

// A labeller asks for the label of one page after another on the terminal. Labels are
// written when a key is pressed, so that none is lost if the command is killed. The
// screen shows what a person needs for a decision: verdict, title, the judge's reasons,
// and the part of the text that has the most signs, with the signs marked:
//
//	reefs.dowse  unsure 3 of 20 · m0001 · 2 labels in this run
//
//	0.52 unsure  https://example.org/news/heat
//	title    Heat wave at the coast
//	because  +1.20 "coral" ×2, -0.40 "tourism" ×5
//
//	… the *coral* gardens off the pier were closed to divers …
//
//	y on topic  n off topic  s skip  u undo  h whole host  t train  q quit
//
// After every few labels a model is trained and the queue is read anew, because the new
// model is unsure about other pages.
type labeller struct {
	c      *labelCmd
	w      *world
	cr     *crawler.Crawler
	rows   []*collection.Row
	at     int
	of     int                // pages that an audit is drawn from
	given  []collection.Label // in this run, in order
	fresh  int                // of them, not trained on
	last   collection.Model   // that was trained in this run
	notice string
	keys   <-chan byte
}

const (
	ctrlC = 3
	ctrlD = 4
)

// keyboard runs the dialogue until the queue is empty or the user quits, restores the
// terminal, and retrains if labels were added. The terminal is in raw mode meanwhile:
// keys arrive without Enter, and Ctrl-C is a key, which quits like q.
func (c *labelCmd) keyboard(w *world, in *os.File) error {
	l := &labeller{c: c, w: w, keys: keysOf(in)}
	if err := l.open(); err != nil {
		return err
	}
	defer func() { l.cr.Close() }()
	if len(l.rows) == 0 {
		fmt.Fprintf(w.err, "nothing to label: the queue %s of %s is empty\n", c.Queue, c.Dir)
		return nil
	}
	old, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return err
	}
	err = l.ask()
	term.Restore(int(in.Fd()), old)
	fmt.Fprint(w.err, "\r\n")
	switch {
	case err != nil:
		return err
	case l.fresh > 0:
		fmt.Fprintln(w.err, "training …")
		return c.train(w, l.confirm)
	case l.last.Refused:
		return c.printModel(w, l.last, l.confirm)
	}
	return nil
}

// confirm asks a question after the dialogue. The answer comes through the channel of
// keys, since its goroutine still reads the input.
func (l *labeller) confirm(question string) (bool, error) {
	fmt.Fprint(l.w.err, question)
	k, ok := l.key()
	return ok && (k == 'y' || k == 'Y'), nil
}

// keysOf returns a channel of the keys that are pressed. Its goroutine ends with the
// input or the process.
func keysOf(in *os.File) <-chan byte {
	keys := make(chan byte)
	go func() {
		defer close(keys)
		var b [1]byte
		for {
			if n, err := in.Read(b[:]); n != 1 || err != nil {
				return
			}
			keys <- b[0]
		}
	}()
	return keys
}

// open reads the collection and the queue anew.
func (l *labeller) open() (err error) {
	if l.cr != nil {
		l.cr.Close()
	}
	if l.cr, err = view(l.c.Dir); err != nil {
		return err
	}
	l.rows, _, err = l.c.queue(l.cr)
	l.at, l.of = 0, l.cr.Status().Fetched
	return err
}

// key waits for a key; ok is false if the user quits or the command is interrupted.
func (l *labeller) key() (byte, bool) {
	select {
	case k, ok := <-l.keys:
		return k, ok && k != ctrlC && k != ctrlD
	case <-l.w.ctx.Done():
		return 0, false
	}
}

// drain discards keys that were pressed while a model was trained: they would label the
// next page, which the user has not seen yet.
func (l *labeller) drain() {
	for {
		select {
		case _, ok := <-l.keys:
			if !ok {
				return
			}
		case <-time.After(50 * time.Millisecond):
			return
		}
	}
}

// ask shows pages and handles keys. It retrains after every few labels.
func (l *labeller) ask() error {
	for l.at < len(l.rows) {
		l.draw()
		k, ok := l.key()
		if !ok || k == 'q' {
			return nil
		}
		if err := l.press(k); err != nil {
			return err
		}
		if l.fresh >= crawler.TrainEvery {
			if err := l.learn(); err != nil {
				return err
			}
		}
	}
	return nil
}

// press carries out a key; an unknown key shows the list of keys. l and o are the keys of
// earlier versions and mean the same as y and n.
func (l *labeller) press(k byte) error {
	l.notice = ""
	switch k {
	case 'y', 'l':
		return l.label(collection.LabelOn)
	case 'n', 'o':
		return l.label(collection.LabelOff)
	case 's':
		return l.label(collection.LabelSkip)
	case 'u':
		return l.takeBack()
	case 'h':
		return l.host()
	case 't':
		return l.learn()
	}
	l.notice = "keys: y on topic, n off topic, s skip, u undo, h whole host, t train, q quit"
	return nil
}

// say labels the current page and goes to the next. A label of an audit records how many
// pages the sample was drawn from.
func (l *labeller) label(label string) error {
	x := l.c.line(l.rows[l.at].URL, label)
	x.Model = cmp.Or(l.cr.Collection.Crawl.Model(), collection.FirstModel)
	if x.Queue = l.c.Queue; x.Queue == collection.QueueAudit {
		x.Of = l.of
	}
	l.at++
	return l.keep(x)
}

// keep appends labels to the collection. Skips are kept, and are nothing to train on.
func (l *labeller) keep(lines ...collection.Label) error {
	if err := collection.AppendLabels(l.c.Dir, lines...); err != nil {
		return err
	}
	l.given = append(l.given, lines...)
	for _, x := range lines {
		if x.Label != collection.LabelSkip {
			l.fresh++
		}
	}
	return nil
}

// takeBack revokes the last label of this run and shows its page again. The file of
// labels only grows, so a skip is appended that overrides it; other processes may have
// read the label already.
func (l *labeller) takeBack() error {
	if len(l.given) == 0 || l.at == 0 {
		l.notice = "nothing to take back here; dowse label --undo goes back to an earlier model"
		return nil
	}
	last := l.given[len(l.given)-1]
	l.given = l.given[:len(l.given)-1]
	back := l.c.line(last.URL, collection.LabelSkip)
	back.Note = "taken back"
	if err := collection.AppendLabels(l.c.Dir, back); err != nil {
		return err
	}
	if i := slices.IndexFunc(l.rows, func(r *collection.Row) bool { return r.URL == last.URL }); i >= 0 {
		l.at = i
	}
	l.notice = "taken back: " + last.Label
	return nil
}

// host labels all pages of the current page's host that were fetched so far, after
// asking, and removes them from the queue. Pages of the host that come later are not
// labelled: the judge learns from these.
func (l *labeller) host() error {
	host := weburl.Host(l.rows[l.at].URL)
	var lines []collection.Label
	for row, err := range l.cr.Collection.Pages(collection.Filter{Host: host}) {
		if err != nil {
			return err
		}
		x := l.c.line(row.URL, "")
		x.Queue, x.Model = "host", cmp.Or(l.cr.Collection.Crawl.Model(), collection.FirstModel)
		lines = append(lines, x)
	}
	l.notice = fmt.Sprintf("all %s of %s so far: y on topic, n off topic, any other key: cancel", some(len(lines), "page"), fit(oneLine(host), 30))
	l.draw()
	k, _ := l.key()
	label := map[byte]string{'y': collection.LabelOn, 'l': collection.LabelOn, 'n': collection.LabelOff, 'o': collection.LabelOff}[k]
	if l.notice = ""; label == "" {
		return nil
	}
	for i := range lines {
		lines[i].Label = label
	}
	// The pages of the host that come later in the queue are labelled too, and leave it.
	l.rows = append(l.rows[:l.at:l.at], slices.DeleteFunc(slices.Clone(l.rows[l.at:]), func(r *collection.Row) bool { return weburl.Host(r.URL) == host })...)
	return l.keep(lines...)
}

// learn retrains, shows what that changed, and reads the queue anew, since another model
// is unsure about other pages. The number of questions that are left stays the same; an
// audit keeps its sample, which must not depend on the model.
func (l *labeller) learn() error {
	if l.fresh == 0 {
		l.notice = "nothing new to train on"
		return nil
	}
	l.notice = "training …"
	l.draw()
	l.fresh = 0
	m, err := l.c.retrain(l.w, l.c.request())
	if errors.Is(err, context.Canceled) {
		return nil
	}
	if err != nil {
		return err
	}
	// Keys that were pressed while training ran would label pages that are not on the
	// screen yet.
	l.drain()
	l.last = m
	left := l.c.Limit - len(l.given)
	if err := l.open(); err != nil {
		return err
	}
	if l.rows = l.rows[:min(len(l.rows), max(left, 0))]; l.c.Queue == collection.QueueAudit {
		l.rows, _, err = l.c.queue(l.cr)
	}
	switch {
	case m.Refused:
		l.notice = notUsed(m)
	case m.Error != "":
		l.notice = m.Model + " failed: " + oneLine(m.Error)
	default:
		l.notice = consequence(m, l.c.Dir)
	}
	return err
}

// draw shows the current page on the whole screen.
func (l *labeller) draw() {
	var b strings.Builder
	if l.w.env("TERM") != "dumb" {
		b.WriteString(clearScreen)
	}
	for _, line := range l.lines(min(width(), 100), screenLines()) {
		b.WriteString(line)
		b.WriteString("\r\n")
	}
	fmt.Fprint(l.w.err, b.String())
}

// screenLines returns the height of the terminal, 24 if it is not known.
func screenLines() int {
	if _, h, err := term.GetSize(int(os.Stderr.Fd())); err == nil && h > 10 {
		return h
	}
	return 24
}

// furniture is the number of lines on the screen that are not part of the excerpt.
const furniture = 10

// lines returns the screen for a page: state, verdict, title, reasons, excerpt and keys.
// The excerpt gets the lines that are left, so that nothing scrolls. All texts of the
// page are made printable and cut to the width.
func (l *labeller) lines(columns, height int) []string {
	if l.at >= len(l.rows) {
		return []string{l.notice}
	}
	r := l.rows[l.at]
	cut := func(s string) string { return fit(oneLine(s), columns) }
	out := []string{
		cut(fmt.Sprintf("%s  %s %d of %d · %s · %s in this run", l.c.Dir, l.c.Queue, l.at+1, len(l.rows),
			cmp.Or(l.cr.Collection.Crawl.Model(), collection.FirstModel), some(len(l.given), "label"))),
		"",
		cut(fmt.Sprintf("%s %s  %s", score(r.Relevance()), r.Verdict(), r.URL)),
		cut("title    " + r.Title),
	}
	for i, line := range wrap("because  "+oneLine(l.reasonLine(r)), columns) {
		if i < 2 {
			out = append(out, fit(line, columns))
		}
	}
	out = append(out, "")
	room := max(1, height-furniture)
	out = append(out, l.excerpt(r, columns, room)...)
	return append(out, "", fit(l.notice, columns), keyLine(columns))
}

// keyLine lists the keys, in a shorter form on a narrow screen.
func keyLine(columns int) string {
	const whole = "y on topic  n off topic  s skip  u undo  h whole host  t train  q quit"
	if columns >= len(whole) {
		return whole
	}
	return fit("y on  n off  s skip  u undo  h host  t train  q quit", columns)
}

// reasonLine returns the judge's reasons, with words in place of stems where the page is
// kept.
func (l *labeller) reasonLine(r *collection.Row) string {
	v := r.Page.Verdict
	doc, err := l.cr.Collection.DocumentOf(r)
	if err != nil {
		return tellingReasons(v.Because)
	}
	found := l.cr.Topic.Speller().SpellOf(v, &dowse.Page{Document: *doc})
	return tellingReasons(found.Names(v.Because))
}

// excerpt returns the part of the page's text with the strongest signs, which are
// marked.
func (l *labeller) excerpt(r *collection.Row, columns, lines int) []string {
	doc, err := l.cr.Collection.DocumentOf(r)
	if err != nil {
		return []string{fit(oneLine(err.Error()), columns)}
	}
	text := excerptOf(doc, signTerms(r.Page.Verdict.Because), columns*lines*3/4)
	var out []string
	for _, line := range wrap(text, columns) {
		if len(out) == lines {
			break
		}
		out = append(out, l.mark(fit(line, columns)))
	}
	return out
}

// The marks of a term in an excerpt: characters that no page can bring in, as
// oneLine lets none of them through.
const (
	markOn  = '\x0e'
	markOff = '\x0f'
)

// mark shows the marked words of a line: in reverse on a terminal with colours, else
// between asterisks. A mark that the end of the line cut off is closed, or the rest of
// the screen would be in reverse.
func (l *labeller) mark(line string) string {
	on, off := "*", "*"
	if l.w.colour {
		on, off = "\x1b[7m", "\x1b[27m"
	}
	if strings.Count(line, string(markOn)) > strings.Count(line, string(markOff)) {
		line += string(markOff) // it was cut in the midst of one
	}
	return strings.NewReplacer(string(markOn), on, string(markOff), off).Replace(line)
}

// maxSigns is the number of reasons that are looked for in the text.
const maxSigns = 12

// signTerms returns the words of the strongest reasons in lower case. Very short words
// and reasons that are not words of the page are left out.
func signTerms(list []dowse.Because) (terms []string) {
	for _, c := range list[:min(len(list), maxSigns)] {
		if !strings.HasPrefix(c.What, `"`) {
			continue // not a term of the page
		}
		for _, w := range dowse.Words(c.What) {
			if t := strings.ToLower(c.What[w.Start:w.End]); utf8.RuneCountInString(t) > 2 && c.Weight != 0 {
				terms = append(terms, t)
			}
		}
	}
	return terms
}

// excerptOf returns about n bytes of a page's text, those with the most signs, as one
// line that is safe on a terminal. Signs are between marks. The beginning of a page is
// mostly navigation; the part with the signs shows why the judge is unsure.
func excerptOf(doc *dowse.Document, terms []string, n int) string {
	words := doc.Words
	if len(words) == 0 {
		return "(the page has no text)"
	}
	hits := make([]bool, len(words))
	for i := range words {
		w := strings.ToLower(doc.Word(i))
		hits[i] = slices.ContainsFunc(terms, func(t string) bool { return strings.HasPrefix(w, t) })
	}
	from, to := richest(words, hits, n)
	var b strings.Builder
	for i := from; i < to; i++ {
		word := oneLine(doc.Word(i))
		if hits[i] {
			word = string(markOn) + word + string(markOff)
		}
		b.WriteString(word)
		if i+1 < to {
			b.WriteString(oneLine(doc.Text[words[i].End:words[i+1].Start]))
		}
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// richest returns the range of words of at most n bytes with the most hits, the first one
// if several have equally many. It takes one pass over the words: a window is moved over
// them, and hits are counted in and out.
func richest(words []dowse.Span, hits []bool, n int) (from, to int) {
	best, count, start := -1, 0, 0
	for i := range words {
		if hits[i] {
			count++
		}
		for int(words[i].End-words[start].Start) > n && start < i {
			if hits[start] {
				count--
			}
			start++
		}
		if count > best || count == best && start == from {
			best, from, to = count, start, i+1
		}
	}
	return from, to
}
