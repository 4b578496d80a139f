package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"dowse/internal/lab/measure"
)

// Metadata writes ir_metadata.yaml, a description of the experiment in the
// vocabulary of ir_metadata 0.2 (Breuer et al. 2022), for those who collect
// runs: platform, command, hypotheses, measures, tests, strategies with their
// parameters, and the hash of the web. It is written by hand, line by line,
// since the order of keys is part of the format and every text passes yamlText.
func (r *Report) Metadata(w io.Writer) error {
	var b strings.Builder
	b.WriteString("ir_metadata.start: \"0.2\"\n")
	b.WriteString("platform:\n  software:\n    other:\n")
	for _, f := range r.in.Version {
		fmt.Fprintf(&b, "      - %s\n", yamlText(f.Name+": "+f.Value))
	}
	fmt.Fprintf(&b, "implementation:\n  executable:\n    cmd: %s\n", yamlText(r.in.Command))
	b.WriteString("actor:\n  role: experimenter\n")
	fmt.Fprintf(&b, "research goal:\n  venue:\n    name: %s\n", yamlText(r.in.Paper))
	b.WriteString("  hypotheses:\n")
	for _, c := range r.in.Claims {
		fmt.Fprintf(&b, "    - %s\n", yamlText(c.Expect))
	}
	b.WriteString("  evaluation:\n    reported measures:\n")
	for _, m := range r.in.Measures {
		fmt.Fprintf(&b, "      - %s\n", yamlText(m.String()))
	}
	b.WriteString("    baseline:\n")
	for _, name := range r.rivals {
		fmt.Fprintf(&b, "      - %s\n", yamlText(name))
	}
	fmt.Fprintf(&b, "    significance test:\n      - name: %s\n        correction method: %s\n        alpha: %g\n",
		yamlText(testNames[r.in.Tests.Test]), yamlText(r.in.Tests.Adjust), r.in.Tests.Alpha)
	r.methods(&b)
	fmt.Fprintf(&b, "data:\n  test collection:\n    name: %s\n    source: %s\n    qrels: \"trec/qrels\"\n    topics:\n", yamlText(r.in.Name), yamlText("sha256:"+r.in.SHA256))
	for _, t := range r.in.Runs.Topics() {
		fmt.Fprintf(&b, "      - %s\n", yamlText(t))
	}
	b.WriteString("ir_metadata.end: true\n")
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("report: write metadata: %w", err)
	}
	return nil
}

// testNames are the full names of the tests.
var testNames = map[string]string{measure.WilcoxonTest: "Wilcoxon signed-rank test, two-tailed", measure.StudentTest: "paired t-test, one-tailed"}

// methods writes the strategies with their parameters.
func (r *Report) methods(b *strings.Builder) {
	b.WriteString("method:\n  automatic: true\n  retrieval:\n")
	specs := map[string]string{}
	for i := range r.in.Runs.Trails {
		specs[r.in.Runs.Trails[i].Name()] = r.in.Runs.Trails[i].Strategy
	}
	for _, name := range r.rows() {
		fmt.Fprintf(b, "    - name: %s\n      method: %s\n", yamlText(name), yamlText(specs[name]))
	}
}

// yamlText formats a string as YAML; JSON strings are a subset of it. A text
// can therefore contain anything without becoming a key.
func yamlText(s string) string {
	b, err := json.Marshal(clean(s, 2000))
	if err != nil {
		panic(err) // a string can't fail
	}
	return string(b)
}
