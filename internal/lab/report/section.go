package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dowse/internal/lab/measure"
)

// A Part is an experiment as a section of a document about many. It holds
// texts, not crawls, so that many parts fit into memory.
type Part struct {
	Name, Title string
	Web, How    string // the web, and how the run differs: see Place and How of [Input]
	// The run's folder, which distinguishes parts with equal titles; "" if
	// unknown.
	Run   string
	Tally map[measure.Outcome]int

	what, body string
	made       []Effort
	kept       *keptTexts // of an earlier document; nil for a part of a run
}

// Part returns the experiment as a section in Markdown: what the paper did, what
// was done here, the table, the claims, the command, and the program that made the
// crawls. Topics of a file are listed.
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
	if made := madeBy(in.Efforts); made != "" {
		fmt.Fprintf(&b, "%s\n\n", made)
	}
	if in.TopicsNamed {
		fmt.Fprintf(&b, "The topics of the file: %s.\n\n", markdown(strings.Join(r.topicNames(), ", ")))
	}
	b.WriteString(r.Markdown())
	if in.Note != "" {
		fmt.Fprintf(&b, "\n*Looked into.* %s\n", markdown(in.Note))
	}
	return Part{Name: in.Name, Title: in.Title, what: cmp.Or(in.Title, in.About), Web: clean(in.Place, 200), How: clean(in.How, 200), Tally: r.tally(), body: b.String(), made: in.Efforts}
}

// topicNames returns the topics by their full names.
func (r *Report) topicNames() []string {
	var list []string
	for _, t := range r.in.Runs.Topics() {
		list = append(list, clean(t, longText))
	}
	return list
}

// setup describes the crawls in one sentence: how many, on which training data, from which
// seeds, under which judge, on which webs.
func (r *Report) setup() string {
	var parts []string
	for _, f := range r.facts() {
		if slices.Contains([]string{"crawls", "training", "seeds", "judge"}, f.Name) {
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

// where names the web, and how the run differs from the experiment's own
// settings.
func (p *Part) where() string {
	where := p.Web
	if p.How != "" {
		where = strings.TrimPrefix(where+", "+p.How, ", ")
	}
	return where
}

// heading returns the title of the section. That of a kept one is in Markdown.
func (p *Part) heading() string {
	if p.kept != nil {
		return p.kept.heading
	}
	head := p.Name
	if w := p.where(); w != "" {
		head += " on " + w
	}
	return strings.TrimSuffix(head+": "+p.Title, ": ")
}

// escaped returns a text of the part in Markdown. Texts of kept parts are that already.
func (p *Part) escaped(text string) string {
	if p.kept != nil {
		return text
	}
	return markdown(text)
}

// row returns the part's cells in the table of experiments, in Markdown.
func (p *Part) row() []string {
	if p.kept != nil {
		return p.kept.row
	}
	return []string{markdown(p.Name), markdown(p.where()), markdown(p.what),
		fmt.Sprint(p.Tally[measure.Holds]), fmt.Sprint(p.Tally[measure.HoldsNot]), fmt.Sprint(p.Tally[measure.Undecided])}
}

// A LeftOut is an experiment that was not run, and the reason.
type LeftOut struct{ Name, Why string }

// Results returns a document with a table of all parts and one section per
// part, ordered by web as the webs first appear, then by name. Experiments that
// were left out are listed in a line, by reason, so that their absence is not
// taken for a failure. The preface, in Markdown, comes before the first section; ""
// for none. The last section lists the time and memory of the runs that recorded
// them.
func Results(parts []Part, left []LeftOut, preface string) string {
	parts = ordered(parts)
	var b strings.Builder
	b.WriteString("# Results\n\nWhat the papers say, next to what was measured here. Generated from runs; each section names the\n" +
		"command that repeats it. [measures.md](measures.md) defines the measures and when a claim holds,\n" +
		"[lab.md](lab.md) how crawls are made.\n\n" + howToRead + "\n" + partsHeader + "\n|---|---|---|--:|--:|--:|\n")
	for i := range parts {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(parts[i].row(), " | "))
	}
	if len(left) > 0 {
		fmt.Fprintf(&b, "\nLeft out: %s.\n", markdown(leftOut(left)))
	}
	if preface != "" {
		fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(preface))
	}
	for i := range parts {
		fmt.Fprintf(&b, "\n%s%s\n\n%s", sectionMark, parts[i].escaped(parts[i].heading()), parts[i].body)
	}
	b.WriteString(efforts(parts))
	return b.String()
}

// howToRead explains the numbers of all parts.
const howToRead = `Figures in tables are means over topics of the means over seed sets; ± in the first column and at early areas is their standard error. After a
claim follow the two figures, their mean difference with its 95 % confidence interval in brackets, n, the number of pairs
(topics, or topics with each of their seed sets if the experiment is paired over runs), and p of the experiment's test: one-tailed
in the direction of the claim, two-tailed where no difference is claimed. A claim that names a level of p is decided by the test,
another by the interval, so that one may hold with a p above 0.05. Claims are checked one by one: nothing is
adjusted for their number, and of so many some will hold by chance.
`

// ordered returns the parts in the order of the document, and adds the run's
// name to those that would have the same title. All titles are compared before
// any of them is changed.
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

// leftOut lists what was not run, grouped by reason.
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
