package archive

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"dowse/internal/durable"
)

// suffix ends the name of every file that a Writer creates.
const suffix = ".warc.gz"

// fileName is the name of a WARC file in parts (WARC 1.1, annex C):
// PREFIX-timestamp-serial-host.warc.gz. No value of the parts can lead out of a
// folder.
type fileName struct {
	prefix string
	at     time.Time
	serial int
	host   string
}

func (n fileName) String() string {
	stamp := strings.ReplaceAll(n.at.UTC().Format("20060102150405.000"), ".", "")
	return fmt.Sprintf("%s-%s-%05d-%s%s", n.prefix, stamp, n.serial, n.host, suffix)
}

// namePattern matches the names that fileName.String returns. It is strict, so
// that Recover never cuts or removes a file that is not of this package.
var namePattern = regexp.MustCompile(`^[A-Z0-9_]+-[0-9]{17}-([0-9]{5,9})-[a-z0-9._-]+\.warc\.gz$`)

// serialOf returns the serial number in the name of a file that a Writer
// created; ok is false for other names.
func serialOf(name string) (serial int, ok bool) {
	m := namePattern.FindStringSubmatch(name)
	if m == nil {
		return 0, false
	}
	n, err := strconv.Atoi(m[1])
	return n, err == nil
}

// ownFiles lists the names of the files that a Writer created in dir, by serial
// number.
func ownFiles(dir string) ([]string, error) {
	entries, err := durable.Inner(dir).ReadDir(".")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if _, ok := serialOf(e.Name()); ok && e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	slices.SortStableFunc(names, func(a, b string) int {
		x, _ := serialOf(a)
		y, _ := serialOf(b)
		return cmp.Compare(x, y)
	})
	return names, nil
}

// Files lists the paths of the WARC files in a folder, compressed or not, in
// the order of their names. A symbolic link among them is an error, and so is a
// folder that is a link.
func Files(dir string) ([]string, error) {
	d := durable.Inner(dir)
	entries, err := d.ReadDir(".")
	if err != nil {
		return nil, fmt.Errorf("archive: list %s: %w", dir, err)
	}
	var paths []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix) || strings.HasSuffix(e.Name(), ".warc") {
			if _, err := d.Stat(e.Name()); err != nil {
				return nil, fmt.Errorf("archive: list %s: %w", dir, err)
			}
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	return paths, nil
}

// prefixName returns s as a prefix for file names: upper case letters, digits
// and underscores.
func prefixName(s string) string {
	s = keep(strings.ToUpper(s), func(c byte) bool { return 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' }, '_')
	return cmp.Or(s, "DOWSE")
}

// hostName returns s, or the name of this machine, as the last part of a file
// name.
func hostName(s string) string {
	if s == "" {
		s, _ = os.Hostname()
	}
	s = keep(strings.ToLower(s), func(c byte) bool {
		return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '.'
	}, '-')
	return cmp.Or(strings.Trim(s, ".-"), "localhost")
}

// keep replaces each run of bytes that are not ok by one byte other, and bounds
// the length so that file names stay within the limits of file systems.
func keep(s string, ok func(byte) bool, other byte) string {
	var out []byte
	for i := 0; i < len(s) && len(out) < 48; i++ {
		switch {
		case ok(s[i]):
			out = append(out, s[i])
		case len(out) > 0 && out[len(out)-1] != other:
			out = append(out, other)
		}
	}
	return strings.Trim(string(out), string(other))
}
