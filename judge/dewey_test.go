package judge_test

import (
	"reflect"
	"strings"
	"testing"

	"dowse/judge"
)

func TestParseCodes(t *testing.T) {
	list, err := judge.ParseCodes(strings.NewReader("\ufeffcode\tlabel\r\n# ours\n\n425\tEnglish grammar\t42\r\n595\t insects \n"))
	want := []judge.Code{{Code: "425", Label: "English grammar"}, {Code: "595", Label: "insects"}}
	if err != nil || !reflect.DeepEqual(list, want) {
		t.Errorf("%v, %v", list, err)
	}
	for _, s := range []string{"425 English grammar", "\tlabel", "1\ta\nno tab", strings.Repeat("x", 1<<16)} {
		if _, err := judge.ParseCodes(strings.NewReader(s)); err == nil {
			t.Errorf("%.20q is no table", s)
		}
	}
}

func FuzzParseCodes(f *testing.F) {
	f.Add("code\tlabel\n425\tEnglish grammar\n")
	f.Add("4\t\n\xff\tx\n珊\t珊瑚礁")
	f.Fuzz(func(t *testing.T, s string) {
		codes, err := judge.ParseCodes(strings.NewReader(s))
		if err != nil {
			return
		}
		j, err := judge.Dewey{Codes: codes, Desired: []string{"42"}}.New()
		if err != nil {
			return
		}
		checkVerdict(t, s, j.Judge(page("grammar", s)))
	})
}

// science is a table in which not all is wanted.
func science(t testing.TB) *judge.Digits {
	t.Helper()
	codes := append(judge.PaperCodes(),
		judge.Code{Code: "590", Label: "animals"}, judge.Code{Code: "595", Label: "insects and other invertebrates"},
		judge.Code{Code: "641", Label: "food and drink"})
	j, err := judge.Dewey{Codes: codes}.New()
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestDeweyJudgesPages(t *testing.T) {
	j := science(t)
	tests := []struct {
		title, text string
		on          bool
	}{
		{"English grammar", "the grammar of English, its syntax and usage", true},
		{"Butterflies", "insects are animals, and so are other invertebrates", false},
		{"", "nothing that the table knows", false},
		{"Grammar", "insects insects insects, invertebrates and animals that eat food", false},
	}
	for _, tt := range tests {
		v := j.Judge(page(tt.title, tt.text))
		if got := v.Relevance >= j.Threshold(); got != tt.on {
			t.Errorf("%s: %.3f %+v", tt.title, v.Relevance, v.Because)
		}
		checkVerdict(t, tt.title, v)
	}
}

func TestDeweySplitsVotes(t *testing.T) {
	codes := []judge.Code{{Code: "1", Label: "common"}, {Code: "2", Label: "common rare"}, {Code: "3", Label: "common"}}
	for _, split := range []bool{false, true} {
		j, err := judge.Dewey{Codes: codes, Desired: []string{"2"}, Split: split}.New()
		if err != nil {
			t.Fatal(err)
		}
		p := j.Predict(j.Terms("common common common rare", 1))
		want := 4.0
		if split {
			want = 2
		}
		if len(p.Votes) != 3 || p.Votes[1].Weight != want || !p.OnTopic {
			t.Errorf("split %t: %+v", split, p)
		}
	}
}
