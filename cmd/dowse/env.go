package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"dowse/internal/text"
	"dowse/settings"
)

// envPrefix begins the names of dowse's environment variables.
const envPrefix = "DOWSE_"

// nameEnvVars gives flags their environment variables. Two groups of flags have one.
// Settings have the variable that their table names: those that apply to every crawl
// have a short name, DOWSE_CONTACT, which sets --contact of every command that has it.
// The other flags of crawl are named with the command: DOWSE_CRAWL_PAGES. No other flag
// has a variable, so that a variable never reaches a command that was not meant.
func nameEnvVars(k *kong.Kong) error {
	eachFlag(k.Model.Node, func(command string, flag *kong.Flag) {
		if name := envVarOf(command, flag.Name); name != "" && len(flag.Envs) == 0 {
			flag.Envs = []string{name}
			flag.Value.Tag.Envs = flag.Envs
		}
	})
	return nil
}

// eachFlag calls f for every flag of every command below root, with the command as it is
// typed: crawl, topic check.
func eachFlag(root *kong.Node, f func(command string, flag *kong.Flag)) {
	for _, n := range root.Children {
		for _, flag := range n.Flags {
			f(strings.TrimPrefix(commandPath(n), "dowse "), flag)
		}
		eachFlag(n, f)
	}
}

// onceOnly lists flags of crawl that ask for a single action. They have no variable: one
// that stays set would repeat the action in every crawl.
var onceOnly = []string{"help", "help-all", "fresh", "dry-run", "retry"}

// crawlPrefix begins the names of variables that only crawl reads.
const crawlPrefix = envPrefix + "CRAWL_"

// envVarOf returns the environment variable of a command's flag, "" if it has none. This
// function is the allow-list: a flag has a variable if it is a setting or a flag of
// crawl, and no other flag gets one by accident.
func envVarOf(command, flag string) string {
	f, ok := settings.ByFlag(flag)
	switch {
	case command == "set": // a change is what was typed
		return ""
	case ok && (command == "crawl" || !strings.HasPrefix(f.Var, crawlPrefix)):
		return f.Var
	case command == "crawl" && !slices.Contains(onceOnly, flag):
		return crawlPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
	}
	return ""
}

// noVar in the tag env of a flag states that the flag must not have a variable.
const noVar = "-"

// An envVar is a variable, the flag that it sets, and the commands with that flag.
type envVar struct {
	name, flag string
	commands   []string
}

// sets describes what a variable sets: crawl --pages, or --contact of crawl, fetch.
func (v envVar) sets() string {
	if len(v.commands) == 1 {
		return v.commands[0] + " --" + v.flag
	}
	return "--" + v.flag + " of " + strings.Join(v.commands, ", ")
}

// envVars lists the variables of all flags, sorted by name. It reads the parser's model,
// so the list cannot miss a flag.
func envVars(root *kong.Node) (list []envVar) {
	vars := map[string]envVar{}
	eachFlag(root, func(command string, f *kong.Flag) {
		for _, name := range f.Envs {
			if name != noVar {
				vars[name] = envVar{name, f.Name, append(vars[name].commands, command)}
			}
		}
	})
	for _, name := range slices.Sorted(maps.Keys(vars)) {
		list = append(list, vars[name])
	}
	return list
}

// noteUnknownEnv prints a note for each variable that begins with DOWSE_ and that no flag
// reads. A misspelt variable would otherwise be ignored silently, and a crawl would run
// without the limit or contact that the user believes to have set.
func noteUnknownEnv(out io.Writer, root *kong.Node, environ []string) {
	var known []string                                                         // in lower case, without the prefix
	for _, name := range []string{"DOWSE_SINK_AUTH", "DOWSE_SINK_AUTH_FILE"} { // no flags: secrets are not typed
		known = append(known, strings.ToLower(strings.TrimPrefix(name, envPrefix)))
	}
	for _, v := range envVars(root) {
		known = append(known, strings.ToLower(strings.TrimPrefix(v.name, envPrefix)))
	}
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		rest, ours := strings.CutPrefix(name, envPrefix)
		if !ours || slices.Contains(known, strings.ToLower(rest)) {
			continue
		}
		fmt.Fprintf(out, "dowse: note: unknown environment variable %s is ignored; %s\n", printable(name), envHint(strings.ToLower(rest), known))
	}
}

// envHint suggests a known variable for an unknown one; both lack the prefix. A name
// that only lacks CRAWL_ is the commonest mistake and comes first; then come misspelt
// names, and last those that are misspelt and lack it. These are compared without CRAWL_:
// with it, any short name would look like any other.
func envHint(name string, known []string) string {
	const prefix = "crawl_"
	var bare []string // names of variables of crawl without the prefix
	for _, k := range known {
		if rest, ok := strings.CutPrefix(k, prefix); ok {
			bare = append(bare, rest)
		}
	}
	near := text.Nearest(name, known)
	if near == "" && text.Nearest(name, bare) != "" {
		near = prefix + text.Nearest(name, bare)
	}
	if slices.Contains(known, prefix+name) {
		near = prefix + name
	}
	if near == "" {
		return "see dowse help env"
	}
	return "did you mean " + envPrefix + strings.ToUpper(near) + "?"
}

// printEnv prints dowse help env.
func printEnv(w *world) error {
	fmt.Fprintln(w.out, "Flags on the command line win over these variables; the variables win over")
	fmt.Fprintln(w.out, "dowse.yaml in this directory, and that over the user's config file.")
	fmt.Fprintln(w.out)
	for _, v := range envVars(w.parser.Model.Node) {
		row(w.out, v.name, v.sets())
	}
	fmt.Fprintln(w.out)
	row(w.out, "DOWSE_SINK_AUTH", "credential for sinks: user:password or Bearer TOKEN; no flag has it")
	row(w.out, "DOWSE_SINK_AUTH_FILE", "file with credentials: lines of a sink's URL, a space, the credential")
	row(w.out, "NO_COLOR", "if set: no colours")
	row(w.out, "TERM=dumb", "no colours and no live screen")
	row(w.out, "GOMEMLIMIT", "memory to keep to, as 512MiB; default 90 % of the control group's limit")
	row(w.out, "WNSEARCHDIR", "WordNet directory, or none; default /usr/share/wordnet if it is there")
	row(w.out, "XDG_CONFIG_HOME", "folder of the user's dowse/config.yaml; default ~/.config")
	row(w.out, "XDG_STATE_HOME", "folder of dowse/serve.token, the token of the dashboard; default ~/.local/state")
	return nil
}
