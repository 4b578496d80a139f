package judge_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"dowse"
	"dowse/judge"
)

func ExampleWords() {
	j, err := judge.NewWords(judge.Wanted{
		Words: []string{"coral bleaching"},
		Not:   []string{"hair bleaching"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	v := j.Judge(page("Coral bleaching explained", "When corals are bleaching they lose their algae. Coral bleaching follows heat."))
	for _, b := range v.Because {
		fmt.Printf("%+.2f %s ×%d\n", b.Weight, b.What, b.Count)
	}
	fmt.Printf("%.2f\n", v.Relevance)
	// Output:
	// +2.00 "coral bleaching" ×2
	// +1.32 title ×3
	// +0.86 "bleaching" ×2
	// +0.86 "coral" ×2
	// -3.00 bias ×0
	// 0.88
}

// page makes a fetched page of a title and a text.
func page(title, s string) *dowse.Page {
	return &dowse.Page{Document: dowse.Document{Title: title, Text: s, Words: dowse.Words(s)}}
}

// mixed returns n words of neutral text with mention put in times times, evenly.
func mixed(n, times int, mention string) string {
	neutral := strings.Fields("people went into town and bought bread before the rain came down on the old market square")
	words := make([]string, 0, n)
	for i := range n {
		if times > 0 && i%(n/times) == n/times/2 {
			words = append(words, mention)
		} else {
			words = append(words, neutral[i%len(neutral)])
		}
	}
	return strings.Join(words, " ")
}

func words(t testing.TB, w judge.Wanted) *judge.Words {
	t.Helper()
	j, err := judge.NewWords(w)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestWordsRelevance(t *testing.T) {
	lighthouse := judge.Wanted{Words: []string{"lighthouse"}}
	reefs := judge.Wanted{
		Words: []string{"coral bleaching", "reef heat stress"},
		Also:  []string{"zooxanthellae", "degree heating weeks", "acropora"},
		Not:   []string{"hair bleaching", "aquarium shop"},
	}
	tests := []struct {
		name     string
		wanted   judge.Wanted
		page     *dowse.Page
		low, top float64
	}{
		{"empty page", lighthouse, page("", ""), 0, 0.1},
		{"neutral page", lighthouse, page("Market", mixed(500, 0, "")), 0, 0.1},
		{"passing mention, tiny page", lighthouse, page("Market", mixed(20, 1, "lighthouse")), 0.1, 0.49},
		{"passing mention, short page", lighthouse, page("Market", mixed(150, 1, "lighthouses")), 0.1, 0.49},
		{"passing mention", lighthouse, page("Market", mixed(500, 1, "lighthouse")), 0.05, 0.3},
		{"passing mention, long page", lighthouse, page("Market", mixed(5000, 2, "lighthouse")), 0.05, 0.3},
		{"title and several, short page", lighthouse, page("The Lighthouse", mixed(100, 3, "lighthouse")), 0.6, 1},
		{"title and several", lighthouse, page("The Lighthouse", mixed(500, 4, "lighthouse")), 0.55, 1},
		{"title and several, long page", lighthouse, page("The Lighthouse", mixed(2000, 5, "lighthouse")), 0.55, 1},
		{"long page, many mentions", lighthouse, page("Market", mixed(5000, 25, "lighthouse")), 0.7, 1},
		{"very long page, many mentions", lighthouse, page("Market", mixed(50000, 100, "lighthouse")), 0.7, 1},
		{"a list: one word in five", lighthouse, page("", mixed(2000, 400, "lighthouse")), 0.9, 0.96},
		{"a dense list: one word in four", lighthouse, page("", mixed(2000, 500, "lighthouse")), 0.7, 0.9},
		{"a caption: hardly anything else", lighthouse, page("", mixed(100, 50, "lighthouse")), 0.9, 0.96},
		{"link farm: one word without end", lighthouse, page("", mixed(2000, 1000, "lighthouse")), 0, 0.1},

		{"one phrase", reefs, page("Coral bleaching", mixed(500, 4, "coral bleaching")), 0.7, 1},
		{"a phrase with stop words", reefs, page("", mixed(300, 6, "the corals are bleaching")), 0.6, 1},
		{"single words of a phrase", reefs, page("", mixed(500, 20, "coral")), 0.05, 0.3},
		{"all single words apart", reefs, page("", mixed(500, 10, "bleaching once had coral")), 0.1, 0.6},
		{"good signs alone", reefs, page("Acropora", mixed(500, 20, "acropora zooxanthellae")), 0.1, 0.45},
		{"looks alike", reefs, page("Hair bleaching", mixed(500, 8, "hair bleaching")), 0, 0.1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v := words(t, tt.wanted).Judge(tt.page)
			t.Logf("%.3f", v.Relevance)
			if v.Relevance < tt.low || v.Relevance > tt.top {
				t.Errorf("relevance %.3f, want %g to %g: %+v", v.Relevance, tt.low, tt.top, v.Because)
			}
		})
	}
}

func TestWordsOrder(t *testing.T) {
	wanted := judge.Wanted{
		Words: []string{"lighthouse", "fresnel lens", "keeper"},
		Also:  []string{"coast"},
		Not:   []string{"lighthouse restaurant"},
	}
	j := words(t, wanted)
	rated := func(title, mention string, times int) float64 {
		return j.Judge(page(title, mixed(800, times, mention))).Relevance
	}
	tests := []struct {
		name         string
		better, than float64
	}{
		{"two words beat one often", rated("", "lighthouse keeper", 4), rated("", "lighthouse", 40)},
		{"a title beats a mention", rated("lighthouse", "lighthouse", 3), rated("", "lighthouse", 4)},
		{"more is more", rated("", "lighthouse", 4), rated("", "lighthouse", 3)},
		{"a phrase beats its words", rated("", "fresnel lens", 4), rated("", "lens fresnel", 4)},
		{"a stem counts", rated("", "lighthouses", 3), rated("", "lightship", 3)},
		{"good signs help", rated("", "lighthouse coast", 3), rated("", "lighthouse", 3)},
		{"good signs weigh less than words", rated("", "keeper", 3), rated("", "coast", 3)},
		{"signs against hurt", rated("", "lighthouse cafe", 5), rated("", "lighthouse restaurant", 5)},
	}
	for _, tt := range tests {
		if tt.better <= tt.than {
			t.Errorf("%s: %.3f against %.3f", tt.name, tt.better, tt.than)
		}
	}
}

func TestTitleAndMetaCountDouble(t *testing.T) {
	j := words(t, judge.Wanted{Words: []string{"lighthouse"}})
	body := j.Judge(page("", mixed(500, 4, "lighthouse"))).Relevance
	for _, p := range []*dowse.Page{
		{Document: dowse.Document{Title: "Lighthouse"}},
		{Document: dowse.Document{Description: "a lighthouse"}},
		{Document: dowse.Document{Keywords: "lighthouse, market"}},
	} {
		s := mixed(500, 2, "lighthouse")
		p.Text, p.Words = s, dowse.Words(s)
		if v := j.Judge(p); math.Abs(v.Relevance-body) > 1e-9 {
			t.Errorf("%+v: %.6f, want %.6f as for two mentions more", v.Because, v.Relevance, body)
		}
	}
}

func TestWindows(t *testing.T) {
	j := words(t, judge.Wanted{Words: []string{"tide pools", "intertidal", "zonation", "barnacles", "rock pool life"}})
	text := mixed(40, 0, "") + " Field guide to tide pools of the coast " + mixed(40, 0, "")
	p := page("", text)
	at := int32(43)
	windows := []dowse.Span{
		{Start: at - 9, End: at + 11}, // around the phrase
		{Start: at, End: at + 2},      // the phrase alone
		{Start: at + 1, End: at + 21}, // cuts the phrase
		{Start: 0, End: 20},           // neutral
		{Start: 7, End: 7},            // empty
		{Start: -5, End: 1 << 30},     // beyond both ends
		{Start: 50, End: 3},           // the wrong way round
	}
	v, got := j.JudgeWindows(p, windows)
	if want := j.Judge(p).Relevance; v.Relevance != want {
		t.Errorf("with windows the page has %g, without %g", v.Relevance, want)
	}
	if len(got) != len(windows) {
		t.Fatalf("%d ratings of %d windows", len(got), len(windows))
	}
	if got[0] < 0.6 || got[1] < got[0] {
		t.Errorf("the phrase in 20 words %.3f, alone %.3f", got[0], got[1])
	}
	if got[2] > 0.4 || got[2] < got[3] {
		t.Errorf("half the phrase %.3f, neutral %.3f", got[2], got[3])
	}
	for i, r := range got[3:5] {
		if r > 0.1 {
			t.Errorf("window %d: %.3f", i+3, r)
		}
	}
	if _, none := j.JudgeWindows(p, nil); len(none) != 0 {
		t.Errorf("%v for no windows", none)
	}
}

func TestPhrases(t *testing.T) {
	j := words(t, judge.Wanted{Words: []string{"reef heat stress", "heat of the ocean"}})
	tests := map[string]int{
		"reef heat stress":                             1,
		"Reefs: heat and stresses":                     1,
		"reef of the heat of the stress":               1,
		"reef heat the of and in to stress":            0, // too far apart
		"reef cold heat stress":                        0,
		"heat stress reef":                             0,
		"reef reef heat stress heat stress":            1,
		"reef heat stress, and so reef heat stress is": 2,
	}
	for s, want := range tests {
		got := 0
		for _, b := range j.Judge(page("", s)).Because {
			if b.What == `"reef heat stress"` {
				got = b.Count
			}
		}
		if got != want {
			t.Errorf("%q: found %d times, want %d", s, got, want)
		}
	}
}

func TestSymbolsInWords(t *testing.T) {
	j := words(t, judge.Wanted{Words: []string{"C#"}})
	if v := j.Judge(page("C# in depth", mixed(300, 5, "c#"))); v.Relevance < 0.5 {
		t.Errorf("c#: %.3f", v.Relevance)
	}
	if v := j.Judge(page("C in depth", mixed(300, 5, "c"))); v.Relevance > 0.1 {
		t.Errorf("c: %.3f", v.Relevance)
	}
}

func TestOtherLanguage(t *testing.T) {
	j := words(t, judge.Wanted{Words: []string{"ışıklar"}, Language: "tr"})
	if v := j.Judge(page("IŞIK", mixed(300, 5, "ışıkları"))); v.Relevance < 0.5 {
		t.Errorf("%.3f: %+v", v.Relevance, v.Because)
	}
}

// A word that is written without spaces is one word, however many bigrams it has.
func TestWordsWithoutSpaces(t *testing.T) {
	latin := words(t, judge.Wanted{Words: []string{"coral"}}).Judge(page("Coral", "Reefs of coral are warm."))
	han := words(t, judge.Wanted{Words: []string{"珊瑚白化"}, Language: "zh"}).Judge(page("珊瑚白化", "大堡礁的珊瑚白化是由于海水温度升高。"))
	if math.Abs(han.Relevance-latin.Relevance) > 1e-9 {
		t.Errorf("%.3f: %+v; a word in Latin letters has %.3f", han.Relevance, han.Because, latin.Relevance)
	}
}

// TestPhrasesWithoutSpaces has topics of several words of scripts that are written without spaces, with the
// spaces that people put between words to search for.
func TestPhrasesWithoutSpaces(t *testing.T) {
	for _, c := range []struct {
		topic, text string
		least, most float64
		reasons     string
	}{
		{"サワードウ パン", "サワードウの種を混ぜます。パン生地を折ります。", 0.4, 0.6, `"サワードウ" "パン"`},
		{"パン 酵母", "パン酵母を使います。", 0.8, 1, `"パン 酵母" "パン" "酵母"`},
		{"パン 酵母", "パン 酵母", 0.8, 1, `"パン 酵母" "パン" "酵母"`},
		{"パン 酵母", "電車は東京駅を出発します。", 0, 0.1, ""},
		{"パン 酵母", "パンを焼きます。電車は東京駅を出発します。", 0.1, 0.3, `"パン"`},
		{"天然 酵母 面包", "天然酵母面包的面团需要发酵。", 0.8, 1, `"天然 酵母 面包" "天然" "酵母" "面包"`},
		{"기후 변화", "기후변화는 온난화로 인한 변화이다. 기후 변화 보고서.", 0.8, 1, `"기후 변화" "기후" "변화"`},
		{"AI パン", "AI を使う。パンを焼く。", 0.4, 0.6, `"AI" "パン"`},
	} {
		v := words(t, judge.Wanted{Words: []string{c.topic}}).Judge(page("", strings.Repeat(c.text+"\n", 8)))
		if v.Relevance < c.least || v.Relevance > c.most {
			t.Errorf("%s: %.2f for %q, want %.1f to %.1f: %v", c.topic, v.Relevance, c.text, c.least, c.most, v.Because)
		}
		for _, name := range strings.Split(c.reasons, `" "`) {
			name = `"` + strings.Trim(name, `"`) + `"`
			if c.reasons != "" && !slices.ContainsFunc(v.Because, func(b dowse.Because) bool { return b.What == name }) {
				t.Errorf("%s: no reason %s for %q: %v", c.topic, name, c.text, v.Because)
			}
		}
	}
}

func TestAboutIsWeak(t *testing.T) {
	j := words(t, judge.Wanted{Words: []string{"coral"}, About: "Coral, its causes, observations and recovery."})
	v := j.Judge(page("Recovery", mixed(300, 30, "observations causes recovery")))
	if v.Relevance < 0.05 || v.Relevance > 0.2 {
		t.Errorf("%.3f: %+v", v.Relevance, v.Because)
	}
	if v.Because[0].What != "about" {
		t.Errorf("%+v", v.Because)
	}
}

func TestReasonsAreShortened(t *testing.T) {
	var list []string
	for i := range 200 {
		list = append(list, fmt.Sprint("word", i))
	}
	v := words(t, judge.Wanted{Words: list}).Judge(page("", strings.Join(list, " ")))
	if n := len(v.Because); n > 30 {
		t.Errorf("%d reasons", n)
	}
	checkSum(t, v)
}

func TestNewWordsRefuses(t *testing.T) {
	tests := []struct {
		wanted judge.Wanted
		says   string
	}{
		{judge.Wanted{}, "at least one word"},
		{judge.Wanted{Also: []string{"reef"}}, "at least one word"},
		{judge.Wanted{Words: []string{"the"}}, "only stop words"},
		{judge.Wanted{Words: []string{"reef", "§$%"}}, "only stop words"},
		{judge.Wanted{Words: []string{"reef"}, Also: []string{"of the"}}, "only stop words"},
		{judge.Wanted{Words: []string{"reef"}, Not: []string{""}}, "only stop words"},
		{judge.Wanted{Words: []string{"reef"}, Not: []string{"Reefs"}}, "the same word stems"},
		{judge.Wanted{Words: []string{"reef"}, Also: []string{"fish"}, Not: []string{"fishes"}}, "the same word stems"},
		{judge.Wanted{Words: []string{"one two three four five six seven eight nine"}}, "at most 8"},
		{judge.Wanted{Words: make([]string, 1001)}, "at most 1000"},
	}
	for _, tt := range tests {
		_, err := judge.NewWords(tt.wanted)
		if err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%+v: %v, want %q", tt.wanted, err, tt.says)
		}
	}
}

func TestWithout(t *testing.T) {
	j := words(t, judge.Wanted{Words: []string{"lighthouse", "keeper"}})
	with := j.Judge(page("", mixed(400, 5, "lighthouse keeper")))
	want := j.Judge(page("", mixed(400, 5, "lighthouse sleeper"))).Relevance
	for i, b := range with.Because {
		if b.What == `"keeper"` {
			// Two pages, one word apart in each mention: the same length.
			if got := judge.Without(with, i); math.Abs(got-want) > 1e-9 {
				t.Errorf("without keeper %.6f, want %.6f", got, want)
			}
		}
	}
	shares := dowse.Verdict{Relevance: 0.9, Scale: judge.Share, Because: []dowse.Because{{What: "a", Weight: 0.7}, {What: "b", Weight: 0.2}}}
	if got := judge.Without(shares, 0); math.Abs(got-0.2) > 1e-12 {
		t.Errorf("share: %g", got)
	}
}

func BenchmarkWordsJudge(b *testing.B) {
	j := words(b, judge.Wanted{
		Words: []string{"coral bleaching", "reef heat stress"},
		Also:  []string{"zooxanthellae", "degree heating weeks", "acropora"},
		Not:   []string{"hair bleaching", "aquarium shop"},
	})
	p := page("Coral bleaching", mixed(2000, 100, "coral bleaching reef acropora"))
	var windows []dowse.Span
	for i := range int32(40) {
		windows = append(windows, dowse.Span{Start: i * 40, End: i*40 + 20})
	}
	b.ReportAllocs()
	for b.Loop() {
		j.JudgeWindows(p, windows)
	}
}
