package archive

import (
	"archive/zip"
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"

	"dowse/internal/durable"
)

// Names of the index in a WACZ, and the number of lines in one of its blocks.
const (
	zippedIndex = "index.cdx.gz"
	blockIndex  = "index.idx"
	blockLines  = 300
)

// index packs the CDXJ index in blocks of lines, each a gzip member of its own, and a
// second index that lists the blocks. Replay software reads the second one as a whole and
// of the first only the blocks that it needs, so opening a large archive is cheap.
func (k *packer) index(p *WACZ) {
	var blocks bytes.Buffer
	k.add("indexes/"+zippedIndex, zip.Store, func(w io.Writer) error {
		if p.Index == "" {
			var lines bytes.Buffer // Index has them in memory, too
			if err := Index(&lines, p.Archives...); err != nil {
				return err
			}
			return writeBlocks(w, &blocks, &lines)
		}
		d := durable.In(filepath.Dir(p.Index))
		f, err := d.Open(filepath.Base(p.Index))
		if err != nil {
			return err
		}
		defer f.Close()
		return writeBlocks(w, &blocks, f)
	})
	k.add("indexes/"+blockIndex, zip.Store, func(w io.Writer) error {
		_, err := blocks.WriteTo(w)
		return err
	})
}

// indexBlock is a block of lines as the second index lists it.
type indexBlock struct {
	Offset   int64  `json:"offset"`
	Length   int    `json:"length"`
	Digest   string `json:"digest"` // of the compressed bytes
	Filename string `json:"filename"`
}

// writeBlocks copies the lines of an index to w in compressed blocks, and writes to list
// one line per block: its first key and time, and its place.
func writeBlocks(w, list io.Writer, index io.Reader) error {
	if _, err := fmt.Fprintf(list, "!meta 0 {\"format\": \"cdxj-gzip-1.0\", \"filename\": %q}\n", zippedIndex); err != nil {
		return err
	}
	lines := bufio.NewReader(index)
	var at int64
	for {
		first, text, err := nextBlock(lines)
		if err != nil || text == nil {
			return err
		}
		block, err := zipped(text)
		if err != nil {
			return err
		}
		if _, err := w.Write(block); err != nil {
			return err
		}
		sum := sha256.Sum256(block)
		place, err := json.Marshal(indexBlock{at, len(block), "sha256:" + hex.EncodeToString(sum[:]), zippedIndex})
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(list, "%s %s\n", first, place); err != nil {
			return err
		}
		at += int64(len(block))
	}
}

// nextBlock returns up to blockLines lines of an index, and the key and time of the first
// one. At the end the text is nil.
func nextBlock(lines *bufio.Reader) (first string, text []byte, err error) {
	for n := 0; n < blockLines; n++ {
		line, err := lines.ReadString('\n')
		text = append(text, line...)
		if n == 0 {
			first, _, _ = strings.Cut(line, " {")
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return "", nil, err
		}
	}
	return first, text, nil
}

// zipped returns text as one gzip member.
func zipped(text []byte) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(text); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
