package collection_test

import (
	"strings"
	"testing"

	"dowse"
	"dowse/weburl"
)

// The explanation of a trap has what it looked like and how often URLs of its pattern were visited.
func TestWhyTrap(t *testing.T) {
	const trap = "/barnacle/rock/barnacle/rock/barnacle/rock/barnacle/rock/barnacle/rock"
	c := open(t, crawlSmall(t, smallWeb{
		"/": page("home", "<a href="+trap+">barnacle</a> <a href=/gone>barnacle</a>", strings.Repeat("barnacle shell ", 50)),
	}), true)
	x, err := c.Why("http://small.test" + trap)
	if err != nil {
		t.Fatal(err)
	}
	if x.Row.Reason != dowse.SkipTrapPattern || x.Pattern == nil || x.Pattern.Visited != 0 || x.Pattern.Shape != weburl.Shape(x.Row.URL) || x.Row.Detail == "" || x.Row.Requested || x.Tries != 0 {
		t.Errorf("%+v", x)
	}
	if x, err = c.Why("http://small.test/gone"); err != nil || x.Row.Reason != dowse.FailHTTP || x.Row.Fetch.Status != 404 || x.Judged != nil || x.Chosen.Anchor != "barnacle" {
		t.Errorf("%v: %+v", err, x)
	}
}
