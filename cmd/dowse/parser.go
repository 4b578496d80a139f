package main

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/alecthomas/kong"

	"dowse/settings"
)

// newParser makes the parser of the command line. Values of flags come from the
// command line, then from the environment (see env.go), then from the project's
// and the user's config file.
func newParser(c *cli, w *world, exit func(int)) (*kong.Kong, error) {
	config, err := loadConfig(w.env)
	if err != nil {
		return nil, err
	}
	return kong.New(c, append(settingMappers(),
		kong.Name("dowse"),
		kong.Description("dowse finds pages on a topic: it crawls the best links first."),
		kong.Writers(w.out, w.err),
		kong.Exit(exit),
		kong.PostBuild(nameEnvVars),
		kong.Resolvers(config),
		kong.Help(printHelp),
		kong.ExplicitGroups(flagGroups),
		kong.Bind(w),
	)...)
}

// settingMappers let the table of settings read the values of their flags.
func settingMappers() (list []kong.Option) {
	for _, kind := range []settings.Kind{settings.Count, settings.Time, settings.Size, settings.Rate, settings.Share, settings.Until} {
		list = append(list, kong.NamedMapper(string(kind), kong.MapperFunc(readSetting)))
	}
	return list
}

// readSetting reads the value of a flag that is a setting.
func readSetting(ctx *kong.DecodeContext, target reflect.Value) error {
	f, ok := settings.ByFlag(ctx.Value.Name)
	if !ok {
		return fmt.Errorf("%s is not a setting", ctx.Value.Name)
	}
	var text string
	if err := ctx.Scan.PopValueInto(string(f.Kind), &text); err != nil {
		return err
	}
	x, err := f.Read(text)
	var wrong *settings.Error
	if errors.As(err, &wrong) {
		return fmt.Errorf("got %s, want %s", wrong.Got, wrong.Want)
	}
	target.Set(reflect.ValueOf(x))
	return err
}

// reset returns the flags of settings that were given so that nothing is set: 0 for a limit.
func (w *world) reset() (flags []string) {
	if w.parser == nil {
		return nil
	}
	for _, f := range find(w.parser.Model.Node, []string{"crawl"}).Flags {
		if _, ok := settings.ByFlag(f.Name); ok && f.Set && !f.HasDefault && f.Target.IsZero() {
			flags = append(flags, f.Name)
		}
	}
	return flags
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
