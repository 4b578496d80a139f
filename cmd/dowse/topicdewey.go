package main

import (
	_ "embed"
	"fmt"
	"os"
	"slices"
	"strings"

	"dowse/judge"
)

// topicDeweyCmd makes a judge from a decimal classification. Such a judge needs no examples:
// the labels of the classes are all that it knows of a topic.
type topicDeweyCmd struct {
	Model  string   `arg:"" name:"file" help:"File to write, for model: in a topic file."`
	Codes  string   `placeholder:"FILE" help:"Table of classes: code, tab, label (default: built-in)."`
	Want   []string `sep:"," placeholder:"CODE" help:"Wanted classes, with subclasses (default: built-in)."`
	Digits int      `default:"3" placeholder:"N" help:"Digits of a class that are decided."`
	Lang   string   `default:"en" placeholder:"LANG" help:"Language, for stems and stop words."`
}

func (topicDeweyCmd) Help() string {
	return `Examples:
  dowse topic dewey grammar.json
  dowse topic dewey sea.json --codes classes.tsv --want 551,578

Makes the judge of Seyfi and Patel 2015: the words of a page vote for the classes
whose labels have them, digit by digit, and a page is on topic if the class that
wins is wanted. The paper's 20 codes on the English language are built in, with 58
classes of other fields of knowledge that can win instead. A table of your own needs
such classes too: where every class is wanted, any page with one of their words is
on topic. Columns after the label are ignored.`
}

// Run writes the judge as a model file, which model: in a topic file names. A table of
// the user's own needs --want, since no class of it is wanted by default; the built-in
// table has the classes of the paper.
func (c *topicDeweyCmd) Run(w *world) error {
	if c.Digits < 1 {
		return usage("--digits %d: want at least 1", c.Digits)
	}
	others, err := otherFields()
	if err != nil {
		return err
	}
	d := judge.Dewey{Language: c.Lang, Codes: slices.Concat(judge.PaperCodes(), others), Digits: c.Digits}
	if c.Codes != "" {
		if len(c.Want) == 0 {
			return usage("--codes %s: the wanted classes are missing; add --want CODE,...", c.Codes)
		}
		f, err := os.Open(c.Codes)
		if err != nil {
			return usage("--codes: %w", err)
		}
		defer f.Close()
		if d.Codes, err = judge.ParseCodes(f); err != nil {
			return usage("--codes %s: %w", c.Codes, err)
		}
	}
	if d.Desired, err = below(d.Codes, c.Want); err != nil {
		return err
	}
	m, err := d.New()
	if err != nil {
		return usage("%w", err)
	}
	if c.Codes != "" && !hasOther(d) {
		fmt.Fprintf(w.err, "note: every class of %s is wanted, so any page with a word of their labels is on topic; add classes that are not wanted\n", c.Codes)
	}
	return saveModel(w, m, c.Model)
}

// hasOther reports whether a class that is not wanted can win. As in the judge, a class is wanted
// if its decided digits begin a desired code: 42 and 421 are the same class if two digits are decided.
func hasOther(d judge.Dewey) bool {
	return slices.ContainsFunc(d.Codes, func(c judge.Code) bool {
		decided := c.Code[:min(len(c.Code), d.Digits)]
		return !slices.ContainsFunc(d.Desired, func(code string) bool { return strings.HasPrefix(code, decided) })
	})
}

// fields are classes for what is not about languages.
//
//go:embed fields.tsv
var fields string

// otherFields returns the classes that can win against those of the paper, which are all wanted:
// without others every page with one of their words would be on topic. There are several in each
// field of knowledge, because a word votes for every class that has it, and nine classes of the
// paper have the word English.
func otherFields() ([]judge.Code, error) { return judge.ParseCodes(strings.NewReader(fields)) }

// below returns the codes that begin with one of the wanted prefixes: in a decimal
// classification the code of a class is the prefix of its subclasses. A prefix without a
// code is an error, since a typo would otherwise make a judge that accepts nothing.
func below(codes []judge.Code, want []string) (list []string, err error) {
	for _, prefix := range want {
		found := len(list)
		for _, c := range codes {
			if strings.HasPrefix(c.Code, prefix) {
				list = append(list, c.Code)
			}
		}
		if len(list) == found {
			return nil, usage("--want %s: there is no such class among the %s", prefix, some(len(codes), "code"))
		}
	}
	return list, nil
}
