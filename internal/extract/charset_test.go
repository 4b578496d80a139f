package extract

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

func TestCharsetLabels(t *testing.T) {
	b, err := os.ReadFile(suite(t, "charset", "encoding-labels.json"))
	if err != nil {
		t.Fatal(err)
	}
	var labels [][2]string
	if err := json.Unmarshal(b, &labels); err != nil {
		t.Fatal(err)
	}
	good := 0
	for _, l := range labels {
		got := Charset([]byte("<p>"), "text/html; charset="+l[0])
		if strings.EqualFold(got, l[1]) {
			good++
			continue
		}
		t.Errorf("%q is %q, want %q", l[0], got, l[1])
	}
	t.Logf("%d of %d labels", good, len(labels))
}

func TestCharsetSniffing(t *testing.T) {
	good, all := 0, 0
	for _, file := range []string{"tests1.dat", "tests2.dat", "test-yahoo-jp.dat"} {
		b, err := os.ReadFile(suite(t, "charset", "sniff", file))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range bytes.Split(append([]byte("\n"), b...), []byte("\n#data\n"))[1:] {
			data, want, _ := bytes.Cut(c, []byte("\n#encoding\n"))
			name, _, _ := strings.Cut(string(want), "\n")
			all++
			if got := Charset(data, ""); strings.EqualFold(got, name) {
				good++
			} else {
				t.Logf("%s: got %s, want %s\n%q", file, got, name, data)
			}
		}
	}
	t.Logf("%d of %d pages", good, all)
	if all != 82 || good < 78 {
		t.Errorf("%d of %d pages have the right encoding, want 78 of 82", good, all)
	}
}
