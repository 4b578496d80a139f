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

// A Package is what a WACZ file says it holds, and what is wrong with that.
type Package struct {
	Version   string
	Title     string
	Created   string
	Software  string
	Resources []Resource
	Problems  []error
}

// OK tells whether everything that is listed is there, as listed.
func (p *Package) OK() bool { return len(p.Problems) == 0 }

// maxDescription bounds the description of a WACZ. It lists files, not pages.
const maxDescription = 64 << 20

// VerifyWACZ reads a WACZ file and checks that every file it lists is there with
// the length and hash listed, that nothing else is, and that WARC files can be
// read by range. The error is for a file that is no WACZ at all.
func VerifyWACZ(path string) (*Package, error) {
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, fmt.Errorf("archive: open %s: %w", path, err)
	}
	defer z.Close()
	c := waczChecker{files: make(map[string]*zip.File)}
	for _, f := range z.File {
		if c.files[f.Name] != nil {
			c.problem("%s is there twice", printable(f.Name))
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

type waczChecker struct {
	files map[string]*zip.File // not yet accounted for
	pack  Package
}

func (c *waczChecker) problem(format string, args ...any) {
	if len(c.pack.Problems) < maxProblems {
		c.pack.Problems = append(c.pack.Problems, fmt.Errorf(format, args...))
	}
}

// describe reads the description and checks it against its digest, where there
// is one.
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

func (c *waczChecker) digest(description []byte) {
	text, err := c.read(digestName)
	var d packageDigest
	if err = errors.Join(err, json.Unmarshal(text, &d)); err != nil {
		c.problem("%s: %w", digestName, err)
		return
	}
	sum := sha256.Sum256(description)
	if d.Path != packageName || d.Hash != "sha256:"+hex.EncodeToString(sum[:]) {
		c.problem("%s does not fit %s", digestName, packageName)
	}
}

// read returns a small file of the zip and accounts for it.
func (c *waczChecker) read(name string) ([]byte, error) {
	f := c.files[name]
	if f == nil {
		return nil, fmt.Errorf("there is no %s in it", name)
	}
	delete(c.files, name)
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, maxDescription))
}

func (c *waczChecker) resource(r Resource) {
	f := c.files[r.Path]
	if f == nil {
		c.problem("%s is listed and not there", printable(r.Path))
		return
	}
	delete(c.files, r.Path)
	sum, n, err := hashOf(f, r.Bytes)
	switch {
	case err != nil:
		c.problem("%s: %w", printable(r.Path), err)
	case n != r.Bytes:
		c.problem("%s has %d bytes or more, listed are %d", printable(r.Path), n, r.Bytes)
	case "sha256:"+hex.EncodeToString(sum) != strings.ToLower(r.Hash):
		c.problem("%s is not what was listed: its hash differs", printable(r.Path))
	case strings.HasPrefix(r.Path, "archive/") && f.Method != zip.Store:
		c.problem("%s is compressed once more, and can't be read by range", printable(r.Path))
	}
}

// hashOf reads no more than one byte past what is listed, whatever a bomb holds.
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

// rest tells of what is there and not listed.
func (c *waczChecker) rest() {
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		if !strings.HasSuffix(name, "/") {
			c.problem("%s is there and not listed", printable(name))
		}
	}
}
