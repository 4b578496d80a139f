package topic_test

import (
	"strings"
	"testing"

	"dowse"
)

// A clause under not is told with its not, by what came of both.
func TestDeniedClauses(t *testing.T) {
	for _, tt := range []struct {
		where, url string
		want       []string
	}{
		{"{not: {path: shop}}", "http://a.example/shop/1", []string{"where not path: shop: no, found shop"}},
		{"{not: {path: shop}}", "http://a.example/x", []string{"where not path: shop: yes, is /x"}},
		{"{all: [{not: {not: {path: shop}}}, {host: a.example}]}", "http://a.example/x", []string{"where not what the next says: no", "where host: a.example: yes, found a.example"}},
		{"{not: [{path: shop}, {path: forum}]}", "http://a.example/shop/1", []string{"where not what the next 2 say: no", "where path: shop: yes, found shop", "where path: forum: no, is /shop/1"}},
		{"{not: {published: {after: 2024}}}", "http://a.example/x", []string{"where not published: {after: 2024}: unknown, published is not known"}},
	} {
		j, err := parse(t, preface+"words: [reef]\nwhere: "+tt.where).Judge()
		if err != nil {
			t.Fatal(err)
		}
		v := j.Judge(&dowse.Page{URL: dowse.URL(tt.url), Document: dowse.Document{Text: "reef", Words: dowse.Words("reef")}})
		var got []string
		for _, b := range v.Because {
			if strings.HasPrefix(b.What, "where ") && strings.Contains(b.What, ": ") {
				got = append(got, b.What)
			}
		}
		for _, want := range tt.want {
			if !strings.Contains(strings.Join(got, "\n")+"\n", want+"\n") {
				t.Errorf("%s of %s: %q, want %q", tt.where, tt.url, got, want)
			}
		}
	}
}
