package extract

import (
	"encoding/json"
	"os"
	"testing"

	"golang.org/x/net/html"
)

func TestSrcsetConformance(t *testing.T) {
	b, err := os.ReadFile(suite(t, "html", "srcset.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases [][2]string
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		images := Srcset(html.UnescapeString(c[0]))
		got, want := "", html.UnescapeString(c[1])
		if len(images) > 0 {
			got = images[0].URL
		}
		if got != want {
			t.Errorf("%q: %q, want %q", c[0], got, want)
		}
	}
	t.Logf("%d cases", len(cases))
}
