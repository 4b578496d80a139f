package ledger_test

import (
	"testing"

	"dowse"
	"dowse/internal/ledger"
)

// TestReasonCodes pins the codes by which journals and snapshots keep reasons. A code that
// changes would give the URLs of every existing collection another reason.
func TestReasonCodes(t *testing.T) {
	want := []dowse.Reason{
		"", "scope.host", "scope.exclude", "scope.depth", "scope.tunnel", "robots.txt", "robots.meta", "score.low",
		"budget.host", "budget.crawl", "trap.pattern", "trap.farm", "dup.url", "type.mime", "type.size", "lang",
		"host.blocked", "net.connect", "host.challenge", "policy.private-ip", "policy.login", "policy.payment",
		"user.blocked", "user.forgotten", "http.status", "http.protocol", "net.timeout", "net.connect", "net.dns",
		"net.tls", "body.encoding", "redirect", "site.done", "unchanged", "gone", "memory",
	}
	const retired = 17
	for code, r := range want {
		if got := ledger.ReasonOf(uint8(code)); got != r {
			t.Errorf("code %d is %q, want %q", code, got, r)
		}
		if got := ledger.ReasonCode(r); int(got) != code && code != retired {
			t.Errorf("%q has the code %d, want %d", r, got, code)
		}
	}
	if got := ledger.ReasonOf(uint8(len(want))); got != "" {
		t.Errorf("code %d is %q, want none: add it to this list", len(want), got)
	}
}
