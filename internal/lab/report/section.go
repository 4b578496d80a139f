package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dowse/internal/lab/measure"
)

// A Part is an experiment as it stands in a document on many. It holds no crawls, so
// there can be many of them.
type Part struct {
	Name, Title string
	Web, How    string // where it ran, and how otherwise than it says: see [Input]
	Run         string // the run's folder, which tells apart what nothing else does; "" for not known
	Tally       map[measure.Outcome]int

	what, body string
}

// Part returns the experiment as a part of a longer document, in Markdown: what the
// paper did, what was done here, the table, the claims, and the command.
func (r *Report) Part() Part {
	var b strings.Builder
	in := r.in.shown()
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
	return Part{Name: in.Name, Title: in.Title, what: cmp.Or(in.Title, in.About), Web: clean(in.Place, 200), How: clean(in.How, 200), Tally: r.tally(), body: b.String()}
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

// tally counts the outcomes of the claims.
func (r *Report) tally() map[measure.Outcome]int {
	n := map[measure.Outcome]int{}
	for _, v := range r.Verdicts {
		n[v.Outcome]++
	}
	return n
}

// where tells the web, and how the experiment was run otherwise than it says.
func (p *Part) where() string {
	where := p.Web
	if p.How != "" {
		where = strings.TrimPrefix(where+", "+p.How, ", ")
	}
	return where
}

// heading tells what the part is about and where it was seen.
func (p *Part) heading() string {
	head := p.Name
	if w := p.where(); w != "" {
		head += " on " + w
	}
	return strings.TrimSuffix(head+": "+p.Title, ": ")
}

// A LeftOut is an experiment that was not run, and why.
type LeftOut struct{ Name, Why string }

// Results returns a document with a section to each part, and a table of them all
// before: web after web in the order in which they come, and on each by the names of the
// experiments. Those that were left out are told in a line.
func Results(parts []Part, left []LeftOut) string {
	parts = ordered(parts)
	var b strings.Builder
	b.WriteString("# Results\n\nWhat the papers say beside what was seen here. Written by `dowse lab results` from runs; each section names the\n" +
		"command that makes it again. [measures.md](measures.md) tells what the measures are and when a claim holds,\n" +
		"[lab.md](lab.md) how crawls are made.\n\n" + howToRead + "\n| experiment | on | what | holds | does not hold | undecided |\n|---|---|---|--:|--:|--:|\n")
	for i := range parts {
		p := &parts[i]
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %d | %d |\n", markdown(p.Name), markdown(p.where()), markdown(p.what),
			p.Tally[measure.Holds], p.Tally[measure.HoldsNot], p.Tally[measure.Undecided])
	}
	if len(left) > 0 {
		fmt.Fprintf(&b, "\nLeft out: %s.\n", markdown(leftOut(left)))
	}
	for i := range parts {
		fmt.Fprintf(&b, "\n## %s\n\n%s", markdown(parts[i].heading()), parts[i].body)
	}
	return b.String()
}

// howToRead tells what the numbers of all parts are.
const howToRead = `Figures in tables are means over topics of the means over seed sets; ± in the first column is their standard error. Beside a
claim stand the two figures, their mean difference with its 95 % bootstrap interval in brackets, n, the number of pairs
(topics, or topics with each of their seed sets where the experiment says so), and p of the experiment's test: one-tailed
in the direction of the claim, two-tailed where no difference is claimed. A claim that names a level of p is decided by the test,
another by the interval, so that one may hold beside a p above 0.05. Claims are looked at one by one: nothing is
adjusted for their number, and of so many some will come out by chance.
`

// ordered sorts parts, and lets those that would have the same title name their runs.
func ordered(parts []Part) []Part {
	parts = slices.Clone(parts)
	webs, titles := map[string]int{}, map[string]int{}
	for i := range parts {
		if _, known := webs[parts[i].Web]; !known {
			webs[parts[i].Web] = len(webs)
		}
		titles[parts[i].heading()]++
	}
	for i := range parts {
		if p := &parts[i]; titles[p.heading()] > 1 && p.Run != "" {
			p.How = strings.TrimPrefix(p.How+", "+clean(p.Run, 200), ", ")
		}
	}
	slices.SortStableFunc(parts, func(a, b Part) int {
		return cmp.Or(cmp.Compare(webs[a.Web], webs[b.Web]), cmp.Compare(a.Name, b.Name), cmp.Compare(a.How, b.How))
	})
	return parts
}

// leftOut tells what was not run, by reason.
func leftOut(left []LeftOut) string {
	var reasons []string
	names := map[string][]string{}
	for _, l := range left {
		if names[l.Why] == nil {
			reasons = append(reasons, l.Why)
		}
		names[l.Why] = append(names[l.Why], l.Name)
	}
	for i, why := range reasons {
		reasons[i] = strings.Join(names[why], ", ") + " (" + clean(why, longText) + ")"
	}
	return strings.Join(reasons, "; ")
}
