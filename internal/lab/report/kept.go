package report

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// The headings and tables by which [Kept] recognises the parts of a document.
const (
	sectionMark  = "## "
	effortsTitle = "Time and memory"
	partsHeader  = "| experiment | on | what | holds | does not hold | undecided |"
	effortHeader = "| experiment | on | program | processor | elapsed | memory |"
)

// Kept returns the sections of a document that [Results] wrote, so that a document can be
// written again with some of its runs replaced. A section without a row in the table of
// experiments is not kept: its experiment and web are unknown.
func Kept(document string) (parts []Part) {
	rows, costs := tableRows(document, partsHeader), tableRows(document, effortHeader)
	for section := range strings.SplitSeq("\n"+document, "\n"+sectionMark) {
		heading, body, _ := strings.Cut(section, "\n")
		i := slices.IndexFunc(rows, func(row []string) bool {
			return strings.HasPrefix(heading, row[0]+" on "+row[1]+":") || heading == row[0]+" on "+row[1]
		})
		if i < 0 {
			continue
		}
		p := Part{kept: &keptTexts{heading: heading, row: rows[i]}, body: strings.TrimSpace(body) + "\n"}
		p.Name = rows[i][0]
		p.Web, p.How, _ = strings.Cut(rows[i][1], ", ")
		for _, cost := range costs {
			if cost[0] == rows[i][0] && cost[1] == rows[i][1] {
				p.made = []Effort{effortOf(cost)}
			}
		}
		parts = append(parts, p)
	}
	return parts
}

// keptTexts are the heading of a kept section and its row in the table of experiments, in
// Markdown.
type keptTexts struct {
	heading string
	row     []string
}

// tableRows returns the cells of the rows below a header, without the line of dashes.
func tableRows(document, header string) (rows [][]string) {
	_, rest, found := strings.Cut(document, header+"\n")
	if !found {
		return nil
	}
	for line := range strings.Lines(rest) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(strings.ReplaceAll(line, `\|`, "\x00"), "|"), "|")
		if len(cells) != strings.Count(header, "|")-1 || strings.HasPrefix(line, "|---") {
			continue
		}
		for i := range cells {
			cells[i] = strings.ReplaceAll(strings.TrimSpace(cells[i]), "\x00", `\|`)
		}
		rows = append(rows, cells)
	}
	return rows
}

// effortOf reads a row of the table of time and memory. What it does not give is 0.
func effortOf(row []string) Effort {
	number := func(cell string) (n int64) {
		fmt.Sscan(cell, &n)
		return n
	}
	return Effort{Version: row[2], CPU: time.Duration(number(row[3])) * time.Second, Elapsed: time.Duration(number(row[4])) * time.Second, Memory: number(row[5]) << 20}
}

// Merge returns the kept parts, each replaced by the new part of the same experiment on the
// same web, run in the same way, if there is one; then the other new parts. So webs keep
// their order.
func Merge(made, kept []Part) (parts []Part) {
	used := make([]bool, len(made))
	for _, k := range kept {
		i := slices.IndexFunc(made, func(p Part) bool { return slices.Equal(p.row()[:2], k.row()[:2]) })
		if i < 0 {
			parts = append(parts, k)
		} else if !used[i] {
			parts, used[i] = append(parts, made[i]), true
		}
	}
	for i, p := range made {
		if !used[i] {
			parts = append(parts, p)
		}
	}
	return parts
}
