package topic

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"
)

// An Outside is a judge of the user's own that is asked about pages on which
// the topic's judge is uncertain: a program, or a service with the chat
// interface of OpenAI.
type Outside struct {
	Exec     []string      // program and arguments; or
	Endpoint string        // URL of the service
	Model    string        // of the service
	KeyEnv   string        // environment variable that holds its key; "" for none
	From, To float64       // it is asked about relevances in this range; default 0.3 to 0.7
	Timeout  time.Duration // for an answer; default that of package outside
	Budget   int           // questions at most; default no limit
}

// The default range of relevances in which an outside judge is asked.
const (
	defaultFrom = 0.3
	defaultTo   = 0.7
)

// Range returns the relevances about which the outside judge is asked.
func (o *Outside) Range() (from, to float64) {
	if o.From == 0 && o.To == 0 {
		return defaultFrom, defaultTo
	}
	return o.From, o.To
}

// outside reads the key judge.
func (r *reader) outside(n ast.Node) *Outside {
	o := &Outside{}
	seen := r.mapping(n, "judge", r.outsideKeys(o))
	switch {
	case seen == nil:
		return nil
	case seen["exec"] && seen["endpoint"]:
		r.fail(n, "judge: exec and endpoint are two judges", "keep one of them")
	case !seen["exec"] && !seen["endpoint"]:
		r.fail(n, "judge: it is not said who judges", `add "exec: [program, argument]" or "endpoint: URL" with "model: NAME"`)
	case seen["endpoint"] && !seen["model"]:
		r.fail(n, `judge: the key "model" is missing`, `add "model: NAME", as the endpoint calls it`)
	case seen["exec"] && (seen["model"] || seen["key_env"]):
		r.fail(n, "judge: model and key_env go with endpoint", "remove them, or give the program what it needs as arguments")
	}
	return o
}

// outsideKeys returns the keys that the mapping of an outside judge may have.
func (r *reader) outsideKeys(o *Outside) []key {
	return []key{
		{"exec", func(n ast.Node) { o.Exec = r.command(n) }},
		{"endpoint", func(n ast.Node) { o.Endpoint = r.exampleURL(n, "judge: endpoint") }},
		{"model", func(n ast.Node) { o.Model = r.text(n, "judge: model", 200) }},
		{"key_env", func(n ast.Node) { o.KeyEnv = r.variable(n) }},
		{"only_if", func(n ast.Node) { o.From, o.To = r.span(n, "judge: only_if") }},
		{"timeout", func(n ast.Node) { o.Timeout = r.duration(n, "judge: timeout") }},
		{"budget", func(n ast.Node) { o.Budget = r.number(n, "judge: budget", 1) }},
	}
}

// command reads a program with its arguments as a list. A single line is
// refused, since no shell would split it.
func (r *reader) command(n ast.Node) (command []string) {
	const inside = "judge: exec"
	if s, line := n.(*ast.StringNode); line && len(strings.Fields(s.Value)) > 0 {
		r.fail(n, inside+": is a single value, not a list", fmt.Sprintf("write %q", "exec: ["+cut(strings.Join(strings.Fields(s.Value), ", "))+"]"))
		return nil
	}
	r.list(n, inside, func(item ast.Node, s string) {
		if s == "" || len(s) > maxPath {
			r.fail(item, inside+": an empty or overlong argument", "write the program and its arguments as a list")
		}
		command = append(command, s)
	})
	return command
}

// variable reads the name of an environment variable. Keys themselves do not
// belong in topic files, which people share.
func (r *reader) variable(n ast.Node) string {
	s, ok := r.scalar(n, "judge: key_env")
	if !ok {
		return ""
	}
	for i, c := range s {
		if c != '_' && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			r.fail(n, "judge: key_env: it is not the name of an environment variable", `write the variable's name, such as "JUDGE_KEY", not the key itself`)
			return ""
		}
	}
	if s == "" || len(s) > 100 {
		r.fail(n, "judge: key_env: it is not the name of an environment variable", `write a name such as "JUDGE_KEY"`)
	}
	return s
}

// span reads a range of relevances, as "0.3..0.7".
func (r *reader) span(n ast.Node, inside string) (from, to float64) {
	s, ok := r.scalar(n, inside)
	if !ok {
		return 0, 0
	}
	low, high, found := strings.Cut(s, "..")
	from, err1 := strconv.ParseFloat(strings.TrimSpace(low), 64)
	to, err2 := strconv.ParseFloat(strings.TrimSpace(high), 64)
	if !found || err1 != nil || err2 != nil || !(from >= 0 && from < to && to <= 1) {
		r.fail(n, fmt.Sprintf("%s: %q is not a range of relevances", inside, cut(s)), `write two numbers from 0 to 1 in quotes, the lower first: "0.3..0.7"`)
		return 0, 0
	}
	return from, to
}

// maxWait bounds the time to wait for an answer.
const maxWait = 10 * time.Minute

// duration reads how long to wait, with a unit: a bare number is refused with the value that
// was probably meant, since a time-out of 5 could be seconds or milliseconds.
func (r *reader) duration(n ast.Node, inside string) time.Duration {
	s, ok := r.scalar(n, inside)
	if !ok {
		return 0
	}
	d, err := time.ParseDuration(s)
	if err == nil && d >= time.Millisecond && d <= maxWait {
		return d
	}
	fix := `write a time up to ten minutes with its unit, such as "5s"`
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		fix = fmt.Sprintf("did you mean %q?", s+"s")
	}
	r.fail(n, fmt.Sprintf("%s: %q is not a time to wait", inside, cut(s)), fix)
	return 0
}
