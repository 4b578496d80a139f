package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/alecthomas/kong"
)

// completionCmd prints a script that lets a shell complete commands, flags and arguments
// with a closed list of values. The script is static: the shell does not start dowse at
// each Tab, and after an update it is generated again.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish,powershell,man" help:"bash, zsh, fish or powershell; man prints the manual page."`
}

func (completionCmd) Help() string {
	return `Examples:
  source <(dowse completion bash)                 now
  dowse completion bash > /etc/bash_completion.d/dowse
  dowse completion zsh > "${fpath[1]}/_dowse"
  dowse completion fish > ~/.config/fish/completions/dowse.fish
  dowse completion powershell >> $PROFILE`
}

// Run prints a completion script. It is generated from the parser's model, so it always
// has the commands and flags of this version.
func (c *completionCmd) Run(w *world) error {
	if c.Shell == "man" {
		manPage(w.out, w.parser.Model.Node)
		return nil
	}
	scripts := map[string]func(io.Writer, []completion){
		"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion, "powershell": powershellCompletion,
	}
	scripts[c.Shell](w.out, completions(w.parser.Model.Node))
	return nil
}

// A completion is what can follow a command: its subcommands, flags and argument values.
// The four shells get the same list, each in its own syntax.
type completion struct {
	path     string // "" for dowse itself, "topic check"
	commands []word
	flags    []word
	values   []string // what its argument may be, if that is a closed list
}

// A word is something to type, and its help.
type word struct{ text, help string }

// completions returns one completion per command and alias, the outer commands first. It
// is read from the parser's model, like the help, so that a new command or flag is
// completed without any change here.
func completions(root *kong.Node) []completion {
	var list []completion
	var walk func(n *kong.Node, path string)
	walk = func(n *kong.Node, path string) {
		c := completion{path: path, flags: flagWords(n)}
		for _, child := range n.Children {
			c.commands = append(c.commands, word{child.Name, child.Help})
		}
		c.values = argumentValues(n, path)
		list = append(list, c)
		for _, child := range n.Children {
			for _, name := range append([]string{child.Name}, child.Aliases...) {
				walk(child, strings.TrimSpace(path+" "+name))
			}
		}
	}
	walk(root, "")
	return list
}

// flagWords returns the flags of a command that are not hidden, long and short, with
// --help.
func flagWords(n *kong.Node) (list []word) {
	for _, f := range n.Flags {
		if f.Hidden {
			continue
		}
		list = append(list, word{"--" + f.Name, f.Help})
		if f.Short != 0 {
			list = append(list, word{"-" + string(f.Short), f.Help})
		}
	}
	if !slices.ContainsFunc(list, func(w word) bool { return w.text == "--help" }) {
		list = append(list, word{"--help", "Show help."})
	}
	return list
}

// argumentValues returns the possible values of a command's first argument, nil if they
// are not a closed list; the shell then completes file names. For help these are the
// topics and the commands.
func argumentValues(n *kong.Node, path string) (list []string) {
	if path == "help" {
		for _, t := range helpTopics() {
			list = append(list, t.name)
		}
		for _, c := range n.Parent.Children {
			list = append(list, c.Name)
		}
		return list
	}
	if len(n.Positional) > 0 && n.Positional[0].Enum != "" {
		return n.Positional[0].EnumSlice()
	}
	return nil
}

// words returns the commands and values of a completion, separated by spaces. None of
// them contains a space itself.
func (c completion) words() string {
	var all []string
	for _, w := range c.commands {
		all = append(all, w.text)
	}
	all = append(all, c.values...)
	return strings.Join(all, " ")
}

// flagText returns the flags of a completion, separated by spaces.
func (c completion) flagText() string {
	var all []string
	for _, w := range c.flags {
		all = append(all, w.text)
	}
	return strings.Join(all, " ")
}

// bashCompletion prints a script for bash: a function that follows the words typed so
// far down the commands and then offers words, flags and files.
func bashCompletion(out io.Writer, list []completion) {
	fmt.Fprint(out, `# bash completion for dowse
_dowse() {
  local cur=${COMP_WORDS[COMP_CWORD]} at= word words= flags=
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in
`)
	shellPaths(out, list)
	fmt.Fprint(out, "    esac\n  done\n  case \"$at\" in\n")
	for _, c := range list {
		fmt.Fprintf(out, "    %s) words=%s flags=%s ;;\n", quote(c.path), quote(c.words()), quote(c.flagText()))
	}
	fmt.Fprint(out, `  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$words" -- "$cur") $(compgen -f -- "$cur"))
  fi
}
complete -o filenames -F _dowse dowse
`)
}

// shellPaths prints the cases of a shell script that follow the words typed so far down
// the commands. A word that is no command at its place matches no case and is skipped, so
// flags and arguments may come between.
func shellPaths(out io.Writer, list []completion) {
	for _, c := range list {
		if c.path == "" {
			continue
		}
		pattern := c.path
		if !strings.Contains(c.path, " ") {
			pattern = " " + c.path // at the start the path is empty
		}
		fmt.Fprintf(out, "      %s) at=%s ;;\n", quote(pattern), quote(c.path))
	}
}

// quote makes a string one word for a POSIX shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// shellWord quotes a string only if a shell would split or expand it.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_./:,=+%@^", r)
	}
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return quote(s)
	}
	return s
}

// zshCompletion prints the function _dowse for zsh. zsh shows the help of each word next
// to it, so words and their help are passed together.
func zshCompletion(out io.Writer, list []completion) {
	fmt.Fprint(out, `#compdef dowse
_dowse() {
  local at= word
  local -a items flags
  for word in ${words[2,CURRENT-1]}; do
    case "$at $word" in
`)
	shellPaths(out, list)
	fmt.Fprint(out, "    esac\n  done\n  case \"$at\" in\n")
	for _, c := range list {
		items := slices.Clone(c.commands)
		for _, v := range c.values {
			items = append(items, word{v, ""})
		}
		fmt.Fprintf(out, "    %s) items=(%s) flags=(%s) ;;\n", quote(c.path), zshWords(items), zshWords(c.flags))
	}
	fmt.Fprint(out, `  esac
  if [[ $PREFIX == -* ]]; then
    _describe flag flags
  else
    _describe command items
    _files
  fi
}
if [[ $funcstack[1] == _dowse ]]; then
  _dowse "$@"
else
  compdef _dowse dowse
fi
`)
}

// zshWords returns words with their help as zsh's _describe reads them.
func zshWords(list []word) string {
	var all []string
	for _, w := range list {
		text := strings.ReplaceAll(w.text, ":", `\:`)
		if w.help != "" {
			text += ":" + w.help
		}
		all = append(all, quote(text))
	}
	return strings.Join(all, " ")
}

// fishCompletion prints one complete line per word for fish. The function __dowse_at
// decides whether the words typed so far are a command and its arguments, since fish
// evaluates a condition per line instead of one function for all.
func fishCompletion(out io.Writer, list []completion) {
	fmt.Fprint(out, `# fish completion for dowse
function __dowse_at
    set -l path
    set -l known $argv[2..-1]
    for word in (commandline -opc)[2..-1]
        if contains -- (string join ' ' $path $word) $known
            set -a path $word
        end
    end
    test (string join ' ' $path) = "$argv[1]"
end
set -g __dowse_commands`)
	for _, c := range list {
		if c.path != "" {
			fmt.Fprintf(out, " %s", quote(c.path))
		}
	}
	fmt.Fprintln(out)
	for _, c := range list {
		at := fmt.Sprintf("complete -c dowse -n \"__dowse_at %s \\$__dowse_commands\"", quote(c.path))
		for _, w := range c.commands {
			fmt.Fprintf(out, "%s -a %s -d %s\n", at, w.text, quote(w.help))
		}
		for _, v := range c.values {
			fmt.Fprintf(out, "%s -a %s\n", at, v)
		}
		for _, f := range c.flags {
			fmt.Fprintf(out, "%s %s -d %s\n", at, fishFlag(f.text), quote(f.help))
		}
	}
}

// fishFlag returns a flag as arguments of fish's complete.
func fishFlag(text string) string {
	if long, ok := strings.CutPrefix(text, "--"); ok {
		return "-l " + long
	}
	return "-s " + strings.TrimPrefix(text, "-")
}

// powershellCompletion prints a script for PowerShell: a table from commands to words, and
// a loop that follows the words before the cursor down the commands.
func powershellCompletion(out io.Writer, list []completion) {
	fmt.Fprint(out, `# PowerShell completion for dowse
Register-ArgumentCompleter -Native -CommandName dowse -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @{
`)
	for _, c := range list {
		all := strings.TrimSpace(c.words() + " " + c.flagText())
		fmt.Fprintf(out, "        '%s' = '%s'\n", c.path, strings.ReplaceAll(all, "'", "''"))
	}
	fmt.Fprint(out, `    }
    $path = ''
    foreach ($e in $commandAst.CommandElements | Select-Object -Skip 1) {
        $next = "$path $e".Trim()
        if ($e.Extent.EndOffset -lt $cursorPosition -and $words.ContainsKey($next)) { $path = $next }
    }
    $words[$path].Split(' ') | Where-Object { $_ -like "$wordToComplete*" } |
        ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}
`)
}
