//go:build unix

package main

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// canary is a word that occurs only in files outside of a collection.
const canary = "xyzzycanary"

// strangerHang is how long a command may take before it counts as hanging. No verdict
// depends on it but that one.
const strangerHang = 2 * time.Minute

// TestStrangersDirectory replaces each file and folder of a collection in turn by a link to
// one outside, by a link to nothing and by a pipe, and runs the commands over it. Nothing
// outside is read, changed or made, and no command waits for the pipe. DOWSE_ALL_FAULTS=1
// runs all commands over each.
func TestStrangersDirectory(t *testing.T) {
	t.Parallel()
	base := filepath.Join(t.TempDir(), "base.dowse")
	makeStranger(t, base)
	labels := strangerLabels(t)
	var wg sync.WaitGroup
	slots := make(chan struct{}, 4)
	for i, name := range strangerNames(t, base) {
		for _, kind := range []string{"link", "dangling link", "pipe"} {
			s := &stranger{t: t, name: name, kind: kind, dir: t.TempDir(), labels: labels}
			wg.Go(func() {
				slots <- struct{}{}
				defer func() { <-slots }()
				s.run(base, strangerCommands(s.commands(), i))
			})
		}
	}
	wg.Wait()
}

// makeStranger makes a collection that has all kinds of files.
func makeStranger(t *testing.T, dir string) {
	t.Helper()
	for _, args := range [][]string{
		{"demo", "--pages", "24", "-o", dir, "-q"},
		{"label", dir, "--from", strangerLabels(t)},
	} {
		if out, err := dowseCommand(t.Context(), filepath.Dir(dir), args...).CombinedOutput(); err != nil {
			t.Fatalf("dowse %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}

// strangerLabels returns a file with a label.
func strangerLabels(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "labels.tsv")
	if err := os.WriteFile(file, []byte("http://shorewalks.demo/links\ton\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func dowseCommand(ctx context.Context, home string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "dowse", args...)
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME=", "DOWSE_CONTACT=https://example.org/bot")
	return cmd
}

// strangerNames lists what is replaced: all files and folders, and temporaries that a
// command may make.
func strangerNames(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if name != "." {
			names = append(names, name)
		}
		return err
	})
	if err != nil || len(names) < 15 {
		t.Fatalf("a collection of %d files: %v", len(names), err)
	}
	for _, name := range []string{"crawl.yaml", "README.md", "indexes/index.cdxj", "state/summary.json"} {
		names = append(names, name+".tmp")
	}
	return append(names, "answers.jsonl", "models/log.jsonl", "needs")
}

// A stranger is a collection with one thing in it that is not what it seems.
type stranger struct {
	t          *testing.T
	name, kind string
	dir        string // of this test: the collection, what is outside, what is written
	labels     string // a file with a label
}

func (s *stranger) collection() string { return filepath.Join(s.dir, "x.dowse") }
func (s *stranger) outside() string    { return filepath.Join(s.dir, "outside") }
func (s *stranger) written() string    { return filepath.Join(s.dir, "written") }

func (s *stranger) errorf(format string, args ...any) {
	s.t.Errorf("%s is a %s: %s", s.name, s.kind, fmt.Sprintf(format, args...))
}

// strangerCommands takes some of the commands: all of them where all faults are asked for, else the
// first ones and another one for each file.
func strangerCommands(all [][]string, i int) [][]string {
	const first = 3 // those that write
	switch {
	case os.Getenv("DOWSE_ALL_FAULTS") != "":
		return all
	case len(all) == first:
		return all[i%first : i%first+1]
	}
	return append(all[:first:first], all[first+i%(len(all)-first)])
}

func (s *stranger) run(base string, commands [][]string) {
	for _, args := range commands {
		if err := s.prepare(base); err != nil {
			s.errorf("%v", err)
			return
		}
		before := s.tree()
		s.command(args)
		if after := s.tree(); !maps.Equal(before, after) {
			s.errorf("dowse %s changed what is outside: %v, before %v", args[0], slices.Sorted(maps.Keys(after)), slices.Sorted(maps.Keys(before)))
		}
		s.look(args)
	}
}

// commands are the writing ones, and the reading ones of each kind. A collection that is a
// link is met by all of them.
func (s *stranger) commands() [][]string {
	dir, u := s.collection(), "http://shorewalks.demo/links"
	write := [][]string{
		{"demo", "--pages", "26", "-o", dir, "-q"},
		{"export", dir, filepath.Join(s.written(), "x.wacz")},
		{"forget", dir, u, "--because", "the owner asked", "--yes"},
	}
	if s.kind != "link" {
		return write
	}
	return append(write,
		[]string{"label", dir, "--from", s.labels},
		[]string{"crawl", dir, "-q"},
		[]string{"status", dir, "--check"},
		[]string{"why", dir, u},
		[]string{"pages", dir},
		[]string{"hosts", dir},
		[]string{"judge", filepath.Join(dir, "topic.yaml"), dir},
		[]string{"export", dir, filepath.Join(s.written(), "x.jsonl"), "--text"},
		[]string{"export", dir, filepath.Join(s.written(), "x.warc.gz")},
		[]string{"topic", "check", dir},
		[]string{"collection", "verify", dir},
		[]string{"collection", "info", dir},
		[]string{"tgraph", "build", "--from", dir, "-o", filepath.Join(s.written(), "t.json")},
		[]string{"stop", dir},
	)
}

// prepare makes the directories anew.
func (s *stranger) prepare(base string) error {
	for _, dir := range []string{s.collection(), s.outside(), s.written()} {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	if err := os.CopyFS(s.collection(), os.DirFS(base)); err != nil {
		return err
	}
	if err := os.MkdirAll(s.written(), 0o755); err != nil {
		return err
	}
	if err := os.MkdirAll(s.outside(), 0o755); err != nil {
		return err
	}
	path, target := filepath.Join(s.collection(), s.name), filepath.Join(s.outside(), "target")
	if s.kind == "link" {
		if err := s.bait(path, target); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	if s.kind == "pipe" {
		return syscall.Mkfifo(path, 0o644)
	}
	return os.Symlink(target, path)
}

// bait puts outside what a command would take for the file, with the canary in it where
// people would not notice.
func (s *stranger) bait(path, target string) error {
	info, err := os.Stat(path)
	if err != nil { // a temporary, or a file that this collection does not have
		return os.WriteFile(target, []byte(canary+"\n"), 0o600)
	}
	if info.IsDir() {
		return os.CopyFS(target, os.DirFS(path))
	}
	data, err := os.ReadFile(path)
	switch filepath.Ext(path) {
	case ".yaml":
		data = append(data, "# "+canary+"\n"...)
	case ".jsonl":
		data = append(data, fmt.Sprintf("{\"url\":\"http://%s.example/\",\"label\":\"on\",\"title\":%q}\n", canary, canary)...)
	case ".md", ".log", ".lock":
		data = append(data, canary+"\n"...)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(target, data, 0o600)
}

// tree returns the files outside of the collection, with their contents.
func (s *stranger) tree() map[string]string {
	files := map[string]string{}
	fs.WalkDir(os.DirFS(s.outside()), ".", func(name string, d fs.DirEntry, err error) error {
		data, _ := os.ReadFile(filepath.Join(s.outside(), name))
		files[name] = string(data)
		return nil
	})
	return files
}

func (s *stranger) command(args []string) {
	ctx, cancel := context.WithTimeout(s.t.Context(), strangerHang)
	defer cancel()
	out, _ := dowseCommand(ctx, s.dir, args...).CombinedOutput()
	if ctx.Err() != nil {
		s.errorf("dowse %s does not end", strings.Join(args, " "))
	}
	if bytes.Contains(out, []byte(canary)) {
		s.errorf("dowse %s prints what is outside:\n%s", strings.Join(args, " "), out)
	}
	if bytes.Contains(out, []byte("panic:")) {
		s.errorf("dowse %s:\n%s", strings.Join(args, " "), out)
	}
}

// look searches what was written for the canary.
func (s *stranger) look(args []string) {
	for _, dir := range []string{s.written(), s.collection()} {
		filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && holdsCanary(path) {
				s.errorf("dowse %s wrote what is outside into %s", args[0], path)
			}
			return nil
		})
	}
}

func holdsCanary(path string) bool {
	data, _ := os.ReadFile(path)
	if bytes.Contains(data, []byte(canary)) {
		return true
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return false
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			continue
		}
		inside, _ := io.ReadAll(r)
		r.Close()
		if bytes.Contains(inside, []byte(canary)) {
			return true
		}
	}
	return false
}

// TestExportReplacesALink exports over a link: the link goes, its target stays.
func TestExportReplacesALink(t *testing.T) {
	dir := t.TempDir()
	col, target, out := filepath.Join(dir, "x.dowse"), filepath.Join(dir, "mine.csv"), filepath.Join(dir, "out.csv")
	makeStranger(t, col)
	if err := os.WriteFile(target, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, out); err != nil {
		t.Fatal(err)
	}
	if err := dowseCommand(t.Context(), dir, "export", col, out).Run(); err == nil {
		t.Error("an export without --force replaced a link")
	}
	if text, err := dowseCommand(t.Context(), dir, "export", col, out, "--force").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	info, err := os.Lstat(out)
	if data, _ := os.ReadFile(target); err != nil || !info.Mode().IsRegular() || string(data) != "mine" {
		t.Errorf("the export is %v (%v), the target of the link holds %q", info, err, data)
	}
}
