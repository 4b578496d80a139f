package collection

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dowse"
	"dowse/crawl"
	"dowse/internal/text"
	"dowse/judge"
)

// models removes the words that occur on the pages and on no other page from the
// models that were trained in the crawl. The weights of all other terms are
// unchanged, so the verdicts on other pages are as before.
func (t *takedown) models() error {
	own, err := t.ownTexts()
	if err != nil || len(own) == 0 {
		return err
	}
	lists, err := t.lexicons(own)
	if err != nil || len(lists) == 0 {
		return err
	}
	if err := t.keepOthers(lists); err != nil {
		return err
	}
	for _, l := range lists {
		if len(l.only) == 0 {
			continue
		}
		if err := t.rewriteModel(l); err != nil {
			return err
		}
		t.out.Models = append(t.out.Models, l.file)
	}
	return nil
}

// ownTexts returns the texts of the pages, from the archive and the examples.
// Records that are already erased are skipped: then an earlier attempt has
// completed this step.
func (t *takedown) ownTexts() (list []string, err error) {
	for _, place := range t.Bodies {
		doc, err := t.c.Document(&dowse.Page{Fetch: dowse.Fetch{Archive: place}})
		if errors.Is(err, ErrErased) || errors.Is(err, ErrNotKept) {
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, textOf(doc))
	}
	examples, err := t.c.Examples()
	for _, x := range examples {
		if x.URL != "" && t.names(x.URL) {
			list = append(list, exampleText(x))
		}
	}
	return list, err
}

// textOf returns everything of a document that a model may have read.
func textOf(d *dowse.Document) string {
	return strings.Join([]string{d.Title, d.Description, d.Keywords, d.Text}, "\n")
}

// exampleText is textOf for an example.
func exampleText(x Example) string {
	return strings.Join([]string{x.Title, x.Description, x.Keywords, x.Text}, "\n")
}

// A lexicon is a model together with those of its terms that occur only on the
// pages.
type lexicon struct {
	// file is the name within the collection.
	file string
	data []byte
	// read splits a text into terms in the way the model was trained with.
	read *text.Analyzer
	only map[string]bool
}

// How a model names the options of its analyzer. Models are searched as text,
// because their formats differ and only these two fields matter here.
var (
	modelLanguage = regexp.MustCompile(`"language":\s*"([^"]*)"`)
	modelPrefix   = regexp.MustCompile(`"prefix":\s*([0-9]{1,3})`)
)

// lexicons returns the trained models that contain terms of the pages, with
// these terms.
func (t *takedown) lexicons(own []string) (list []*lexicon, err error) {
	names, err := t.c.models()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		l := &lexicon{file: ModelFile(name), only: map[string]bool{}}
		if l.data, err = t.c.Model(name); err != nil {
			return nil, err
		}
		o := text.Options{}
		if m := modelLanguage.FindSubmatch(l.data); m != nil {
			o.Language = string(m[1])
		}
		if m := modelPrefix.FindSubmatch(l.data); m != nil {
			if n, _ := strconv.Atoi(string(m[1])); n > 0 {
				o.Stem = text.Prefix(n)
			}
		}
		l.read = text.NewAnalyzer(o)
		terms := map[string]bool{}
		for _, s := range own {
			for _, term := range l.read.Terms(s) {
				terms[term] = true
			}
		}
		eachString(l.data, func(_, _ int, s string) {
			if terms[s] {
				l.only[s] = true
			}
		})
		if len(l.only) > 0 {
			list = append(list, l)
		}
	}
	return list, nil
}

// keepOthers removes from the lexicons the terms that also occur in other
// examples, in the topic or on other pages. It reads pages only while terms are
// left. A page that can't be read keeps no term.
func (t *takedown) keepOthers(lists []*lexicon) error {
	left := func() bool { return slices.ContainsFunc(lists, func(l *lexicon) bool { return len(l.only) > 0 }) }
	keep := func(s string) {
		for _, l := range lists {
			if len(l.only) > 0 {
				for _, term := range l.read.Terms(s) {
					delete(l.only, term)
				}
			}
		}
	}
	examples, err := t.c.Examples()
	if err != nil {
		return err
	}
	for _, x := range examples {
		if x.URL == "" || !t.names(x.URL) {
			keep(exampleText(x))
		}
	}
	topic, err := t.c.Topic()
	if err != nil {
		return err
	}
	keep(string(topic))
	for e, err := range t.c.Journal.Visits(0) {
		if err != nil || !left() {
			return err
		}
		if e.Kind != crawl.EntryPage || e.Page.Outcome != dowse.Fetched || t.ids[e.ID] {
			continue
		}
		if doc, err := t.c.Document(e.Page); err == nil { // what can't be read is no reason to keep a word
			keep(textOf(doc))
		}
	}
	return nil
}

// rewriteModel writes a model without its terms in l.only. A model whose format
// can't lose terms gets a placeholder for each, which no page contains and which
// keeps the terms in order. The new hash is written to the log of models before
// the model: after a crash in between, repeating the step makes the two agree.
func (t *takedown) rewriteModel(l *lexicon) error {
	rest, dropped, err := judge.DropTerms(l.data, func(term string) bool { return l.only[term] })
	if err != nil {
		return err
	}
	if !dropped {
		rest = l.renamed()
	}
	was, is := []byte(hashModel(l.data)), []byte(hashModel(rest))
	if _, err := t.blank(modelLog, func(line []byte) ([]byte, bool) {
		return bytes.ReplaceAll(line, was, is), bytes.Contains(line, was)
	}); err != nil {
		return err
	}
	return writeWhole(t.c.Dir, l.file, rest)
}

// renamed returns the model with placeholders for the terms that are removed. A
// placeholder is the term before it with a control character added, so it sorts
// in the same position.
func (l *lexicon) renamed() []byte {
	var out bytes.Buffer
	end, before := 0, ""
	eachString(l.data, func(from, to int, s string) {
		if l.only[s] {
			out.Write(l.data[end:from])
			s = before + "\x01"
			quoted, _ := json.Marshal(s) // a string always can be
			out.Write(quoted)
			end = to
		}
		before = s
	})
	out.Write(l.data[end:])
	return out.Bytes()
}

// eachString calls show for every string in a JSON text that is a value and not
// a key, with its position. A string that can't be decoded is skipped.
func eachString(data []byte, show func(from, to int, s string)) {
	for i := 0; i < len(data); i++ {
		if data[i] != '"' {
			continue
		}
		to := i + 1
		for to < len(data) && data[to] != '"' {
			if data[to] == '\\' {
				to++
			}
			to++
		}
		if to = min(to+1, len(data)); !bytes.HasPrefix(bytes.TrimLeft(data[to:min(to+8, len(data))], " \t\r\n"), []byte(":")) {
			var s string
			if json.Unmarshal(data[i:to], &s) == nil {
				show(i, to, s)
			}
		}
		i = to - 1
	}
}

// ForgottenURL replaces a URL that was taken down in a topic file. It can't be
// resolved, so it is never fetched.
const forgottenURL = "https://forgotten.invalid/"

// writtenURL matches what may be a URL in a file that a person wrote.
var writtenURL = regexp.MustCompile(`[^\s"'\[\]{},<>]+`)

// settings removes the pages from the files that a person wrote: the seeds in
// crawl.yaml, the topic and its lock. It also records the fingerprints of all
// takedowns in crawl.yaml, see forgottenPrints.
func (t *takedown) settings() error {
	prints, err := t.forgottenPrints()
	if err != nil {
		return err
	}
	kept := slices.DeleteFunc(slices.Clone(t.c.Settings.Seeds), t.namesLoosely)
	if len(kept) < len(t.c.Settings.Seeds) || !slices.Equal(prints, t.c.Settings.Forgotten) {
		t.c.Settings.Seeds, t.c.Settings.Forgotten = kept, prints
		if err := t.c.SaveSettings(); err != nil {
			return err
		}
	}
	for _, name := range []string{"topic.yaml", LockName} {
		data, err := t.c.readFile(name)
		if err != nil {
			return err
		}
		left := writtenURL.ReplaceAllFunc(data, func(word []byte) []byte {
			if t.namesLoosely(string(word)) {
				return []byte(forgottenURL)
			}
			return word
		})
		if !bytes.Equal(left, data) {
			if err := writeWhole(t.c.Dir, name, left); err != nil {
				return err
			}
		}
	}
	return nil
}

// namesLoosely is names for a URL that may have been written without its scheme.
func (t *takedown) namesLoosely(written string) bool {
	if !strings.ContainsAny(written, "./") {
		return false
	}
	return t.names(written) || !strings.Contains(written, "://") && (t.names("https://"+written) || t.names("http://"+written))
}
