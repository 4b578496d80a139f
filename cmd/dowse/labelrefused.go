package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"dowse/collection"
)

// shownFlips is the number of pages that are shown before a model is put into use under
// which many change sides.
const shownFlips = 10

// reportRefused prints why a model was not put into use. If it changes many verdicts, ten
// of them are shown and the user is asked; an answer of yes has it put into use. Where
// no person can be asked that is an error, and the model needs --yes.
func (c *labelCmd) reportRefused(w *world, m collection.Model, confirm func(question string) (bool, error)) error {
	if c.JSON {
		if err := jsonLine(w.out, m); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(w.err, notUsed(m))
	}
	use := fmt.Sprintf("dowse label %s --train --yes", shellWord(c.Dir))
	if m.Flips == 0 {
		if !c.JSON {
			fmt.Fprintf(w.err, "label more pages, or use it all the same: %s\n", use)
		}
		return nil
	}
	if !c.JSON {
		if err := c.showFlips(w, m); err != nil {
			return err
		}
	}
	if c.JSON || !w.isTTY {
		return usage("cannot ask for confirmation here (no terminal); to use %s: %s", m.Model, use)
	}
	yes, err := confirm(fmt.Sprintf("Use %s? [y/N] ", m.Model))
	if err != nil || !yes {
		return err
	}
	c.Yes = true
	return c.train(w, confirm)
}

// notUsed states in one line why a model was not put into use.
func notUsed(m collection.Model) string {
	return oneLine(fmt.Sprintf("%s was not put into use: %s; the labels are kept, and %s stays in use", m.Model, m.Error, m.Before))
}

// showFlips prints the pages that change most under a model.
func (c *labelCmd) showFlips(w *world, m collection.Model) error {
	a, err := modelContender(c.Dir, m.Before)
	if err != nil {
		return err
	}
	b, err := modelContender(c.Dir, m.Model)
	if err != nil {
		return err
	}
	d := &topicDiff{A: a.name, B: b.name}
	if _, err := d.judge(c.Dir, a, b); err != nil {
		return err
	}
	n := columnsOf(w.err)
	for _, f := range d.Flips[:min(shownFlips, len(d.Flips))] {
		line := fmt.Sprintf("  %.2f -> %.2f %-3s  %-28s %s", f.Before, f.After, labelWord(f.On), clip(f.Title, 28, n), bareName(string(f.URL)))
		fmt.Fprintln(w.err, strings.TrimRight(clip(oneLine(line), n, n), " "))
	}
	return nil
}

// confirm asks a question on the terminal and reports whether the answer is yes.
func (w *world) confirm(question string) (bool, error) {
	fmt.Fprint(w.err, question)
	answer, err := bufio.NewReader(w.in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", nil
}
