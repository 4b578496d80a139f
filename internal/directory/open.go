package directory

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// Options are settings for opening a directory. The zero value suits most.
type Options struct {
	Structure string // structure file of an RDF dump; default the file next to it, if there is one
}

var byteOrderMark = []byte("\xef\xbb\xbf")

const (
	head      = 1 << 16   // bytes that are examined to recognise a kind
	maxWindow = 128 << 20 // bytes of a zstd window: that of zstd --long
)

// Open opens a directory and recognises its kind by its first 64 KiB; the rest
// is not read. Either file of an RDF dump may be given: the other one is looked
// for next to it.
func Open(path string, o Options) (*Directory, error) {
	kind, err := recognise(path)
	if err != nil {
		return nil, fmt.Errorf("directory: %s: %w", path, err)
	}
	structure := o.Structure
	if kind == structureFile {
		content := companion(path, "structure", "content")
		if content == "" {
			return nil, fmt.Errorf("directory: %s is the structure file of an RDF dump, and its content file is not next to it: give the content file", path)
		}
		path, structure, kind = content, path, RDF
	}
	d := &Directory{kind: kind, name: path, open: func() (io.ReadCloser, error) { return unpacked(path) }}
	if kind == RDF && structure == "" {
		structure = companion(path, "content", "structure")
	}
	if structure != "" {
		if err := isStructure(structure); err != nil {
			return nil, fmt.Errorf("directory: %s: %w", structure, err)
		}
		d.structure = func() (io.ReadCloser, error) { return unpacked(structure) }
	}
	return d, nil
}

// isStructure returns an error if a file is not the structure file of a dump.
func isStructure(path string) error {
	k, err := recognise(path)
	if err == nil && k != structureFile {
		return errors.New("not the structure file of an RDF dump (want <Topic> with <narrow> in it)")
	}
	return err
}

// companion returns the file whose name has the word other instead of word,
// compressed in any way; "" for none.
func companion(path, word, other string) string {
	dir, base := filepath.Split(path)
	i := strings.LastIndex(base, word)
	if i < 0 {
		return ""
	}
	base = base[:i] + other + base[i+len(word):]
	bare := strings.TrimSuffix(strings.TrimSuffix(base, ".gz"), ".zst")
	for _, name := range []string{base, bare, bare + ".gz", bare + ".zst"} {
		if st, err := os.Stat(dir + name); err == nil && st.Mode().IsRegular() {
			return dir + name
		}
	}
	return ""
}

// structureFile is the other half of an RDF dump, and not a directory by
// itself.
const structureFile Kind = "structure"

var errKind = errors.New("want RDF (<ExternalPage …>), JSON Lines (one {\"path\",\"url\"} per line) or labels (url, tab, topic)")

// recognise returns the kind of a file.
func recognise(path string) (Kind, error) {
	if st, err := os.Stat(path); err == nil && st.IsDir() {
		return "", errors.New("is a folder: give the file in it")
	}
	r, err := unpacked(path)
	if err != nil {
		return "", err
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, head))
	if err != nil {
		return "", err
	}
	return kindOf(b)
}

// kindOf returns the kind of a file that begins with b.
func kindOf(b []byte) (Kind, error) {
	b = bytes.TrimSpace(bytes.TrimPrefix(b, byteOrderMark))
	switch {
	case len(b) == 0:
		return "", errors.New("file is empty")
	case b[0] == '{':
		return JSONL, nil
	case b[0] == '[':
		return "", errors.New("is one JSON list (want JSON Lines, one object per line: jq -c '.[]' makes them)")
	// Content files begin with Topic elements, too, but only they have links.
	case b[0] == '<' && (bytes.Contains(b, []byte("<ExternalPage")) || bytes.Contains(b, []byte("<link"))):
		return RDF, nil
	case b[0] == '<' && bytes.Contains(b, []byte("<Topic")):
		return structureFile, nil
	case b[0] != '<' && bytes.IndexByte(b, '\t') >= 0:
		return Labels, nil
	}
	return "", errKind
}

// unpacked opens a file and decompresses it if its first bytes are those of
// gzip or zstd.
func unpacked(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r, err := unpack(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &stream{r, f}, nil
}

// stream closes the file below a decompressor.
type stream struct {
	io.Reader
	file io.Closer
}

func (s *stream) Close() error {
	if z, ok := s.Reader.(*zstd.Decoder); ok {
		z.Close()
	}
	return s.file.Close()
}

// unpack returns the decompressed content of r.
func unpack(r io.Reader) (io.Reader, error) {
	in := bufio.NewReaderSize(r, head)
	magic, err := in.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(magic, []byte("\x1f\x8b")):
		return gzip.NewReader(in)
	case bytes.Equal(magic, []byte("\x28\xb5\x2f\xfd")):
		return zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	}
	return in, nil
}
