package settings_test

import (
	"strings"
	"testing"

	"dowse/settings"
)

func TestUntil(t *testing.T) {
	f, ok := settings.ByFlag("until")
	if !ok {
		t.Fatal("no flag until")
	}
	for text, want := range map[string]settings.Dry{
		"harvest<0.05 over 500":                {Harvest: 0.05, Over: 500},
		"harvest<0.05over500":                  {Harvest: 0.05, Over: 500},
		"gain < 0.01 over 1000":                {Gain: 0.01, GainOver: 1000},
		"recall>0.8":                           {Recall: 0.8},
		" recall > .8 or gain<0.01 over 500 ":  {Recall: 0.8, Gain: 0.01, GainOver: 500},
		"harvest<1 over 1 or recall>0.999":     {Harvest: 1, Over: 1, Recall: 0.999},
		"pprs>20":                              {PPRS: 20, PPRSOver: 5000},
		"pprs>12.5 over 300 or recall>0.8":     {PPRS: 12.5, PPRSOver: 300, Recall: 0.8},
		"pprs>20 or harvest<.2 over 10":        {PPRS: 20, PPRSOver: 5000, Harvest: 0.2, Over: 10},
		"gain<.1 over 9 or harvest<.2 over 10": {Gain: 0.1, GainOver: 9, Harvest: 0.2, Over: 10},
	} {
		got, err := f.Read(text)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v; want %+v", text, got, err, want)
			continue
		}
		var s settings.Settings
		f.Put(&s, got)
		if again, err := f.Read(f.Text(&s)); err != nil || again != got || s.Check() != nil {
			t.Errorf("%q is printed as %q, which is read as %+v, %v", text, f.Text(&s), again, err)
		}
	}
	for text, want := range map[string]string{
		"":                           "column 1: want recall, gain, harvest or pprs, got the end",
		"dry":                        `column 1: want recall, gain, harvest or pprs, got "dry"`,
		"recall<0.8":                 `column 7: want ">", got "<"`,
		"recall>1":                   `column 8: want a share above 0, as 0.05, got "1"`,
		"recall>0.8 over 500":        `column 12: want "or" and another rule, or the end, got "over"`,
		"gain<0.01":                  `column 10: want "over", got the end`,
		"gain<0.01 over 5000":        `column 16: want 1 to 1000 pages, got "5000"`,
		"harvest<2 over 5":           `column 9: want a share above 0, as 0.05, got "2"`,
		"recall>0.5 or recall>0.6":   "column 15: recall is given twice",
		"recall>0.5 or":              "column 14: want recall, gain, harvest or pprs, got the end",
		"pprs>0":                     `column 6: want pages per site on topic, as 20, got "0"`,
		"pprs>20 over x":             `column 14: want 1 to 1000000 pages, got "x"`,
		"pprs>20 or pprs>30":         "column 12: pprs is given twice",
		"gain<nan over 5":            `column 6: want a share above 0, as 0.05, got "nan"`,
		"recall>0.8 and harvest<0.1": `column 12: want "or" and another rule, or the end, got "and"`,
	} {
		if _, err := f.Read(text); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: error %v, want one that ends in %q", text, err, want)
		}
	}
}
