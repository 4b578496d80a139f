package main

import (
	"fmt"

	"dowse/internal/lab/measure"
)

// printMeasures prints the measures of the lab from their table, so that the help names
// exactly the measures that can be asked for, with unit and direction.
func printMeasures(w *world) error {
	fmt.Fprint(w.out, `What the lab measures, written NAME[/WINDOW][@WHERE]: harvest, recall@500,
window_harvest/100@10%. WHERE is a number of pages, a percentage of the budget,
or end, the default. Definitions in full: docs/measures.md.

`)
	for _, k := range measure.Kinds() {
		better := "more is better"
		if k.Lower {
			better = "less is better"
		}
		row(w.out, k.Name, fmt.Sprintf("%s (%s; %s)", k.Doc, k.Unit, better))
	}
	return nil
}

// printClaims prints the language of claims, which --assert and experiments use. Examples
// explain it better than a grammar would, so there is one for each form.
func printClaims(w *world) error {
	_, err := fmt.Fprint(w.out, `A claim compares measures of strategies, over the topics that both were run on:

  otie.recall@end > opic.recall@end             the 95 % interval lies above 0
  otie.recall@end > opic.recall@end, p < .05    by the one-tailed test
  otie.recall@end > others.recall@end, p < .05  above each but the oracle
  a.harvest@end >= b.harvest@end, within .01    not worse by more than that
  a.harvest@end ~ b.harvest@end                 no significant difference
  a.recall@end ~ b.recall@end, within .02       the whole interval is that near
  a.harvest > b.harvest > c.harvest             and so on
  a.list_time > 2 * b.list_time                 more than twice
  a.harvest@end > 0.4                           a number
  a.recall > b.recall, throughout               at every twentieth of the budget
  a.recall crosses b.recall, at 5%..20%         first below, above from there on

p(t) and p(wilcoxon) choose the test; p alone uses the experiment's. Names
with spaces or operators are put in quotes: "oracle (upper bound)".recall. The
answer is holds, does not hold, or undecided: under 5 topics there is no
p-value, and an interval that includes both decides nothing. --assert accepts
only holds.
Measures: dowse help measures.
`)
	return err
}
