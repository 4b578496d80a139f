package experiment

import (
	"bytes"
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

// The folder of a run has
//
//	experiment.yaml   the experiment, byte for byte as it was given
//	manifest.yaml     webs, versions and the list of crawls; written last
//	trails/           one compressed file per crawl, see measure.WriteTrail
//	relevant.tsv      the relevant pages: url, topic, and which of training and listed apply
//	cpu.jsonl         processor time per crawl
//	effort.jsonl      program, time and memory per process that made crawls
//
// The last two differ between equal runs; lines are added to them. Every other
// file is the same, and is replaced as a whole, so a reader never sees half of
// one. A folder without manifest.yaml holds a run that has not finished.
const (
	experimentFile = "experiment.yaml"
	manifestFile   = "manifest.yaml"
	trailsDir      = "trails"
	cpuFile        = "cpu.jsonl"
	relevantFile   = "relevant.tsv"
)

// key returns the name of a crawl: a hash of everything that decides what it
// does.
func (t *task) key(v Variant, set int, seeds []dowse.URL, version string) string {
	x := t.x.rules()
	decides := []any{version, t.source.web.SHA256, t.source.accesses(), t.name, t.topic, x, v, set, seeds, t.urls(t.draw.positives), t.urls(t.draw.negatives)}
	for _, l := range t.draw.links {
		decides = append(decides, t.urls([]int{l.from, l.to}))
	}
	if t.classes != nil {
		decides = append(decides, t.classes.table, t.classes.topics[t.topic])
	}
	if t.vectors != nil {
		decides = append(decides, t.vectors.Sum())
	}
	if t.taxonomy != nil {
		decides = append(decides, t.taxonomy.Sum())
	}
	if t.meanings != nil {
		decides = append(decides, t.meanings)
	}
	if t.x.asksEstimates() { // trails of others lack what these measures need
		decides = append(decides, "estimates")
	}
	return keyOf(decides...)
}

// rules returns the experiment without the fields that do not decide what a crawl
// does, so that changing a title, a measure or the list of strategies does not
// invalidate crawls that were made.
func (x Experiment) rules() Experiment {
	x.Name, x.Rows, x.Title, x.About, x.Paper, x.Note, x.Cite = "", nil, "", "", "", "", nil
	x.Web, x.Recorded, x.Topics, x.Strategies, x.Measures, x.Tests, x.Checks = nil, nil, Topics{}, nil, nil, Tests{}, nil
	x.Seeds.Sets = 0
	return x
}

// keyOf returns 16 hexadecimal digits of the SHA-256 of the values as JSON. The
// names of struct fields are part of that JSON, so that renaming a field makes
// every stored crawl look like another one.
func keyOf(values ...any) string {
	b, err := json.Marshal(values)
	if err != nil {
		panic(err) // plain values only
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])[:16]
}

// A dir is the folder of a run. The methods that load and save trails accept a
// nil dir, which keeps nothing. Several workers may use a dir concurrently.
type dir struct {
	path             string
	text             []byte // the experiment's file
	base             string // folder that its paths are relative to
	command, version string

	mu       sync.Mutex // serialises writes to cpu
	cpu      *durable.File
	cpuTimes map[string]time.Duration // by key, of crawls that were made before
}

// A cpuLine is one line of cpu.jsonl. A crawl that was made twice has two; the
// last one counts.
type cpuLine struct {
	Crawl string        `json:"crawl"`
	CPU   time.Duration `json:"cpu_ns"`
}

// openDir creates the folder, or opens it to continue the run in it. A folder of
// an experiment with another name is refused.
func openDir(path string, x *Experiment, o Options) (*dir, error) {
	if st, err := os.Stat(path); err == nil && !st.IsDir() {
		return nil, fmt.Errorf("experiment: %s is a file; %w", path, ErrTaken)
	}
	if err := checkFolder(path, x); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Join(path, trailsDir), 0o755); err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	text := o.Text
	if text == nil {
		var err error
		if text, err = yaml.Marshal(x); err != nil {
			return nil, fmt.Errorf("experiment: %w", err)
		}
	}
	if err := writeExperiment(path, text); err != nil {
		return nil, err
	}
	d := &dir{path: path, text: text, base: o.Base, command: o.Command, version: o.Version, cpuTimes: readCPU(filepath.Join(path, cpuFile))}
	var err error
	if d.cpu, err = durable.In(path).Append(cpuFile); err != nil {
		return nil, fmt.Errorf("experiment: %w", err)
	}
	return d, nil
}

// checkFolder returns an error that wraps ErrTaken if the folder holds another experiment.
func checkFolder(path string, x *Experiment) error {
	old, err := loadOfRun(filepath.Join(path, experimentFile))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("experiment: %s holds another run: %w; %w", path, err, ErrTaken)
	case old.Name != x.Name:
		return fmt.Errorf("experiment: %s holds a run of %q; %w", path, old.Name, ErrTaken)
	}
	return nil
}

// writeExperiment stores the experiment's file. If another text was there, the
// manifest is removed first: crawls of the old experiment must never be reported
// as those of the new one.
func writeExperiment(path string, text []byte) error {
	old, err := os.ReadFile(filepath.Join(path, experimentFile))
	if err == nil && bytes.Equal(old, text) {
		return nil
	}
	if err := os.Remove(filepath.Join(path, manifestFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("experiment: %w", err)
	}
	return replace(filepath.Join(path, experimentFile), text)
}

// ErrTaken is returned for a folder that holds something other than a run of the experiment, also if another process
// began that in the meantime.
var ErrTaken = errors.New("choose another folder")

// checkOwner returns an error that wraps ErrTaken if the folder is no longer that
// of this run.
func (d *dir) checkOwner() error {
	text, err := os.ReadFile(filepath.Join(d.path, experimentFile))
	if err != nil {
		return fmt.Errorf("experiment: %w", err)
	}
	if !bytes.Equal(text, d.text) {
		return fmt.Errorf("experiment: another run has begun in %s; %w for this one", d.path, ErrTaken)
	}
	return nil
}

// replace writes a file as a whole: a reader sees the old contents or the new
// ones.
func replace(path string, data []byte) error {
	if err := durable.WriteFile(path, data); err != nil {
		return fmt.Errorf("experiment: write %s: %w", path, err)
	}
	return nil
}

// readCPU reads cpu.jsonl. Lines that are damaged are skipped, and a missing file
// is empty: processor times are useful but never needed.
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

// trailName returns the name of a trail's file: its place in the run, for people,
// and its key.
func trailName(i int, j job) string { return fmt.Sprintf("%05d-%s.trail.gz", i+1, j.key) }

// loadTrail returns the trail of a crawl that was made before, and nil if there
// is none. A damaged one counts as none, so that it is made again.
func (d *dir) loadTrail(i int, j job, names *measure.Names) (*measure.Trail, error) {
	if d == nil {
		return nil, nil
	}
	t, err := readTrailFile(filepath.Join(d.path, trailsDir, trailName(i, j)), names)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, measure.ErrTrail) {
		return nil, nil
	}
	if err == nil {
		t.CPU = d.cpuTimes[j.key]
	}
	return t, err
}

// readTrailFile reads one stored trail.
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

// readTrail reads a compressed trail. Damage of the compression is reported as
// measure.ErrTrail too.
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

// saveTrail stores the trail of a crawl that was made, and its processor time.
// The trail is written last: a crawl whose trail is there has a time, too.
func (d *dir) saveTrail(i int, j job, t *measure.Trail) error {
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

// packed returns the bytes of a trail as they are stored. They are the same for
// equal trails; [Verify] relies on it.
func packed(t *measure.Trail) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	err := errors.Join(measure.WriteTrail(z, t), z.Close())
	return b.Bytes(), err
}

// close closes cpu.jsonl; everything else is closed after each write.
func (d *dir) close() { d.cpu.Close() }

// A manifest records what a run was made with, so that it can be verified: webs
// by their hashes, versions, random seed, and the crawls in order.
type manifest struct {
	Dowse   string `yaml:"dowse"` // the schema, run/v1
	Name    string `yaml:"name"`
	Command string `yaml:"command"`
	Version string `yaml:"version"`
	Go      string `yaml:"go"`
	// Architecture; floating point may differ between architectures.
	Machine string     `yaml:"machine"`
	Base    string     `yaml:"base"` // folder that paths are relative to
	Rng     uint64     `yaml:"rng"`  // random seed
	Seeds   string     `yaml:"seeds"`
	Judge   string     `yaml:"judge"`
	Webs    []WebFacts `yaml:"webs"`
	Crawls  []string   `yaml:"crawls"` // names of the trails' files, in order
	SHA256  string     `yaml:"sha256"` // of the files of all trails, concatenated in order
}

// manifestSchema is the version of the folder's format.
const manifestSchema = "run/v1"

// manifestForm bounds the manifest of a run, which has a few keys for each of
// its crawls.
var manifestForm = strictyaml.Form{Bytes: 64 << 20, Line: 1 << 20, Brackets: 16, Dashes: 8, Indent: 64, Keys: 1 << 20}

// finish writes the manifest and removes trails of crawls that are no part of
// the run. The manifest comes last, since it declares the run complete.
func (d *dir) finish(r *Results, jobs []job) error {
	if err := d.checkOwner(); err != nil {
		return err
	}
	m := manifest{Dowse: manifestSchema, Name: r.Experiment.Name, Base: d.base, Go: runtime.Version(), Machine: runtime.GOARCH,
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
	if err := errors.Join(d.removeStale(m.Crawls), d.saveRelevant(r)); err != nil {
		return err
	}
	m.Command, m.Version = d.command, d.version
	data, err := yaml.Marshal(m)
	if err != nil {
		return fmt.Errorf("experiment: %w", err)
	}
	return replace(filepath.Join(d.path, manifestFile), data)
}

// The words in the third column of relevant.tsv.
const (
	trainedWord = "training"
	listedWord  = "listed"
)

// saveRelevant stores the relevant pages by topic, for reports.
func (d *dir) saveRelevant(r *Results) error {
	var b bytes.Buffer
	b.WriteString("url\ttopic\tmarks\n")
	for _, topic := range slices.Sorted(maps.Keys(r.Relevant)) {
		trained, listed := setOf(r.Trained[topic]), setOf(r.Listed[topic])
		for _, u := range r.Relevant[topic] {
			var marks []string
			if trained[u] {
				marks = append(marks, trainedWord)
			}
			if listed[u] {
				marks = append(marks, listedWord)
			}
			fmt.Fprintf(&b, "%s\t%s\t%s\n", u, topic, strings.Join(marks, " "))
		}
	}
	return replace(filepath.Join(d.path, relevantFile), b.Bytes())
}

// setOf returns a list as a set.
func setOf(list []dowse.URL) map[dowse.URL]bool {
	set := make(map[dowse.URL]bool, len(list))
	for _, u := range list {
		set[u] = true
	}
	return set
}

// readRelevant reads what saveRelevant wrote.
func (r *Results) readRelevant(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("experiment: %w", err)
	}
	r.Relevant, r.Trained, r.Listed = map[string][]dowse.URL{}, map[string][]dowse.URL{}, map[string][]dowse.URL{}
	for line := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) < 2 || f[0] == "url" {
			continue
		}
		u, topic := dowse.URL(f[0]), f[1]
		r.Relevant[topic] = append(r.Relevant[topic], u)
		if len(f) > 2 && strings.Contains(f[2], trainedWord) {
			r.Trained[topic] = append(r.Trained[topic], u)
		}
		if len(f) > 2 && strings.Contains(f[2], listedWord) {
			r.Listed[topic] = append(r.Listed[topic], u)
		}
	}
	return nil
}

// removeStale removes trails that are not among crawls, and temporary files of a
// process that was killed.
func (d *dir) removeStale(crawls []string) error {
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

// abandoned reports whether a file is a temporary one whose writer is gone:
// writing one takes seconds, so one of ten minutes is not being written any more.
func abandoned(f fs.DirEntry) bool {
	info, err := f.Info()
	return err == nil && strings.HasSuffix(f.Name(), durable.Temporary) && time.Since(info.ModTime()) > 10*time.Minute
}

// Open reads a finished run without making any crawl. URLs and hosts are stored
// once for all trails, so that a run of hundreds of crawls on one web fits into
// memory.
func Open(path string) (*Results, *manifest, error) {
	r, m, err := openFacts(path)
	if err != nil {
		return nil, nil, err
	}
	was, names := readCPU(filepath.Join(path, cpuFile)), measure.NewNames()
	for _, name := range m.Crawls {
		t, err := readTrailFile(filepath.Join(path, trailsDir, filepath.Base(name)), names)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, measure.ErrTrail) {
			return nil, nil, fmt.Errorf("experiment: the crawl %s is missing or damaged; run the experiment again in the same folder to make it again", filepath.Base(name))
		}
		if err != nil {
			return nil, nil, err
		}
		_, key, _ := strings.Cut(strings.TrimSuffix(name, ".trail.gz"), "-")
		t.CPU = was[key]
		r.Trails = append(r.Trails, *t)
	}
	return r, m, nil
}

// openFacts reads a run without its trails. A run that has not finished is an
// error.
func openFacts(path string) (*Results, *manifest, error) {
	x, err := loadOfRun(filepath.Join(path, experimentFile))
	if err != nil {
		return nil, nil, err
	}
	data, err := os.ReadFile(filepath.Join(path, manifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("experiment: the run in %s has not finished; run it again in the same folder to continue", path)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("experiment: %w", err)
	}
	m := &manifest{}
	if e := manifestForm.Read(data, manifestFile, m); e != nil || m.Dowse != manifestSchema {
		return nil, nil, fmt.Errorf("experiment: %s is no manifest of this version", filepath.Join(path, manifestFile))
	}
	r := &Results{Experiment: x, Webs: m.Webs, Efforts: readEfforts(path)}
	return r, m, r.readRelevant(filepath.Join(path, relevantFile))
}
