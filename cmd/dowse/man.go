package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"dowse/crawler"
)

// manPage prints the manual page dowse(1) as roff: all commands with their help and flags.
func manPage(out io.Writer, root *kong.Node) {
	fmt.Fprintf(out, ".TH DOWSE 1 \"\" \"dowse %s\"\n.SH NAME\ndowse \\- a focused web crawler\n.SH SYNOPSIS\n.B dowse\nCOMMAND [ARGUMENT ...]\n.SH DESCRIPTION\n%s\n.SH COMMANDS\n", crawler.Version, roff(root.Help))
	manCommands(out, root)
}

// manCommands prints the commands below a node.
func manCommands(out io.Writer, node *kong.Node) {
	for _, n := range node.Children {
		if n.Hidden {
			continue
		}
		fmt.Fprintf(out, ".SS %s\n%s\n", roff(usageOf(n)), roff(n.Help))
		if n.Detail != "" {
			fmt.Fprintf(out, ".PP\n.nf\n%s\n.fi\n", roff(n.Detail))
		}
		for _, f := range n.Flags {
			if !f.Hidden {
				fmt.Fprintf(out, ".TP\n.B %s\n%s\n", roff("--"+f.Name), roff(f.Help))
			}
		}
		manCommands(out, n)
	}
}

// roff returns a text in which nothing is a request or an escape of roff.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") || strings.HasPrefix(l, "'") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
