package operations

import "testing"

func TestDifference(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"a", "a", 0}, {"abc", "abd", 1}, {"abc", "ab", 1}, {"links", "linkz/", 2}, {"aa", "aaa", 1}, {"", "xyz", 3}, {"reports/x/y", "report/x/y", 1}} {
		if got := difference(tt.a, tt.b); got != tt.want {
			t.Errorf("difference(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
