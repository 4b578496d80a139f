package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/archive"
	"dowse/internal/durable"
)

// A Recording describes a web that was recorded. Its folder can be moved and
// given to others: paths in it are relative, and web.yaml has the hash of each
// archive.
type Recording struct {
	Dir    string
	Files  []string // its archives
	Labels int      // pages with labels
	// Where the labels come from: "a file", "the judge of the crawl", …; "" if
	// there are none.
	From string
}

// Record creates a recorded web: a folder with the archives of a collection, a
// WARC or a WACZ file, their index, labels, and a description with hashes.
// labels is a file of labels. Without one, the pages of a collection that its
// judge put on topic are labelled with the topic's name; that is not ground
// truth, and the field From of the recording states it. After an error the
// folder is removed. A folder that exists is refused.
func Record(src, dir, labels string) (*Recording, error) {
	files, err := Source{Paths: []string{src}}.files()
	if err != nil {
		return nil, err
	}
	if err := makeDir(dir); err != nil {
		return nil, fmt.Errorf("web: record: %w", err)
	}
	r := &Recording{Dir: dir}
	err = errors.Join(r.copyAll(files), r.index(), r.label(src, labels))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("web: record %s: %w", src, err), os.RemoveAll(dir))
	}
	return r, r.describe(src)
}

// makeDir creates a folder, which must not exist, and its parents.
func makeDir(dir string) error {
	return errors.Join(os.MkdirAll(filepath.Dir(dir), 0o755), os.Mkdir(dir, 0o755))
}

// RecordSynthetic creates a recorded web from a synthetic one: every answer
// that the lab reads, in a fixed order and with a fixed time, so that the bytes
// are the same every time, and its labels.
func RecordSynthetic(ctx context.Context, m Synthetic, dir string, progress func(done, total int)) (*Recording, error) {
	if err := makeDir(dir); err != nil {
		return nil, fmt.Errorf("web: record: %w", err)
	}
	r := &Recording{Dir: dir, From: "the synthetic web itself"}
	err := r.readSynthetic(ctx, m, progress)
	if err == nil {
		err = errors.Join(r.index(), r.write(m.labels()))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("web: record the synthetic web: %w", err), os.RemoveAll(dir))
	}
	return r, r.describe(Source{Demo: &m}.ShownName())
}

// readSynthetic reads the synthetic web through a recorder, by building a
// feature file that is then removed.
func (r *Recording) readSynthetic(ctx context.Context, m Synthetic, progress func(done, total int)) error {
	inner := filepath.Join(r.Dir, "archive")
	w, err := archive.OpenWriter(inner, archive.Options{Prefix: "made", Host: "demo", Now: func() time.Time { return recordedAt }})
	if err != nil {
		return err
	}
	from, err := Source{Demo: &m}.open()
	if err != nil {
		return errors.Join(err, w.Close())
	}
	from.RoundTripper = &archive.Recorder{Transport: from.RoundTripper, Writer: w, Now: func() time.Time { return recordedAt }}
	from.serial = true
	features := filepath.Join(r.Dir, "features")
	err = errors.Join(from.prepare(ctx, "the synthetic web", features, progress), from.close(), w.Close(), os.Remove(features))
	if err != nil {
		return err
	}
	names, err := archive.Files(inner)
	for _, name := range names {
		r.Files = append(r.Files, filepath.Join(inner, filepath.Base(name)))
	}
	return err
}

// recordedAt is the time of a synthetic web's recording, which has none of its
// own.
var recordedAt = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// copyAll copies the archives into the folder. They are copied, not linked, so
// that the recorded web does not change with its source. A name that occurs
// twice gets a number.
func (r *Recording) copyAll(files []string) error {
	inner := filepath.Join(r.Dir, "archive")
	if err := os.Mkdir(inner, 0o755); err != nil {
		return err
	}
	for i, path := range files {
		name := filepath.Base(path)
		if _, err := os.Stat(filepath.Join(inner, name)); err == nil {
			name = strconv.Itoa(i) + "-" + name
		}
		to := filepath.Join(inner, name)
		if err := copyFile(to, path); err != nil {
			return err
		}
		r.Files = append(r.Files, to)
	}
	return nil
}

// copyFile copies a file to a new one, synced before it has its name.
func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	return durable.New(to, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
}

// index writes the CDXJ index of the WARC files, with which other tools find a
// page; a WACZ file contains its own.
func (r *Recording) index() error {
	var plain []string
	for _, f := range r.Files {
		if !strings.HasSuffix(f, ".wacz") {
			plain = append(plain, f)
		}
	}
	if len(plain) == 0 {
		return nil
	}
	err := durable.Replace(filepath.Join(r.Dir, "index.cdxj"), func(w io.Writer) error { return archive.Index(w, plain...) })
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return cutError(err)
	}
	return err
}

// label stores the labels, if there are any.
func (r *Recording) label(src, file string) error {
	l, err := Source{Paths: []string{src}, Labels: file}.LoadLabels()
	if err != nil {
		return err
	}
	r.From = "a file"
	if l == nil && collection.IsCollection(src) {
		r.From = "the judge of the crawl"
		if l, err = JudgedLabels(src); err != nil {
			return err
		}
	}
	if l == nil {
		r.From = ""
		return nil
	}
	return r.write(l)
}

// write stores labels as labels.tsv.
func (r *Recording) write(l *Labels) error {
	r.Labels = len(l.order)
	var b bytes.Buffer
	if err := l.Write(&b); err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(r.Dir, "labels.tsv"), b.Bytes())
}

// JudgedLabels returns labels for the pages of a collection that its judge put
// on topic: Top/ followed by the name of the collection. Measured by them, a
// strategy is as good as it pleases that judge; they are no ground truth.
func JudgedLabels(dir string) (*Labels, error) {
	cr, err := crawler.View(dir)
	if err != nil {
		return nil, err
	}
	defer cr.Close()
	col := cr.Collection
	l := newLabels()
	for row, err := range col.Pages(collection.Filter{On: true}) {
		if err != nil {
			return nil, err
		}
		l.add(row.URL, "Top/"+col.Settings.Name)
	}
	return l, nil
}

// describe writes web.yaml: the name, the origin, and the size and hash of each
// archive. It is written last, so that a folder with one is complete.
func (r *Recording) describe(src string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "dowse: web/v1\nname: %q\nfrom: %q\nlabels: %q\nfiles:\n", strings.TrimSuffix(filepath.Base(r.Dir), ".web"), filepath.Base(src), r.From)
	for _, path := range r.Files {
		f, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("web: record: %w", err)
		}
		h := sha256.New()
		n, err := io.Copy(h, f)
		f.Close()
		if err != nil {
			return fmt.Errorf("web: record: %w", err)
		}
		fmt.Fprintf(&b, "  - {name: %q, bytes: %d, sha256: %s}\n", filepath.Base(path), n, hex.EncodeToString(h.Sum(nil)))
	}
	if err := durable.WriteFile(filepath.Join(r.Dir, "web.yaml"), []byte(b.String())); err != nil {
		return fmt.Errorf("web: record: %w", err)
	}
	return nil
}
