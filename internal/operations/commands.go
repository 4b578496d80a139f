package operations

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"dowse"
	"dowse/settings"
)

// This file holds every text of the package that names a command or a flag: the commands that
// answers show, because they do the same in a terminal, and those that are started.

// command returns a command line of dowse that a person can paste into a shell.
func command(args ...string) string {
	var b strings.Builder
	b.WriteString("dowse")
	for _, a := range args {
		b.WriteString(" ")
		b.WriteString(quote(a))
	}
	return b.String()
}

// quote returns a word as a shell reads it.
func quote(word string) string {
	plain := func(c rune) bool {
		return c < 128 && (c == '-' || c == '_' || c == '.' || c == '/' || c == ':' || c == '=' || c == ',' || c == '%' || c == '@' || c == '+' ||
			'0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z')
	}
	if word != "" && strings.IndexFunc(word, func(c rune) bool { return !plain(c) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// pagesCommand returns the command that lists the pages of a query.
func pagesCommand(dir string, q *PageQuery) string {
	args := []string{"pages", dir}
	if q.Verdict != "" {
		args = append(args, "--"+q.Verdict)
	}
	if q.Failed {
		args = append(args, "--failed")
	}
	if q.Skipped != "" {
		args = append(args, "--skipped="+q.Skipped)
	}
	if q.Host != "" {
		args = append(args, "--host", q.Host)
	}
	if !q.Since.IsZero() {
		args = append(args, "--since", q.Since.Format(time.RFC3339))
	}
	if q.Sort != SortFetched {
		args = append(args, "--sort", q.Sort)
	}
	return command(append(args, "-n", number(q.Limit))...)
}

// hostsCommand returns the command that lists the hosts of a query.
func hostsCommand(dir string, q *HostQuery) string {
	return command("hosts", dir, "--sort", q.Sort, "-n", number(q.Limit))
}

// auditCommand returns the command that measures the judge.
func auditCommand(dir string) string { return command("label", dir, "--audit", "50") }

// ailmentHelp returns what to do about an unhealthy crawl, and the command that does it.
func ailmentHelp(name, dir string) (do, line string) {
	switch name {
	case AilBooks:
		return "check the collection", command("collection", "verify", dir)
	case AilDisk:
		return "make room on the disk", ""
	case AilNames, AilIdle:
		return "check the network of this machine", ""
	case AilFull:
		return "make room on the disk, then continue", command("crawl", dir)
	}
	return "continue the crawl", command("crawl", dir)
}

// hostHelp returns what to do about hosts that do not answer.
func hostHelp(dir string) (do, line string) {
	return "ask them again when they may answer", command("crawl", dir, "--retry", "unreached")
}

// reasonHelp returns what to do about URLs that were skipped or failed for a reason, and the
// command that does it; "" where nothing should be done.
func reasonHelp(r dowse.Reason, dir string) (do, line string) {
	retry := command("crawl", dir, "--retry", string(r))
	switch r {
	case dowse.SkipScopeHost:
		return "widen the scope", command("set", dir, "--scope", "web")
	case dowse.SkipScopeExclude:
		return "take an exclusion back", command("set", dir, "--drop", "PATTERN")
	case dowse.SkipScopeDepth:
		return "allow more links from a seed", command("set", dir, "--max-depth", "0")
	case dowse.SkipScopeTunnel:
		return "allow more pages off topic in a row", command("set", dir, "--tunnel", "5")
	case dowse.SkipBudgetHost:
		return "allow more pages per host", command("set", dir, "--per-host", "1000")
	case dowse.SkipPrivateIP:
		return "allow the network, if it is yours", command("crawl", dir, "--allow-net", "NETWORK")
	case dowse.SkipHostBlocked, dowse.SkipUserBlocked:
		return "take the block back", command("set", dir, "--drop", "HOST")
	case dowse.FailTimeout, dowse.FailConnect, dowse.FailDNS, dowse.FailTLS, dowse.FailHTTP, dowse.FailProtocol:
		return "ask again", retry
	case dowse.SkipRobotsTxt, dowse.SkipRobotsMeta, dowse.SkipChallenge, dowse.SkipLogin, dowse.SkipPayment:
		return "nothing: it is the wish of the owner", ""
	}
	return "", ""
}

// graphCommand returns the command that writes the graph of all hosts.
func graphCommand(dir string) string { return command("export", dir, "hosts.gexf") }

// undoCommand returns the command that goes back to the model before.
func undoCommand(dir string) string { return command("label", dir, "--undo") }

// setFlags are the settings that dowse set changes, as its flags are called.
func setFlags() []string {
	var names []string
	for _, f := range settings.Fields() {
		section, _, _ := strings.Cut(f.Key, ".")
		if f.Flag != "" && (f.Key == "threshold" || slices.Contains([]string{"limits", "scope", "politeness"}, section)) {
			names = append(names, f.Flag)
		}
	}
	return append(names, "block")
}

// crawlArguments returns the arguments of a crawl: the flags that the operator has fixed, those of
// the request, and what to crawl, which can't be read as a flag.
func crawlArguments(fixed, more, what []string) []string {
	return slices.Concat([]string{"crawl", "--no-progress"}, fixed, more, []string{"--"}, what)
}

// newArguments returns the flags of a new crawl.
func newArguments(dir string, demo bool) []string {
	args := []string{"--out=" + dir, "--fresh"}
	if demo {
		args = append(args, "--demo")
	}
	return args
}

// seedArgument returns the flag of a seed.
func seedArgument(url string) string { return "--seed=" + url }

// flagArgument returns a flag with its value in one word.
func flagArgument(name, value string) string { return "--" + name + "=" + value }

// isFlag reports whether an argument is a flag with a name.
func isFlag(arg, name string) bool {
	return arg == "--"+name || strings.HasPrefix(arg, "--"+name+"=")
}

// exportCommand returns the command that writes the same file.
func exportCommand(dir, name string, r *ExportRequest) string {
	args := []string{"export", dir, name}
	add := func(flag, value string) {
		if value != "" {
			args = append(args, flagArgument(flag, value))
		}
	}
	if r.On {
		args = append(args, "--on")
	}
	if r.All {
		args = append(args, "--all")
	}
	if !r.Since.IsZero() {
		add("since", r.Since.Format(time.RFC3339))
	}
	if !r.Changed.IsZero() {
		add("changed-since", r.Changed.Format(time.RFC3339))
	}
	add("where", r.Where)
	if r.MinScore > 0 {
		add("min-score", strconv.FormatFloat(r.MinScore, 'g', -1, 64))
	}
	add("distinct", r.Distinct)
	add("respect", strings.Join(r.Respect, ","))
	if r.Limit > 0 {
		add("limit", number(r.Limit))
	}
	if r.Sample > 0 {
		add("sample", number(r.Sample))
	}
	add("text", r.Text)
	add("fields", strings.Join(r.Fields, ","))
	add("graph", r.Graph)
	return command(args...)
}
