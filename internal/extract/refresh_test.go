package extract

import (
	"encoding/json"
	"os"
	"testing"
)

func TestRefreshConformance(t *testing.T) {
	b, err := os.ReadFile(suite(t, "html", "meta-refresh.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Input    string
		Expected []any
	}
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		seconds, target, ok := Refresh(c.Input)
		if ok != (len(c.Expected) > 0) {
			t.Errorf("%q: ok is %v, want %v", c.Input, ok, c.Expected)
			continue
		}
		if !ok {
			continue
		}
		want := c.Expected[1].(string)
		if want == "__filename__" {
			want = ""
		}
		if float64(seconds) != c.Expected[0] || target != want {
			t.Errorf("%q: %d %q, want %v", c.Input, seconds, target, c.Expected)
		}
	}
	t.Logf("%d cases", len(cases))
}
