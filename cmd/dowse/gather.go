package main

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// gathered moves the flags of a command that takes a list of arguments in front of the list, so that flags may be anywhere:
// the parser accepts a list in one piece only. Arguments behind a -- stay behind one. Other commands are left as they are.
func gathered(root *kong.Node, args []string) []string {
	node, n := root, 0
	for ; n < len(args); n++ {
		i := slices.IndexFunc(node.Children, func(c *kong.Node) bool { return c.Name == args[n] || slices.Contains(c.Aliases, args[n]) })
		if i < 0 {
			break
		}
		node = node.Children[i]
	}
	if !slices.ContainsFunc(node.Positional, func(p *kong.Positional) bool { return p.IsCumulative() }) {
		return args
	}
	var flags, words []string
	for rest := args[n:]; len(rest) > 0; {
		switch a := rest[0]; {
		case a == "--":
			return slices.Concat(args[:n], flags, []string{"--"}, words, rest[1:])
		case a == "-" || !strings.HasPrefix(a, "-"):
			words, rest = append(words, a), rest[1:]
		default:
			taken := min(1+valuesOf(node, a), len(rest))
			flags, rest = append(flags, rest[:taken]...), rest[taken:]
		}
	}
	return slices.Concat(args[:n], flags, words)
}

// valuesOf returns how many arguments behind a flag, or behind several short ones, are its value: 0 or 1.
func valuesOf(node *kong.Node, arg string) int {
	name, long := strings.CutPrefix(arg, "--")
	if long {
		if f := flagNamed(node, func(f *kong.Flag) bool { return f.Name == name || slices.Contains(f.Aliases, name) }); f != nil && !f.IsBool() && !f.IsCounter() {
			return 1
		}
		return 0 // a switch, a flag with its value behind =, or one that does not exist
	}
	for i, c := range arg[1:] {
		f := flagNamed(node, func(f *kong.Flag) bool { return f.Short == c })
		if f != nil && !f.IsBool() && !f.IsCounter() {
			if 1+i+len(string(c)) == len(arg) {
				return 1
			}
			return 0 // what follows in the same argument is its value
		}
	}
	return 0
}

// flagNamed returns the flag of a command that a test accepts, nil if there is none.
func flagNamed(node *kong.Node, is func(*kong.Flag) bool) *kong.Flag {
	for _, group := range node.AllFlags(false) {
		if i := slices.IndexFunc(group, is); i >= 0 {
			return group[i]
		}
	}
	return nil
}
