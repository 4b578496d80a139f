package extract

import (
	"strings"
	"testing"
)

func TestShown(t *testing.T) {
	for _, c := range []struct{ name, title, want string }{
		{"plain", "Reefs of the world", "Reefs of the world"},
		{"zero width", "pay\u200bpal\u2060 \ufefflogin\u180e", "paypal login"},
		{"spaces around nothing", "\u200b a \u200b b \u200b", "a b"},
		{"directions", "\u200ea\u200fb\u061cc\u202Ed\u2066e\u2069", "abcde"},
		{"soft hyphens", "inter\u00adnational", "international"},
		{"tags", "flag\U000E0068\U000E0069\U000E007F text", "flag text"},
		{"blank letters", "\u3164a\u115fb\u1160c\uffa0\u2800", "abc"},
		{"nothing but", "\u200b\u200c\u200d\u3164\U000E0041", ""},
		{"Persian keeps its non-joiner", "می\u200cخواهم", "می\u200cخواهم"},
		{"Sinhala keeps its joiner", "ශ්\u200dරී", "ශ්\u200dරී"},
		{"emoji keep joiners and selectors", "👩\u200d🚀 ❤\ufe0f", "👩\u200d🚀 ❤\ufe0f"},
		{"joiners without a place", "\u200da\u200d\u200c\u200db \u200cc\u200c \u200d", "a\u200db c"},
		{"selectors without end", "a" + strings.Repeat("\ufe0f\U000E0101", 50) + "b", "a\ufe0fb"},
		{"marks without end", "z" + strings.Repeat("\u0335", 50) + "algo", "z" + strings.Repeat("\u0335", maxMarks) + "algo"},
		{"Vietnamese", "Tiê\u0301ng Việt", "Tiê\u0301ng Việt"},
		{"Arabic number sign", "\u0600123", "\u0600123"},
	} {
		doc := HTML([]byte("<meta charset=utf-8><title>"+c.title+"</title><meta name=description content='"+c.title+"'><p>text"), page, Options{})
		if doc.Title != c.want || doc.Description != c.want {
			t.Errorf("%s: %+q and %+q, want %+q", c.name, doc.Title, doc.Description, c.want)
		}
	}
	doc := HTML([]byte("<meta charset=utf-8><p>می\u200cخواهم 👩\u200d🚀"), page, Options{})
	if doc.Text != "می\u200cخواهم 👩\u200d🚀" {
		t.Errorf("the text is %+q", doc.Text)
	}
}
