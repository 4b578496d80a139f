package search

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"

	"dowse/collection"
	"dowse/crawl"
	"dowse/internal/durable"
	"dowse/internal/frontier"
)

// Scorch maps its files into memory and trusts them, so a bit that has changed on the disk would change answers
// without being noticed. Three checks prevent that:
//
//   - Segments end with a CRC-32 of the rest of the file, which scorch writes and never reads. It is compared for
//     every segment before a searcher uses it, and for those that a round has merged into others.
//   - The root, which lists the segments and the documents in them that are obsolete, has no checksum. The file seal
//     holds one. It is removed before a round and written after it.
//   - A root without a seal was left by a round that was killed. It is compared with the journal, once, by the next
//     round (checkPages).

// errUnsealed is the problem of an index that was left by a round that was killed. The next round checks it.
var errUnsealed = fmt.Errorf("%w: the last round was not completed", errDamaged)

// sealOf returns what the file seal holds for a root.
func sealOf(root []byte) []byte {
	sum := sha256.Sum256(root)
	return []byte(hex.EncodeToString(sum[:]) + "\n")
}

// sealed returns the root, or an errDamaged if it is not the one that was sealed. The caller holds the lock.
func (s store) sealed() ([]byte, error) {
	root, err := s.files.ReadFile(storeName + "/" + rootFile)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	seal, err := s.files.ReadBounded(sealName, 1<<10)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errUnsealed
	case err != nil || !bytes.Equal(seal, sealOf(root)):
		return nil, fmt.Errorf("%w: its root has changed", errDamaged)
	}
	return root, nil
}

// unseal removes the seal before the root is changed, and reports whether there was one. A root that does not match
// its seal is an errDamaged, and so is a new root: it has none yet.
func (s store) unseal() (sealed bool, err error) {
	if _, err := s.files.Lstat(storeName + "/" + rootFile); errors.Is(err, fs.ErrNotExist) {
		return true, nil // the index is empty
	}
	switch _, err := s.sealed(); {
	case errors.Is(err, errUnsealed):
		return false, nil
	case err != nil:
		return false, err
	}
	return true, s.files.Remove(sealName)
}

// seal writes the seal of the root as it is on the disk.
func (s store) seal() error {
	root, err := s.files.ReadFile(storeName + "/" + rootFile)
	if err != nil {
		return err
	}
	return s.files.WriteFile(sealName, sealOf(root))
}

// checkSegment returns an errDamaged if the contents of a segment differ from its checksum.
func checkSegment(f *durable.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	body := info.Size() - crc32.Size
	if body < 0 {
		return fmt.Errorf("%w: %s is cut off", errDamaged, f.Name())
	}
	sum := crc32.NewIEEE()
	if _, err := io.CopyBuffer(sum, io.NewSectionReader(f, 0, body), make([]byte, 256<<10)); err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	var want [crc32.Size]byte
	if _, err := f.ReadAt(want[:], body); err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	if sum.Sum32() != binary.BigEndian.Uint32(want[:]) {
		return fmt.Errorf("%w: %s has changed", errDamaged, f.Name())
	}
	return nil
}

// segments opens all segments. The caller holds the lock, and closes the files.
func (s store) segments() (files map[string]*durable.File, err error) {
	from := s.files.Sub(storeName)
	names, err := from.Names("*" + segmentSuffix)
	if err != nil {
		return nil, err
	}
	files = map[string]*durable.File{}
	for _, name := range names {
		f, err := from.Open(name)
		if err != nil {
			closeAll(files)
			return nil, fmt.Errorf("%w: %w", errDamaged, err)
		}
		files[name] = f
	}
	return files, nil
}

func closeAll(files map[string]*durable.File) {
	for _, f := range files {
		f.Close()
	}
}

// checkMerged returns an errDamaged if one of the segments that a round has merged into others, so that they are no
// longer there, had changed. Their contents are in new segments, whose checksums would hide it.
func (s store) checkMerged(before map[string]*durable.File) error {
	for name, f := range before {
		_, err := s.files.Lstat(storeName + "/" + name)
		if errors.Is(err, fs.ErrNotExist) {
			err = checkSegment(f)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkPages returns an errDamaged if the pages in the index are not those that its state covers: the pages that were
// fetched, each once.
func checkPages(w *indexWriter, col *collection.Collection, st *state) error {
	fetched := map[frontier.ID]bool{} // false once it was found in the index
	upTo := state{}
	err := upTo.pages(col, func(e *crawl.Entry) bool {
		if !st.Begun || e.Place() > st.Through {
			return false
		}
		fetched[e.ID] = true
		return true
	})
	if err != nil {
		return err
	}
	found := 0
	err = w.guarded(func() error {
		return eachPage(w, func(id frontier.ID) error {
			if !fetched[id] {
				return fmt.Errorf("%w: a page is in it that should not be", errDamaged)
			}
			fetched[id] = false
			found++
			return nil
		})
	})
	if err != nil {
		return err
	}
	if missing := len(fetched) - found; missing > st.Unread {
		return fmt.Errorf("%w: it lacks pages (%d)", errDamaged, missing)
	}
	return nil
}

// eachPage calls do for every page in the index.
func eachPage(w *indexWriter, do func(id frontier.ID) error) error {
	r, err := w.Reader()
	if err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	defer r.Close()
	all, err := r.DocIDReaderAll()
	if err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	defer all.Close()
	for {
		internal, err := all.Next()
		if err != nil {
			return fmt.Errorf("%w: %w", errDamaged, err)
		}
		if internal == nil {
			return nil
		}
		id, err := pageID(r, internal)
		if err != nil {
			return fmt.Errorf("%w: %w", errDamaged, err)
		}
		if err := do(id); err != nil {
			return err
		}
	}
}
