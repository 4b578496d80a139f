package experiment

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"dowse/judge"
)

// topicClasses as the experiment's classes makes a decimal classification of the
// topics of the web; any other value is the path of a table.
const topicClasses = "topics"

// A classification is a table of classes for strategies that classify links, and
// which of them belongs to each topic.
type classification struct {
	table  []judge.Code
	topics map[string]string // code by topic; nil for a table from a file
}

// codeDigits are the digits of codes. A level of a web's topics rarely has more.
const codeDigits = "0123456789abcdefghijklmnopqrstuvwxyz"

// classes returns the classification of an experiment, nil if it has none. It is
// published knowledge, as the Dewey table of Seyfi and Patel 2015: it names topics
// and shows nothing of any page.
func (b *labelledWeb) classes(x *Experiment) (*classification, error) {
	switch x.Classes {
	case "":
		return nil, nil
	case topicClasses:
		return b.classesOfTopics(), nil
	}
	f, err := os.Open(x.Classes)
	if err != nil {
		return nil, fmt.Errorf("experiment: classes: %w; write topics, or the path of a table of code, tab, label", err)
	}
	defer f.Close()
	table, err := judge.ParseCodes(f)
	if err == nil && len(table) == 0 {
		err = errors.New("the table has no class; write a code, a tab and a label on each line")
	}
	if err != nil {
		return nil, fmt.Errorf("experiment: classes: %s: %w", x.Classes, err)
	}
	return &classification{table: table}, nil
}

// classesOfTopics gives every part of a topic's path a digit, in alphabetical order
// on its level, as libraries number fields, their parts, and the parts of these. The
// label of a class is the last part of its path, with the words of the topic if the
// web has any. Parts beyond the 36th of a level share the last digit.
func (b *labelledWeb) classesOfTopics() *classification {
	c := &classification{topics: map[string]string{}}
	children, codes := map[string]int{}, map[string]string{}
	for _, t := range b.labels.Topics() { // in alphabetical order
		parts := strings.Split(t.Topic, "/")
		code, above := "", parts[0]
		for i, part := range parts[1:] {
			path := above + "/" + part
			if _, known := codes[path]; !known {
				digit := min(children[above], len(codeDigits)-1)
				children[above]++
				codes[path] = code + string(codeDigits[digit])
				c.table = append(c.table, judge.Code{Code: codes[path], Label: b.classLabel(path, part, i == len(parts)-2)})
			}
			code, above = codes[path], path
		}
		c.topics[t.Topic] = code
	}
	return c
}

// classLabel returns the label of a class: the last part of its path, and the words
// of its topic.
func (b *labelledWeb) classLabel(path, part string, leaf bool) string {
	label := []string{strings.ReplaceAll(part, "_", " ")}
	if w, ok := b.labels.WordsOf(path); ok && leaf {
		label = append(label, w.Words...)
		label = append(label, w.Also...)
	}
	return strings.Join(label, ", ")
}

// specOf returns the specification of a variant for this topic: with the code of the
// topic, if the strategy classifies links and the lab made the classes.
func (t *task) specOf(v Variant) string {
	if t.classes == nil || t.classes.topics == nil || v.Without == withoutClasses {
		return v.Spec
	}
	name, params, _ := strings.Cut(v.Spec, ":")
	code := t.classes.topics[t.topic]
	if code == "" || strings.Contains(","+params, ",codes=") || !t.x.hasParam(name, "codes") {
		return v.Spec
	}
	return name + ":" + strings.TrimPrefix(params+",codes="+code, ",")
}

// hasParam reports whether a strategy of page crawls has a parameter.
func (x *Experiment) hasParam(name, param string) bool {
	for _, d := range x.pageStrategies() {
		if d.Name != name {
			continue
		}
		for _, p := range d.Params {
			if p.Name == param {
				return true
			}
		}
	}
	return false
}
