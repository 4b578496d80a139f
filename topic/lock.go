package topic

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"dowse"
	"dowse/internal/strictyaml"
)

// lockSchema is the value of the key "dowse" in a lock.
const lockSchema = "lock/v1"

// maxLock bounds a lock that is read, in bytes.
const maxLock = 16 << 20

var lockForm = strictyaml.Form{Bytes: maxLock, Line: 64 << 10, Brackets: 4, Dashes: 4, Indent: 16, Keys: 1 << 20}

// lockFile is the content of a lock file.
type lockFile struct {
	Dowse    string    `yaml:"dowse"`
	Examples []lockRow `yaml:"examples"`
}

// A lockRow is one pinned example of a lock file.
type lockRow struct {
	Source  string    `yaml:"source"`
	URL     string    `yaml:"url,omitempty"`
	SHA256  string    `yaml:"sha256"`
	Fetched time.Time `yaml:"fetched,omitempty"`
}

// LockName returns the name of the lock of a topic file: reefs.topic.lock for
// reefs.topic.yaml.
func LockName(file string) string {
	return strings.TrimSuffix(strings.TrimSuffix(file, filepath.Ext(file)), ".lock") + ".lock"
}

// Lock returns the lock of the gathered examples, each with the hash of its
// text.
func (m *Material) Lock() []byte {
	w := &writer{}
	w.WriteString("# The examples of a topic, as they were gathered. Written by dowse.\n")
	w.pair("dowse", lockSchema)
	w.WriteString("examples:")
	if len(m.Origins) == 0 {
		w.WriteString(" []")
	}
	w.WriteString("\n")
	for _, o := range m.Origins {
		fmt.Fprintf(w, "  - source: %s\n", scalar(o.Source))
		if o.URL != "" {
			fmt.Fprintf(w, "    url: %s\n", scalar(string(o.URL)))
		}
		fmt.Fprintf(w, "    sha256: %q\n", o.SHA256)
		if !o.At.IsZero() {
			fmt.Fprintf(w, "    fetched: %s\n", o.At.UTC().Format(time.RFC3339))
		}
	}
	return []byte(w.String())
}

// ParseLock reads what [Material.Lock] wrote.
func ParseLock(data []byte) ([]Origin, error) {
	if len(data) > maxLock {
		return nil, fmt.Errorf("topic: lock: larger than %d MiB", maxLock>>20)
	}
	rows, err := lockRows(data)
	if err != nil {
		return nil, fmt.Errorf("topic: lock: %w; remove it to pin the examples again", err)
	}
	var list []Origin
	for _, r := range rows {
		o := Origin{Source: r.Source, SHA256: r.SHA256, At: r.Fetched}
		o.URL = dowse.URL(r.URL)
		list = append(list, o)
	}
	return list, nil
}

// lockRows decodes a lock file without interpreting its rows.
func lockRows(data []byte) ([]lockRow, error) {
	var f lockFile
	if e := lockForm.Read(data, "lock", &f); e != nil {
		return nil, fmt.Errorf("line %d, column %d: %s", e.Line, e.Column, cut(e.Problem))
	}
	if f.Dowse != lockSchema {
		return nil, fmt.Errorf("schema %q (want %q)", cut(f.Dowse), lockSchema)
	}
	return f.Examples, nil
}

// Changed lists the differences between pinned examples and those gathered now,
// one line each: pages that have changed, are gone, or are new.
func Changed(pinned, now []Origin) []string {
	type key struct{ source, url string }
	was, is := map[key]map[string]bool{}, map[key]map[string]bool{}
	fill := func(m map[key]map[string]bool, list []Origin) {
		for _, o := range list {
			k := key{o.Source, string(o.URL)}
			if m[k] == nil {
				m[k] = map[string]bool{}
			}
			m[k][o.SHA256] = true
		}
	}
	fill(was, pinned)
	fill(is, now)
	var lines []string
	listed := map[key]bool{}
	say := func(o Origin, what string) {
		k := key{o.Source, string(o.URL)}
		if !listed[k] {
			lines = append(lines, fmt.Sprintf("%s: %s %s", o.Source, what, o.place()))
		}
		listed[k] = true
	}
	for _, o := range now {
		switch old := was[key{o.Source, string(o.URL)}]; {
		case old == nil:
			say(o, "new since it was pinned:")
		case !old[o.SHA256]:
			say(o, "changed since it was pinned:")
		}
	}
	for _, o := range pinned {
		if is[key{o.Source, string(o.URL)}] == nil {
			say(o, "was pinned and is gone:")
		}
	}
	return lines
}

// place returns the URL of an example, or the beginning of its hash.
func (o Origin) place() string {
	if o.URL == "" {
		return o.SHA256[:min(12, len(o.SHA256))]
	}
	return string(o.URL)
}
