package main

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// helpColumns is the width of all help, on any terminal, so that examples look the same
// everywhere.
const helpColumns = 80

// printHelp prints the help of the command line or of one command; kong calls it for
// --help. Commands with many flags list the usual ones; --help-all lists all of them.
func printHelp(_ kong.HelpOptions, ctx *kong.Context) error { return printHelpOf(ctx, false) }

// printHelpOf prints usage, summary, examples, arguments, flags and subcommands, in this
// order; all includes the flags marked rare. Examples come before flags because most
// people look for something to copy.
//
// The texts are the tags of the commands' structs and their methods Help, so help, shell
// completion and parser cannot differ.
func printHelpOf(ctx *kong.Context, all bool) error {
	node := ctx.Selected()
	if node == nil {
		return listCommands(ctx.Stdout, ctx.Model.Node)
	}
	h := helpText{out: ctx.Stdout}
	h.line("Usage: dowse %s", strings.TrimSpace(usageOf(node)))
	h.section("", node.Help)
	if node.Detail != "" {
		h.line("")
		h.paragraphs(node.Detail)
	}
	h.arguments(node)
	h.flags(node, all)
	h.subcommands(node)
	return nil
}

// helpAll is the flag --help-all. A command that has it hides its rare flags from --help:
// with sixty flags in one list, the five that a newcomer needs are not found.
type helpAll bool

// IgnoreDefault keeps the parser from setting the flag by itself.
func (helpAll) IgnoreDefault() {}

// BeforeReset is called by the parser when the flag is present, before it checks
// arguments. It prints the help with the rare flags and exits.
func (helpAll) BeforeReset(ctx *kong.Context) error {
	if err := printHelpOf(ctx, true); err != nil {
		return err
	}
	ctx.Kong.Exit(0)
	return nil
}

// usageOf returns a command with its arguments, as the first line of its help.
func usageOf(n *kong.Node) string {
	s := strings.TrimPrefix(commandPath(n), "dowse ")
	for _, a := range n.Positional {
		s += " " + a.Summary()
	}
	if len(n.Children) > 0 {
		return s + " <command>"
	}
	return s + " [flags]"
}

// commandPath returns a command as it is typed, without aliases: dowse lab run.
func commandPath(n *kong.Node) string {
	if n == nil || n.Parent == nil {
		return "dowse"
	}
	return commandPath(n.Parent) + " " + n.Name
}

// A helpText prints the parts of the help of one command.
type helpText struct{ out io.Writer }

// line prints a formatted line.
func (h helpText) line(format string, args ...any) { fmt.Fprintf(h.out, format+"\n", args...) }

// section prints an empty line, a title if there is one, and a text wrapped at 80
// columns.
func (h helpText) section(title, text string) {
	h.line("")
	if title != "" {
		h.line("%s", title)
	}
	for _, l := range wrap(text, helpColumns) {
		h.line("%s", l)
	}
}

// paragraphs prints the text of a command's Help. Paragraphs are wrapped; indented
// lines, such as examples, stay as they are.
func (h helpText) paragraphs(text string) {
	var open []string
	flush := func() {
		if len(open) > 0 {
			for _, l := range wrap(strings.Join(open, " "), helpColumns) {
				h.line("%s", l)
			}
		}
		open = nil
	}
	for l := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if l == "" || l[0] == ' ' {
			flush()
			h.line("%s", l)
			continue
		}
		open = append(open, l)
	}
	flush()
}

// arguments prints the positional arguments.
func (h helpText) arguments(n *kong.Node) {
	if len(n.Positional) == 0 {
		return
	}
	h.line("\nArguments:")
	var rows [][2]string
	for _, a := range n.Positional {
		rows = append(rows, [2]string{a.Summary(), a.Help})
	}
	h.rows(rows)
}

// flags prints the flags by group, in the order of flagGroups. Flags with the tag rare
// are left out unless all is set.
func (h helpText) flags(n *kong.Node, all bool) {
	// A command without --help-all has few flags and shows all of them.
	short := hasHelpAll(n) && !all
	groups := append([]kong.Group{{Title: "Flags:"}}, flagGroups...)
	flags := slices.Concat(n.AllFlags(true)...)
	for _, g := range groups {
		var rows [][2]string
		for _, f := range flags {
			if f.Hidden || groupOf(f) != g.Key || short && f.Tag.Has("rare") {
				continue
			}
			rows = append(rows, [2]string{flagForm(f), flagHelp(f)})
		}
		if len(rows) > 0 {
			h.line("\n%s", g.Title)
			h.rows(rows)
		}
	}
	if short {
		h.line("\nThese are the usual flags; %s --help-all shows all of them.", commandPath(n))
	}
}

// hasHelpAll reports whether a command distinguishes usual from rare flags.
func hasHelpAll(n *kong.Node) bool {
	return slices.ContainsFunc(n.Flags, func(f *kong.Flag) bool { return f.Name == "help-all" })
}

// groupOf returns the key of a flag's group, "" for none.
func groupOf(f *kong.Flag) string {
	if f.Group == nil {
		return ""
	}
	return f.Group.Key
}

// flagForm returns a flag as it is typed: -n, --pages N.
func flagForm(f *kong.Flag) string {
	s := "    --" + f.Name
	if f.Short != 0 {
		s = fmt.Sprintf("-%c, --%s", f.Short, f.Name)
	}
	if f.IsBool() {
		return s
	}
	return s + " " + placeholderOf(f)
}

// placeholderOf returns the word for a flag's value, derived from its type if the flag
// has none.
func placeholderOf(f *kong.Flag) string {
	if f.PlaceHolder != "" {
		return f.PlaceHolder
	}
	switch {
	case f.Target.Type() == reflect.TypeFor[time.Duration]():
		return "DUR"
	case f.Target.CanInt(), f.Target.CanUint():
		return "N"
	}
	return "WHAT"
}

// flagHelp returns the help of a flag with its default at the end, always in the same
// form: "Pause between two requests to a host (default 1s)". An example in a text is
// written "(e.g. 2h)", so that it cannot be taken for a default. Environment variables
// are not shown; dowse help env lists them.
func flagHelp(f *kong.Flag) string {
	if f.Name == "help" {
		return "Show this help."
	}
	value := shownDefault(f)
	if value == "" || f.IsBool() {
		return f.Help
	}
	return fmt.Sprintf("%s (default %s)", strings.TrimSuffix(f.Help, "."), value)
}

// shownDefault returns the default as people read it: the tag shown, for defaults that
// are applied later, or the parser's default.
func shownDefault(f *kong.Flag) string {
	if f.Tag.Has("shown") {
		return f.Tag.Get("shown")
	}
	return f.Default
}

// subcommands prints the commands below a command.
func (h helpText) subcommands(n *kong.Node) {
	var rows [][2]string
	for _, c := range n.Children {
		if !c.Hidden {
			rows = append(rows, [2]string{strings.TrimPrefix(commandPath(c), "dowse "), c.Help})
		}
	}
	if len(rows) > 0 {
		h.line("\nCommands:")
		h.rows(rows)
	}
}

// rows prints names and meanings in two columns. The left column is as wide as the widest
// name up to 24 columns; a name that is wider has a line of its own, so that one long
// flag does not squeeze the meanings of all others.
func (h helpText) rows(rows [][2]string) {
	const indent, gap, widest = 2, 2, 24
	left := 0
	for _, r := range rows {
		if n := len([]rune(r[0])); n <= widest {
			left = max(left, n)
		}
	}
	below := strings.Repeat(" ", indent+left+gap)
	for _, r := range rows {
		lead := fmt.Sprintf("%*s%-*s%*s", indent, "", left, r[0], gap, "")
		if len([]rune(r[0])) > left { // a long name has a line of its own
			h.line("  %s", r[0])
			lead = below
		}
		for _, l := range wrap(r[1], helpColumns-len(below)) {
			h.line("%s", strings.TrimRight(lead+l, " "))
			lead = below
		}
	}
}

// jobs are the groups of commands in dowse help, in order; the tag job of a command names
// one. They follow what a user does: start a crawl, look at it, teach it, take pages out.
// Commands for researchers and for upkeep come last.
var jobs = []struct{ name, title string }{
	{"start", "Start a crawl"},
	{"look", "Look at it"},
	{"teach", "Teach it what you want"},
	{"take out", "Take pages out"},
	{"lab", "Compare strategies in the lab"},
	{"cluster", "More machines"},
	{"upkeep", "Upkeep"},
}

// listCommands prints the commands by job, and the topics of help.
func listCommands(out io.Writer, root *kong.Node) error {
	fmt.Fprintln(out, "dowse finds pages on a topic: it crawls the best links first.")
	for _, j := range jobs {
		fmt.Fprintf(out, "\n%s:\n", j.title)
		for _, n := range root.Children {
			if !n.Hidden && n.Tag.Get("job") == j.name {
				row(out, n.Name, n.Help)
			}
		}
	}
	fmt.Fprintln(out, "\nTopics (dowse help TOPIC):")
	listTopics(out)
	_, err := fmt.Fprintln(out, "\ndowse COMMAND --help shows one command with examples.")
	return err
}

// listTopics prints the topics of help, one line each.
func listTopics(out io.Writer) {
	for _, t := range helpTopics() {
		row(out, t.name, t.about)
	}
}
