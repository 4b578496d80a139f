package fetch

import (
	"bytes"
	"testing"
)

// TestRecycle fills bodies of several sizes with the memory of others: each has its own bytes, and one that was
// recycled has none.
func TestRecycle(t *testing.T) {
	c := &codec{}
	for i, size := range []int{0, 10, 70_000, 10, mostRecycled + 1, 5, 300, 70_000} {
		want := bytes.Repeat([]byte{byte('a' + i)}, size)
		p := c.pile()
		p.fill(bytes.NewReader(want), int64(size)+1, func(int64) error { return nil })
		r := &Response{}
		r.RawBody = p.bytes(1 << 30)
		p.release()
		r.Body, r.Recycle = r.RawBody, func() { r.recycle(c) }
		if !bytes.Equal(r.Body, want) {
			t.Errorf("body %d has %d bytes, or others; want %d", i, len(r.Body), size)
		}
		if r.Recycle(); r.Body != nil || r.RawBody != nil || r.Recycle != nil {
			t.Errorf("body %d is still there", i)
		}
	}
}
