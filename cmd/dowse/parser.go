package main

import (
	"fmt"

	"github.com/alecthomas/kong"
)

// newParser makes the parser of the command line. Values of flags come from the
// command line, then from the environment (see env.go), then from the project's
// and the user's config file.
func newParser(c *cli, w *world, exit func(int)) (*kong.Kong, error) {
	settings, err := loadConfig(w.env)
	if err != nil {
		return nil, err
	}
	return kong.New(c,
		kong.Name("dowse"),
		kong.Description("dowse finds pages on a topic: it crawls the best links first."),
		kong.Writers(w.out, w.err),
		kong.Exit(exit),
		kong.PostBuild(nameEnvVars),
		kong.Resolvers(settings),
		kong.Help(printHelp),
		kong.ExplicitGroups(flagGroups),
		kong.Bind(w),
	)
}

var flagGroups = []kong.Group{
	{Key: "what", Title: "WHAT"},
	{Key: "much", Title: "HOW MUCH (the first limit reached ends the crawl)"},
	{Key: "where", Title: "WHERE"},
	{Key: "order", Title: "ORDER"},
	{Key: "polite", Title: "POLITENESS"},
	{Key: "output", Title: "OUTPUT"},
	{Key: "recovery", Title: "RECOVERY"},
}

// size is a number of bytes, written with a unit: 5GB, 300MB, 10KiB.
type size int64

func (s *size) UnmarshalText(text []byte) error {
	n, err := parseSize(string(text))
	*s = size(n)
	return err
}

func parseSize(s string) (int64, error) {
	units := []struct {
		suffix string
		factor float64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1}}
	for _, u := range units {
		if n := len(s) - len(u.suffix); n > 0 && s[n:] == u.suffix {
			var v float64
			if _, err := fmt.Sscanf(s[:n]+" ", "%g ", &v); err != nil || v < 0 || v*u.factor > 1<<62 {
				break
			}
			return int64(v * u.factor), nil
		}
	}
	return 0, fmt.Errorf("%q is not a size; write it with its unit, as 500MB or 5GB", s)
}
