package durable_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"dowse/internal/durable"
)

// TestTempFolderOfKilledProcess leaves a temporary folder in a process that is killed: the next one to need a folder removes it, and leaves those in use,
// links, and folders that only look like one.
func TestTempFolderOfKilledProcess(t *testing.T) {
	if os.Getenv("DOWSE_TEST_TEMP") != "" {
		folder, err := durable.NewTempFolder("server")
		if err != nil {
			t.Fatal(err)
		}
		defer runtime.KeepAlive(folder) // a file that is no longer used is closed, and its lock with it
		fmt.Println(folder.Path)
		io.Copy(io.Discard, os.Stdin) // until it is killed
		return
	}
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	child := exec.Command(os.Args[0], "-test.run=^TestTempFolderOfKilledProcess$")
	child.Env = append(os.Environ(), "DOWSE_TEST_TEMP=1")
	if _, err := child.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 4096)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	left := string(line[:n-1])
	if err := os.WriteFile(filepath.Join(left, "root.bolt"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	durable.RemoveLeftFolders()
	if _, err := os.Stat(left); err != nil {
		t.Fatalf("the folder of a running process was removed: %v", err)
	}
	used, err := durable.NewTempFolder("search")
	if err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(t.TempDir(), "target")
	kept := []string{used.Path, filepath.Join(tmp, "dowse-search-7"), filepath.Join(tmp, "dowse-search-"), filepath.Join(tmp, "dowse-search-8x"), filepath.Join(tmp, "dowse-index-9"), target}
	for _, dir := range []string{kept[2], kept[3], kept[4], target} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(target, kept[1]); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{kept[2], kept[3], target} { // they look abandoned
		if err := os.WriteFile(filepath.Join(dir, "in-use"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	old := filepath.Join(tmp, "dowse-index-10") // killed before it took its lock
	if err := os.Mkdir(old, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(old, time.Now().Add(-time.Hour), time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	child.Process.Kill()
	child.Wait()
	durable.RemoveLeftFolders()
	for _, path := range []string{left, old} {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
	for _, path := range kept {
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("%s was removed: %v", path, err)
		}
	}
	if _, err := os.Stat(filepath.Join(target, "in-use")); err != nil {
		t.Errorf("a link was followed: %v", err)
	}
	if err := used.Remove(); err != nil {
		t.Error(err)
	}
}
