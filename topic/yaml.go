package topic

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// YAML returns the topic as a file in canonical form: keys in a fixed order, one
// word to a line. Parsing it gives the topic back, and equal topics give equal
// text.
func (t *Topic) YAML() []byte {
	w := &writer{}
	w.pair("dowse", Schema)
	w.pair("name", scalar(t.Name))
	w.optional("about", scalar(t.About), t.About != "")
	w.list("words", t.Words)
	w.list("also", t.Also)
	w.list("not", t.Not)
	w.optional("languages", languagesOf(t), len(t.Languages) > 0)
	w.optional("threshold", strconv.FormatFloat(t.Threshold, 'f', -1, 64), t.Threshold > 0)
	w.optional("scope", string(t.Scope), t.Scope != "")
	w.optional("limits", fmt.Sprintf("{per_host: %d}", t.PerHost), t.PerHost > 0)
	follow := followOf(t)
	w.optional("follow", "{"+follow+"}", follow != "")
	w.list("seeds", t.Seeds)
	return []byte(w.String())
}

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

func followOf(t *Topic) string {
	var parts []string
	if t.Strategy != "" {
		parts = append(parts, "strategy: "+scalar(t.Strategy))
	}
	if t.Tunnel != nil {
		parts = append(parts, fmt.Sprintf("tunnel: %d", *t.Tunnel))
	}
	return strings.Join(parts, ", ")
}

type writer struct{ strings.Builder }

func (w *writer) pair(key, value string) { fmt.Fprintf(w, "%s: %s\n", key, value) }

func (w *writer) optional(key, value string, there bool) {
	if there {
		w.pair(key, value)
	}
}

func (w *writer) list(key string, items []string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(w, "%s:\n", key)
	for _, item := range items {
		fmt.Fprintf(w, "  - %s\n", scalar(item))
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
