package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/goccy/go-yaml"

	"dowse/internal/durable"
	"dowse/internal/strictyaml"
	"dowse/settings"
)

// The values of a setting's Config in the table of settings: which config files may set
// it. Any other value that is not empty permits all files.
const (
	configOwn = "own" // the user's own file only
	configNew = "new" // any file, but only for crawls that begin: a collection keeps its own
	// configBegin is any file, for crawls that begin and for collections that have no value: what site owners were promised, and
	// the name they know, does not change because a file of this machine has another.
	configBegin = "begin"
)

// configKey returns the setting of that name, and whether config files may set it.
func configKey(name string) (settings.Field, bool) {
	f, ok := settings.ByFlag(name)
	return f, ok && f.Config != ""
}

// configKeys returns the names of the settings that config files may set, sorted.
func configKeys() (names []string) {
	for _, f := range settings.Fields() {
		if f.Config != "" {
			names = append(names, f.Flag)
		}
	}
	slices.Sort(names)
	return names
}

// configCmd groups the commands on config files: the user's own, which applies to every
// crawl, and dowse.yaml in the current directory, which applies to crawls there. What
// belongs to a person (agent, contact) or to a machine (resolver, connections) is set
// once; what belongs to one crawl is not a setting of config files.
//
// The order of precedence is: flag, environment variable, dowse.yaml, the user's file,
// default. config list --origin shows which of them set a value.
type configCmd struct {
	Get  configGetCmd  `cmd:"" help:"Print a setting."`
	Set  configSetCmd  `cmd:"" help:"Keep a setting for every crawl."`
	List configListCmd `cmd:"" help:"Print all settings and defaults."`
}

func (configCmd) Help() string {
	return `Examples:
  dowse config set agent reefbot
  dowse config set contact https://example.org/bot
  dowse config list --origin

Flags win over DOWSE_... variables, those over dowse.yaml in this directory, and
that over your own file. A dowse.yaml can't set resolver or allow-net. A crawl
that exists keeps its own strategy, scope, per-host, agent, contact, delay,
host-conns and max-rate.`
}

// A configValue is the value of a setting and its origin: the path of a file, the name
// of an environment variable, or "default".
type configValue struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin string `json:"origin"`
}

// configValues are the settings of the config files by key. As a resolver of the parser
// they supply the values of flags that were not given.
type configValues map[string]configValue

// userConfig returns the path of the user's config file, "" if the environment names no
// place for it. The file need not exist. Other files of the user, such as the salt and
// the list of trusted collections, are kept in the same folder: they belong to the
// person, not to a crawl.
func userConfig(env func(string) string) string {
	dir := orDefault(env("XDG_CONFIG_HOME"), env("APPDATA"))
	if home := env("HOME"); dir == "" && home != "" {
		dir = filepath.Join(home, ".config")
	}
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "dowse", "config.yaml")
}

// projectConfig is the config file of a directory, relative to the current one. It may
// come from another user with the directory, so some settings are refused there.
const projectConfig = "dowse.yaml"

// loadConfig reads the user's and the project's file; the project's values win. A file
// with an unknown key or a value that it may not set is an error, so that no command
// runs with settings that the user believes to be in effect.
func loadConfig(env func(string) string) (configValues, error) {
	all := configValues{}
	for _, path := range []string{userConfig(env), projectConfig} {
		values, err := readConfig(path)
		if err != nil {
			return nil, err
		}
		for k, v := range values {
			all[k] = configValue{k, v, path}
		}
	}
	return all, nil
}

// configForm bounds a config file, which may come with the directory of another user.
var configForm = strictyaml.Form{
	Bytes: maxConfig, Line: 16 << 10, Brackets: 8, Dashes: 8, Indent: 64, Keys: 1000, MayBeEmpty: true,
	FixLarge: "remove what is no setting", FixKeys: "remove what is no setting",
	FixSecond: "keep one document", FixOther: "write one \"key: value\" to a line",
}

// readConfig reads and checks one config file; one that does not exist has no values.
// Keys that config files may not set are errors, with the nearest key that they may. The
// file of a directory, which may come from another user, can't choose what is reached in
// the network of this user.
func readConfig(path string) (map[string]string, error) {
	data, err := readConfigFile(path)
	if path == "" || errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	values := map[string]string{}
	if e := configForm.Read(data, path, &values); e != nil {
		return nil, usage("%v; a config file has lines as\n  contact: https://example.org/bot", e)
	}
	for k := range values {
		if _, ok := configKey(k); !ok {
			return nil, usage("%s: %s", path, unknownSetting(k))
		}
	}
	// In the order of keys, so that a file with several mistakes has the same error at
	// every call.
	for _, k := range slices.Sorted(maps.Keys(values)) {
		if f, _ := configKey(k); f.Config == configOwn && path == projectConfig {
			return nil, usage("%s: %s: the file of a directory, which may come from another user, can't choose what is reached in your network; remove the line and, if you want it, run\n  dowse config set %s %s", path, k, k, shellLine([]string{values[k]}))
		}
	}
	return values, nil
}

// maxConfig is the largest config file that is read, in bytes.
const maxConfig = 1 << 20

// readConfigFile returns the contents of a file of at most maxConfig bytes.
func readConfigFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err == nil && len(data) > maxConfig {
		err = fmt.Errorf("%s has more than %d bytes", path, maxConfig)
	}
	return data, err
}

// unknownSetting returns the problem with an unknown key, and the nearest known one.
func unknownSetting(key string) string {
	return unknown("setting", key, configKeys())
}

// onlyFromConfig reports whether a flag of crawl could get its value from config files
// only: it was given neither as a flag nor as an environment variable. A collection that
// is resumed keeps its own value then.
func (w *world) onlyFromConfig(flag string) bool {
	given := slices.ContainsFunc(w.args, func(a string) bool { return a == "--"+flag || strings.HasPrefix(a, "--"+flag+"=") })
	return !given && w.env(envVarOf("crawl", flag)) == ""
}

// keyList returns the names of all settings, separated by commas.
func keyList() string { return strings.Join(configKeys(), ", ") }

// Validate implements kong.Resolver. The values were checked when the files were read.
func (configValues) Validate(*kong.Application) error { return nil }

// Resolve implements kong.Resolver: it returns the value of a flag that was not given on
// the command line. The parser would let a resolver win over the environment, so it
// returns nil if the environment sets the flag. The flags of set have no value but that which
// was typed.
func (s configValues) Resolve(_ *kong.Context, at *kong.Path, flag *kong.Flag) (any, error) {
	if at != nil && at.Command != nil && at.Command.Name == "set" {
		return nil, nil
	}
	for _, name := range flag.Envs {
		if _, ok := os.LookupEnv(name); ok {
			return nil, nil
		}
	}
	if v, ok := s[flag.Name]; ok {
		return v.Value, nil
	}
	return nil, nil
}

// effective returns the value of a key with its origin: the environment variable if it
// is set, else the config files; ok is false if neither sets it.
func effective(w *world, s configValues, key string) (configValue, bool) {
	name := envVarOf("crawl", key)
	if v := w.env(name); v != "" {
		return configValue{key, v, name}, true
	}
	v, ok := s[key]
	return v, ok
}

// configGetCmd prints the value of one setting.
type configGetCmd struct {
	Key string `arg:"" help:"Setting."`
}

func (configGetCmd) Help() string { return "Example:\n  dowse config get contact" }

// Run prints the value in effect, and nothing for a setting that is not set.
func (c *configGetCmd) Run(w *world) error {
	s, err := loadConfig(w.env)
	if err != nil {
		return err
	}
	if _, ok := configKey(c.Key); !ok {
		return usage("%s", unknownSetting(c.Key))
	}
	if v, ok := effective(w, s, c.Key); ok {
		fmt.Fprintln(w.out, oneLine(v.Value))
	}
	return nil
}

// configSetCmd keeps a setting in the user's config file.
type configSetCmd struct {
	Key   string `arg:"" help:"Setting."`
	Value string `arg:"" help:"Its value."`
}

func (configSetCmd) Help() string {
	return `Examples:
  dowse config set agent reefbot
  dowse config set contact mailto:bot@example.org
  dowse config set delay 2s

The settings: ` + keyList() + `.`
}

// Run checks the value and writes the user's file as a whole, so that an interrupted
// write leaves the old file. The other settings in it stay; comments are lost. Nothing is
// written if key or value is wrong, or if the file has a mistake already: it would be
// kept, and every later command would fail.
func (c *configSetCmd) Run(w *world) error {
	if _, ok := configKey(c.Key); !ok {
		return usage("%s", unknownSetting(c.Key))
	}
	if err := c.valid(w); err != nil {
		return err
	}
	path := userConfig(w.env)
	if path == "" {
		return usage("no folder for the config file: set HOME or XDG_CONFIG_HOME")
	}
	values, err := readConfig(path)
	if err != nil {
		return err
	}
	if values == nil {
		values = map[string]string{}
	}
	values[c.Key] = c.Value
	data, err := yaml.Marshal(values)
	if err != nil {
		return fmt.Errorf("config: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("config: %w", err)
	}
	if err := durable.WriteFile(linked(path), data); err != nil {
		return fmt.Errorf("config: %w", err)
	}
	fmt.Fprintf(w.err, "wrote %s\n", path)
	return nil
}

// linked returns the file that a path leads to through symbolic links. Users keep their
// settings elsewhere and link to them, so a link is followed: the file is their own.
func linked(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// valid parses the value as the flag of that name, so that a config file accepts exactly
// what the command line accepts, with the same error. It uses a parser without config
// files, or a wrong value in them would make it impossible to correct it.
func (c *configSetCmd) valid(w *world) error {
	var probe cli
	parser, err := kong.New(&probe, append(settingMappers(), kong.Name("dowse"), kong.Exit(func(int) {}))...)
	if err != nil {
		return err
	}
	if _, err := parser.Parse([]string{"crawl", "--" + c.Key + "=" + c.Value}); err != nil {
		return usage("%s", parseProblem(err.Error(), nil, nil))
	}
	_, err = probe.Crawl.config(w)
	return err
}

// byDefault is the origin of settings that nothing sets.
const byDefault = "default"

// configListCmd prints all settings with their values.
type configListCmd struct {
	Origin bool `help:"Show where each value comes from."`
	JSON   bool `help:"Print JSON."`
}

func (configListCmd) Help() string {
	return `Example:
  dowse config list --origin

Settings that you did not set are listed with their defaults.`
}

// defaultOf returns the default of a setting as the help shows it; "" for none.
func defaultOf(key string) string {
	f, _ := settings.ByFlag(key)
	return f.Default
}

// Run prints one line per setting in the syntax of a config file, with the origin or the
// default as a comment; with --json a list of objects.
func (c *configListCmd) Run(w *world) error {
	s, err := loadConfig(w.env)
	if err != nil {
		return err
	}
	list := []configValue{}
	for _, k := range configKeys() {
		v, ok := effective(w, s, k)
		if !ok {
			v = configValue{k, defaultOf(k), byDefault}
		}
		list = append(list, v)
	}
	if c.JSON {
		return json.NewEncoder(w.out).Encode(list)
	}
	for _, v := range list {
		line := v.Key + ": " + oneLine(v.Value)
		switch {
		case v.Value == "" && v.Origin == byDefault:
			line = v.Key + ":   # not set"
		case c.Origin || v.Origin == byDefault:
			line += "   # " + v.Origin
		}
		fmt.Fprintln(w.out, line)
	}
	return nil
}
