package collection

import (
	"slices"
	"testing"
)

func TestUsagesOfRobots(t *testing.T) {
	for _, c := range []struct {
		robots string
		want   map[string][]string // uses by path
	}{
		{"User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n", map[string][]string{"/": {"ai"}, "/a/b": {"ai"}}},
		{"User-agent: *\nContent-Signal: ai-train=yes\n", map[string][]string{"/": nil}},
		{"Content-Usage: train-ai=n, tdm=n\nUser-agent: other\nContent-Usage: train-ai=y", map[string][]string{"/": {"ai", "tdm"}}},
		{"User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /open/ train-ai=y\n", map[string][]string{"/": {"ai"}, "/open/x": nil, "/op": {"ai"}}},
		{"User-agent: *\nContent-Usage: train-ai=n\n\nUser-agent: DOWSE\nUser-agent: other\nAllow: / # all\nContent-Signal: ai-train=yes", map[string][]string{"/": nil}},
		{"User-agent: dowse\nContent-Signal: ai-train=no\nUser-agent: *\nContent-Signal: ai-train=yes", map[string][]string{"/": {"ai"}}},
		{"User-agent: other\nContent-Signal: ai-train=no", map[string][]string{"/": nil}},
		{"# Content-Signal: ai-train=no\nContent-Signal: ai-train\nContent-Signal\n:\n\x00", map[string][]string{"/": nil}},
	} {
		rules := parseUsages([]byte(c.robots), "dowse")
		for path, want := range c.want {
			if got := usesFor(rules, path); !slices.Equal(got, want) {
				t.Errorf("%q: %s reserves %v, want %v", c.robots, path, got, want)
			}
		}
	}
}

// TestTDMRep checks which paths the rules of a tdmrep.json reserve.
func TestTDMRep(t *testing.T) {
	for _, c := range []struct {
		file          string
		reserved, not []string
	}{
		{`[{"location":"/","tdm-reservation":1}]`, []string{"/", "/a?b"}, nil},
		{`[{"location":"/","tdm-reservation":1},{"location":"/open/","tdm-reservation":0}]`, []string{"/", "/op"}, []string{"/open/", "/open/x"}},
		{`[{"location":"/a*b$","tdm-reservation":1}]`, []string{"/ab", "/axxb", "/abab"}, []string{"/", "/abc", "/b"}},
		{`[{"location":"/img/*.jpg","tdm-reservation":1,"tdm-policy":"https://a.test/p.json"}]`, []string{"/img/x.jpg", "/img/x.jpg?y"}, []string{"/x.jpg"}},
		{`[{"location":"/a","tdm-reservation":0},{"location":"/a","tdm-reservation":1}]`, []string{"/a"}, nil},
		{`{"location":"*","tdm-reservation":"1"}`, []string{"/", "/x"}, nil},
		{`[1,{"location":3},{"location":"/","tdm-reservation":2},{"tdm-reservation":1},null,{"location":"/x","tdm-reservation":1}]`, []string{"/x"}, []string{"/"}},
		{`<html>not found</html>`, nil, []string{"/"}},
		{``, nil, []string{"/"}},
	} {
		rules := parseTDM([]byte(c.file))
		for _, path := range c.reserved {
			if !reservesTDM(rules, path) {
				t.Errorf("%s does not reserve %s", c.file, path)
			}
		}
		for _, path := range c.not {
			if reservesTDM(rules, path) {
				t.Errorf("%s reserves %s", c.file, path)
			}
		}
	}
}
