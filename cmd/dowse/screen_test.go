package main

import (
	"testing"
	"time"

	"dowse/settings"
)

// TestDoubled: the limit that is suggested after a crawl is more than what the crawl has, also as it is
// printed.
func TestDoubled(t *testing.T) {
	for _, c := range []struct{ limit, reached, want time.Duration }{
		{3 * time.Second, 3 * time.Second, 6 * time.Second},
		{3 * time.Second, 6200 * time.Millisecond, 12 * time.Second}, // a slow page was finished
		{time.Hour, 61 * time.Minute, 2 * time.Hour},
		{1 << 62, 1 << 62, -1 << 63}, // does not end in a loop
	} {
		if got := doubled(c.limit, c.reached); got != c.want {
			t.Errorf("limit %v, reached %v: %v, want %v", c.limit, c.reached, got, c.want)
		}
	}
	f, _ := settings.ByFlag("bytes")
	for _, reached := range []int64{7, 32_767, 32_768, 999_999, 1_000_001, 123_456_789_012} {
		var s settings.Settings
		text := limitText("bytes", settings.Limits{Bytes: doubled(3, reached)})
		n, err := f.Read(text)
		if err == nil {
			f.Put(&s, n)
		}
		if err != nil || s.Bytes <= reached {
			t.Errorf("%d bytes reached: suggests %s, which is %d (%v)", reached, text, s.Bytes, err)
		}
	}
}
