package api_test

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// metricName matches the names of metrics of dowse in an expression.
var metricName = regexp.MustCompile(`\bdowse_[a-z_]+`)

// TestMonitoringNamesMetrics checks that the dashboard and the alert rules of the repository can be
// read, and that every metric and every label that they name exists.
func TestMonitoringNamesMetrics(t *testing.T) {
	c := serve(t, copied(t))
	c.do("GET", base, "")
	exposed := c.do("GET", "/metrics", "").body
	known := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (dowse_\w+) (\w+)$`).FindAllSubmatch(exposed, -1) {
		name := string(m[1])
		known[name] = true
		if string(m[2]) == "histogram" {
			known[name+"_bucket"], known[name+"_sum"], known[name+"_count"] = true, true, true
		}
	}
	// Metrics that have no value in this collection.
	for _, name := range []string{"dowse_audited_harvest_ratio", "dowse_answers_total"} {
		known[name] = true
	}
	board, err := os.ReadFile("../../docs/monitoring/grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Title  string
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(board, &dashboard); err != nil || len(dashboard.Panels) < 10 {
		t.Fatalf("%v, %d panels", err, len(dashboard.Panels))
	}
	var expressions []string
	for _, p := range dashboard.Panels {
		if len(p.Targets) == 0 {
			t.Errorf("panel %q shows nothing", p.Title)
		}
		for _, x := range p.Targets {
			expressions = append(expressions, x.Expr)
		}
	}
	rules, err := os.ReadFile("../../docs/monitoring/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var alerts struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Annotations struct{ Summary, Action string }
			}
		}
	}
	if err := yaml.NewDecoder(bytes.NewReader(rules)).Decode(&alerts); err != nil || len(alerts.Groups) != 1 {
		t.Fatal(err)
	}
	for _, r := range alerts.Groups[0].Rules {
		if r.Alert == "" || r.Annotations.Summary == "" || r.Annotations.Action == "" {
			t.Errorf("%+v", r)
		}
		expressions = append(expressions, r.Expr)
	}
	for _, x := range expressions {
		names := metricName.FindAllString(x, -1)
		if len(names) == 0 || strings.Count(x, "(") != strings.Count(x, ")") {
			t.Errorf("%q names no metric, or its brackets do not match", x)
		}
		for _, n := range names {
			if !known[n] {
				t.Errorf("%q: there is no metric %s", x, n)
			}
		}
	}
	for name := range known {
		if !slices.ContainsFunc(expressions, func(x string) bool {
			return strings.Contains(x, strings.TrimSuffix(strings.TrimSuffix(name, "_sum"), "_count"))
		}) {
			t.Logf("nothing shows %s", name)
		}
	}
}
