package topic

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"dowse/internal/mistake"
	"dowse/internal/plain"
	"dowse/internal/strictyaml"
	"dowse/judge"
	"dowse/settings"

	"github.com/goccy/go-yaml/ast"
)

// A reader turns a parsed file into a topic and collects its problems.
type reader struct {
	file     string
	problems []*Error
	known    map[string][]string // keys by mapping; nil if no caller needs them
	seedsAt  ast.Node            // the value of seeds
	scaleAt  ast.Node            // the value of scale in model
	whereAt  ast.Node            // the value of where
	named    map[string]Error    // where sources are named
}

// at returns a problem at a place of the file.
func (r *reader) at(line, column int, problem, fix string) *Error {
	return &Error{File: r.file, Line: line, Column: column, Problem: problem, Fix: fix}
}

// fail records a problem at a node. Reading goes on, so that a person sees all problems of a
// file together; after maxProblems the rest is dropped.
func (r *reader) fail(n ast.Node, problem, fix string) {
	if len(r.problems) < maxProblems {
		line, column := strictyaml.Place(n)
		r.problems = append(r.problems, r.at(line, column, problem, fix))
	}
}

// A key is one that a mapping may have, and how its value is read.
type key struct {
	name string
	read func(ast.Node)
}

// topic reads the file's mapping.
func (r *reader) topic(root ast.Node, t *Topic) {
	keys := []key{
		{"dowse", r.schema},
		{"name", func(n ast.Node) { t.Name = r.name(n) }},
		{"about", func(n ast.Node) { t.About = r.text(n, "about", 4000) }},
		{"also", func(n ast.Node) { t.Also = r.words(n, "also") }},
		{"not", func(n ast.Node) { t.Not = r.words(n, "not") }},
		{"languages", func(n ast.Node) { t.Languages, t.Only = r.languages(n) }},
		{"threshold", func(n ast.Node) { t.Threshold = r.threshold(n) }},
		{"seeds", func(n ast.Node) { r.seeds(n, t) }},
		{"scope", func(n ast.Node) { t.Scope = r.scope(n) }},
		{"limits", func(n ast.Node) { r.limits(n, t) }},
		{"follow", func(n ast.Node) { r.follow(n, t) }},
	}
	for _, k := range kinds() {
		keys = append(keys, key{k.key, func(n ast.Node) { k.read(r, n, t) }})
	}
	seen := r.mapping(root, "", keys)
	if seen == nil {
		return
	}
	r.require(root, seen, t)
	if n := len(t.Words) + len(t.Also) + len(t.Not); n > judge.MaxWords {
		r.fail(root, fmt.Sprintf("%d words and phrases are too many", n), fmt.Sprintf("keep the best %d", judge.MaxWords))
	}
}

// require fails for what every topic must have.
func (r *reader) require(root ast.Node, seen map[string]bool, t *Topic) {
	if !seen["dowse"] {
		r.fail(root, `the key "dowse" is missing`, `add "dowse: `+Schema+`" as the first line`)
	}
	if !seen["name"] {
		r.fail(root, `the key "name" is missing`, fmt.Sprintf("add %q", "name: "+slug(strings.Join(t.Words, " "))))
	}
	if alone := aloneKeys(); !slices.ContainsFunc(alone, func(k string) bool { return seen[k] }) {
		r.fail(root, "the topic does not say what is wanted", `add "words:" with words or phrases of the topic, or one of: `+strings.Join(alone[1:], ", "))
	}
	r.requireScale(seen, t)
	for _, name := range t.unknownCategories() {
		r.place(r.whereAt, "where", categoryAtom(name))
	}
	if t.SeedsFrom != "" && !seen[t.SeedsFrom] {
		r.fail(r.seedsAt, fmt.Sprintf("seeds: are to come from %s, which the topic does not have", t.SeedsFrom), fmt.Sprintf("add %q, or write a list of URLs", t.SeedsFrom+":"))
	}
}

// mapping reads the keys of a mapping and returns which there were, nil if the
// node is none. Inside names the mapping in errors, "" for the file itself.
func (r *reader) mapping(n ast.Node, inside string, keys []key) map[string]bool {
	values, ok := strictyaml.Pairs(n)
	if !ok {
		r.fail(n, of(inside)+"is "+strictyaml.Kind(n)+", not keys with values", "write one \"key: value\" to a line")
		return nil
	}
	if r.known != nil {
		r.known[inside] = names(keys)
	}
	seen := map[string]bool{}
	for _, v := range values {
		r.pair(v, inside, keys, seen)
	}
	return seen
}

// pair reads one key with its value.
func (r *reader) pair(v *ast.MappingValueNode, inside string, keys []key, seen map[string]bool) {
	name := v.Key.GetToken().Value
	k, known := find(keys, name)
	switch _, merge := v.Key.(*ast.MergeKeyNode); {
	case merge:
		r.fail(v.Key, "the merge key << is not allowed in a topic file", "write the keys out")
	case !known:
		r.fail(v.Key, fmt.Sprintf("%sunknown key %q", of(inside), cut(name)), mistake.Suggestion(name, names(keys)))
	case seen[name]:
		r.fail(v.Key, fmt.Sprintf("%sthe key %q is there twice", of(inside), name), "remove one of them, or merge their values")
	default:
		seen[name] = true
		k.read(v.Value)
	}
}

// find returns the key with a name.
func find(keys []key, name string) (key, bool) {
	for _, k := range keys {
		if k.name == name {
			return k, true
		}
	}
	return key{}, false
}

// names returns the names of keys, for suggestions.
func names(keys []key) []string {
	var list []string
	for _, k := range keys {
		list = append(list, k.name)
	}
	return list
}

// of returns the prefix of an error inside a mapping; "" for the topic itself.
func of(inside string) string {
	if inside == "" {
		return ""
	}
	return inside + ": "
}

// scalar returns the text of a single value as written. Numbers and true and
// false are texts too: a topic can be about 1984.
func (r *reader) scalar(n ast.Node, inside string) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NanNode, *ast.InfinityNode:
		return n.GetToken().Value, true
	case *ast.NullNode:
		r.fail(n, of(inside)+"there is no value", "write a value after the key, or remove the key")
	case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode:
		r.fail(n, of(inside)+"anchors, aliases and tags (& * !) are not allowed in a topic file", "write the value out, in quotes if it begins with such a sign")
	default:
		r.fail(n, of(inside)+"is "+strictyaml.Kind(n)+", not a single value", "write one value, in quotes if it has : or #")
	}
	return "", false
}

// list returns the items of a list, and hands each with its text to use.
func (r *reader) list(n ast.Node, inside string, use func(item ast.Node, s string)) {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		fix := fmt.Sprintf("write a list: %q", inside+": [one, two]")
		if s, scalar := n.(*ast.StringNode); scalar && !strings.ContainsAny(s.Value, "\n,[]{}") {
			fix = fmt.Sprintf("write %q", fmt.Sprintf("%s: [%s]", inside, cut(s.Value)))
		}
		r.fail(n, inside+": is "+strictyaml.Kind(n)+", not a list", fix)
		return
	}
	if len(seq.Values) == 0 {
		r.fail(n, inside+": the list is empty", "add an item, or remove the key")
	}
	for _, item := range seq.Values {
		if s, ok := r.scalar(item, inside); ok {
			use(item, s)
		}
	}
}

// text returns prose on one line.
func (r *reader) text(n ast.Node, inside string, limit int) string {
	s, ok := r.scalar(n, inside)
	s = plain.Words(s)
	if ok && s == "" {
		r.fail(n, inside+": is empty", "write a text, or remove the key")
	}
	if len(s) > limit {
		r.fail(n, fmt.Sprintf("%s: has more than %d bytes", inside, limit), "shorten it")
	}
	return s
}

// words reads a list of words and phrases, without empty ones.
func (r *reader) words(n ast.Node, inside string) []string {
	var words []string
	r.list(n, inside, func(item ast.Node, _ string) {
		if w := r.text(item, inside, 200); w != "" {
			words = append(words, w)
		}
	})
	return words
}

// schema checks the version of the file. A newer version is refused, since its keys may mean
// something else.
func (r *reader) schema(n ast.Node) {
	s, ok := r.scalar(n, "dowse")
	switch {
	case !ok || s == Schema:
	case strings.HasPrefix(s, "topic/v"):
		r.fail(n, fmt.Sprintf("the file is a %q, this version reads %q", cut(s), Schema), "use a newer dowse, or write \"dowse: "+Schema+"\"")
	default:
		r.fail(n, fmt.Sprintf("%q is not a schema of topic files", cut(s)), "write \"dowse: "+Schema+"\"")
	}
}

// name reads the name of the topic, which is also the name of its directory.
func (r *reader) name(n ast.Node) string {
	s, ok := r.scalar(n, "name")
	if ok && !isName(s) {
		r.fail(n, fmt.Sprintf("name: %q can't be a directory: only lower case letters, digits and - _ . are allowed, %d at most", cut(s), maxName),
			fmt.Sprintf("write %q", "name: "+slug(s)))
	}
	return s
}

// maxLanguages is how many languages a topic may name.
const maxLanguages = 50

// languageTag is the part of BCP 47 that pages use: language, script, region.
var languageTag = regexp.MustCompile(`^[a-z]{2,3}(-[a-z0-9]{2,8})*$`)

// languages reads a list of languages, or {only: list}.
func (r *reader) languages(n ast.Node) (tags []string, only bool) {
	values, ok := strictyaml.Pairs(n)
	if !ok {
		return r.tags(n, "languages"), false
	}
	if len(values) == 0 {
		r.fail(n, "languages: the mapping is empty", `write "languages: [en]" or "languages: {only: [en]}"`)
	}
	r.mapping(n, "languages", []key{{"only", func(n ast.Node) { tags, only = r.tags(n, "only"), true }}})
	return tags, only
}

// tags reads a list of language codes, in lower case and with hyphens.
func (r *reader) tags(n ast.Node, inside string) []string {
	var tags []string
	r.list(n, inside, func(item ast.Node, s string) {
		tag := strings.ToLower(strings.ReplaceAll(s, "_", "-"))
		if !languageTag.MatchString(tag) || len(tag) > 35 {
			r.fail(item, fmt.Sprintf("languages: %q is not a language code", cut(s)), languageFix(tag))
			return
		}
		tags = append(tags, tag)
	})
	if len(tags) > maxLanguages {
		r.fail(n, fmt.Sprintf("languages: %d are too many", len(tags)), fmt.Sprintf("keep at most %d", maxLanguages))
	}
	return tags
}

// languageFix suggests the code of a language given by its English name.
func languageFix(name string) string {
	for _, l := range [][2]string{
		{"english", "en"}, {"german", "de"}, {"french", "fr"}, {"spanish", "es"}, {"italian", "it"},
		{"portuguese", "pt"}, {"dutch", "nl"}, {"swedish", "sv"}, {"russian", "ru"}, {"turkish", "tr"},
	} {
		if l[0] == name {
			return fmt.Sprintf("did you mean %q?", l[1])
		}
	}
	return `use codes of two or three letters: "en", "pt-br"`
}

// fewPercent is the least of what is taken for a threshold in percent.
const fewPercent = 5

// threshold reads the least relevance of a page on topic; 0 if it is missing or wrong.
func (r *reader) threshold(n ast.Node) float64 {
	s, ok := r.scalar(n, "threshold")
	if !ok {
		return 0
	}
	f, err := strconv.ParseFloat(s, 64)
	if err == nil && f > 0 && f <= 1 {
		return f
	}
	fix := "write a number from 0.01 to 1, such as 0.5"
	if percent, err := strconv.ParseFloat(strings.TrimSuffix(s, "%"), 64); err == nil && percent >= fewPercent && percent <= 100 {
		fix = fmt.Sprintf("did you mean %g?", math.Round(percent)/100)
	}
	r.fail(n, fmt.Sprintf("threshold: %q is not a relevance", cut(s)), fix)
	return 0
}

// seeds reads a list of URLs, or where further ones come from.
func (r *reader) seeds(n ast.Node, t *Topic) {
	_, mapping := strictyaml.Pairs(n)
	r.seedsAt = n
	switch {
	case isText(n, "from-like"):
		t.SeedsFrom = FromLike
	case isText(n, "from-category"):
		t.SeedsFrom = FromCategory
	case mapping:
		r.seedsFrom(n, t)
	default:
		r.list(n, "seeds", func(item ast.Node, s string) {
			if fix := seedFix(s); fix != "" {
				r.fail(item, fmt.Sprintf("seeds: %q is not an absolute http or https URL", cut(s)), fix)
				return
			}
			t.Seeds = append(t.Seeds, s)
		})
	}
}

// seedsFrom reads {from, limit, urls}.
func (r *reader) seedsFrom(n ast.Node, t *Topic) {
	seen := r.mapping(n, "seeds", []key{
		{"from", func(n ast.Node) { t.SeedsFrom = r.oneOf(n, "seeds: from", FromLike, FromCategory) }},
		{"limit", func(n ast.Node) { t.SeedLimit = r.number(n, "seeds: limit", 1) }},
		{"urls", func(n ast.Node) {
			if _, list := n.(*ast.SequenceNode); !list {
				r.fail(n, "seeds: urls: is "+strictyaml.Kind(n)+", not a list", `write "urls: [https://example.org/]"`)
				return
			}
			r.seeds(n, t) // a list
		}},
	})
	if seen != nil && !seen["from"] {
		r.fail(n, `seeds: the key "from" is missing`, `write "seeds: {from: like}" or "{from: category}", or a list of URLs`)
	}
}

// isText reports whether a node is this text.
func isText(n ast.Node, s string) bool {
	t, ok := n.(*ast.StringNode)
	return ok && t.Value == s
}

// seedFix returns what to do about a seed that is no URL, "" for one that is.
func seedFix(s string) string {
	const whole = `write the whole URL, such as "https://example.org/"`
	u, err := url.Parse(s)
	switch {
	case len(s) > 2048:
		return "shorten it to 2,048 bytes"
	case strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }):
		return "write one URL to an item, without spaces"
	case err == nil && u.User != nil:
		return "remove user and password"
	case err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "":
		return ""
	case !strings.Contains(s, "://") && strings.Contains(s, "."):
		return fmt.Sprintf("did you mean %q?", "https://"+cut(s))
	case err == nil && u.Scheme != "" && u.Host != "":
		return fmt.Sprintf("%s: can't be crawled, only http and https", u.Scheme)
	}
	return whole
}

// scope reads one of the known scopes.
func (r *reader) scope(n ast.Node) Scope {
	s, ok := r.scalar(n, "scope")
	for _, known := range scopes() {
		if s == known {
			return Scope(s)
		}
	}
	if ok {
		r.fail(n, fmt.Sprintf("scope: %q is not a scope", cut(s)), mistake.Suggestion(s, scopes()))
	}
	return ""
}

// limits reads how much of one host is wanted.
func (r *reader) limits(n ast.Node, t *Topic) {
	r.mapping(n, "limits", []key{
		{"per_host", func(n ast.Node) { t.PerHost = r.number(n, "limits: per_host", 1) }},
		{"until", func(n ast.Node) { t.Until = r.until(n) }},
	})
}

// until reads the rules that end a crawl, and returns them as they are written.
func (r *reader) until(n ast.Node) string {
	s, ok := r.scalar(n, "limits: until")
	if !ok {
		return ""
	}
	var wrong *settings.Error
	if _, err := untilField().Read(s); errors.As(err, &wrong) {
		r.fail(n, fmt.Sprintf("limits: until: %q can't be read", cut(s)), "write "+wrong.Want)
		return ""
	}
	return s
}

func untilField() settings.Field {
	f, _ := settings.ByFlag("until")
	return f
}

// follow reads how links are followed. A tunnel of none is the same as no key: the strategy
// decides.
func (r *reader) follow(n ast.Node, t *Topic) {
	r.mapping(n, "follow", []key{
		{"strategy", func(n ast.Node) { t.Strategy = r.strategy(n) }},
		{"tunnel", func(n ast.Node) {
			if !isText(n, "none") {
				tunnel := r.number(n, "follow: tunnel", 0)
				t.Tunnel = &tunnel
			}
		}},
		{"explore", func(n ast.Node) { t.Explore = r.share(n, "follow: explore") }},
	})
}

// strategyName is NAME or NAME:key=value,…; which there are is not known here.
var strategyName = regexp.MustCompile(`^[a-z][a-z0-9-]*(:[a-z0-9_]+=[^,=\s]+(,[a-z0-9_]+=[^,=\s]+)*)?$`)

// strategy reads the name of a strategy with its parameters. Only the form is checked here;
// which strategies there are is known where the crawl is made.
func (r *reader) strategy(n ast.Node) string {
	s, ok := r.scalar(n, "follow: strategy")
	if ok && (len(s) > 200 || !strategyName.MatchString(s)) {
		r.fail(n, fmt.Sprintf("follow: %q is not the name of a strategy", cut(s)), `write a name, such as "link-context"; see docs/strategies.md`)
	}
	return s
}

// share reads a number from 0 to 1.
func (r *reader) share(n ast.Node, inside string) *float64 {
	s, ok := r.scalar(n, inside)
	if !ok {
		return nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f >= 0 && f <= 1) {
		r.fail(n, fmt.Sprintf("%s: %q is not a share", inside, cut(s)), "write a number from 0 to 1, such as 0.05")
		return nil
	}
	return &f
}

// number reads a whole number of at least least; 0 if it is missing or wrong.
func (r *reader) number(n ast.Node, inside string, least int) int {
	s, ok := r.scalar(n, inside)
	if !ok {
		return 0
	}
	i, err := strconv.Atoi(s)
	if err != nil || i < least || i > math.MaxInt32 {
		r.fail(n, fmt.Sprintf("%s: %q is not a number it can be", inside, cut(s)), fmt.Sprintf("write a whole number from %d", least))
		return 0
	}
	return i
}

// cut shortens what an error quotes from the file.
func cut(s string) string { return cutTo(s, 60) }

// cutTo shortens a text from the file to n characters, for an error.
func cutTo(s string, n int) string { return plain.Fit(plain.Words(s), n) }
