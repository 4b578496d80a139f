package archive

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// A Package is the description in a WACZ file, and what is wrong with the file.
type Package struct {
	Version   string
	Title     string
	Created   string
	Software  string
	Resources []Resource
	Problems  []error
}

// OK reports whether everything that is listed is there, as listed.
func (p *Package) OK() bool { return len(p.Problems) == 0 }

// maxDescription bounds the description of a WACZ, in bytes. It lists files,
// not pages.
const maxDescription = 64 << 20

// VerifyWACZ reads a WACZ file and checks that every listed file is there with
// the listed length and hash, that nothing else is there, and that WARC files
// can be read by range. An error means that the file is not a WACZ at all.
func VerifyWACZ(path string) (*Package, error) {
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, fmt.Errorf("archive: open %s: %w", path, err)
	}
	defer z.Close()
	c := waczChecker{files: make(map[string]*zip.File)}
	for _, f := range z.File {
		if c.files[f.Name] != nil {
			c.problem("%s: duplicate entry", printable(f.Name))
		}
		c.files[f.Name] = f
	}
	if err := c.describe(); err != nil {
		return nil, fmt.Errorf("archive: read %s: %w", path, err)
	}
	for _, r := range c.pack.Resources {
		c.resource(r)
	}
	c.rest()
	return &c.pack, nil
}

// waczChecker compares the entries of a zip with the description.
type waczChecker struct {
	files map[string]*zip.File // not yet accounted for
	pack  Package
}

// problem records what is wrong with the package.
func (c *waczChecker) problem(format string, args ...any) {
	if len(c.pack.Problems) < maxProblems {
		c.pack.Problems = append(c.pack.Problems, fmt.Errorf(format, args...))
	}
}

// describe reads the description and compares it with its digest, if there is
// one.
func (c *waczChecker) describe() error {
	text, err := c.read(packageName)
	if err != nil {
		return err
	}
	var d datapackage
	if err := json.Unmarshal(text, &d); err != nil {
		return fmt.Errorf("%s: %w", packageName, err)
	}
	c.pack.Version, c.pack.Title, c.pack.Created = d.Version, d.Title, d.Created
	c.pack.Software, c.pack.Resources = d.Software, d.Resources
	if c.files[digestName] != nil {
		c.digest(text)
	}
	return nil
}

// digest compares the description with the digest that the package contains.
func (c *waczChecker) digest(description []byte) {
	text, err := c.read(digestName)
	var d packageDigest
	if err = errors.Join(err, json.Unmarshal(text, &d)); err != nil {
		c.problem("%s: %w", digestName, err)
		return
	}
	sum := sha256.Sum256(description)
	if d.Path != packageName || d.Hash != "sha256:"+hex.EncodeToString(sum[:]) {
		c.problem("%s: does not match %s", digestName, packageName)
	}
}

// read returns a small file of the zip and removes it from c.files.
func (c *waczChecker) read(name string) ([]byte, error) {
	f := c.files[name]
	if f == nil {
		return nil, fmt.Errorf("%s: missing in the package", name)
	}
	delete(c.files, name)
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, maxDescription))
}

// resource checks one listed file.
func (c *waczChecker) resource(r Resource) {
	f := c.files[r.Path]
	if f == nil {
		c.problem("%s: listed but missing", printable(r.Path))
		return
	}
	delete(c.files, r.Path)
	sum, n, err := hashOf(f, r.Bytes)
	switch {
	case err != nil:
		c.problem("%s: %w", printable(r.Path), err)
	case n != r.Bytes:
		c.problem("%s: wrong length (got at least %d bytes, want %d)", printable(r.Path), n, r.Bytes)
	case "sha256:"+hex.EncodeToString(sum) != strings.ToLower(r.Hash):
		c.problem("%s: hash differs from the listed one", printable(r.Path))
	case strings.HasPrefix(r.Path, "archive/") && f.Method != zip.Store:
		c.problem("%s: compressed in the package, so it cannot be read by range", printable(r.Path))
	}
}

// hashOf returns the hash and length of an entry. It reads at most one byte
// more than listed, so a decompression bomb costs nothing.
func hashOf(f *zip.File, listed int64) ([]byte, int64, error) {
	r, err := f.Open()
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(r, max(listed, 0)+1))
	return sum.Sum(nil), n, err
}

// rest records a problem for every file that is there and not listed.
func (c *waczChecker) rest() {
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		if !strings.HasSuffix(name, "/") {
			c.problem("%s: not listed", printable(name))
		}
	}
}
