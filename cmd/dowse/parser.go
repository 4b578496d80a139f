package main

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/alecthomas/kong"

	"dowse/settings"
)

// newParser makes the parser of the command line. Values of flags come from the command
// line, then from the environment (see env.go), then from the project's and the user's
// config file. Parsing never exits the process: exit records the code instead, so that
// tests can parse and that output is flushed before the process ends.
//
// A config file with an error is an error of every command, even of dowse help: a user
// who believes that a contact or a delay is in effect must learn that it is not.
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

// settingMappers lets the table of settings read the values of its flags, one mapper per
// kind of value. Tags of settings name the kind with type:"...". So a size, a rate or a
// share is read and checked by the same code in a flag, a config file and crawl.yaml.
func settingMappers() (list []kong.Option) {
	for _, kind := range []settings.Kind{settings.Count, settings.Time, settings.Size, settings.Rate, settings.Share, settings.Until, settings.Often} {
		list = append(list, kong.NamedMapper(string(kind), kong.MapperFunc(readSetting)))
	}
	return list
}

// readSetting reads the value of a flag that is a setting. The error has the form "got
// X, want Y"; the parser puts the flag in front.
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

// reset returns the flags of settings that were given with their zero value, which
// removes a limit that the collection has: --pages 0 means no limit from now on. The zero
// value alone cannot express that, since it also means "not given".
func (w *world) reset(command string) (flags []string) {
	if w.parser == nil {
		return nil
	}
	for _, f := range find(w.parser.Model.Node, []string{command}).Flags {
		if _, ok := settings.ByFlag(f.Name); ok && f.Set && !f.HasDefault && f.Target.IsZero() {
			flags = append(flags, f.Name)
		}
	}
	return flags
}

// flagGroups are the headings under which help lists flags, in this order. The tag group
// of a flag names the key; flags without a group come first. The order follows a crawl:
// what it looks for, how much, where, in which order, how politely, what it prints, and
// what happens when it is run again.
var flagGroups = []kong.Group{
	{Key: "what", Title: "WHAT"},
	{Key: "much", Title: "HOW MUCH (the first limit reached ends the crawl)"},
	{Key: "where", Title: "WHERE"},
	{Key: "order", Title: "ORDER"},
	{Key: "polite", Title: "POLITENESS"},
	{Key: "output", Title: "OUTPUT"},
	{Key: "recovery", Title: "RECOVERY"},
	{Key: "cluster", Title: "CLUSTER"},
}
