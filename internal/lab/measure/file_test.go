package measure

import (
	"bytes"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

func sampleTrail() *Trail {
	return &Trail{
		Strategy: "otie:a=0.85", Label: "OTIE <b>", Topic: "tide\tpools", SeedSet: 2,
		Targets: 9, Reachable: 8, Popular: 2, Listed: 4, Pages: 100, Relevant: 12, Failed: 3, Stopped: "pages", Elapsed: 3 * time.Second,
		Steps: StepsOf([]Step{
			{URL: "http://a.demo/x?q=1", Host: "a.demo", Relevant: true, Seed: true, Trained: true, OnTopic: true, Popular: true, Listed: true, Judged: 0.1 + 0.2, At: 12, Bytes: 345},
			{URL: "s1", Host: "elsewhere"},
			{URL: "\"odd\"\tone\n", Host: "", From: "http://a.demo/", Anchor: "an \"anchor\"\t", OnTopic: true, Judged: 1e-300},
			{URL: "http://b.demo/", Host: ""},
		}...),
		Sites: []SiteStep{{Site: "a.demo", Relevant: true, Verdict: true, Pages: 4, Judged: 3}, {Site: "b\n.demo", Pages: 1, Judged: 1}, {Verdict: true}},
	}
}

func TestTrailKeeps(t *testing.T) {
	want := sampleTrail()
	want.CPU = time.Hour
	var first, second bytes.Buffer
	if err := errors.Join(WriteTrail(&first, want), WriteTrail(&second, want)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two writings of one trail differ")
	}
	got, err := NewNames().ReadTrail(&first)
	if err != nil {
		t.Fatal(err)
	}
	want.CPU = 0 // is not written
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read\n%+v\nwrote\n%+v", got, want)
	}
}

func TestReadTrailRefuses(t *testing.T) {
	var b bytes.Buffer
	if err := WriteTrail(&b, sampleTrail()); err != nil {
		t.Fatal(err)
	}
	good := b.String()
	lines := strings.SplitAfter(good, "\n")
	for name, text := range map[string]string{
		"nothing":         "",
		"another format":  strings.Replace(good, "trail/v3", "trail/v2", 1),
		"cut short":       strings.Join(lines[:3], ""),
		"too long":        good + "r\t1\ta\n",
		"huge":            strings.Replace(good, `"steps":4`, `"steps":999999999`, 1),
		"below zero":      strings.Replace(good, `"targets":9`, `"targets":-9`, 1),
		"marks":           strings.Replace(good, "rstopl\t", "srtopl\t", 1),
		"no size":         strings.Replace(good, "\t345\t", "\t9000000000000000000\t", 1),
		"no number":       strings.Replace(good, "\t345\t", "\tx\t", 1),
		"not a number":    strings.Replace(good, "\t12\t345", "\t-12\t345", 1),
		"bad quote":       strings.Replace(good, `"\"odd`, `"\"od"d`, 1),
		"too many fields": strings.Replace(good, "http://a.demo/x?q=1", "a\tb\tc\td", 1),
	} {
		if text == good {
			t.Fatalf("%s: the text was not changed", name)
		}
		if _, err := NewNames().ReadTrail(strings.NewReader(text)); !errors.Is(err, ErrTrail) {
			t.Errorf("%s: %v, want ErrTrail", name, err)
		}
	}
}

func FuzzReadTrail(f *testing.F) {
	var b bytes.Buffer
	if err := WriteTrail(&b, sampleTrail()); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"format":"dowse trail/v3","steps":1}` + "\n\t0\t0\t0\tu\tf\ta\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		trail, err := NewNames().ReadTrail(bytes.NewReader(data))
		if err != nil {
			return
		}
		var first, second bytes.Buffer
		if err := WriteTrail(&first, trail); err != nil {
			t.Fatal(err)
		}
		again, err := NewNames().ReadTrail(bytes.NewReader(first.Bytes()))
		if err != nil {
			t.Fatalf("what was written can't be read: %v", err)
		}
		if err := WriteTrail(&second, again); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatalf("a trail changes as it is written and read: %v", err)
		}
	})
}
