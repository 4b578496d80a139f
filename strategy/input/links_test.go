package input_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"dowse/strategy/input"
)

const taughtLinks = "# to learn from\n+\thttp://a.test/tide-pools\ttide pools of the north\n\n-\thttp://b.test/shop\tcart\r\n-\thttp://c.test/\n"

func TestLabelledLinks(t *testing.T) {
	list, err := input.ReadLabelledLinks(strings.NewReader(taughtLinks))
	if err != nil {
		t.Fatal(err)
	}
	want := []input.LabelledLink{
		{Anchor: "tide pools of the north", URL: "http://a.test/tide-pools", Relevant: true},
		{Anchor: "cart", URL: "http://b.test/shop"}, {URL: "http://c.test/"},
	}
	if !slices.Equal(list, want) {
		t.Errorf("%+v", list)
	}
	for _, bad := range []string{"http://a.test/ x", "?\thttp://a.test/\tx", "+\t\tx"} {
		if _, err := input.ReadLabelledLinks(strings.NewReader(taughtLinks + bad)); err == nil || !strings.Contains(err.Error(), "line 6") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzLabelledLinks(f *testing.F) {
	f.Add([]byte(taughtLinks))
	f.Add([]byte("+\t\xff\t\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := input.ReadLabelledLinks(bytes.NewReader(b))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := input.WriteLabelledLinks(&out, list); err != nil {
			t.Fatal(err)
		}
		if again, err := input.ReadLabelledLinks(&out); err != nil || len(again) != len(list) {
			t.Errorf("%d links, read again %d: %v", len(list), len(again), err)
		}
	})
}

// TestMarkedLinks reads a file that begins with a byte order mark.
func TestMarkedLinks(t *testing.T) {
	list, err := input.ReadLabelledLinks(strings.NewReader("\ufeff+\thttp://a/\tcrabs\r\n"))
	if err != nil || len(list) != 1 || !list[0].Relevant {
		t.Errorf("got %+v, %v", list, err)
	}
}
