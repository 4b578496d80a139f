package plain

import (
	"errors"
	"testing"
)

// People do not read the names of packages, and nothing twice.
func TestError(t *testing.T) {
	for text, want := range map[string]string{
		`crawler: collection: crawl.yaml: no such file`:                         `crawl.yaml: no such file`,
		`"x:y": weburl: parse "x:y": the scheme is not http`:                    `"x:y": the scheme is not http`,
		`reefs.topic.yaml:3:1: judge: no such kind; use one of: a`:              `reefs.topic.yaml:3:1: judge: no such kind; use one of: a`,
		`X is in use; stop it first: dowse stop X; stop it first: dowse stop X`: `X is in use; stop it first: dowse stop X`,
	} {
		if got := Error(errors.New(text)); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}
