package topic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
)

// YAML returns the topic as a file in canonical form: keys in a fixed order, one
// word to a line. Parsing it gives the topic back, and equal topics give equal
// text.
func (t *Topic) YAML() []byte {
	w := &writer{}
	w.pair("dowse", Schema)
	w.pair("name", scalar(t.Name))
	w.optional("about", scalar(t.About), t.About != "")
	for _, k := range kinds() {
		k.write(w, t)
	}
	w.optional("languages", languagesOf(t), len(t.Languages) > 0)
	w.optional("threshold", number(t.Threshold), t.Threshold > 0)
	w.optional("scope", string(t.Scope), t.Scope != "")
	w.optional("limits", limitsText(t), t.PerHost > 0 || t.Until != "")
	follow := followOf(t)
	w.optional("follow", "{"+follow+"}", follow != "")
	w.seeds(t)
	return []byte(w.String())
}

// JSON returns the same as JSON, on one line.
func (t *Topic) JSON() ([]byte, error) {
	data, err := yaml.YAMLToJSON(t.YAML())
	if err != nil {
		return nil, fmt.Errorf("topic: %s: %w", t.Name, err)
	}
	var line bytes.Buffer
	if err := json.Compact(&line, data); err != nil {
		return nil, fmt.Errorf("topic: %s: %w", t.Name, err)
	}
	return line.Bytes(), nil
}

// languagesOf returns the languages as a value of YAML in one line.
func languagesOf(t *Topic) string {
	tags := make([]string, len(t.Languages))
	for i, l := range t.Languages {
		tags[i] = scalar(l)
	}
	list := "[" + strings.Join(tags, ", ") + "]"
	if t.Only {
		return "{only: " + list + "}"
	}
	return list
}

// followOf returns how links are followed as the inside of a mapping; "" if nothing is set.
func followOf(t *Topic) string {
	var parts []string
	if t.Strategy != "" {
		parts = append(parts, "strategy: "+scalar(t.Strategy))
	}
	if t.Explore != nil {
		parts = append(parts, "explore: "+number(*t.Explore))
	}
	if t.Tunnel != nil {
		parts = append(parts, fmt.Sprintf("tunnel: %d", *t.Tunnel))
	}
	return strings.Join(parts, ", ")
}

// A writer writes a topic as YAML in a fixed order of keys, so that equal topics give equal
// files: the name of a predicate is a hash of them.
type writer struct{ strings.Builder }

// pair writes a key with a value that needs no quotes, or has them.
func (w *writer) pair(key, value string) { fmt.Fprintf(w, "%s: %s\n", key, value) }

// optional writes a pair if it is there.
func (w *writer) optional(key, value string, there bool) {
	if there {
		w.pair(key, value)
	}
}

// list writes a key with a list of texts; nothing for an empty one.
func (w *writer) list(key string, items []string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(w, "%s:\n", key)
	for _, item := range items {
		fmt.Fprintf(w, "  - %s\n", scalar(item))
	}
}

// number returns a number in decimal notation, with as many digits as it needs to be read
// back exactly.
func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// seeds writes a list of seeds, or from where they come and which are added.
func (w *writer) seeds(t *Topic) {
	if t.SeedsFrom == "" {
		w.list("seeds", t.Seeds)
		return
	}
	fmt.Fprintf(w, "seeds:\n  from: %s\n", t.SeedsFrom)
	if t.SeedLimit > 0 {
		fmt.Fprintf(w, "  limit: %d\n", t.SeedLimit)
	}
	if len(t.Seeds) > 0 {
		w.WriteString("  urls:\n")
	}
	for _, s := range t.Seeds {
		fmt.Fprintf(w, "    - %s\n", scalar(s))
	}
}

// sources writes examples, one per line.
func (w *writer) sources(key string, list []Source) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "%s:\n", key)
	for _, s := range list {
		fmt.Fprintf(w, "  - %s\n", s.yaml())
	}
}

// yaml writes a source as an item of a list.
func (s Source) yaml() string {
	if s.URL != "" && s.Limit == 0 {
		return scalar(s.URL)
	}
	var parts []string
	add := func(key, value string) {
		if value != "" {
			parts = append(parts, key+": "+scalar(value))
		}
	}
	add("url", s.URL)
	add("file", s.File)
	add("warc", s.WARC)
	add("match", s.Match)
	add("site", s.Site)
	add("text", s.Text)
	if s.Collection != "" && s.Label != "" {
		parts = append(parts, fmt.Sprintf("collection: {dir: %s, label: %q}", scalar(s.Collection), s.Label))
	} else {
		add("collection", s.Collection)
	}
	if s.Limit > 0 {
		parts = append(parts, fmt.Sprintf("limit: %d", s.Limit))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// category writes a category of a directory; nothing if there is none.
func (w *writer) category(c *Category) {
	if c == nil {
		return
	}
	fmt.Fprintf(w, "category:\n  directory: %s\n  path: %s\n", scalar(c.Directory), scalar(c.Path))
	if c.Include != "" {
		fmt.Fprintf(w, "  include: %s\n", c.Include)
	}
	if c.Contrast != "" {
		fmt.Fprintf(w, "  contrast: %s\n", c.Contrast)
	}
}

// outside writes an outside judge; nothing if there is none.
func (w *writer) outside(o *Outside) {
	if o == nil {
		return
	}
	w.WriteString("judge:\n")
	if len(o.Exec) > 0 {
		w.WriteString("  exec:\n")
	}
	for _, arg := range o.Exec {
		fmt.Fprintf(w, "    - %s\n", scalar(arg))
	}
	for _, p := range [][2]string{{"endpoint", o.Endpoint}, {"model", o.Model}, {"key_env", o.KeyEnv}} {
		if p[1] != "" {
			fmt.Fprintf(w, "  %s: %s\n", p[0], scalar(p[1]))
		}
	}
	if o.From != 0 || o.To != 0 {
		fmt.Fprintf(w, "  only_if: %q\n", number(o.From)+".."+number(o.To))
	}
	if o.Timeout != 0 {
		fmt.Fprintf(w, "  timeout: %s\n", o.Timeout)
	}
	if o.Budget != 0 {
		fmt.Fprintf(w, "  budget: %d\n", o.Budget)
	}
}

// value writes plain values under a key, or after the dash of an item, which the
// caller has written where key is "".
func (w *writer) value(key string, v any, depth int) {
	if v == nil && depth == 0 {
		return
	}
	if key != "" {
		w.WriteString(strings.Repeat("  ", depth) + key + ":")
	}
	switch v := v.(type) {
	case map[string]any:
		w.pairs(v, depth)
	case []any:
		w.items(v, depth)
	case string:
		w.WriteString(" " + scalar(v) + "\n")
	case float64:
		w.WriteString(" " + number(v) + "\n")
	default:
		fmt.Fprintf(w, " %v\n", v)
	}
}

// pairs writes a mapping with its keys in alphabetical order.
func (w *writer) pairs(m map[string]any, depth int) {
	if len(m) == 0 {
		w.WriteString(" {}\n")
		return
	}
	w.WriteString("\n")
	for _, k := range slices.Sorted(maps.Keys(m)) {
		w.value(scalar(k), m[k], depth+1)
	}
}

// items writes a list of plain values, each after a dash.
func (w *writer) items(list []any, depth int) {
	if len(list) == 0 {
		w.WriteString(" []\n")
		return
	}
	w.WriteString("\n")
	for _, item := range list {
		w.WriteString(strings.Repeat("  ", depth+1) + "-")
		w.value("", item, depth+1)
	}
}

// What needs no quotes: letters and digits with spaces, hyphens and the like
// between them, and plain URLs. Words that some YAML readers take for other values
// need them.
var (
	plainText = regexp.MustCompile(`^\p{L}[\p{L}\p{N}._/-]*( [\p{L}\p{N}._/-]+)*$`)
	plainURL  = regexp.MustCompile(`^https?://[A-Za-z0-9._~/%&=?+:-]*[A-Za-z0-9._~/%&=?+-]$`)
	reserved  = regexp.MustCompile(`(?i)^(true|false|null|yes|no|on|off|y|n)$`)
)

// scalar writes a text as a YAML value.
func scalar(s string) string {
	if (plainText.MatchString(s) && !strings.Contains(s, " -")) && !reserved.MatchString(s) || plainURL.MatchString(s) {
		return s
	}
	var b strings.Builder
	e := json.NewEncoder(&b) // a JSON string is a YAML string
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return strconv.Quote(s)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// limitsText returns the limits of a topic as YAML on one line.
func limitsText(t *Topic) string {
	var list []string
	if t.PerHost > 0 {
		list = append(list, fmt.Sprintf("per_host: %d", t.PerHost))
	}
	if t.Until != "" {
		list = append(list, fmt.Sprintf("until: %q", t.Until))
	}
	return "{" + strings.Join(list, ", ") + "}"
}
