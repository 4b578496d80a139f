package crawler

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// maxProgram bounds each file of a program that is hashed. A larger one counts as one
// that can't be read.
const maxProgram = 64 << 20

// programSum returns a SHA-256 over the files that a command line names, when it is run in
// dir: the program, and every argument that is a file, also after an equals sign. A file that
// is missing is part of the sum, so a program that appears later has another one. The
// error names a file that is there and can't be read.
func programSum(dir string, command []string) (string, error) {
	sum := sha256.New()
	for i, word := range command {
		names := []string{word}
		if _, value, ok := strings.Cut(word, "="); ok && i > 0 {
			names = append(names, value)
		}
		for _, name := range names {
			if err := addFile(sum, programPath(dir, name, i == 0)); err != nil {
				return "", fmt.Errorf("%q can't be read: %w", name, err)
			}
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// programPath returns the file that a word of a command line names. A program without a
// folder is looked up in PATH, as when it is run.
func programPath(dir, word string, program bool) string {
	if program && filepath.Base(word) == word {
		path, err := exec.LookPath(word)
		if err != nil {
			return ""
		}
		return path
	}
	if word == "" || filepath.IsAbs(word) {
		return word
	}
	return filepath.Join(absolute(dir), word)
}

// addFile adds to the hash what a path leads to: the content of a plain file, the type of
// a directory or a device, or that there is no file. A pipe or a socket is an error, since
// reading it could take forever.
func addFile(sum hash.Hash, path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return err
	case err != nil:
		io.WriteString(sum, "no file\n")
		return nil
	case info.IsDir() || info.Mode()&fs.ModeCharDevice != 0:
		fmt.Fprintf(sum, "%v\n", info.Mode().Type())
		return nil
	case !info.Mode().IsRegular():
		return errors.New("it is not a plain file")
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	one := sha256.New()
	n, err := io.Copy(one, io.LimitReader(f, maxProgram+1))
	if err != nil {
		return err
	}
	if n > maxProgram {
		return fmt.Errorf("it has more than %d MiB", maxProgram>>20)
	}
	fmt.Fprintf(sum, "file %x\n", one.Sum(nil))
	return nil
}
