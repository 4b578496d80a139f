package main

import (
	"slices"
	"strings"
	"testing"
)

// TestGathered checks that flags may be anywhere among the arguments of a command that takes a list of them.
func TestGathered(t *testing.T) {
	var c cli
	parser, err := newParser(&c, &world{env: noEnv}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ args, want string }{
		{"search a.dowse --all tide pools", "search --all a.dowse tide pools"},
		{"search a.dowse -n 3 tide --skip=2 pools --json", "search -n 3 --skip=2 --json a.dowse tide pools"},
		{"search a.dowse -n3 tide --similar http://x.demo/ pools", "search -n3 --similar http://x.demo/ a.dowse tide pools"},
		{"status a.dowse --top 9 b.dowse", "status --top 9 a.dowse b.dowse"},
		{"forget a.dowse x.demo/a --because asked x.demo/b -- -c", "forget --because asked -- a.dowse x.demo/a x.demo/b -c"},
		{"search a.dowse tide -n", "search -n a.dowse tide"},
		{"search a.dowse --nonsense tide", "search --nonsense a.dowse tide"},
		{"pages a.dowse --on", "pages a.dowse --on"}, // takes no list
		{"nonsense --x a", "nonsense --x a"},
		{"", ""},
	} {
		if got := gathered(parser.Model.Node, strings.Fields(x.args)); !slices.Equal(got, strings.Fields(x.want)) {
			t.Errorf("%s: got %v, want %s", x.args, got, x.want)
		}
	}
}
