package report

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// An Effort is what one process spent on a run, without the report.
type Effort struct {
	Version string // of the program: name, number and commit
	Begun   time.Time
	Elapsed time.Duration
	CPU     time.Duration // processor time; 0 if unknown
	Memory  int64         // the most that the process had held, in bytes; 0 if unknown
}

// programs returns the programs that made a run, each once, in the order in which
// they began.
func programs(list []Effort) (names []string) {
	for _, e := range list {
		if name := shortVersion(e.Version); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// shortVersion returns a version with its commit, a word of 40 hexadecimal digits,
// cut to 7 of them. A plus sign after the commit, which means that the program was
// built from files that differ from it, stays.
func shortVersion(version string) string {
	words := strings.Fields(clean(version, 200))
	for i, w := range words {
		if hash, plus := strings.CutSuffix(w, "+"); len(hash) == 40 && strings.Trim(hash, "0123456789abcdef") == "" {
			words[i] = hash[:7]
			if plus {
				words[i] += "+"
			}
		}
	}
	return strings.Join(words, " ")
}

// madeBy returns the sentence of a section that names the program and the days of
// its run; "" if they were not recorded.
func madeBy(list []Effort) string {
	if len(list) == 0 {
		return ""
	}
	const day = "2 January 2006"
	first, last := list[0].Begun.Format(day), list[len(list)-1].Begun.Format(day)
	when := "on " + first
	if last != first {
		when = "from " + first + " to " + last
	}
	return fmt.Sprintf("*Made* by %s, %s.", markdown(strings.Join(programs(list), " and ")), when)
}

// total adds up the efforts of several processes. Memory is that of the largest;
// time and memory are 0 if one of them is unknown.
func total(list []Effort) (sum Effort) {
	known := true
	for _, e := range list {
		sum.Elapsed += e.Elapsed
		sum.CPU += e.CPU
		sum.Memory = max(sum.Memory, e.Memory)
		known = known && e.CPU > 0 && e.Memory > 0
	}
	if !known {
		sum.CPU, sum.Memory = 0, 0
	}
	return sum
}

// efforts returns a section with a table of what the runs took, "" if it was recorded
// for none of them.
func efforts(parts []Part) string {
	var rows strings.Builder
	var all []Effort
	for i := range parts {
		p := &parts[i]
		if len(p.made) == 0 {
			continue
		}
		all = append(all, p.made...)
		fmt.Fprintf(&rows, "| %s | %s | %s | %s |\n", p.escaped(p.Name), p.escaped(p.where()), p.escaped(strings.Join(programs(p.made), ", ")), spent(total(p.made)))
	}
	if len(all) == 0 {
		return ""
	}
	return "\n" + sectionMark + effortsTitle + "\n\n" +
		"Reading webs, training judges and making crawls, without the report. Memory is the most that a process had\n" +
		"held when it ended the run. Elapsed time depends on what else the machine did.\n\n" +
		effortHeader + "\n|---|---|---|--:|--:|--:|\n" +
		rows.String() +
		fmt.Sprintf("| all | | | %s |\n", spent(total(all)))
}

// spent returns processor time, elapsed time and memory as three cells of a table.
func spent(e Effort) string {
	cpu, memory := "–", "–"
	if e.CPU > 0 {
		cpu = fmt.Sprintf("%.0f s", e.CPU.Seconds())
	}
	if e.Memory > 0 {
		memory = fmt.Sprintf("%d MiB", e.Memory>>20)
	}
	return fmt.Sprintf("%s | %.0f s | %s", cpu, e.Elapsed.Seconds(), memory)
}
