package main

import (
	"os"
	"strings"

	"dowse/judge"
)

// topicDeweyCmd makes a judge from a decimal classification. Such a judge needs no examples:
// the labels of the classes are all that it knows of a topic.
type topicDeweyCmd struct {
	Model string   `arg:"" name:"file" help:"File to write, for model: in a topic file."`
	Codes string   `placeholder:"FILE" help:"Table of classes, code, tab, label (default: built-in)."`
	Want  []string `sep:"," placeholder:"CODE" help:"Wanted classes, with subclasses (default: built-in)."`
	Lang  string   `default:"en" placeholder:"LANG" help:"Language, for stems and stop words."`
}

func (topicDeweyCmd) Help() string {
	return `Examples:
  dowse topic dewey grammar.json
  dowse topic dewey sea.json --codes classes.tsv --want 551,578

Makes the judge of Seyfi and Patel 2015: the words of a page vote for the classes
whose labels have them, digit by digit, and a page is on topic if the class that
wins is wanted. The paper's 20 codes are built in; other tables are the user's own.`
}

// Run writes the judge as a model file, which model: in a topic file names. A table of
// the user's own needs --want, since no class of it is wanted by default; the built-in
// table has the classes of the paper.
func (c *topicDeweyCmd) Run(w *world) error {
	d := judge.Dewey{Language: c.Lang, Codes: judge.PaperCodes()}
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
	var err error
	if d.Desired, err = below(d.Codes, c.Want); err != nil {
		return err
	}
	m, err := d.New()
	if err != nil {
		return usage("%w", err)
	}
	return saveModel(w, m, c.Model)
}

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
