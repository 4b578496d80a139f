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
	const inside = "beta.invalid is at 10.1.2.3, which is not a public address"
	for _, test := range []struct {
		why              *collection.Explanation
		host, last, want string
	}{
		{unnamed, "gamma.invalid", last, last},
		{unnamed, "alpha.invalid", last, "net.dns: no address for alpha.invalid"},
		{refused, "beta.invalid", last, ""},
		{refused, "beta.invalid", "net.connect: connection refused", "net.connect: connection refused"},
		{refused, "beta.invalid", inside, inside},
		{refused, "gamma.invalid", inside, ""},
	} {
		if got := failureFor(test.why, test.host, test.last); got != test.want {
			t.Errorf("%s after %q: %q, want %q", test.host, test.last, got, test.want)
		}
	}
}

// TestPrivateSeedNamesTheNetwork checks which network is suggested for a host that is at a private address.
func TestPrivateSeedNamesTheNetwork(t *testing.T) {
	for failure, want := range map[string]string{
		"beta.invalid is at 10.1.2.3, which is not a public address": "10.0.0.0/8",
		"beta.invalid is at fd00::1, which is not a public address":  "fc00::/7",
		"10.1.2.3 is not a public address":                           "10.0.0.0/8",
		"":                                                           "CIDR",
	} {
		if got := networkOf(addressIn(failure)); got != want {
			t.Errorf("%q: %s, want %s", failure, got, want)
		}
	}
}
