package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"dowse"
	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/operations"
)

// labelCmd collects labels, which are verdicts of people and override the judge. Its
// flags select one of several actions; without any it asks on the terminal.
//
//	(none)      ask on the keyboard (labelscreen.go)
//	--from      take labels from a file (labelfile.go)
//	--train     train on labels that no model was trained on yet
//	--undo      go back to an earlier model
//	--list      print labels, conflicts and models
//	--json      print the pages that are worth a label, for other tools
//
// --queue chooses which pages are asked about. unsure are those near the threshold, where
// a label teaches most. audit is a random sample, which measures the judge and is the
// only basis for the audited harvest rate of status. disagreements are pages on which
// a label and the judge, or the two latest models, differ.
//
// Labels are appended to labels.jsonl, also while a crawl runs in another process. The
// process that holds the collection trains the model, judges all pages again and ranks
// all links again, so that the result is the same whichever process does it.
type labelCmd struct {
	Dir   string    `arg:"" help:"Collection."`
	Queue string    `enum:"unsure,audit,disagreements" default:"unsure" placeholder:"WHICH" help:"Pages to label: unsure, audit or disagreements."`
	Audit int       `placeholder:"N" help:"Label a random sample of N pages, to measure the judge."`
	Limit int       `short:"n" default:"20" placeholder:"N" help:"Ask about at most N pages."`
	From  string    `placeholder:"FILE" help:"Read labels from a file or -: JSONL, or URL<tab>label."`
	Undo  undoModel `placeholder:"MODEL" help:"Go back to the previous model, or to --undo=mNNNN."`
	Train bool      `help:"Train on the labels there are now."`
	Yes   bool      `short:"y" help:"Use the new model without asking."`
	List  bool      `help:"List labels, conflicts and models."`
	By    string    `env:"USER" placeholder:"NAME" help:"Who labels (default: the user)."`
	JSON  bool      `help:"Print JSON: the queue, what changed, or with --list all."`
}

func (labelCmd) Help() string {
	return `Examples:
  dowse label reefs.dowse                    on the keyboard, the unsure first
  dowse label reefs.dowse --audit 50         measure the judge, for status
  dowse label reefs.dowse --from labels.tsv
  dowse label reefs.dowse --json | jq -r .url
  dowse label reefs.dowse --undo             back to the model before
  dowse label reefs.dowse --undo=m0002       back to that one

Keys: y on topic, n off topic, s skip, u undo the last one, h the whole
host, t train now, q quit.

Labels beat the judge. After 5 of them, and at the end, a model is trained on all
of them, every visited page is judged again and all links are ranked again; also
while a crawl runs in another process. A model that does worse on labels it was not
trained on is not used, and one that changes more than a tenth of the verdicts only
if you agree, or with --yes. Nothing is lost: labels.jsonl only grows, and --undo
ignores the labels that only later models learnt. If the topic has no
negative examples, the crawl trains models by itself, against pages that it saw:
--list shows them, --undo goes back (see --contrast of dowse crawl).

A line of a file is {"url":…,"label":"on|off|skip","note":…} or URL<tab>label.`
}

// An undoModel is the value of --undo: modelBefore if the flag has no value, else the
// name of a model.
type undoModel string

// modelBefore is the value of --undo without a value: the model before the present one.
const modelBefore = "before"

// Decode implements kong.MapperValue for a flag whose value is optional.
func (u *undoModel) Decode(ctx *kong.DecodeContext) error {
	*u = modelBefore
	if ctx.Scan.Peek().Type == kong.FlagValueToken {
		*u = undoModel(ctx.Scan.Pop().String())
	}
	return nil
}

// IsBool lets the parser accept the flag without a value.
func (undoModel) IsBool() bool { return true }

// Run carries out the action that the flags select. Labels can be added while a crawl
// runs in another process; that process then retrains. Without an action and without a
// terminal the error shows the two ways that need none.
func (c *labelCmd) Run(w *world) error {
	if !collection.IsCollection(c.Dir) {
		return usage("%s is not a collection", c.Dir)
	}
	if c.Audit > 0 {
		c.Queue, c.Limit = collection.QueueAudit, c.Audit
	}
	if err := c.checkAction(); err != nil {
		return err
	}
	switch {
	case c.List:
		return c.list(w)
	case c.Undo != "":
		return c.undo(w)
	case c.From != "":
		return c.from(w)
	case c.Train:
		return c.trainIfNew(w)
	case c.JSON:
		return c.printQueue(w)
	}
	in, ok := w.in.(*os.File)
	if !ok || !isTerminal(in) || !w.isTTY {
		return usage("labelling on the keyboard needs a terminal; elsewhere:\n"+
			"  dowse label %[1]s --json                     which pages are worth a label\n"+
			"  dowse label %[1]s --from FILE                 take labels from a file, - for stdin", shellWord(c.Dir))
	}
	return c.keyboard(w, in)
}

// checkAction refuses flags of two actions: one of them would be carried out, and the other
// forgotten. A file is followed by a training in any case.
func (c *labelCmd) checkAction() error {
	var given []string
	for _, a := range []struct {
		flag string
		is   bool
	}{{"--list", c.List}, {"--undo", c.Undo != ""}, {"--from", c.From != ""}, {"--train", c.Train && c.From == ""}} {
		if a.is {
			given = append(given, a.flag)
		}
	}
	if len(given) > 1 {
		return usage("%s: give one of them", strings.Join(given, " and "))
	}
	return nil
}

// printQueue prints the pages to label as JSONL, for scripts.
func (c *labelCmd) printQueue(w *world) error {
	cr, err := w.view(c.Dir)
	if err != nil {
		return err
	}
	defer cr.Close()
	rows, _, err := c.queue(cr)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if err := jsonLine(w.out, r); err != nil {
			return err
		}
	}
	return nil
}

// queue returns the pages of the selected queue, and the labels that exist.
func (c *labelCmd) queue(cr *crawler.Crawler) ([]*collection.Row, *collection.Labels, error) {
	labels, err := collection.ReadLabels(c.Dir)
	if err != nil {
		return nil, nil, err
	}
	rows, err := cr.Collection.Queue(c.Queue, labels, c.Limit)
	return rows, labels, err
}

// line returns a label with its author and time. Times have whole seconds, as in
// labels.jsonl.
func (c *labelCmd) line(u dowse.URL, label string) collection.Label {
	return collection.Label{URL: u, Label: label, By: c.By, At: time.Now().UTC().Truncate(time.Second)}
}

// from adds the labels of a file and retrains. Nothing is added if any line is wrong.
func (c *labelCmd) from(w *world) error {
	given, err := c.read(w)
	if err != nil {
		return err
	}
	cr, err := w.view(c.Dir)
	if err != nil {
		return err
	}
	lines, strange, err := c.known(cr.Collection, given)
	if err = errors.Join(err, cr.Close()); err != nil {
		return err
	}
	if err := collection.AppendLabels(c.Dir, lines...); err != nil {
		return err
	}
	fmt.Fprintf(w.err, "%s kept\n", some(len(lines), "label"))
	if strange > 0 {
		fmt.Fprintf(w.err, "%s of pages that the crawl has not visited: they count when it does\n", some(strange, "label"))
	}
	return c.train(w, w.confirm)
}

// read reads the file of --from; a file without labels is an error.
func (c *labelCmd) read(w *world) ([]givenLabel, error) {
	in := w.in
	if c.From != "-" {
		f, err := os.Open(c.From)
		if err != nil {
			return nil, usage("--from: %w", err)
		}
		defer f.Close()
		in = f
	}
	list, err := readLabelFile(in)
	if err != nil {
		return nil, usage("--from %s: %w; nothing was labelled", c.From, err)
	}
	if len(list) == 0 {
		return nil, usage("--from %s: there is no label in it", c.From)
	}
	return list, nil
}

// known turns lines of a file into labels, see [operations.LabelLines]. An error names the line
// of the file.
func (c *labelCmd) known(col *collection.Collection, given []givenLabel) (lines []collection.Label, strange int, err error) {
	list := make([]operations.GivenLabel, len(given))
	for i, g := range given {
		list[i] = operations.GivenLabel{URL: g.URL, Label: g.Label, Note: g.Note, By: cmp.Or(g.By, c.By)}
		if c.Queue == collection.QueueAudit {
			list[i].Queue = c.Queue
		}
	}
	lines, strange, err = operations.LabelLines(col, list, time.Now())
	var wrong *operations.LabelError
	if errors.As(err, &wrong) {
		return nil, 0, usage("--from %s: line %d: %w; nothing was labelled", c.From, given[wrong.Index].line, wrong.Err)
	}
	return lines, strange, err
}

// trainIfNew carries out --train: it retrains unless a model was trained on every label.
func (c *labelCmd) trainIfNew(w *world) error {
	labels, err := collection.ReadLabels(c.Dir)
	if err != nil {
		return err
	}
	models, err := collection.Models(c.Dir)
	if err != nil {
		return err
	}
	refusedLast := len(models) > 0 && models[len(models)-1].Refused
	if labels.Untrained(models) == 0 && !(c.Yes && refusedLast) {
		return usage("nothing to train on: every label of %s is known to a model", c.Dir)
	}
	return c.train(w, w.confirm)
}

// train asks for a model trained on all labels and prints what that changed. confirm asks
// the user whether a model that changes many verdicts is put into use.
func (c *labelCmd) train(w *world, confirm func(question string) (bool, error)) error {
	m, err := c.retrain(w, c.request())
	if err != nil {
		return err
	}
	return c.printModel(w, m, confirm)
}

// request returns the line of labels.jsonl that asks for a training.
func (c *labelCmd) request() collection.Label {
	l := c.line("", "")
	l.Do, l.Accept = collection.DoTrain, c.Yes
	return l
}

// retrain records a request in labels.jsonl and waits for its result, see [operations.Retrain].
func (c *labelCmd) retrain(w *world, ask collection.Label) (collection.Model, error) {
	dictionary, err := (&wordNetFlag{}).wordNet(w)
	if err != nil {
		return collection.Model{}, err
	}
	m, err := operations.Retrain(w.ctx, c.Dir, dictionary, ask)
	var frozen *crawler.FrozenError
	switch {
	case w.ctx.Err() != nil:
		return m, err
	case errors.As(err, &frozen):
		return m, usage("a program rates the pages of %s by a judge of its own: labels are kept, and count when that program continues the crawl", c.Dir)
	}
	return m, inCollection(err)
}

// printModel prints what a model changed: verdicts, links, and how to undo it. A model
// that failed is an error; the labels stay.
func (c *labelCmd) printModel(w *world, m collection.Model, confirm func(question string) (bool, error)) error {
	switch {
	case m.Refused:
		return c.reportRefused(w, m, confirm)
	case m.Error != "":
		return fmt.Errorf("%s was not put into use: %s; the labels are kept", m.Model, m.Error)
	case c.JSON:
		return jsonLine(w.out, m)
	}
	fmt.Fprintln(w.err, consequence(m, c.Dir))
	return nil
}

// against describes the pages of the crawl that a model was trained on.
func against(m collection.Model) string {
	if m.Grown > 0 {
		return fmt.Sprintf("grown from the words: %s rated high, %s rated low", some(m.Grown, "page"), count(m.Contrast))
	}
	return fmt.Sprintf("trained against %s seen in this crawl, taken at random", some(m.Contrast, "page"))
}

// insteadOf describes from where these pages were taken, and what they replace.
func insteadOf(m collection.Model) string {
	if m.Grown > 0 {
		return fmt.Sprintf("of the first %s", count(m.Seen))
	}
	return fmt.Sprintf("from the first %s, instead of %s", count(m.Seen), some(m.Instead, "everyday text"))
}

// meant describes what the words of a model's topic were found to mean.
func meant(m collection.Model) (lines []string) {
	for _, x := range m.Meant {
		gloss, _, _ := strings.Cut(x.Gloss, ";")
		lines = append(lines, oneLine(fmt.Sprintf("%s: %s; %s found, as %s", x.Word, gloss, some(x.Found, "name"), strings.Join(x.Names[:min(len(x.Names), 3)], ", "))))
	}
	return lines
}

// taught returns the lines for a model that a crawl trained by itself on pages it had
// seen: what it changed, and how to undo it. A judge that changes without a person having
// asked for it must be visible:
//
//	judge: m0001: grown from the words: 18 pages rated high, 46 rated low,
//	       of the first 100: 7 verdicts changed,
//	       61 pages on topic, 64 before,
//	       1,326 links re-ranked; undo: dowse label d.dowse --undo
//
// If more than half of the pages on topic are no longer, another line says how to look at them: words
// with several meanings may have become one of these.
func taught(m collection.Model, dir string) []string {
	lines := []string{
		fmt.Sprintf("judge: %s: %s,", m.Model, against(m)),
		fmt.Sprintf("       %s: %s changed,", insteadOf(m), some(m.Verdicts, "verdict")),
	}
	if m.OnTopic != m.WasOnTopic {
		lines = append(lines, fmt.Sprintf("       %s on topic, %s before,", some(m.OnTopic, "page"), count(m.WasOnTopic)))
	}
	lines = append(lines, fmt.Sprintf("       %s re-ranked; undo: dowse label %s --undo", some(m.Links, "link"), shellWord(dir)))
	if 2*m.OnTopic < m.WasOnTopic {
		lines = append(lines, fmt.Sprintf("       look at what it turned down: dowse topic diff %s %s %s", shellWord(dir), m.Before, m.Model))
	}
	for _, line := range meant(m) {
		lines = append(lines, "       "+line)
	}
	return lines
}

// refused returns the lines for a model that was trained in a crawl and not put into use,
// with the cause.
func refused(m collection.Model) []string {
	return []string{
		fmt.Sprintf("judge: %s: %s,", m.Model, trainedOn(m)),
		"       and not put into use:",
		fmt.Sprintf("       %s;", oneLine(m.Error)),
		fmt.Sprintf("       the crawl continues with %s", m.Before),
	}
}

// trainedOn describes the labels or pages that a model was trained on.
func trainedOn(m collection.Model) string {
	if m.Labels > 0 {
		return "trained on " + some(m.Labels, "label")
	}
	return against(m)
}

// consequence states in one line what a model changed, and how to undo it:
//
//	m0002: 10 labels, 0.8 s, 41 verdicts changed, 1,208 links re-ranked; undo: …
func consequence(m collection.Model, dir string) string {
	head := fmt.Sprintf("%s: %s", m.Model, some(m.Labels, "label"))
	back := ""
	if m.Undo {
		head = fmt.Sprintf("back to %s (%s)", m.Model, some(m.Labels, "label"))
		back = "=" + m.Before
	}
	return fmt.Sprintf("%s, %.1f s, %s changed, %s re-ranked%s; undo: dowse label %s --undo%s",
		head, m.Seconds, some(m.Verdicts, "verdict"), some(m.Links, "link"), passedOverBy(m), shellWord(dir), back)
}

// passedOverBy returns how many pages a training passed over because of damage, "" for none.
func passedOverBy(m collection.Model) string {
	if m.Unread == 0 {
		return ""
	}
	return fmt.Sprintf(", %s can't be read and kept their verdicts", some(m.Unread, "page"))
}

// undo returns to an earlier model. Labels that only later models were trained on are set
// aside, not deleted: going forward again takes them back. Labels of no model stay. The first model, m0000, is the judge
// that the topic made.
func (c *labelCmd) undo(w *world) error {
	models, err := collection.Models(c.Dir)
	if err != nil {
		return err
	}
	used := slices.DeleteFunc(slices.Clone(models), func(m collection.Model) bool { return !m.Done || m.Error != "" })
	if len(used) == 0 {
		return usage("there is nothing to undo: no model was trained while %s was crawled", c.Dir)
	}
	to := string(c.Undo)
	if to == modelBefore {
		now := used[len(used)-1].Model
		if now == collection.FirstModel {
			return usage("there is nothing to undo: %s is the first model; --undo=%s goes forward again", collection.FirstModel, latest(used))
		}
		to = collection.ModelBefore(models, now)
	}
	made, ok := collection.MadeModel(models, to)
	if !ok || made.Refused {
		return usage("unknown model %q; want one of %s", to, strings.Join(operations.ModelNames(used), ", "))
	}
	m, err := c.retrain(w, operations.UndoLine(models, collection.Label{Model: to, Through: made.Through, By: c.By, At: time.Now().UTC().Truncate(time.Second)}))
	if err != nil {
		return err
	}
	return c.printModel(w, m, w.confirm)
}

// latest returns the newest of the models.
func latest(used []collection.Model) string {
	names := operations.ModelNames(used)
	return names[len(names)-1]
}

// A ledger is the output of label --list: the labels in force, conflicts between people,
// and the models. If two people disagree about a page, both labels are kept, the later
// one counts, and the conflict is listed.
type ledger struct {
	Labels    []collection.Label    `json:"labels"`
	Conflicts []collection.Conflict `json:"conflicts"`
	Models    []collection.Model    `json:"models"`
	Bad       int                   `json:"bad_lines,omitempty"`
}

// list carries out --list. A collection whose settings can't be read is an error and not an empty list.
func (c *labelCmd) list(w *world) error {
	if _, err := collection.ReadSettings(c.Dir); err != nil {
		return inCollection(err)
	}
	labels, err := collection.ReadLabels(c.Dir)
	if err != nil {
		return err
	}
	b := ledger{Conflicts: labels.Conflicts(), Bad: labels.Bad, Labels: []collection.Label{}}
	if b.Models, err = collection.Models(c.Dir); err != nil {
		return err
	}
	inForce := labels.Standing()
	for _, u := range slices.Sorted(maps.Keys(inForce)) {
		b.Labels = append(b.Labels, inForce[u])
	}
	if c.JSON {
		b.Conflicts, b.Models = append([]collection.Conflict{}, b.Conflicts...), append([]collection.Model{}, b.Models...)
		return json.NewEncoder(w.out).Encode(b)
	}
	b.print(w.out)
	return nil
}

// print prints the ledger for people: labels, then conflicts, then models with what each
// changed, in the order in which they were trained. Models that were refused, failed or
// were interrupted are listed too, since they explain why the judge did not change.
func (b *ledger) print(out io.Writer) {
	for _, l := range b.Labels {
		fmt.Fprintln(out, oneLine(fmt.Sprintf("%-4s %s  (%s, %s)%s", l.Label, l.URL, orDefault(l.By, "unknown"), clock(l.At), noted(l.Note))))
	}
	for _, x := range b.Conflicts {
		fmt.Fprintln(out, oneLine(fmt.Sprintf("conflict %s: %s; %s counts", x.URL, whoLabelled(x.Labels), x.Stands)))
	}
	for _, m := range b.Models {
		switch {
		case m.Refused:
			fmt.Fprintf(out, "%s %s: %s,\n      and not put into use: %s\n", m.Model, clock(m.At), trainedOn(m), oneLine(m.Error))
		case m.Error != "":
			fmt.Fprintln(out, oneLine(fmt.Sprintf("%s failed: %s", m.Model, m.Error)))
		case !m.Done:
			fmt.Fprintf(out, "%s was interrupted\n", m.Model)
		default:
			fmt.Fprintf(out, "%s %s: %s, %s changed, %s re-ranked\n", m.Model, clock(m.At), some(m.Labels, "label"), some(m.Verdicts, "verdict"), some(m.Links, "link"))
			if m.Contrast > 0 {
				fmt.Fprintf(out, "      %s,\n      %s\n", against(m), insteadOf(m))
			}
			for _, line := range meant(m) {
				fmt.Fprintf(out, "      %s\n", line)
			}
		}
	}
	if b.Bad > 0 {
		fmt.Fprintf(out, "%s of labels.jsonl can't be read\n", some(b.Bad, "line"))
	}
}

// noted returns a note with a colon in front, "" for none.
func noted(note string) string {
	if note == "" {
		return ""
	}
	return ": " + note
}

// whoLabelled returns who assigned which label.
func whoLabelled(list []collection.Label) string {
	var parts []string
	for _, l := range list {
		parts = append(parts, l.Label+" by "+orDefault(l.By, "unknown"))
	}
	return strings.Join(parts, ", ")
}
