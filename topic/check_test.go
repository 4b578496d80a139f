package topic_test

import (
	"strings"
	"testing"

	"dowse/topic"
)

func TestCheck(t *testing.T) {
	seeds := []string{"https://example.org/"}
	tests := []struct {
		name  string
		topic topic.Topic
		level topic.Level
		says  string
	}{
		{"summary", topic.Topic{Words: []string{"reef", "coral"}, Also: []string{"fish"}, Seeds: seeds}, topic.OK, "words 2, also 1, not 0, seeds 1"},
		{"terms", topic.Topic{Words: []string{"Coral Bleaching"}}, topic.Hint, "coral bleach"},
		{"short word", topic.Topic{Words: []string{"reef"}}, topic.Warn, "one short word"},
		{"one word", topic.Topic{Words: []string{"lighthouse"}}, topic.Hint, "wide topic"},
		{"stop words", topic.Topic{Words: []string{"reef", "of the"}}, topic.Wrong, `words: "of the" has only stop words`},
		{"stop words in not", topic.Topic{Words: []string{"reef"}, Not: []string{"and"}}, topic.Wrong, `not: "and"`},
		{"long phrase", topic.Topic{Words: []string{"one two three four five six seven eight nine"}}, topic.Wrong, "at most 8 words"},
		{"nothing wanted", topic.Topic{Also: []string{"reef"}}, topic.Wrong, "at least one word"},
		{"same word", topic.Topic{Words: []string{"reef", "Reefs"}}, topic.Warn, `"Reefs" is the same to the judge as "reef" in words`},
		{"same sign", topic.Topic{Words: []string{"reef"}, Also: []string{"reefs"}}, topic.Warn, `also: "reefs"`},
		{"contradiction", topic.Topic{Words: []string{"reef"}, Not: []string{"reefs"}}, topic.Wrong, "the same word stems"},
		{"no not", topic.Topic{Words: []string{"reef"}}, topic.Hint, "look-alikes"},
		{"no seeds", topic.Topic{Words: []string{"reef"}}, topic.Warn, "add seeds: to the topic"},
		{"seed twice", topic.Topic{Words: []string{"reef"}, Seeds: []string{"https://a.example/", "https://a.example/"}}, topic.Warn, "twice"},
		{"low threshold", topic.Topic{Words: []string{"reef"}, Threshold: 0.01}, topic.Warn, "threshold 0.01"},
		{"language without stop words", topic.Topic{Words: []string{"reef"}, Languages: []string{"ja"}}, topic.Hint, `"ja"`},
		{"a gate that asks nothing", topic.Topic{Where: map[string]any{"all": []any{}}}, topic.Warn, "holds for every page"},
		{"a gate that never holds", topic.Topic{Words: []string{"reef"}, Where: map[string]any{"any": []any{}}}, topic.Warn, "holds for no page"},
		{"a gate alone", topic.Topic{Where: map[string]any{"title": "reef"}}, topic.Hint, "without words links are ranked only once a page holds"},
		{"a fact that grows", topic.Topic{Where: map[string]any{"links_in": "3.."}}, topic.Hint, "links_in counts the pages that were fetched before"},
		{"several languages", topic.Topic{Words: []string{"reef"}, Languages: []string{"es", "en"}}, topic.Hint, `stemmed as "es"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			findings := tt.topic.Check()
			for _, f := range findings {
				if f.Level == tt.level && strings.Contains(f.Text, tt.says) {
					return
				}
			}
			t.Errorf("%v: want %s %q", findings, tt.level, tt.says)
		})
	}
}

// A topic is wrong exactly if it can't be judged by.
func TestCheckAgreesWithJudge(t *testing.T) {
	for _, tt := range []topic.Topic{
		{}, {Words: []string{"reef"}}, {Words: []string{"the"}}, {Words: []string{"reef"}, Also: []string{"reef"}},
		{Words: []string{"reef"}, Not: []string{"reef"}}, {Words: []string{"reef"}, Also: []string{"a"}},
		{Words: []string{"c"}}, {Words: []string{"c#"}}, {Words: []string{"珊瑚"}}, {Words: []string{"ve"}, Languages: []string{"tr"}},
	} {
		wrong := false
		for _, f := range tt.Check() {
			wrong = wrong || f.Level == topic.Wrong
		}
		if _, err := tt.Judge(); (err != nil) != wrong {
			t.Errorf("%+v: wrong %v, judge %v", tt, wrong, err)
		}
	}
}
