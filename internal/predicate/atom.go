package predicate

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"dowse"
	"dowse/internal/mistake"
	"dowse/internal/text"
	"dowse/weburl"
)

// An Atom describes one of the conditions of expressions, for documentation.
type Atom struct {
	Form  string
	Means string
}

// Atoms lists the atoms of expressions, in the order of printing.
func Atoms() []Atom {
	list := make([]Atom, len(atoms))
	for i, a := range atoms {
		list[i] = Atom{a.op + "(" + a.form + ")", a.means}
	}
	return list
}

// An atom is a row of the table of atoms. The parser, the builder, the printer
// and the documentation read the table, so a new atom is a row here and a case
// in finder.
type atom struct {
	op    string
	arg   string // key of its argument in the JSON form
	form  string
	means string
}

// atoms are all there are.
var atoms = []atom{
	{"keyword", "word", "WORD", "title or text has the word, compared by its English stem (Porter)"},
	{"phrase", "words", `"WORDS"`, "title or text has the words in this order, exactly as written"},
	{"category", "name", "NAME, MIN", "the classifier gives NAME at least MIN; default 0.5"},
	{"host_suffix", "suffix", ".uk", "the host ends with it"},
	{"url_suffix", "suffix", "TEXT", "the URL ends with it"},
	{"url_contains", "s", "TEXT", "the URL contains it"},
	{"url_regex", "re", "RE", "the URL matches the regular expression (RE2)"},
	{"lang", "lang", "CODE", "the page is in the language"},
}

// atomNamed returns the row of the table for a value of op:, nil for none.
func atomNamed(op string) *atom {
	i := slices.IndexFunc(atoms, func(a atom) bool { return a.op == op })
	if i < 0 {
		return nil
	}
	return &atoms[i]
}

// opNames returns all values of op:, for suggestions.
func opNames() []string {
	names := []string{"and", "or", "not"}
	for _, a := range atoms {
		names = append(names, a.op)
	}
	return names
}

// operation makes a node from the JSON form of an expression.
func (b *builder) operation(m map[string]any, at place, depth int) node {
	op, _ := m["op"].(string)
	switch op {
	case "and", "or":
		b.only(m, at, "op", "args")
		args := b.list(m["args"], at.to("args"), depth)
		if op == "and" {
			return all{op, args}
		}
		return anyOf{op, args}
	case "not":
		b.only(m, at, "op", "arg")
		return not{b.clause(m["arg"], at.to("arg"), depth+1)}
	}
	a := atomNamed(op)
	if a == nil {
		b.fail(at.to("op"), mistake.Suggestion(op, opNames()), "unknown op %s", kindOf(m["op"]))
		return nothing
	}
	return b.atom(a, m, at)
}

// atom makes a leaf from the JSON form of an atom.
func (b *builder) atom(a *atom, m map[string]any, at place) node {
	keys := []string{"op", a.arg}
	if a.op == "category" {
		keys = append(keys, "min")
	}
	b.only(m, at, keys...)
	arg, ok := m[a.arg].(string)
	if !ok || strings.TrimSpace(arg) == "" || len(arg) > MaxPattern {
		b.fail(at.to(a.arg), fmt.Sprintf("write %s(%s)", a.op, a.form), "%s wants a text of at most %d bytes in %q", a.op, MaxPattern, a.arg)
		return nothing
	}
	b.countWant(want{}, at)
	return leaf{printAtom(m), b.finder(a.op, arg, m["min"], at)}
}

// finder makes the test of an atom.
func (b *builder) finder(op, arg string, min any, at place) finder {
	lower := strings.ToLower(arg)
	switch op {
	case "keyword":
		return b.keyword(arg, at)
	case "phrase":
		return b.phraseAtom(arg, at)
	case "category":
		return b.category(arg, min, at)
	case "host_suffix":
		return b.urlAtom("host", func(s string) bool { return strings.HasSuffix(s, lower) })
	case "url_suffix":
		return b.urlAtom("url", func(s string) bool { return strings.HasSuffix(s, lower) })
	case "url_contains":
		return b.urlAtom("url", func(s string) bool { return strings.Contains(s, lower) })
	case "url_regex":
		return b.urlRegex(arg, at)
	}
	return b.langAtom(arg)
}

// only reports keys that a mapping must not have.
func (b *builder) only(m map[string]any, at place, keys ...string) {
	for _, k := range b.keys(m, at) {
		if !slices.Contains(keys, k) {
			b.fail(at.to(k), "use "+strings.Join(keys, " and "), "op: %s has no %q", kindOf(m["op"]), cutName(k))
		}
	}
}

// hasWords tests for words in title and text: all of them, some by stem and
// some literally. A stem is looked up once for all keywords of a predicate, see
// reading.lookFor; words without a stem, such as those of Chinese, and phrases
// are searched for one by one.
type hasWords struct {
	stems   []int    // numbers in Predicate.keywords
	phrases []phrase // words of scripts without stems, and phrases
}

// keyword makes a test for a word; of several, all must be present.
func (b *builder) keyword(arg string, at place) finder {
	b.readTexts()
	t := &hasWords{}
	folded := text.Fold(arg)
	for i, w := range dowse.Words(arg) {
		word := arg[w.Start:w.End]
		if n := b.keywords.add(word); n >= 0 && !text.Spaceless(word) {
			t.stems = append(t.stems, n)
		} else if spans := dowse.Words(folded); i < len(spans) {
			t.phrases = append(t.phrases, phraseOf(folded, spans[i:i+1]))
		}
	}
	return b.someWords(t, arg, at)
}

// phraseAtom makes a test for consecutive words.
func (b *builder) phraseAtom(arg string, at place) finder {
	b.readTexts()
	t := &hasWords{}
	folded := text.Fold(arg)
	if spans := dowse.Words(folded); len(spans) > 0 {
		t.phrases = []phrase{phraseOf(folded, spans)}
	}
	return b.someWords(t, arg, at)
}

// someWords reports an argument without any word.
func (b *builder) someWords(t *hasWords, arg string, at place) finder {
	if len(t.stems)+len(t.phrases) == 0 {
		b.fail(at, "write letters or digits", "%q has no word", cutName(arg))
	}
	return t
}

// readTexts records that title and text are read. Both are, because a word
// counts wherever a reader of the page would see it first.
func (b *builder) readTexts() {
	b.read("title")
	b.read("text")
}

// find looks for each word; it gives up with unknown when the steps of the test
// are used up.
func (t *hasWords) find(r *reading) (verdict, string) {
	for _, n := range t.stems {
		if !r.keyword(n) {
			return no, "not in title or text"
		}
	}
	for _, p := range t.phrases {
		if p.in(r.foldedFact("text"), &r.steps) || p.in(r.foldedFact("title"), &r.steps) {
			continue
		}
		if r.steps <= 0 {
			return exhausted()
		}
		return no, "not in title or text"
	}
	return yes, "found"
}

// foldedFact returns the one value of a fact, folded.
func (r *reading) foldedFact(name string) string {
	f := factNamed(name)
	values, _ := f.values(r)
	return r.fold(f, values)[0]
}

// categoryTest tests the probability of a category.
type categoryTest struct {
	name string
	min  float64
}

// category makes a test of a category's probability; the default minimum is
// 0.5, from which on a category is more likely than all others together. The name
// is not checked: which categories there are depends on the classifier.
func (b *builder) category(arg string, min any, at place) finder {
	b.categories[arg] = true
	t := categoryTest{arg, 0.5}
	if min == nil {
		return t
	}
	var ok bool
	if t.min, ok = min.(float64); !ok || !(t.min >= 0 && t.min <= 1) {
		b.fail(at.to("min"), "write a number from 0 to 1", "min: %s is not a probability", kindOf(min))
	}
	return t
}

// find is unknown without a classifier. With one, a category that it did not
// name has the probability 0: a classifier names only what it considers.
func (t categoryTest) find(r *reading) (verdict, string) {
	if r.categories == nil {
		return unknown, "no classifier"
	}
	p := r.categories[t.name]
	return of(p >= t.min), "is " + strconv.FormatFloat(p, 'g', 3, 64)
}

// urlTest tests the URL or its host, in lower case.
type urlTest struct {
	fact  string
	holds func(s string) bool
}

// find never is unknown: every page has a URL. The detail shows the URL as it is
// written, although case does not count in the test.
func (t urlTest) find(r *reading) (verdict, string) {
	s := string(r.page.URL)
	if t.fact == "host" {
		s = weburl.Hostname(r.page.URL)
	}
	return of(t.holds(strings.ToLower(s))), "is " + short(s)
}

// urlAtom makes a test of the URL or the host in lower case. holds gets a text
// in lower case, so its own text must be too.
func (b *builder) urlAtom(fact string, holds func(s string) bool) finder {
	b.read(fact)
	return urlTest{fact, holds}
}

// regexTest tests the URL as it is written.
type regexTest struct{ re *regexp.Regexp }

// find matches the URL as it is written, with its case, since paths are case
// sensitive; a pattern with (?i) ignores that.
func (t regexTest) find(r *reading) (verdict, string) {
	return of(t.re.MatchString(string(r.page.URL))), "is " + short(string(r.page.URL))
}

// urlRegex makes a test of the URL against a regular expression, with or
// without slashes around it.
func (b *builder) urlRegex(arg string, at place) finder {
	b.read("url")
	pattern, ok := patternOf(arg)
	if !ok {
		pattern = arg
	}
	return regexTest{b.regexp(pattern, at)}
}

// langAtom makes a test of the page's language, in which a code matches any
// region.
func (b *builder) langAtom(arg string) finder {
	b.read("lang")
	f := factNamed("lang")
	return &has{fact: f, like: f.like, wants: []want{newWant(arg)}, atLeast: 1}
}
