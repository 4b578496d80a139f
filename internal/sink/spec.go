package sink

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// The kinds of sinks.
const (
	kindJSONL      = "jsonl"
	kindHTTP       = "http"
	kindOpenSearch = "opensearch"
	kindNATS       = "nats"
)

// A Spec is a sink as a person names it: a URL, and options behind a #.
type Spec struct {
	// Text is the whole name. It identifies the sink: another text, also with other
	// options, is another sink with a cursor of its own.
	Text string

	kind     string
	file     string   // of jsonl; "-" for standard output
	base     *url.URL // of the others, without scheme prefix and options
	index    string   // of opensearch
	subject  string   // of nats
	all      bool     // all fetched pages, not only those on topic
	text     string   // main, all or none
	respect  []string // wishes of owners; nil for the default
	template bool     // of opensearch: put an index template first
}

// forms lists how sinks are written, for errors.
const forms = "jsonl:FILE, jsonl:-, http(s)://HOST/PATH, opensearch+http(s)://HOST/INDEX or nats://HOST/SUBJECT"

// Parse reads the name of a sink. Options follow a #, as a query: pages=all sends all
// fetched pages, text=all or text=none changes the text, respect=WISH,WISH the wishes of
// owners to keep (as in exports), template=none puts no index template. Credentials are not
// part of the name, because names are stored: a name with some is an error.
func Parse(text string) (Spec, error) {
	s := Spec{Text: text, text: "main", template: true}
	rest, options, _ := strings.Cut(text, "#")
	scheme, after, ok := strings.Cut(rest, ":")
	if !ok {
		return s, fmt.Errorf("sink %q: want %s", shown(text), forms)
	}
	var err error
	switch scheme {
	case "jsonl":
		err = s.parseFile(after)
	case "http", "https":
		s.kind = kindHTTP
		s.base, err = parseURL(rest)
	case "opensearch+http", "opensearch+https":
		s.kind = kindOpenSearch
		if s.base, err = parseURL(strings.TrimPrefix(rest, "opensearch+")); err == nil {
			s.index, err = lastSegment(s.base)
		}
	case "nats", "nats+tls":
		s.kind = kindNATS
		if s.base, err = parseURL(rest); err == nil {
			s.subject, err = subjectOf(s.base)
		}
	default:
		err = fmt.Errorf("unknown kind %q; want %s", scheme, forms)
	}
	if err == nil {
		err = s.parseOptions(options)
	}
	if err != nil {
		return s, fmt.Errorf("sink %q: %w", shown(text), err)
	}
	return s, nil
}

// shown returns the name of a sink without what may be a credential, for errors about
// names that are not accepted.
func shown(text string) string {
	if at := strings.LastIndexByte(text, '@'); at >= 0 {
		if i := strings.Index(text, "://"); i >= 0 && i < at {
			text = text[:i+3] + "…" + text[at:]
		}
	}
	if i := strings.IndexByte(text, '?'); i >= 0 {
		text = text[:i] + "?…"
	}
	return text
}

func (s *Spec) parseFile(name string) error {
	s.kind, s.file = kindJSONL, name
	if name == "" {
		return errors.New("the file is missing: jsonl:FILE, or jsonl:- for standard output")
	}
	return nil
}

// secretNames are parts of the names of query parameters that hold credentials.
var secretNames = []string{"key", "token", "secret", "pass", "auth", "sig", "credential"}

// parseURL reads the URL of a service and refuses one with credentials in it.
func parseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("that is no URL")
	}
	if u.Host == "" {
		return nil, errors.New("the host is missing")
	}
	const instead = "a sink is stored by its name; give credentials in DOWSE_SINK_AUTH or in the file that DOWSE_SINK_AUTH_FILE names"
	if u.User != nil {
		return nil, errors.New("credentials in the URL: " + instead)
	}
	for name := range u.Query() {
		if slices.ContainsFunc(secretNames, func(s string) bool { return strings.Contains(strings.ToLower(name), s) }) {
			return nil, fmt.Errorf("the parameter %q looks like a credential: %s", name, instead)
		}
	}
	return u, nil
}

// lastSegment removes the last segment of the path of a URL, the name of an index, and
// returns it.
func lastSegment(u *url.URL) (string, error) {
	path := strings.TrimSuffix(u.Path, "/")
	i := strings.LastIndexByte(path, '/')
	if i < 0 || path[i+1:] == "" {
		return "", errors.New("the index is missing: opensearch+https://HOST/INDEX")
	}
	name := path[i+1:]
	if name != strings.ToLower(name) || strings.ContainsAny(name, ` "*\<>|,?#:`) || strings.ContainsAny(name[:1], "_-+.") {
		return "", fmt.Errorf("%q is no name of an index: small letters, digits, - and _", name)
	}
	u.Path, u.RawPath = path[:i], ""
	return name, nil
}

// subjectOf returns the subject that the path of a URL names.
func subjectOf(u *url.URL) (string, error) {
	subject := strings.Trim(u.Path, "/")
	if subject == "" || strings.ContainsAny(subject, " \t/*>") || strings.HasPrefix(subject, ".") || strings.HasSuffix(subject, ".") || strings.Contains(subject, "..") {
		return "", errors.New("want nats://HOST/SUBJECT, with a subject as crawl.pages, without wildcards")
	}
	u.Path, u.RawPath = "", ""
	return subject, nil
}

// parseOptions reads the options of a sink.
func (s *Spec) parseOptions(text string) error {
	options, err := url.ParseQuery(text)
	if err != nil {
		return fmt.Errorf("options %q can't be read; want #name=value&name=value", text)
	}
	for name, values := range options {
		value := values[len(values)-1]
		wrong := func(want string) error { return fmt.Errorf("option %s: got %q, want %s", name, value, want) }
		switch name {
		case "pages":
			if s.all = value == "all"; value != "all" && value != "on" {
				return wrong("on or all")
			}
		case "text":
			if s.text = value; !slices.Contains([]string{"main", "all", "none"}, value) {
				return wrong("main, all or none")
			}
		case "respect":
			s.respect = strings.Split(value, ",")
		case "template":
			if s.template = value != "none"; s.kind != kindOpenSearch || value != "none" {
				return wrong("none, for opensearch")
			}
		default:
			return fmt.Errorf("unknown option %q; want pages, text, respect or template", name)
		}
	}
	return nil
}

// Absolute returns the name of a sink with the absolute path of its file, so that it means
// the same from every working directory. Other names are returned unchanged.
func Absolute(text string) string {
	name, ok := strings.CutPrefix(text, "jsonl:")
	if !ok || name == "" || name == "-" || strings.HasPrefix(name, "-#") || filepath.IsAbs(name) {
		return text
	}
	file, options, more := strings.Cut(name, "#")
	full, err := filepath.Abs(file)
	if err != nil {
		return text
	}
	if more {
		full += "#" + options
	}
	return "jsonl:" + full
}

// IsFile reports whether the sink is a file of this machine, and returns its name.
func (s Spec) IsFile() (name string, ok bool) { return s.file, s.kind == kindJSONL && s.file != "-" }

// IsOutput reports whether the sink is the standard output.
func (s Spec) IsOutput() bool { return s.kind == kindJSONL && s.file == "-" }
