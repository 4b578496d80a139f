package experiment

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"dowse/internal/durable"
	"dowse/internal/lab/web"
	"dowse/internal/strictyaml"
)

// A bundle is a zip file with everything that is needed to verify a run elsewhere:
//
//	run/          the folder of the run: experiment, manifest, trails, relevant pages
//	inputs/       the files that the experiment names: webs, labels, access logs, topics
//	bundle.yaml   which input is which path of the experiment, with hashes
//	README.txt    how to verify it
//
// Synthetic webs are generated again and need no file. Strategies of other programs are not
// part of it.
const (
	bundleFile   = "bundle.yaml"
	bundleSchema = "bundle/v1"
	bundleRun    = "run"
	bundleInputs = "inputs"
	bundleReadme = "README.txt"
)

// bundleFacts is bundle.yaml.
type bundleFacts struct {
	Dowse   string        `yaml:"dowse"`
	Name    string        `yaml:"name"`
	Version string        `yaml:"version"`
	Machine string        `yaml:"machine"`
	Inputs  []bundleInput `yaml:"inputs"`
}

// A bundleInput is a file or folder that the experiment names.
type bundleInput struct {
	Path   string `yaml:"path"`   // as the run had it
	File   string `yaml:"file"`   // in the bundle
	SHA256 string `yaml:"sha256"` // of the file; of all files, for a folder
}

// bundleForm bounds bundle.yaml.
var bundleForm = strictyaml.Form{Bytes: 1 << 20, Line: 1 << 16, Brackets: 8, Dashes: 8, Indent: 64, Keys: 1 << 16}

// bundled is the time of all files in a bundle, so that equal runs give equal bytes.
var bundled = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// Bundle writes a finished run with its inputs as a zip file, which [Verify] accepts in
// place of a folder. Equal runs give equal bytes, apart from processor times, which are left
// out.
func Bundle(w io.Writer, dir string) error {
	r, m, err := openFacts(dir)
	if err != nil {
		return err
	}
	b := &bundler{zip: zip.NewWriter(w), facts: bundleFacts{Dowse: bundleSchema, Name: m.Name, Version: m.Version, Machine: m.Machine}}
	for _, name := range []string{experimentFile, manifestFile, relevantFile} {
		b.file(filepath.Join(dir, name), path.Join(bundleRun, name))
	}
	for _, name := range m.Crawls {
		name = filepath.Base(name)
		b.file(filepath.Join(dir, trailsDir, name), path.Join(bundleRun, trailsDir, name))
	}
	b.inputs(r.Experiment, m.Base)
	b.text(bundleReadme, bundleText(m))
	facts, err := yaml.Marshal(b.facts)
	if err != nil {
		return fmt.Errorf("experiment: bundle: %w", err)
	}
	b.text(bundleFile, string(facts))
	if err := errors.Join(b.err, b.zip.Close()); err != nil {
		return fmt.Errorf("experiment: bundle: %w", err)
	}
	return nil
}

// bundleText explains a bundle to a person who finds it.
func bundleText(m *manifest) string {
	return fmt.Sprintf(`The run %q of a lab experiment, with everything that it was made of.

Verify it in any folder:

  dowse lab verify THIS-FILE

repeats every crawl and compares it with the one that is kept, byte by byte. Made by
%s with %s on %s; floating point may differ in the last digit on
another architecture. The run itself is in %s/: experiment.yaml says what was done,
manifest.yaml with what, trails/ has one file per crawl.
`, m.Name, m.Version, m.Go, m.Machine, bundleRun)
}

// A bundler writes a bundle. After an error it writes nothing more.
type bundler struct {
	zip   *zip.Writer
	facts bundleFacts
	err   error
}

// add begins a file in the bundle.
func (b *bundler) add(name string) io.Writer {
	if b.err != nil {
		return io.Discard
	}
	w, err := b.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: bundled})
	if b.err = err; err != nil {
		return io.Discard
	}
	return w
}

// text adds a file with a text.
func (b *bundler) text(name, text string) {
	if _, err := io.WriteString(b.add(name), text); b.err == nil {
		b.err = err
	}
}

// file copies a file into the bundle and returns the hash of its contents.
func (b *bundler) file(from, to string) string {
	f, err := os.Open(from)
	if err != nil {
		b.err = errors.Join(b.err, err)
		return ""
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(b.add(to), sum), f); b.err == nil {
		b.err = err
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// inputs copies what the experiment names, each into a folder of its own under its own name:
// names of webs are part of what is drawn at random. Labels that lie next to a web are
// copied next to it.
func (b *bundler) inputs(x *Experiment, base string) {
	x.Relocate(base)
	n := 0
	x.eachPath(func(p *string) {
		folder := path.Join(bundleInputs, fmt.Sprint(n))
		n++
		file := path.Join(folder, filepath.Base(*p))
		b.facts.Inputs = append(b.facts.Inputs, bundleInput{Path: *p, File: file, SHA256: b.tree(*p, file)})
		if labels := (web.Source{Paths: []string{*p}}).LabelsFile(); labels != "" && filepath.Dir(labels) == filepath.Dir(*p) {
			b.file(labels, path.Join(folder, filepath.Base(labels)))
		}
	})
}

// tree copies a file, or a folder with all files below it, and returns a hash of them.
func (b *bundler) tree(from, to string) string {
	info, err := os.Stat(from)
	switch {
	case err != nil:
		b.err = errors.Join(b.err, err)
		return ""
	case !info.IsDir():
		return b.file(from, to)
	}
	sum := sha256.New()
	err = filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		below, err := filepath.Rel(from, p)
		if err == nil {
			fmt.Fprintln(sum, filepath.ToSlash(below), b.file(p, path.Join(to, filepath.ToSlash(below))))
		}
		return err
	})
	b.err = errors.Join(b.err, err)
	return hex.EncodeToString(sum.Sum(nil))
}

// errBundle is returned for a file that is no bundle of a run, or a damaged one.
var errBundle = errors.New("no bundle of a run")

// Bounds on bundles of others.
const (
	maxBundleFiles = 1 << 20
	maxBundleBytes = 1 << 36
)

// unbundle unpacks a bundle into a temporary folder and returns the folder of its run and
// the places of its inputs, by the paths that the run had. The caller calls remove.
func unbundle(file string) (dir string, inputs map[string]string, remove func(), err error) {
	z, err := zip.OpenReader(file)
	if err != nil {
		return "", nil, nil, fmt.Errorf("experiment: %s: %w: %w", file, errBundle, err)
	}
	defer z.Close()
	folder, err := durable.NewTempFolder("bundled")
	if err != nil {
		return "", nil, nil, fmt.Errorf("experiment: %w", err)
	}
	temp := folder.Path
	remove = func() { folder.Remove() }
	fail := func(err error) (string, map[string]string, func(), error) {
		remove()
		return "", nil, nil, fmt.Errorf("experiment: %s: %w", file, err)
	}
	if err := unpack(&z.Reader, temp); err != nil {
		return fail(err)
	}
	data, err := os.ReadFile(filepath.Join(temp, bundleFile))
	if err != nil {
		return fail(fmt.Errorf("%w: %w", errBundle, err))
	}
	var facts bundleFacts
	if e := bundleForm.Read(data, bundleFile, &facts); e != nil || facts.Dowse != bundleSchema {
		return fail(fmt.Errorf("%w: %s is not of this version", errBundle, bundleFile))
	}
	inputs = map[string]string{}
	for _, in := range facts.Inputs {
		if !filepath.IsLocal(filepath.FromSlash(in.File)) {
			return fail(fmt.Errorf("%w: input %q is outside of it", errBundle, in.File))
		}
		inputs[in.Path] = filepath.Join(temp, filepath.FromSlash(in.File))
	}
	return filepath.Join(temp, bundleRun), inputs, remove, nil
}

// unpack writes the files of an archive below a folder. Names that lead out of it, and
// archives that are too large, are refused.
func unpack(z *zip.Reader, dir string) error {
	if len(z.File) > maxBundleFiles {
		return fmt.Errorf("%w: %d files", errBundle, len(z.File))
	}
	left := int64(maxBundleBytes)
	for _, f := range z.File {
		if !filepath.IsLocal(filepath.FromSlash(f.Name)) || strings.Contains(f.Name, `\`) {
			return fmt.Errorf("%w: the name %q leads out of it", errBundle, f.Name)
		}
		if f.FileInfo().IsDir() {
			continue
		}
		n, err := unpackFile(f, filepath.Join(dir, filepath.FromSlash(f.Name)), left)
		if err != nil {
			return err
		}
		if left -= n; left < 0 {
			return fmt.Errorf("%w: more than %d bytes", errBundle, int64(maxBundleBytes))
		}
	}
	return nil
}

// unpackFile writes one file, up to one byte more than is left, and returns its size.
func unpackFile(f *zip.File, to string, left int64) (n int64, err error) {
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return 0, err
	}
	in, err := f.Open()
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errBundle, err)
	}
	defer in.Close()
	err = durable.New(to, func(w io.Writer) (err error) {
		n, err = io.Copy(w, io.LimitReader(in, left+1))
		return err
	})
	if err != nil {
		return n, fmt.Errorf("%w: %s: %w", errBundle, f.Name, err)
	}
	return n, nil
}
