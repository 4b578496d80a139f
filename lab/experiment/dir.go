package experiment

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/goccy/go-yaml"

	"dowse"
	"dowse/internal/durable"
	"dowse/internal/lab/measure"
	"dowse/internal/strictyaml"
)

// A run's folder has
//
//	experiment.yaml   the experiment, as it was given
//	manifest.yaml     what it was run on, and with what
//	trails/           a file for each crawl: see measure.WriteTrail, compressed
//	relevant.tsv      the pages that were wanted: url and topic
//	cpu.jsonl         how long the machine worked for each: not the same each time
const (
	experimentFile = "experiment.yaml"
	manifestFile   = "manifest.yaml"
	trailsDir      = "trails"
	cpuFile        = "cpu.jsonl"
	relevantFile   = "relevant.tsv"
)

// key names a crawl by all that decides what it does.
func (t *task) key(v Variant, set int, seeds []dowse.URL, version string) string {
	x := t.x.rules()
	return keyOf(version, t.bench.web.SHA256, t.bench.accesses(), t.name, t.topic, x, v, set, seeds, t.urls(t.draw.positives), t.urls(t.draw.negatives))
}

// rules are what of an experiment decides what crawls do.
func (x Experiment) rules() Experiment {
	x.Name, x.Rows, x.Title, x.About, x.Paper, x.Note, x.Cite = "", nil, "", "", "", "", nil
	x.Web, x.Recorded, x.Topics, x.Strategies, x.Measures, x.Tests, x.Checks = nil, nil, Topics{}, nil, nil, Tests{}, nil
	x.Seeds.Sets = 0
	return x
}

// keyOf makes a name of values.
func keyOf(values ...any) string {
	b, err := json.Marshal(values)
	if err != nil {
		panic(err) // plain values only
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])[:16]
}

// dir is the folder of a run. A nil one keeps nothing.
type dir struct {
	path             string
	text             []byte // of the experiment
	base             string
	command, version string

	mu  sync.Mutex
	cpu *durable.File
	was map[string]time.Duration // of trails that were there
}

type cpuLine struct {
	Crawl string        `json:"crawl"`
	CPU   time.Duration `json:"cpu_ns"`
}

// openDir makes the folder, or goes on with it.
func openDir(path string, x *Experiment, o Options) (*dir, error) {
	if err := os.MkdirAll(filepath.Join(path, trailsDir), 0o755); err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	if err := claim(path, x); err != nil {
		return nil, err
	}
	text := o.Text
	if text == nil {
		var err error
		if text, err = yaml.Marshal(x); err != nil {
			return nil, fmt.Errorf("experiment: %w", err)
		}
	}
	if err := begin(path, text); err != nil {
		return nil, err
	}
	d := &dir{path: path, text: text, base: o.Base, command: o.Command, version: o.Version, was: readCPU(filepath.Join(path, cpuFile))}
	var err error
	if d.cpu, err = durable.In(path).Append(cpuFile); err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	return d, nil
}

// claim checks that the folder is not another experiment's.
func claim(path string, x *Experiment) error {
	old, _, err := Load(filepath.Join(path, experimentFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("experiment: %s holds another run: %w; choose another folder with -o", path, err)
	case old.Name != x.Name:
		return fmt.Errorf("experiment: %s holds a run of %q; choose another folder with -o", path, old.Name)
	}
	return nil
}

// begin writes down what the folder is for. Of another experiment than the one before the manifest
// goes: crawls of one must not be reported as those of the other.
func begin(path string, text []byte) error {
	old, err := os.ReadFile(filepath.Join(path, experimentFile))
	if err == nil && bytes.Equal(old, text) {
		return nil
	}
	if err := os.Remove(filepath.Join(path, manifestFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("experiment: %w", err)
	}
	return replace(filepath.Join(path, experimentFile), text)
}

// ErrTaken is returned when somebody else began another run in the folder meanwhile. Two who run
// the same experiment there share the work.
var ErrTaken = errors.New("another run was begun in the folder meanwhile")

// ours tells whether the folder is still that of this run.
func (d *dir) ours() error {
	text, err := os.ReadFile(filepath.Join(d.path, experimentFile))
	if err != nil {
		return fmt.Errorf("experiment: %w", err)
	}
	if !bytes.Equal(text, d.text) {
		return fmt.Errorf("experiment: %s: %w; run this one again with another -o", d.path, ErrTaken)
	}
	return nil
}

// replace writes a file as a whole.
func replace(path string, data []byte) error {
	if err := durable.WriteFile(path, data); err != nil {
		return fmt.Errorf("experiment: write %s: %w", path, err)
	}
	return nil
}

func readCPU(path string) map[string]time.Duration {
	was := map[string]time.Duration{}
	data, err := os.ReadFile(path)
	if err != nil {
		return was
	}
	for line := range bytes.Lines(data) {
		var l cpuLine
		if json.Unmarshal(line, &l) == nil {
			was[l.Crawl] = l.CPU
		}
	}
	return was
}

func trailName(i int, j job) string { return fmt.Sprintf("%05d-%s.trail.gz", i+1, j.key) }

// load returns the trail of a crawl that was made before, nil if there is none. A
// damaged one counts as none.
func (d *dir) load(i int, j job, names *measure.Names) (*measure.Trail, error) {
	if d == nil {
		return nil, nil
	}
	t, err := readTrailFile(filepath.Join(d.path, trailsDir, trailName(i, j)), names)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, measure.ErrTrail) {
		return nil, nil
	}
	if err == nil {
		t.CPU = d.was[j.key]
	}
	return t, err
}

func readTrailFile(path string, names *measure.Names) (*measure.Trail, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	defer f.Close()
	t, err := readTrail(f, names)
	if err != nil {
		return nil, fmt.Errorf("experiment: read %s: %w", path, err)
	}
	return t, nil
}

// readTrail reads a trail that is compressed.
func readTrail(r io.Reader, names *measure.Names) (*measure.Trail, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", measure.ErrTrail, err)
	}
	t, err := names.ReadTrail(z)
	if err == nil {
		err = z.Close()
	}
	if errors.Is(err, gzip.ErrChecksum) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("%w: %w", measure.ErrTrail, err)
	}
	return t, err
}

// keep writes the trail of a crawl down.
func (d *dir) keep(i int, j job, t *measure.Trail) error {
	if d == nil {
		return nil
	}
	data, err := packed(t)
	if err != nil {
		return err
	}
	line, err := json.Marshal(cpuLine{j.key, t.CPU})
	if err != nil {
		return err
	}
	d.mu.Lock()
	_, err = d.cpu.Write(append(line, '\n'))
	d.mu.Unlock()
	return errors.Join(err, replace(filepath.Join(d.path, trailsDir, trailName(i, j)), data))
}

// packed returns the bytes of a trail as they are kept.
func packed(t *measure.Trail) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	err := errors.Join(measure.WriteTrail(z, t), z.Close())
	return b.Bytes(), err
}

func (d *dir) close() { d.cpu.Close() }

// A Manifest tells what a run was made of, so that it can be made again.
type Manifest struct {
	Dowse   string     `yaml:"dowse"` // run/v1
	Name    string     `yaml:"name"`
	Command string     `yaml:"command"`
	Version string     `yaml:"version"`
	Go      string     `yaml:"go"`
	Machine string     `yaml:"machine"` // architecture: results are the same on machines of one
	Base    string     `yaml:"base"`    // folder that paths are relative to
	Rng     uint64     `yaml:"rng"`
	Seeds   string     `yaml:"seeds"`
	Judge   string     `yaml:"judge"`
	Webs    []WebFacts `yaml:"webs"`
	Crawls  []string   `yaml:"crawls"` // files of trails, in order
	SHA256  string     `yaml:"sha256"` // of all trails, in order
}

const manifestSchema = "run/v1"

// manifestForm bounds the manifest of a run, which has a few keys for each of its crawls.
var manifestForm = strictyaml.Form{Bytes: 64 << 20, Line: 1 << 20, Brackets: 16, Dashes: 8, Indent: 64, Keys: 1 << 20}

// finish writes the manifest and removes trails of crawls that are no part of the run.
func (d *dir) finish(r *Results, jobs []job) error {
	if err := d.ours(); err != nil {
		return err
	}
	m := Manifest{Dowse: manifestSchema, Name: r.Experiment.Name, Base: d.base, Go: runtime.Version(), Machine: runtime.GOARCH,
		Rng: r.Experiment.Seeds.Rng, Seeds: r.Experiment.Seeds.From, Judge: r.Experiment.Judge, Webs: r.Webs}
	sum := sha256.New()
	for i, j := range jobs {
		m.Crawls = append(m.Crawls, trailName(i, j))
		data, err := os.ReadFile(filepath.Join(d.path, trailsDir, trailName(i, j)))
		if err != nil {
			return fmt.Errorf("experiment: %w", err)
		}
		sum.Write(data)
	}
	m.SHA256 = hex.EncodeToString(sum.Sum(nil))
	if err := errors.Join(d.sweep(m.Crawls), d.keepRelevant(r.Relevant)); err != nil {
		return err
	}
	m.Command, m.Version = cmp.Or(d.command, "dowse lab run"), d.version
	data, err := yaml.Marshal(m)
	if err != nil {
		return fmt.Errorf("experiment: %w", err)
	}
	return replace(filepath.Join(d.path, manifestFile), data)
}

// keepRelevant writes down which pages were wanted, for reports.
func (d *dir) keepRelevant(all map[string][]dowse.URL) error {
	var b bytes.Buffer
	b.WriteString("url\ttopic\n")
	for _, topic := range slices.Sorted(maps.Keys(all)) {
		for _, u := range all[topic] {
			fmt.Fprintf(&b, "%s\t%s\n", u, topic)
		}
	}
	return replace(filepath.Join(d.path, relevantFile), b.Bytes())
}

func readRelevant(path string) (map[string][]dowse.URL, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	all := map[string][]dowse.URL{}
	for line := range strings.Lines(string(data)) {
		if u, topic, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); ok && u != "url" {
			all[topic] = append(all[topic], dowse.URL(u))
		}
	}
	return all, nil
}

// sweep removes the trails that do not belong to the run, and what was half written when an
// earlier one was killed.
func (d *dir) sweep(crawls []string) error {
	files, err := os.ReadDir(filepath.Join(d.path, trailsDir))
	if err != nil {
		return fmt.Errorf("experiment: %w", err)
	}
	for _, f := range files {
		old := strings.HasSuffix(f.Name(), ".trail.gz") && !slices.Contains(crawls, f.Name())
		if old || abandoned(f) {
			os.Remove(filepath.Join(d.path, trailsDir, f.Name()))
		}
	}
	return nil
}

// abandoned tells whether a file was being written by somebody who is gone: none takes minutes.
func abandoned(f fs.DirEntry) bool {
	info, err := f.Info()
	return err == nil && strings.HasSuffix(f.Name(), durable.Temporary) && time.Since(info.ModTime()) > 10*time.Minute
}

// Open reads a run that was made, without making anything again.
func Open(path string) (*Results, *Manifest, error) {
	r, m, err := openFacts(path)
	if err != nil {
		return nil, nil, err
	}
	was, names := readCPU(filepath.Join(path, cpuFile)), measure.NewNames()
	for _, name := range m.Crawls {
		t, err := readTrailFile(filepath.Join(path, trailsDir, filepath.Base(name)), names)
		if err != nil {
			return nil, nil, err
		}
		_, key, _ := strings.Cut(strings.TrimSuffix(name, ".trail.gz"), "-")
		t.CPU = was[key]
		r.Trails = append(r.Trails, *t)
	}
	return r, m, nil
}

// openFacts reads all of a run but its trails.
func openFacts(path string) (*Results, *Manifest, error) {
	x, _, err := Load(filepath.Join(path, experimentFile))
	if err != nil {
		return nil, nil, err
	}
	data, err := os.ReadFile(filepath.Join(path, manifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("experiment: the run in %s did not come to its end; run it again with the same -o, it goes on", path)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("experiment: %w", err)
	}
	m := &Manifest{}
	if e := manifestForm.Read(data, manifestFile, m); e != nil || m.Dowse != manifestSchema {
		return nil, nil, fmt.Errorf("experiment: %s is no manifest of this version", filepath.Join(path, manifestFile))
	}
	r := &Results{Experiment: x, Webs: m.Webs}
	r.Relevant, err = readRelevant(filepath.Join(path, relevantFile))
	return r, m, err
}
