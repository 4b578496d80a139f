package cluster

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"dowse/internal/wire"
)

// maxBlob bounds the files that make a judge, in bytes.
const maxBlob = 512 << 20

// judgeMagic begins a judge in the object store.
const judgeMagic = "dwj1"

// PutJudge stores the files from which workers make the judge, and returns the version that names
// them: a hash of all of them. The same files have the same version.
func (c *Conn) PutJudge(ctx context.Context, files map[string][]byte) (version string, err error) {
	w := wire.Writer{B: []byte(judgeMagic)}
	w.Uint(uint64(len(files)))
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w.Text(name)
		w.Bytes(files[name])
	}
	if len(w.B) > maxBlob {
		return "", fmt.Errorf("cluster: the judge has %d bytes; want at most %d", len(w.B), maxBlob)
	}
	version = hashOf(w.B)
	err = c.settled(ctx, func() error { return c.storeJudge(ctx, version, w.B) })
	return version, err
}

// storeJudge stores a judge unless it is there.
func (c *Conn) storeJudge(ctx context.Context, version string, data []byte) error {
	store, err := c.js.ObjectStore(ctx, c.judgeBucket())
	if err != nil {
		return c.refused("bucket "+c.judgeBucket(), err)
	}
	if info, err := store.GetInfo(ctx, version); err == nil && !info.Deleted {
		return nil
	}
	if _, err := store.Put(ctx, jetstream.ObjectMeta{Name: version}, bytes.NewReader(data)); err != nil {
		return c.refused("bucket "+c.judgeBucket(), err)
	}
	return c.dropJudges(ctx, store, version)
}

// keptJudges is how many versions are kept: workers may still ask for earlier ones.
const keptJudges = 4

// dropJudges removes the oldest versions.
func (c *Conn) dropJudges(ctx context.Context, store jetstream.ObjectStore, current string) error {
	list, err := store.List(ctx)
	if err != nil {
		return nil // they do no harm
	}
	slices.SortFunc(list, func(a, b *jetstream.ObjectInfo) int { return a.ModTime.Compare(b.ModTime) })
	for i := 0; i < len(list)-keptJudges; i++ {
		if list[i].Name != current {
			_ = store.Delete(ctx, list[i].Name)
		}
	}
	return nil
}

func hashOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:16])
}

// errJudge is returned for a judge that does not have the hash by which it is named.
var errJudge = errors.New("cluster: the judge in the object store is damaged")

// judgeFiles returns the files of a version.
func (c *Conn) judgeFiles(ctx context.Context, version string) (map[string][]byte, error) {
	store, err := c.js.ObjectStore(ctx, c.judgeBucket())
	if err != nil {
		return nil, fmt.Errorf("cluster: the judge: %w", err)
	}
	info, err := store.GetInfo(ctx, version)
	if err != nil {
		return nil, fmt.Errorf("cluster: the judge %s: %w", version, err)
	}
	if info.Size > maxBlob {
		return nil, errJudge
	}
	b, err := store.GetBytes(ctx, version)
	if err != nil {
		return nil, fmt.Errorf("cluster: the judge %s: %w", version, err)
	}
	r, err := begin(b, judgeMagic)
	if err != nil || hashOf(b) != version {
		return nil, errJudge
	}
	files := map[string][]byte{}
	for range r.Items(2) {
		name := r.Text()
		if !localName(name) {
			return nil, errJudge
		}
		files[name] = own(r.Raw())
	}
	if ended(r) != nil {
		return nil, errJudge
	}
	return files, nil
}

// localName reports whether a name is that of a file below a folder, with forward slashes and
// nothing that leads elsewhere.
func localName(name string) bool {
	if name == "" || len(name) > 512 || strings.ContainsAny(name, "\\:\x00") {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." || part == ".." {
			return false
		}
	}
	return true
}
