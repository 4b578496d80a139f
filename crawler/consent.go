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
	"dowse/settings"
	"dowse/topic"
)

// ErrTrust is returned when a collection is taken up that would have this machine do
// something for it, and nobody here agreed: the directory may come from elsewhere.
var ErrTrust = errors.New("it needs your consent")

// An Act is something that a collection or a topic file has this machine do for it,
// beyond reading its own files and fetching public pages.
type Act struct {
	Verb string // what is done: run, ask, send, reach, resolve, hurry or read
	What string // to what, on one line; texts from the file are quoted

	Sum     string // hash of the files of a program that is run: consent is to these alone
	Unread  string // why the files of a program could not be hashed: nobody can agree to it
	Changed bool   // somebody agreed to this program, and its files were other ones
}

// String returns the act for a person to read.
func (a Act) String() string {
	text := a.Verb + " " + a.What
	switch {
	case a.Unread != "":
		text += ", but " + a.Unread + ", so nobody can agree to it"
	case a.Changed:
		text += " (the program has changed since you agreed)"
	}
	return text
}

// Acts returns what the crawl has this machine do for it.
func (c *Crawler) Acts() []Act { return actsOf(c.Topic, c.Collection.Settings, c.cfg) }

// actsOf lists what a collection with this topic and these settings does. Where a
// program brings its own connections, settings of the network have no effect.
func actsOf(t *topic.Topic, s collection.Settings, cfg Config) []Act {
	list := JudgeActs(t)
	if cfg.Dial == nil && cfg.Transport == nil {
		list = append(list, networkActs(s.Network.AllowNet, s.Network.Resolver)...)
		list = append(list, hurryActs(s.Politeness)...)
	}
	return list
}

// JudgeActs lists what the outside judge of a topic does: the program that is run, the
// service that is asked, the variable of the environment that is sent to it.
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

// runAct is the act of running a command line in a folder.
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

func networkActs(nets []string, resolver string) (list []Act) {
	for _, s := range nets {
		list = append(list, Act{Verb: "reach", What: fmt.Sprintf("addresses inside %q", s)})
	}
	if resolver != "" {
		list = append(list, Act{Verb: "resolve", What: fmt.Sprintf("names with the DNS server %q", resolver)})
	}
	return list
}

// From this pause, and up to so many requests at once, nobody is asked whether a host may
// be treated so.
const (
	leastPause    = 100 * time.Millisecond
	mostHostConns = 4
)

// hurryActs lists what hosts would complain of to the owner of this machine.
func hurryActs(p settings.Politeness) (list []Act) {
	p = p.Resolved()
	if p.Delay < leastPause {
		list = append(list, Act{Verb: "hurry", What: fmt.Sprintf("hosts: %s between two requests", p.Delay)})
	}
	if p.Conns > mostHostConns {
		list = append(list, Act{Verb: "hurry", What: fmt.Sprintf("hosts: %d requests at once to each", p.Conns)})
	}
	return list
}

// TopicActs lists what a topic file does: [JudgeActs] and [ReadActs].
func TopicActs(t *topic.Topic) []Act { return append(JudgeActs(t), ReadActs(t)...) }

// ReadActs lists the files that a topic reads and that are not in its folder or below:
// what they say would go into a collection, which people pass on.
func ReadActs(t *topic.Topic) (list []Act) {
	for _, name := range t.Files() {
		if real, out := leaves(t.Dir, name); out {
			list = append(list, Act{Verb: "read", What: fmt.Sprintf("%q, outside %q", real, absolute(t.Dir))})
		}
	}
	return list
}

// leaves reports whether a pattern of files leads out of a folder, also by a symbolic
// link, and returns the first path that does.
func leaves(dir, pattern string) (real string, out bool) {
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

func absolute(dir string) string {
	full, err := filepath.Abs(cmp.Or(dir, "."))
	if err != nil {
		return dir
	}
	return full
}

// consented checks that whoever takes up the collection in dir agrees to what it does.
// What the config names itself needs no question.
func consented(dir string, acts []Act, cfg Config) error {
	given := append(networkActs(cfg.AllowNet, cfg.Resolver), hurryActs(cfg.Politeness)...)
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

// Agree is a [Config].Consent that agrees to everything: for programs that began the
// collection themselves.
func Agree(string, []Act) error { return nil }

// A TrustError is an [ErrTrust] that says what was not agreed to.
type TrustError struct {
	Of   string // the collection or topic file
	Acts []Act
}

// Error names everything that would have been done.
func (e *TrustError) Error() string {
	var acts []string
	for _, a := range e.Acts {
		acts = append(acts, a.String())
	}
	return fmt.Sprintf("crawler: %s would %s: %v", e.Of, strings.Join(acts, "; "), ErrTrust)
}

// Unwrap returns ErrTrust.
func (e *TrustError) Unwrap() error { return ErrTrust }
