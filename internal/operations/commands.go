package operations

import (
	"path/filepath"
	"regexp"
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

// skipped returns the flag that leaves out the first rows of a list.
func skipped(n int) []string {
	if n == 0 {
		return nil
	}
	return []string{"--skip", number(n)}
}

// namedDirs is how many collections a command names one by one.
const namedDirs = 6

// ListCommand returns the command that shows the progress of collections. It names each of them, or the
// folders that they are in if there are many.
func ListCommand(list []Collection) string {
	var dirs, folders []string
	for _, c := range list {
		dirs = append(dirs, c.Dir)
		folders = append(folders, filepath.Dir(c.Dir))
	}
	if len(dirs) <= namedDirs {
		return command(append([]string{"status"}, dirs...)...)
	}
	slices.Sort(folders)
	line := command("status")
	for _, f := range slices.Compact(folders) {
		line += " " + quote(f) + "/*" + suffix
	}
	return line
}

// pagesCommand returns the command that lists the pages of a query behind the first ones.
func pagesCommand(dir string, q *PageQuery, first int) string {
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
		args = append(args, flagArgument("host", q.Host))
	}
	if !q.Since.IsZero() {
		args = append(args, "--since", q.Since.Format(time.RFC3339))
	}
	for _, x := range [][2]string{{"lang", q.Language}, {"text", q.Text}, {"because", q.Reason}, {"model", q.Model}} {
		if x[1] != "" {
			args = append(args, flagArgument(x[0], x[1]))
		}
	}
	if q.Sort != SortFetched {
		args = append(args, "--sort", q.Sort)
	}
	return command(slices.Concat(args, []string{"-n", number(q.Limit)}, skipped(first))...)
}

// hostsCommand returns the command that lists the hosts of a query behind the first ones.
func hostsCommand(dir string, q *HostQuery, first int) string {
	args := []string{"hosts", dir, "--sort", q.Sort}
	if q.Show != "" && q.Show != "all" {
		args = append(args, "--show", q.Show)
	}
	if q.Text != "" {
		args = append(args, flagArgument("text", q.Text))
	}
	return command(slices.Concat(args, []string{"-n", number(q.Limit)}, skipped(first))...)
}

// frontierCommand returns the command that shows the links of a query.
func frontierCommand(dir string, q *FrontierQuery) string {
	args := []string{"status", dir, "--top", number(q.Limit)}
	if q.Host != "" {
		args = append(args, flagArgument("host", q.Host))
	}
	return command(args...)
}

// sitesCommand returns the command that lists the sites of a query.
func sitesCommand(dir string, q *SiteQuery) string {
	args := []string{"sites", dir, "--sort", q.Sort}
	if q.Homepage {
		args = append(args, "--by", "homepage")
	}
	if q.All {
		args = append(args, "--all")
	}
	if q.On {
		args = append(args, "--on")
	}
	return command(slices.Concat(args, []string{"-n", number(q.Limit)}, skipped(q.Offset))...)
}

// searchCommand returns the command that finds the same pages. A query that begins with a dash comes behind
// a --.
func searchCommand(dirs []string, q *SearchQuery) string {
	args := append([]string{"search"}, dirs...)
	if q.All {
		args = append(args, "--all")
	}
	if q.Similar != "" {
		args = append(args, flagArgument("similar", q.Similar))
	}
	args = append(append(args, "-n", number(q.Limit)), skipped(q.Offset)...)
	if q.Query != "" {
		args = append(args, "--", q.Query)
	}
	return command(args...)
}

// topicCheckCommand returns the command that checks the topic of a question. Words of several lines are
// several words in quotes for a crawl, and one text for a check.
func topicCheckCommand(q *TopicQuestion) string {
	if len(q.Words) == 0 {
		return command("topic", "check", "FILE")
	}
	return command("topic", "check", strings.Join(q.Words, ", "))
}

// NewCommand returns the command that starts a crawl of a topic; settings that are "" are left out.
func NewCommand(q TopicQuestion, pages, contact, name string, demo bool) string {
	args := append([]string{"crawl"}, q.Words...)
	if len(q.Words) == 0 {
		args = append(args, "FILE.topic.yaml")
	}
	for _, s := range q.Seeds {
		args = append(args, "--seed", s)
	}
	for _, x := range [][2]string{{"--pages", pages}, {"--contact", contact}} {
		if x[1] != "" {
			args = append(args, x[0], x[1])
		}
	}
	if name != "" {
		args = append(args, "-o", name+suffix)
	}
	if demo {
		args = append(args, "--demo")
	}
	return command(args...)
}

// EditCommands returns the commands that change the words of the topic of a collection: one that writes the topic
// to a file, to be edited, and one that continues the crawl with it.
func EditCommands(dir, name string) []string {
	file := name + ".topic.yaml"
	return []string{command("topic", "show", dir) + " > " + quote(file), command("crawl", file, "-o", dir)}
}

// excludeCommand returns the command that excludes URLs.
func excludeCommand(dir, pattern string) string { return command("set", dir, "--exclude", pattern) }

// outArguments returns the arguments that name the collection of a crawl.
func outArguments(dir string) []string { return []string{"--out=" + dir} }

// auditCommand returns the command that measures the judge.
func auditCommand(dir string) string { return command("label", dir, "--audit", "50") }

// ailmentHelp returns what to do about an unhealthy crawl, and the command that does it.
func ailmentHelp(name, dir string) (do, line string) {
	switch name {
	case AilDamaged:
		return "rebuild it from what can be read, or restore a backup", command("collection", "salvage", dir, "-o", "NEW")
	case AilBooks:
		return "check the collection", command("collection", "verify", dir)
	case AilDisk:
		return "make room on the disk", ""
	case AilNames, AilIdle:
		return "check the network of this machine", ""
	case AilFull:
		return "make room on the disk, then continue", command("crawl", dir)
	case AilNothing:
		return "check the seeds and the network, then ask again", command("crawl", dir, "--retry", "failed")
	}
	return "continue the crawl", command("crawl", dir)
}

// hostHelp returns what to do about hosts that do not answer. Where no link waits for them, their URLs have failed.
func hostHelp(dir string, waits bool) (do, line string) {
	if !waits {
		return "ask for what failed again", command("crawl", dir, "--retry", "failed")
	}
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

// trainedCommand returns the command after a training: the one that returns to the model before, or the one that
// uses a model that was refused. A refused model is not in use, so an undo would leave the model that is.
func trainedCommand(dir string, refused bool) string {
	if refused {
		return command("label", dir, "--train", "--yes")
	}
	return command("label", dir, "--undo")
}

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

// shownArguments returns the arguments of a crawl as its command shows them: the file of a topic that came as a text is the
// one in the collection, because the one that the process reads is temporary.
func shownArguments(args []string, dir string) []string {
	return append(slices.Clone(args[:len(args)-1]), filepath.Join(dir, "topic.yaml"))
}

// newArguments returns the flags of a new crawl.
func newArguments(dir string, demo bool) []string {
	args := []string{"--out=" + dir, "--fresh"}
	if demo {
		args = append(args, "--demo")
	}
	return args
}

// allExperiments is what the command line takes for all built-in experiments.
const allExperiments = "all"

// labArguments returns the arguments of a run of the lab.
func labArguments(dir string, r *LabRequest) []string {
	args := []string{"lab", "run", r.Experiment, "--out=" + dir, "--jobs=1"}
	if r.Demo {
		args = append(args, "--web=demo")
	}
	if r.Pages > 0 {
		args = append(args, "--pages="+number(r.Pages))
	}
	return args
}

// seedArgument returns the flag of a seed.
func seedArgument(url string) string { return "--seed=" + url }

// flagArgument returns a flag with its value in one word.
func flagArgument(name, value string) string { return "--" + name + "=" + value }

// netAdvice matches the advice of a crawl to open a network. It can't be followed by whoever asks this process for the
// crawl, so netAdviceHere replaces it.
var netAdvice = regexp.MustCompile(`add --allow-net \S+`)

const netAdviceHere = "it can't be opened here; whoever starts this program can allow its network"

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
