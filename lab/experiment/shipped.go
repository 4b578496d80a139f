package experiment

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

//go:embed shipped/*.yaml
var shipped embed.FS

// Shipped lists the experiments that come with dowse, ordered by name. They are
// part of the program, so that a mistake in one is a panic, and a test reads
// all of them.
func Shipped() (list []*Experiment) {
	files, err := fs.Glob(shipped, "shipped/*.yaml")
	if err != nil {
		panic(err) // the pattern is ours
	}
	for _, f := range files {
		x, _, err := ByName(strings.TrimSuffix(strings.TrimPrefix(f, "shipped/"), ".yaml"))
		if err != nil {
			panic(err) // a test reads all of them
		}
		list = append(list, x)
	}
	return list
}

// ByName returns an experiment that comes with dowse and its text. The name is
// its own, or that of a figure or table that it yields.
func ByName(name string) (*Experiment, []byte, error) {
	data, err := shipped.ReadFile("shipped/" + name + ".yaml")
	if err != nil {
		for _, x := range Shipped() {
			if slices.Contains(x.Rows, name) {
				return ByName(x.Name)
			}
		}
		return nil, nil, fmt.Errorf("experiment: unknown experiment %q, and there is no such file", name)
	}
	x, err := Parse(data, name)
	return x, data, err
}
