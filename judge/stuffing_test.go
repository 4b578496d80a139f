package judge_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"dowse"
	"dowse/internal/demo"
	"dowse/internal/extract"
	"dowse/judge"
)

func TestStuffing(t *testing.T) {
	many := judge.Wanted{Words: strings.Fields("lighthouse keeper lantern lens beacon foghorn lightship harbour reef shoal buoy pilot")}
	tests := []struct {
		name   string
		wanted judge.Wanted
		text   string
		want   bool
	}{
		{"a phrase, its words counted one by one", judge.Wanted{Words: []string{"tide pools"}}, mixed(1000, 200, "tide pools"), true},
		{"three words, one of them in every eighth place", judge.Wanted{Words: strings.Fields("tide pool shore")}, mixed(1000, 125, "tide"), false},
		{"three words that fill a third together", judge.Wanted{Words: strings.Fields("tide pool shore")}, strings.Repeat("the tide at the pool by the shore was low ", 60), true},
		{"many words of a large topic", many, strings.Repeat(strings.Join(many.Words, " the ")+" and they went on in the rain to see how it was done ", 20), false},
		{"good signs are no stuffing", judge.Wanted{Words: []string{"lighthouse"}, Also: []string{"keeper"}}, "lighthouse " + mixed(1000, 500, "keeper"), false},
		{"signs against are none", judge.Wanted{Words: []string{"lighthouse"}, Not: []string{"cinema"}}, "lighthouse " + mixed(1000, 500, "cinema"), false},
		{"a language without spaces", judge.Wanted{Words: []string{"灯台"}, Language: "ja"}, strings.Repeat("岬の灯台は夜になると遠くの船まで光を送り、", 40), false},
		{"the same, stuffed", judge.Wanted{Words: []string{"灯台"}, Language: "ja"}, strings.Repeat("灯台灯台、", 200), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := words(t, tt.wanted).Judge(page("", tt.text))
			if got := isStuffed(v); got != tt.want {
				t.Errorf("stuffed %v, want %v: %+v", got, tt.want, v.Because)
			}
			checkVerdict(t, tt.name, v)
		})
	}
}

// TestStuffingBesideAModel: signs that stand beside other evidence say nothing then,
// rather than something against it.
func TestStuffingBesideAModel(t *testing.T) {
	j, err := judge.NewSigns(judge.Wanted{Words: []string{"lighthouse"}})
	if err != nil {
		t.Fatal(err)
	}
	if v := j.Judge(page("", mixed(2000, 1000, "lighthouse"))); v.Relevance != 0.5 {
		t.Errorf("relevance %g: %+v", v.Relevance, v.Because)
	}
}

// TestStuffingOfTheMadeWeb: pages of the link farm are off topic, and nothing is said
// of any other page.
func TestStuffingOfTheMadeWeb(t *testing.T) {
	if testing.Short() {
		t.Skip("short: starts no goroutines")
	}
	web := demo.New(demo.Config{Seed: 1000})
	topic, _ := web.Topic("tide pools")
	j := words(t, judge.Wanted{Words: topic.Words, Also: topic.Also, Not: topic.Not})
	farmed, fooled := 0, 0
	for i := 0; i < web.Len(); i += 3 {
		p := fetched(t, web, web.URL(i))
		v := j.Judge(p)
		switch farm := strings.Contains(string(p.URL), "tidepools.demo/"); {
		case farm:
			farmed++
			if v.Relevance >= judge.Threshold {
				fooled++
			}
		case isStuffed(v):
			t.Errorf("%s: %+v", p.URL, v.Because)
		}
	}
	if t.Logf("%d of %d pages of the farm on topic", fooled, farmed); farmed < 20 || 10*fooled > farmed {
		t.Errorf("%d of %d pages of the farm are on topic", fooled, farmed)
	}
}

// fetched asks the made web for a page; of what is no page it is empty.
func fetched(t *testing.T, web *demo.Web, u dowse.URL) *dowse.Page {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, string(u), nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &dowse.Page{URL: u}
	resp, err := web.RoundTripper().RoundTrip(r)
	if err != nil {
		return p // a host that drops connections
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return p
	}
	text, _ := extract.Decode(body, resp.Header.Get("Content-Type"))
	p.Document = *extract.HTML(text, u, extract.Options{})
	return p
}

func isStuffed(v dowse.Verdict) bool {
	return slices.ContainsFunc(v.Because, func(b dowse.Because) bool { return strings.HasPrefix(b.What, "the topic's words fill") })
}
