package topic

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"dowse/internal/mistake"
	"dowse/internal/plain"
	"dowse/internal/strictyaml"
)

// sources reads a list of examples.
func (r *reader) sources(n ast.Node, inside string) []Source {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		r.fail(n, inside+": is "+strictyaml.Kind(n)+", not a list", fmt.Sprintf(`write a list: "%s: [https://example.org/page]", or items with file:, warc:, collection:, site: or text:`, inside))
		return nil
	}
	if len(seq.Values) == 0 {
		r.fail(n, inside+": the list is empty", "add an item, or remove the key")
	}
	if len(seq.Values) > maxLike {
		r.fail(n, fmt.Sprintf("%s: %d sources are too many", inside, len(seq.Values)), fmt.Sprintf("keep at most %d; a pattern of files is one source", maxLike))
		return nil
	}
	var list []Source
	for _, item := range seq.Values {
		if s, ok := r.source(item, inside); ok {
			r.place(item, inside, s.String())
			list = append(list, s)
		}
	}
	return list
}

// source reads one item of like or unlike: a URL, or a mapping that names its kind.
func (r *reader) source(n ast.Node, inside string) (Source, bool) {
	if _, ok := strictyaml.Pairs(n); ok {
		return r.namedSource(n, inside)
	}
	raw, ok := r.scalar(n, inside)
	if !ok {
		return Source{}, false
	}
	if fix := exampleFix(raw); fix != "" {
		r.fail(n, fmt.Sprintf("%s: %q is not an absolute http or https URL", inside, cut(raw)), fix)
		return Source{}, false
	}
	return Source{URL: raw}, true
}

// exampleFix returns what to do about an example that is no URL, "" for one that is.
func exampleFix(s string) string {
	lower := strings.ToLower(s)
	switch {
	case strings.HasSuffix(lower, ".warc.gz") || strings.HasSuffix(lower, ".warc"):
		return fmt.Sprintf("did you mean %q?", "{warc: "+cut(s)+"}")
	case strings.HasSuffix(lower, ".dowse"):
		return fmt.Sprintf("did you mean %q?", "{collection: "+cut(s)+"}")
	case !strings.Contains(s, "://") && (strings.ContainsAny(s, "*") || strings.HasSuffix(lower, ".html") || strings.HasSuffix(lower, ".txt")):
		return fmt.Sprintf("did you mean %q?", "{file: "+cut(s)+"}")
	case !strings.Contains(s, "://") && strings.Contains(s, " "):
		return `write words to go by as {text: "…"}`
	}
	return seedFix(s)
}

// namedSource reads a mapping with one of the kinds of sources.
func (r *reader) namedSource(n ast.Node, inside string) (s Source, ok bool) {
	before := len(r.problems)
	seen := r.mapping(n, inside, r.sourceKeys(inside, &s))
	if seen == nil || len(r.problems) > before {
		return s, false
	}
	kinds := 0
	for _, k := range sourceKinds {
		if seen[k] {
			kinds++
		}
	}
	switch {
	case kinds == 0:
		r.fail(n, inside+": the item does not say where the pages are", "add one of: "+strings.Join(sourceKinds, ", "))
	case kinds > 1:
		r.fail(n, inside+": one item has several kinds of sources", "write one item for each of them")
	case seen["match"] && !seen["warc"]:
		r.fail(n, inside+": match goes with warc only", "remove match, or name the files with file:")
	default:
		return s, true
	}
	return s, false
}

var sourceKinds = []string{"url", "file", "warc", "collection", "site", "text"}

// sourceKeys returns the keys that a source may have. Which of them exclude each other is
// checked after all were read.
func (r *reader) sourceKeys(inside string, s *Source) []key {
	return []key{
		{"url", func(n ast.Node) { s.URL = r.exampleURL(n, inside) }},
		{"file", func(n ast.Node) { s.File = r.pattern(n, inside+": file") }},
		{"warc", func(n ast.Node) { s.WARC = r.path(n, inside+": warc") }},
		{"match", func(n ast.Node) { s.Match = r.regexp(n, inside+": match") }},
		{"collection", func(n ast.Node) { r.collection(n, inside, s) }},
		{"site", func(n ast.Node) { s.Site = r.site(n, inside) }},
		{"text", func(n ast.Node) { s.Text = r.text(n, inside+": text", maxSourceText) }},
		{"limit", func(n ast.Node) { s.Limit = r.limit(n, inside+": limit") }},
	}
}

// exampleURL reads an absolute URL, under the rules for seeds.
func (r *reader) exampleURL(n ast.Node, inside string) string {
	s, ok := r.scalar(n, inside+": url")
	if fix := seedFix(s); ok && fix != "" {
		r.fail(n, fmt.Sprintf("%s: %q is not an absolute http or https URL", inside, cut(s)), fix)
	}
	return s
}

// collection reads a directory, or {dir, label, limit}.
func (r *reader) collection(n ast.Node, inside string, s *Source) {
	if _, ok := strictyaml.Pairs(n); !ok {
		s.Collection = r.path(n, inside+": collection")
		return
	}
	inside += ": collection"
	seen := r.mapping(n, inside, []key{
		{"dir", func(n ast.Node) { s.Collection = r.path(n, inside+": dir") }},
		{"label", func(n ast.Node) { s.Label = r.oneOf(n, inside+": label", "on", "off") }},
		{"limit", func(n ast.Node) { s.Limit = r.limit(n, inside+": limit") }},
	})
	if seen != nil && !seen["dir"] {
		r.fail(n, inside+`: the key "dir" is missing`, `add "dir: NAME.dowse"`)
	}
}

// maxPath is the length of a path in bytes.
const maxPath = 1000

// path reads the name of a file or folder.
func (r *reader) path(n ast.Node, inside string) string {
	s, ok := r.scalar(n, inside)
	switch {
	case !ok:
	case strings.TrimSpace(s) == "":
		r.fail(n, inside+": is empty", "write the name of a file or folder")
	case s != plain.Words(s) || len(s) > maxPath:
		r.fail(n, fmt.Sprintf("%s: %q can't be the name of a file", inside, cut(s)), "write it on one line, without control characters or double spaces")
	case strings.Contains(s, "://"):
		r.fail(n, fmt.Sprintf("%s: %q is a URL, not a file", inside, cut(s)), "fetch it first, and name the file; of pages, write the URL alone")
	default:
		return s
	}
	return ""
}

// pattern reads a pattern of files.
func (r *reader) pattern(n ast.Node, inside string) string {
	s := r.path(n, inside)
	if _, err := filepath.Match(s, "x"); err != nil {
		r.fail(n, fmt.Sprintf("%s: %q is not a pattern of files", inside, cut(s)), "close the bracket: * matches any text, [a-z] one letter")
		return ""
	}
	return s
}

// slashed is a regular expression between slashes.
var slashed = regexp.MustCompile(`^/(.+)/(i?)$`)

// Pattern returns the regular expression of a text as /re/ or /re/i, and what is wrong
// with it.
func Pattern(s string) (*regexp.Regexp, error) {
	m := slashed.FindStringSubmatch(s)
	if m == nil || len(s) > maxPath {
		return nil, fmt.Errorf("%q is not /re/ or /re/i", cut(s))
	}
	if m[2] == "i" {
		m[1] = "(?i)" + m[1]
	}
	return regexp.Compile(m[1])
}

// regexp reads a pattern between slashes and reports one that can't be compiled.
func (r *reader) regexp(n ast.Node, inside string) string {
	s, ok := r.scalar(n, inside)
	if !ok {
		return ""
	}
	if _, err := Pattern(s); err != nil {
		fix := "RE2 has no back-references and no look-around; escape a sign that stands for itself with \\"
		if !slashed.MatchString(s) {
			fix = fmt.Sprintf("write it between slashes: %q", "/"+cut(strings.Trim(s, "/"))+"/i")
		}
		r.fail(n, fmt.Sprintf("%s: %s", inside, cut(err.Error())), fix)
		return ""
	}
	return s
}

// hostName is a host, perhaps with a port.
var hostName = regexp.MustCompile(`^[\pL\pN]([\pL\pN.-]*[\pL\pN])?(:[0-9]{1,5})?$`)

// site reads a host, or a URL of which the host counts.
func (r *reader) site(n ast.Node, inside string) string {
	s, ok := r.scalar(n, inside+": site")
	switch {
	case !ok:
	case strings.Contains(s, "://") && seedFix(s) == "":
		return s
	case len(s) > 253 || !hostName.MatchString(s):
		r.fail(n, fmt.Sprintf("%s: site: %q is not a host", inside, cut(s)), `write a host, such as "reefs.example.org", or the URL of its first page`)
	default:
		return s
	}
	return ""
}

// limit reads a number of pages.
func (r *reader) limit(n ast.Node, inside string) int {
	i := r.number(n, inside, 1)
	if i > maxPages {
		r.fail(n, fmt.Sprintf("%s: %d pages are too many", inside, i), fmt.Sprintf("write %d at most", maxPages))
		return 0
	}
	return i
}

// oneOf reads one of a few words.
func (r *reader) oneOf(n ast.Node, inside string, words ...string) string {
	s, ok := r.scalar(n, inside)
	for _, w := range words {
		if s == w {
			return s
		}
	}
	if ok {
		r.fail(n, fmt.Sprintf("%s: %q is none of the words it can be", inside, cut(s)), mistake.Suggestion(s, words))
	}
	return ""
}

// category reads a place in a directory.
func (r *reader) category(n ast.Node) *Category {
	c := &Category{}
	seen := r.mapping(n, "category", r.categoryKeys(c))
	if seen == nil {
		return nil
	}
	for _, k := range []string{"directory", "path"} {
		if !seen[k] {
			r.fail(n, fmt.Sprintf("category: the key %q is missing", k), categoryFix[k])
		}
	}
	r.place(n, inCategory, c.String())
	return c
}

var categoryFix = map[string]string{
	"directory": `add "directory: FILE", a directory as ODP RDF, JSONL or a list of labels`,
	"path":      `add "path: …", such as "path: Recreation/Collecting/Lighthouses"`,
}

// categoryKeys returns the keys that the mapping of a category may have.
func (r *reader) categoryKeys(c *Category) []key {
	return []key{
		{"directory", func(n ast.Node) { c.Directory = r.path(n, "category: directory") }},
		{"path", func(n ast.Node) { c.Path = r.path(n, "category: path") }},
		{"include", func(n ast.Node) { c.Include = r.oneOf(n, "category: include", includeNode, includeSubtree) }},
		{"contrast", func(n ast.Node) {
			c.Contrast = r.oneOf(n, "category: contrast", contrastSiblings, contrastRandom, contrastNone)
		}},
	}
}

// scaleOwn is the value of scale for a model whose ratings are used as they are.
const scaleOwn = "own"

// model reads the name of a file with a model, or {file: NAME, scale: own}.
func (r *reader) model(n ast.Node, t *Topic) {
	defer func() { r.place(n, inModel, "model "+t.Model) }()
	if _, ok := strictyaml.Pairs(n); !ok {
		t.Model = r.path(n, "model")
		return
	}
	seen := r.mapping(n, "model", []key{
		{"file", func(n ast.Node) { t.Model = r.path(n, "model: file") }},
		{"scale", func(n ast.Node) {
			t.OwnScale = r.oneOf(n, "model: scale", scaleOwn) == scaleOwn
			r.scaleAt = n
		}},
	})
	if seen != nil && !seen["file"] {
		r.fail(n, `model: the key "file" is missing`, `write "model: {file: models/m0001.json}"`)
	}
}

// requireScale fails for a topic that uses a model on its own scale and has no
// threshold on that scale, or has other evidence, for which the scale has no meaning.
func (r *reader) requireScale(seen map[string]bool, t *Topic) {
	if !t.OwnScale {
		return
	}
	if !seen["threshold"] {
		r.fail(r.scaleAt, "model: scale: own needs a threshold on the scale of the model", `add "threshold: 0.8", or the value that the model was made for`)
	}
	for _, k := range []string{"words", inLike, inUnlike, inCategory} {
		if seen[k] {
			r.fail(r.scaleAt, "model: scale: own cannot be combined with "+k, "remove one of them; without scale: own, all evidence is combined")
		}
	}
}
