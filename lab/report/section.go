package report

import (
	"cmp"
	"fmt"
	"strings"

	"dowse/lab/measure"
)

// Section returns the experiment as a section of a longer document, in Markdown: what
// the paper did, what was done here, the table, the claims, and the command.
func (r *Report) Section() string {
	var b strings.Builder
	in := r.in.shown()
	fmt.Fprintf(&b, "## %s\n\n", markdown(strings.TrimSuffix(in.Name+": "+in.Title, ": ")))
	for _, part := range []struct{ name, text string }{{"Paper", in.Paper}, {"Here", in.About}} {
		if part.text != "" {
			fmt.Fprintf(&b, "*%s.* %s\n\n", part.name, markdown(part.text))
		}
	}
	fmt.Fprintf(&b, "%s\n\n", markdown(capital(r.setup())))
	if in.Command != "" {
		fmt.Fprintf(&b, "`%s`\n\n", strings.ReplaceAll(in.Command, "`", "'"))
	}
	b.WriteString(r.Markdown())
	if in.Note != "" {
		fmt.Fprintf(&b, "\n*Looked into.* %s\n", markdown(in.Note))
	}
	return b.String()
}

// setup tells in a sentence what the crawls were.
func (r *Report) setup() string {
	var parts []string
	for _, f := range r.facts() {
		if f.Name == "crawls" || f.Name == "seeds" || f.Name == "judge" {
			parts = append(parts, f.Name+": "+f.Value)
		}
	}
	webs := r.in.Web
	if len(webs) > 3 {
		webs = append(webs[:3:3], Fact{"and", fmt.Sprintf("%d more", len(webs)-3)})
	}
	for _, f := range webs {
		parts = append(parts, f.Name+": "+f.Value)
	}
	return strings.Join(parts, "; ") + "."
}

// Tally counts the outcomes of the claims.
func (r *Report) Tally() map[measure.Outcome]int {
	n := map[measure.Outcome]int{}
	for _, v := range r.Verdicts {
		n[v.Outcome]++
	}
	return n
}

// Results returns a document with a section to each report, and a table of them all
// before.
func Results(reports []*Report) string {
	var b strings.Builder
	b.WriteString("# Results\n\nWhat the papers say beside what was seen here. Written by `dowse lab results` from runs; each section names the\n" +
		"command that makes it again. [measures.md](measures.md) tells what the measures are and when a claim holds,\n" +
		"[lab.md](lab.md) how crawls are made.\n\n| experiment | what | holds | does not hold | undecided |\n|---|---|--:|--:|--:|\n")
	for _, r := range reports {
		n := r.Tally()
		in := r.in.shown()
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d |\n", markdown(in.Name), markdown(cmp.Or(in.Title, in.About)), n[measure.Holds], n[measure.HoldsNot], n[measure.Undecided])
	}
	for _, r := range reports {
		b.WriteString("\n" + r.Section())
	}
	return b.String()
}
