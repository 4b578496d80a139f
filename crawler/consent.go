package crawler

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dowse/collection"
	"dowse/internal/sink"
	"dowse/settings"
	"dowse/topic"
)

// ErrTrust is returned when a collection that is resumed would make this
// machine do something to which its owner has not consented. The directory
// may come from elsewhere.
var ErrTrust = errors.New("it needs your consent")

// An Act is something that a collection or a topic file makes this machine
// do beyond reading its own files and fetching public pages.
type Act struct {
	// Verb is the kind of act: run, ask, send, reach, resolve, hurry, write or
	// read.
	Verb string
	// What is the object of the act on one line; texts from the file are
	// quoted.
	What string

	// Sum is a hash of the files of a program. Consent is to these contents
	// alone.
	Sum string
	// Unread is why the files could not be hashed. Such an act can't be
	// consented to.
	Unread string
	// Changed reports that there is consent to an earlier version of this
	// program.
	Changed bool
}

// String returns the act for a person to read.
func (a Act) String() string {
	text := a.Verb + " " + a.What
	switch {
	case a.Unread != "":
		text += ", but " + a.Unread + ", so it can't be agreed to"
	case a.Changed:
		text += " (the program has changed since you agreed)"
	}
	return text
}

// actsOf returns the acts of a collection with this topic and these
// settings. Settings of the network have no effect, and are left out, if the
// config brings its own connections. It is the list of everything that a
// collection can make this machine do: a new setting of that kind needs an act
// here.
func actsOf(t *topic.Topic, s collection.Settings, cfg Config) []Act {
	list := append(JudgeActs(t), SinkActs(s.Sinks)...)
	if cfg.Dial == nil && cfg.Transport == nil {
		list = append(list, networkActs(s.Network.AllowNet, s.Network.Resolver)...)
		list = append(list, hurryActs(s.Politeness)...)
	}
	return list
}

// Acts returns what the collection of c makes this machine do when it is crawled further.
func (c *Crawler) Acts() []Act { return actsOf(c.Topic, c.Collection.Settings, Config{}) }

// JudgeActs returns the acts of the outside judge of a topic: the program
// that is run, the service that is asked, and the environment variable that
// is sent to it.
func JudgeActs(t *topic.Topic) (list []Act) {
	o := t.Outside
	if o == nil {
		return nil
	}
	if len(o.Exec) > 0 {
		list = append(list, runAct(t.Dir, o.Exec))
	}
	if o.Endpoint != "" {
		list = append(list, Act{Verb: "ask", What: fmt.Sprintf("the service %q, which is sent titles and texts of pages", o.Endpoint)})
	}
	if o.KeyEnv != "" {
		list = append(list, Act{Verb: "send", What: fmt.Sprintf("the environment variable %s to %q", o.KeyEnv, o.Endpoint)})
	}
	return list
}

// SinkActs returns the acts of sending pages to sinks: services that are sent
// pages, and credentials if the environment has some for them, and files that
// are written. Standard output is no act.
func SinkActs(sinks []string) (list []Act) {
	for _, text := range sinks {
		s, err := sink.Parse(text)
		if err != nil || s.IsOutput() {
			continue // an error is reported before anything is sent
		}
		if file, ok := s.IsFile(); ok {
			list = append(list, Act{Verb: "write", What: fmt.Sprintf("pages to the file %q", file)})
			continue
		}
		list = append(list, Act{Verb: "send", What: fmt.Sprintf("pages to %q, with your credentials for sinks if there are any", text)})
	}
	return list
}

// runAct returns the act of running a command line in a folder, with the
// hash of its files.
func runAct(dir string, command []string) Act {
	var words []string
	for _, w := range command {
		words = append(words, fmt.Sprintf("%q", w))
	}
	a := Act{Verb: "run", What: fmt.Sprintf("%s in %q", strings.Join(words, " "), absolute(dir))}
	sum, err := programSum(dir, command)
	if err != nil {
		a.Unread = err.Error()
	}
	a.Sum = sum
	return a
}

// networkActs returns the acts of reaching private networks and of using a
// particular DNS server.
func networkActs(nets []string, resolver string) (list []Act) {
	for _, s := range nets {
		list = append(list, Act{Verb: "reach", What: fmt.Sprintf("addresses inside %q", s)})
	}
	if resolver != "" {
		list = append(list, Act{Verb: "resolve", What: fmt.Sprintf("names with the DNS server %q", resolver)})
	}
	return list
}

// A shorter pause between requests to a host, or more concurrent requests to
// it, needs consent.
const (
	leastPause    = 100 * time.Millisecond
	mostHostConns = 4
)

// hurryActs returns the acts about which hosts could complain to the owner
// of this machine.
func hurryActs(p settings.Politeness) (list []Act) {
	p = p.Resolved()
	if p.Delay < leastPause {
		list = append(list, Act{Verb: "hurry", What: fmt.Sprintf("hosts: %s between two requests", p.Delay)})
	}
	if p.Conns > mostHostConns {
		list = append(list, Act{Verb: "hurry", What: fmt.Sprintf("hosts: %d concurrent requests to each", p.Conns)})
	}
	return list
}

// TopicActs returns all acts of a topic file: [JudgeActs] and [ReadActs].
func TopicActs(t *topic.Topic) []Act { return append(JudgeActs(t), ReadActs(t)...) }

// ReadActs returns the files that a topic reads from outside its own folder.
// Their content would become part of a collection, which people pass on.
func ReadActs(t *topic.Topic) (list []Act) {
	for _, name := range t.Files() {
		if real, out := fileOutside(t.Dir, name); out {
			if act := (Act{Verb: "read", What: fmt.Sprintf("%q, outside %q", real, absolute(t.Dir))}); !slices.Contains(list, act) {
				list = append(list, act)
			}
		}
	}
	return list
}

// fileOutside reports whether a file pattern matches a file outside a folder,
// also through a symbolic link, and returns the first such path. If a link
// can't be resolved, the file counts as outside. A pattern that matches nothing
// is judged by its text alone.
func fileOutside(dir, pattern string) (real string, out bool) {
	l := loader{Dir: dir}
	base, err := filepath.EvalSymlinks(absolute(dir))
	names, err2 := filepath.Glob(l.path(pattern))
	if err != nil || err2 != nil || len(names) == 0 {
		return absolute(l.path(pattern)), filepath.IsAbs(pattern) || !filepath.IsLocal(filepath.FromSlash(pattern))
	}
	for _, name := range names {
		real, err := filepath.EvalSymlinks(absolute(name))
		if err != nil {
			return absolute(name), true
		}
		if rel, err := filepath.Rel(base, real); err != nil || !filepath.IsLocal(rel) {
			return real, true
		}
	}
	return "", false
}

// absolute returns the absolute form of a path, or the path itself if the
// working directory is unknown.
func absolute(dir string) string {
	full, err := filepath.Abs(cmp.Or(dir, "."))
	if err != nil {
		return dir
	}
	return full
}

// checkConsent returns an error unless there is consent to every act of the
// collection in dir. Acts that the config itself asks for need none: the
// person who runs the program gave them. An act is the same only if its program
// has the same hash.
func checkConsent(dir string, acts []Act, cfg Config) error {
	given := append(networkActs(cfg.AllowNet, cfg.Resolver), hurryActs(cfg.Politeness)...)
	given = append(given, SinkActs(cfg.Sinks)...)
	if cfg.Topic != nil {
		given = append(given, JudgeActs(cfg.Topic)...)
	}
	acts = slices.DeleteFunc(acts, func(a Act) bool { return slices.Contains(given, a) })
	if len(acts) == 0 {
		return nil
	}
	if cfg.Consent != nil {
		return cfg.Consent(dir, acts)
	}
	return &TrustError{dir, acts}
}

// reportAgreed calls Agreed with the acts of a collection, unless it has none.
func (cfg Config) reportAgreed(dir string, s collection.Settings, t *topic.Topic) error {
	acts := actsOf(t, s, cfg)
	if cfg.Agreed == nil || len(acts) == 0 {
		return nil
	}
	return cfg.Agreed(dir, s, acts)
}

// Agree is a [Config].Consent that agrees to everything. It is for programs
// that created the collection themselves.
func Agree(string, []Act) error { return nil }

// A TrustError is an [ErrTrust] that lists the acts without consent.
type TrustError struct {
	Of   string // the collection or topic file
	Acts []Act
}

// Error names every act that would have been done.
func (e *TrustError) Error() string {
	var acts []string
	for _, a := range e.Acts {
		acts = append(acts, a.String())
	}
	return fmt.Sprintf("crawler: %s would %s: %v", e.Of, strings.Join(acts, "; "), ErrTrust)
}

// Unwrap returns ErrTrust.
func (e *TrustError) Unwrap() error { return ErrTrust }
