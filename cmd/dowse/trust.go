package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/durable"
	"dowse/topic"
)

// trustFlag is shared by all commands that may run a program, contact a service or read
// files because a collection or topic file names them. Such files may come from other
// people, so the user has to agree.
type trustFlag struct {
	Trust bool `env:"-" group:"polite" rare:"" help:"Agree to what a collection or topic file does; remembered."`
}

// A consent decides what may be done for collections and topic files. Both are plain
// directories and files that people send each other, and both can name a program to run,
// a service to ask, a private network to reach or a file to read. A crawl must not do any
// of that for a stranger, so the user agrees to it once, per collection and act.
//
// What the user agreed to is kept in a file of the user's own, never in the directory
// concerned, since whoever made that directory could write the file too. An agreement
// names the place, the act and, for programs, the contents of their files: a collection
// that was replaced, or a program that was changed, has to be agreed to again.
//
// What the user does directly needs no agreement: a topic file that dowse new wrote, or a
// network that was given as a flag, is recorded as agreed to.
type consent struct {
	file    string // that remembers; "" where there is no place for it
	agreed  bool   // by --trust
	in      io.Reader
	out     io.Writer
	asks    bool   // a person sits at the terminal
	dry     bool   // nothing is kept: --dry-run
	command string // that agrees: as it was typed, with the flag
}

// consent returns the consent for a command. It asks only if a person can answer: at a
// terminal whose input is not used for data.
func (w *world) consent(agreed bool) *consent {
	c := &consent{agreed: agreed, in: w.in, out: w.err, command: "dowse " + shellLine(withTrust(w.args))}
	if config := userConfig(w.env); config != "" {
		c.file = filepath.Join(filepath.Dir(config), "trusted")
	}
	in, isFile := w.in.(*os.File)
	// A rehearsal must not leave an agreement behind. A dash among the arguments means
	// that stdin has data, so a question could not be answered.
	c.dry = slices.ContainsFunc(w.args, func(a string) bool { return a == "--dry-run" || a == "--dry-run=true" })
	c.asks = !c.dry && w.isTTY && isFile && isTerminal(in) && !slices.Contains(w.args, "-")
	return c
}

// withTrust returns arguments with the flag that agrees. It has no effect behind a --, where everything is
// read as an argument.
func withTrust(args []string) []string {
	end := slices.Index(args, "--")
	if end < 0 {
		end = len(args)
	}
	return slices.Insert(slices.Clone(args), end, "--trust")
}

// allow returns nil if the user agreed, now or earlier, to what a collection or topic
// file does, and remembers an agreement given now. Acts with files that cannot be read
// are always refused, since their contents cannot be checked.
//
// The steps are: nothing to agree to; everything agreed to before; --trust or a yes at
// the terminal; otherwise an error with the list of acts and the command that agrees.
func (c *consent) allow(of string, acts []crawler.Act) error {
	if len(acts) == 0 {
		return nil
	}
	known, err := c.known()
	if err != nil {
		return err
	}
	place, err := placeOf(of)
	if err != nil {
		return err
	}
	// What was agreed to before needs no question; a program that has changed since then
	// is marked, since the question must say so.
	missing := slices.DeleteFunc(slices.Clone(acts), func(a crawler.Act) bool { return a.Unread == "" && known[actHash(place, a)] })
	if len(missing) == 0 {
		return nil
	}
	for i, a := range missing {
		missing[i].Changed = known[programHash(place, a)]
	}
	unread := slices.ContainsFunc(missing, func(a crawler.Act) bool { return a.Unread != "" })
	if !unread && (c.agreed || c.asks && c.question(of, missing)) {
		return c.remember(of, missing)
	}
	return &exitError{exitForbidden, c.refusal(of, missing)}
}

// question lists the acts and asks the user at the terminal.
func (c *consent) question(of string, acts []crawler.Act) bool {
	fmt.Fprintf(c.out, "%s\nDo you trust it? [y/N] ", printable(wishes(of, acts)))
	answer, _ := bufio.NewReader(c.in).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

// A refusal is a TrustError with the command that would agree.
type refusal struct {
	*crawler.TrustError
	command string
}

// refusal returns the error for acts that the user did not agree to.
func (c *consent) refusal(of string, acts []crawler.Act) error {
	return &refusal{&crawler.TrustError{Of: of, Acts: acts}, c.command}
}

// Error lists the acts, one per line, and the command that agrees to them.
func (r *refusal) Error() string {
	if slices.ContainsFunc(r.Acts, func(a crawler.Act) bool { return a.Unread != "" }) {
		return fmt.Sprintf("%s\nNothing of that was done. Make the file readable, and at most 64 MiB large.", wishes(r.Of, r.Acts))
	}
	return fmt.Sprintf("%s\nNothing of that was done. If you trust it:\n  %s", wishes(r.Of, r.Acts), r.command)
}

// Unwrap returns the TrustError.
func (r *refusal) Unwrap() error { return r.TrustError }

// wishes lists the acts, one per line.
func wishes(of string, acts []crawler.Act) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s may come from somebody else. It wants to", of)
	for _, a := range acts {
		fmt.Fprintf(&b, "\n  %s", a)
	}
	return b.String()
}

// remember records acts that the user agreed to, or that the user named when the
// collection was created. If they cannot be recorded it prints a note and returns no
// error: the next command needs --trust again.
func (c *consent) remember(of string, acts []crawler.Act) error {
	if len(acts) == 0 || c.dry {
		return nil
	}
	place, err := placeOf(of)
	if err != nil {
		return err
	}
	return c.rememberAt(of, place, acts)
}

// keep records the acts of a collection that is about to be created or resumed, since the
// user named them or agreed to them. The record is written before the collection: after a
// kill at any point the next command finds it. In the other order a kill between the two
// would leave a collection that its own user has to be asked about.
func (c *consent) keep(dir string, s collection.Settings, acts []crawler.Act) error {
	if c.dry {
		return nil
	}
	return c.rememberAt(dir, placeWith(dir, s), acts)
}

// carry records for a copy of a collection those of its acts that the user agreed to for the original: the copy
// is the user's own, too.
func (c *consent) carry(from, to string, acts []crawler.Act) error {
	known, err := c.known()
	if err != nil {
		return err
	}
	place, err := placeOf(from)
	if err != nil {
		return err
	}
	return c.remember(to, slices.DeleteFunc(acts, func(a crawler.Act) bool { return !known[actHash(place, a)] }))
}

// rememberAt is remember for acts at a place.
func (c *consent) rememberAt(of, place string, acts []crawler.Act) error {
	known, err := c.known()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for _, a := range acts {
		if hash := actHash(place, a); !known[hash] && a.Unread == "" {
			known[hash] = true
			a.Changed = false
			fmt.Fprintf(&b, "%s%s %s\n", hash, programHash(place, a), oneLine(fmt.Sprintf("%q: %s", place, a)))
		}
	}
	if b.Len() == 0 {
		return nil
	}
	if err := c.append(b.Bytes()); err != nil {
		fmt.Fprintf(c.out, "note: %s\n", oneLine(fmt.Sprintf("your consent for %s can't be kept (%v): it needs --trust every time", of, err)))
	}
	return nil
}

// append adds lines to the file, which is readable by its owner alone.
func (c *consent) append(lines []byte) error {
	if c.file == "" {
		return errors.New("HOME and XDG_CONFIG_HOME are not set")
	}
	if err := os.MkdirAll(filepath.Dir(c.file), 0o700); err != nil {
		return err
	}
	f, err := durable.In(filepath.Dir(c.file)).Append(filepath.Base(c.file))
	if err != nil {
		return err
	}
	_, err = f.Write(lines)
	return errors.Join(err, os.Chmod(c.file, 0o600), f.Sync(), f.Close())
}

// maxTrusted is how much of the file is read, in bytes; a line has about 200.
const maxTrusted = 64 << 20

// known returns the hashes in the file. A file that cannot be read gives an error, except
// where it is missing or not permitted: then nothing is agreed to. A line has the hash of
// the act, perhaps with that of the program without its contents, and behind it what was
// agreed to in words, for people who look at the file.
func (c *consent) known() (map[string]bool, error) {
	known := map[string]bool{}
	if c.file == "" {
		return known, nil
	}
	f, err := os.Open(c.file)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return known, nil
	}
	if err != nil {
		return nil, fmt.Errorf("trust: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxTrusted))
	if err != nil {
		return nil, fmt.Errorf("trust: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		hash, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		hash, program, ok := strings.Cut(hash, "/")
		known[hash] = true
		if ok {
			known["/"+program] = true
		}
	}
	return known, nil
}

// actHash identifies an act at a place, including the contents of the files of a program
// that it runs. A changed program therefore needs a new agreement.
func actHash(place string, a crawler.Act) string {
	text := place + "\x00" + a.Verb + "\x00" + a.What
	if a.Sum != "" {
		text += "\x00" + a.Sum
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// programHash identifies a program at a place regardless of the contents of its files,
// "" for other acts. It begins with a slash, which no actHash does. It allows to say
// that a program has changed since the user agreed.
func programHash(place string, a crawler.Act) string {
	if a.Sum == "" {
		return ""
	}
	a.Sum = ""
	return "/" + actHash(place, a)
}

// placeOf identifies a collection or topic file: by its path without symbolic links and,
// for a collection, its key and the time of its creation. Another collection at the same
// path has others.
func placeOf(name string) (string, error) {
	if !collection.IsCollection(name) {
		return realPath(name), nil
	}
	s, err := collection.ReadSettings(name)
	if err != nil {
		return "", inCollection(err)
	}
	return placeWith(name, s), nil
}

// placeWith is placeOf for a collection with these settings. The directory need not
// exist yet.
func placeWith(dir string, s collection.Settings) string {
	return fmt.Sprintf("%s#%016x#%s", realPath(dir), s.Key, s.Begun.UTC().Format(time.RFC3339Nano))
}

// realPath returns the absolute path without symbolic links. What does not exist yet is
// kept as it is behind the deepest directory that exists.
func realPath(name string) string {
	full, err := filepath.Abs(name)
	if err != nil {
		return name
	}
	missing := ""
	for dir := full; ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, missing)
		}
		if dir == filepath.Dir(dir) {
			return full
		}
		missing = filepath.Join(filepath.Base(dir), missing)
	}
}

// shellLine returns arguments as they are typed, quoted where necessary.
func shellLine(args []string) string {
	var words []string
	for _, a := range args {
		if a == "" || strings.ContainsFunc(a, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=,@%+", r))
		}) {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}

// mayAsk reports whether the outside judge of a topic may be asked. If the user did not
// agree, the topic's own judge works without it, and a note is printed: rating pages is
// useful without the outside judge, so it is no error.
func (c *consent) mayAsk(what string, t *topic.Topic) (bool, error) {
	err := c.allow(what, crawler.JudgeActs(t))
	var refused *crawler.TrustError
	if errors.As(err, &refused) {
		fmt.Fprintf(c.out, "note: %s\n", oneLine(fmt.Sprintf("the topic's own judge works alone: %v; to allow it: %s", refused, c.command)))
		return false, nil
	}
	return err == nil, err
}
