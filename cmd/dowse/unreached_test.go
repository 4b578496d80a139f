package main

import (
	"testing"

	"dowse"
	"dowse/collection"
)

// TestFailureForNamesTheHost checks that a failed lookup of one host is not reported for another.
func TestFailureForNamesTheHost(t *testing.T) {
	unnamed := &collection.Explanation{Polite: &collection.Manners{Why: dowse.FailDNS}}
	refused := &collection.Explanation{Polite: &collection.Manners{Why: dowse.FailConnect}}
	const last = "net.dns: no address for gamma.invalid: no such host"
	for _, test := range []struct {
		why              *collection.Explanation
		host, last, want string
	}{
		{unnamed, "gamma.invalid", last, last},
		{unnamed, "alpha.invalid", last, "net.dns: no address for alpha.invalid"},
		{refused, "beta.invalid", last, ""},
		{refused, "beta.invalid", "net.connect: connection refused", "net.connect: connection refused"},
	} {
		if got := failureFor(test.why, test.host, test.last); got != test.want {
			t.Errorf("%s after %q: %q, want %q", test.host, test.last, got, test.want)
		}
	}
}
