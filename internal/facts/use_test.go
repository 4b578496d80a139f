package facts_test

import (
	"strings"
	"testing"

	"dowse"
	"dowse/internal/facts"
)

// What a page reserves is found in its meta elements and its header, each once.
func TestUseFlags(t *testing.T) {
	for want, metas := range map[string][]dowse.Meta{
		"":       {{Name: "robots", Content: "noindex, follow"}, {Name: "tdm-reservation", Content: "0"}},
		"ai":     {{Name: "robots", Content: "noindex; NoAI"}},
		"tdm":    {{Name: "tdm-reservation", Content: " 1 "}},
		"ai tdm": {{Name: "tdm-reservation", Content: "1"}, {Name: "robots", Content: "noimageai"}, {Name: "robots", Content: "noai"}},
	} {
		r := &facts.Row{Page: &dowse.Page{Document: dowse.Document{Meta: metas}}}
		if got, _ := facts.Named("use_flags").Value(r).([]string); strings.Join(got, " ") != want {
			t.Errorf("%v: %v, want %s", metas, got, want)
		}
	}
}

func TestTokens(t *testing.T) {
	for text, want := range map[string]any{
		"": nil, "one two": 2, "It's 25 °C, isn't it?": 12, "珊瑚礁 reef": 4, "ใน": 2, "naïve café": 2, "a\n\nb": 2, "x--y": 3,
	} {
		r := &facts.Row{Page: &dowse.Page{Document: dowse.Document{Text: text}}}
		if got := facts.Named("token_count").Value(r); got != want {
			t.Errorf("%q has %v tokens, want %v", text, got, want)
		}
	}
}

// The certainty is that of the declared language: text in another one gives 0.
func TestLanguageScore(t *testing.T) {
	english := strings.Repeat("The tide was low in the morning, and they went down to the harbour with the others. ", 5)
	for lang, certain := range map[string]bool{"en": true, "en-gb": true, "": true, "de": false} {
		r := &facts.Row{Page: &dowse.Page{Document: dowse.Document{Text: english, Language: lang}}}
		if got, ok := facts.Named("lang_score").Value(r).(float64); !ok || (got > 0.5) != certain {
			t.Errorf("%q: %v", lang, got)
		}
	}
}
