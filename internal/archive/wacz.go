package archive

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"path/filepath"
	"strings"
	"time"

	"dowse"
	"dowse/internal/durable"
)

// A WACZ is a collection in one file: a zip of WARC files, their index, lists
// of pages, and a description of all of them (WACZ 1.1.1). Replay software
// reads sections of it by range requests, so WARC files and index are stored in
// the zip without compressing them again. Profile, version and the names of the
// index are those that replay software accepts: wabac refuses the profile of
// WACZ 1.2.0, and pywb reads only indexes named .cdx or .cdx.gz.
//
// The layout of the zip is fixed by the format:
//
//	archive/NAME.warc.gz      the WARC files
//	indexes/index.cdx.gz      their index, in compressed blocks of lines
//	indexes/index.idx         the first line and the place of each block
//	pages/pages.jsonl         the list of pages
//	pages/extraPages.jsonl    further pages
//	datapackage.json          the description: every file with its hash
//	datapackage-digest.json   the hash of the description
type WACZ struct {
	Archives    []string                   // WARC files; their base names must differ
	Index       string                     // path of their CDXJ index; "" computes it
	Pages       iter.Seq2[PageLine, error] // the pages a reader is shown first: those on topic
	ExtraPages  iter.Seq2[PageLine, error] // all other pages; nil omits the list
	Files       []PackedFile               // further files of the collection
	Title       string
	Description string
	Software    string    // default dowse
	Created     time.Time // the only time in the file, so that it can be reproduced
	Home        PageLine  // the page on which replay begins; the zero value for none
	HasText     bool      // the pages have their texts, so that replay software can search them
}

// A PageLine is a page in the list of pages. In addition to the fields of the
// format it has what a focused crawl knows about a page.
type PageLine struct {
	URL       dowse.URL
	At        time.Time
	Title     string
	Relevance float64
	Label     string    // given by a person; "" for none
	Parent    dowse.URL // the page that linked to it
	Why       string    // why it was visited
	Text      string    // "" omits it
}

// A PackedFile is the file at Path that is packed under another name, which may
// contain folders.
type PackedFile struct{ Name, Path string }

// pageJSON is the object of one page.
type pageJSON struct {
	ID        string  `json:"id"`
	URL       string  `json:"url"`
	TS        string  `json:"ts"`
	Title     string  `json:"title,omitempty"`
	Relevance float64 `json:"relevance"`
	Label     string  `json:"label,omitempty"`
	Parent    string  `json:"parent,omitempty"`
	Why       string  `json:"why,omitempty"`
	Text      string  `json:"text,omitempty"`
}

// MarshalJSON returns the object for pages.jsonl. The ID is derived from URL
// and time.
func (p PageLine) MarshalJSON() ([]byte, error) {
	ts := p.At.UTC().Format("2006-01-02T15:04:05.000Z")
	id := sha1.Sum([]byte(ts + " " + string(p.URL)))
	if math.IsNaN(p.Relevance) || math.IsInf(p.Relevance, 0) { // JSON has no such numbers
		p.Relevance = 0
	}
	return json.Marshal(pageJSON{
		ID: hex.EncodeToString(id[:8]), URL: string(p.URL), TS: ts, Title: p.Title,
		Relevance: p.Relevance, Label: p.Label, Parent: string(p.Parent), Why: p.Why, Text: p.Text,
	})
}

// WritePages writes a list of pages in the format json-pages-1.0: a header line
// with id and title of the list, then one line per page.
func WritePages(w io.Writer, id, title string, pages iter.Seq2[PageLine, error]) error {
	return writePages(w, id, title, false, pages)
}

// writePages is WritePages for pages that may have their texts, which the header line announces.
func writePages(w io.Writer, id, title string, hasText bool, pages iter.Seq2[PageLine, error]) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	header := struct {
		Format  string `json:"format"`
		ID      string `json:"id"`
		Title   string `json:"title"`
		HasText bool   `json:"hasText,omitempty"`
	}{"json-pages-1.0", id, title, hasText}
	if err := enc.Encode(header); err != nil {
		return err
	}
	for page, err := range pages {
		if err != nil {
			return err
		}
		if err := enc.Encode(page); err != nil {
			return err
		}
	}
	return nil
}

// Names and values that the format fixes.
const (
	waczVersion = "1.1.1"
	waczProfile = "data-package"
	packageName = "datapackage.json"
	digestName  = "datapackage-digest.json"
)

// datapackage is the description in a WACZ, a Frictionless Data Package.
type datapackage struct {
	Profile     string     `json:"profile"`
	Version     string     `json:"wacz_version"`
	Title       string     `json:"title,omitempty"`
	Description string     `json:"description,omitempty"`
	Created     string     `json:"created"`
	Software    string     `json:"software"`
	Home        *home      `json:"home,omitempty"`
	Resources   []Resource `json:"resources"`
}

// home is the page on which replay begins.
type home struct {
	URL string `json:"url"`
	TS  string `json:"ts"`
}

// A Resource is a file in a WACZ as its description lists it.
type Resource struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Hash  string `json:"hash"` // sha256:hex
	Bytes int64  `json:"bytes"`
}

// packageDigest is the file that contains the digest of the description.
type packageDigest struct {
	Path string `json:"path"`
	Hash string `json:"hash"`
}

// WriteWACZ writes a WACZ as a stream. The same parts give the same bytes.
func WriteWACZ(w io.Writer, p WACZ) error {
	pack := &packer{zip: zip.NewWriter(w), at: p.Created.UTC(), seen: make(map[string]bool)}
	for _, path := range p.Archives {
		pack.file("archive/"+filepath.Base(path), durable.Inner(filepath.Dir(path)), path, zip.Store)
	}
	pack.index(&p)
	pack.pages("pages", "Pages", p.HasText, p.Pages)
	if p.ExtraPages != nil {
		pack.pages("extraPages", "Extra pages", p.HasText, p.ExtraPages)
	}
	for _, f := range p.Files {
		pack.file(f.Name, durable.In(filepath.Dir(f.Path)), f.Path, zip.Deflate)
	}
	pack.describe(&p)
	if err := pack.finish(); err != nil {
		return fmt.Errorf("archive: write WACZ: %w", err)
	}
	return nil
}

// packer writes entries of the zip and collects what the description must list.
// After the first error it does nothing, so that callers check it once, in
// finish.
type packer struct {
	zip       *zip.Writer
	at        time.Time
	seen      map[string]bool
	resources []Resource
	err       error
}

// add writes one entry and lists it. Names must be unique and stay within the
// folder.
func (k *packer) add(name string, method uint16, write func(io.Writer) error) {
	if k.err == nil && (k.seen[name] || !fsName(name)) {
		k.err = fmt.Errorf("entry %q: duplicate or not a local path", name)
	}
	if k.err != nil {
		return
	}
	k.seen[name] = true
	entry, err := k.zip.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: k.at})
	if err != nil {
		k.err = err
		return
	}
	sum := sha256.New()
	count := &counted{w: io.MultiWriter(entry, sum)}
	k.err = write(count)
	k.resources = append(k.resources, Resource{
		Name: name[strings.LastIndexByte(name, '/')+1:], Path: name,
		Hash: "sha256:" + hex.EncodeToString(sum.Sum(nil)), Bytes: count.n,
	})
}

// fsName reports whether a name stays within the folder into which it is
// unpacked, on every system.
func fsName(name string) bool { return filepath.IsLocal(name) && !strings.Contains(name, `\`) }

// counted counts the bytes that are written through it.
type counted struct {
	w io.Writer
	n int64
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// file packs a file of a folder. Symbolic links are refused, since what one
// leads to was not meant to be packed.
func (k *packer) file(name string, d durable.Dir, path string, method uint16) {
	k.add(name, method, func(w io.Writer) error {
		f, err := d.Open(filepath.Base(path))
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(w, f)
		return err
	})
}

// pages packs a list of pages.
func (k *packer) pages(id, title string, hasText bool, pages iter.Seq2[PageLine, error]) {
	if pages == nil {
		pages = func(func(PageLine, error) bool) {}
	}
	k.add("pages/"+id+".jsonl", zip.Deflate, func(w io.Writer) error {
		return writePages(w, id, title, hasText, pages)
	})
}

// describe packs the description and its digest.
func (k *packer) describe(p *WACZ) {
	d := datapackage{
		Profile: waczProfile, Version: waczVersion, Title: p.Title, Description: p.Description,
		Created: string(appendDate(nil, p.Created)), Software: cmp.Or(p.Software, "dowse"), Resources: k.resources,
	}
	if p.Home.URL != "" {
		d.Home = &home{string(p.Home.URL), string(appendDate(nil, p.Home.At))}
	}
	text := k.object(packageName, d)
	sum := sha256.Sum256(text)
	k.object(digestName, packageDigest{packageName, "sha256:" + hex.EncodeToString(sum[:])})
}

// object packs v as JSON and returns the text.
func (k *packer) object(name string, v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		k.err = errors.Join(k.err, err)
	}
	k.add(name, zip.Deflate, func(w io.Writer) error {
		_, err := w.Write(b.Bytes())
		return err
	})
	return b.Bytes()
}

// finish ends the zip, or returns the first error.
func (k *packer) finish() error {
	if k.err != nil {
		return k.err
	}
	return k.zip.Close()
}
