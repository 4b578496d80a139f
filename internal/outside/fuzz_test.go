package outside

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"dowse"
)

func checkAnswer(t *testing.T, a Answer, err error) {
	if err != nil {
		return
	}
	if !(a.Score >= 0 && a.Score <= 1) || len(a.Because) > maxReasons {
		t.Errorf("%+v", a)
	}
	for _, s := range a.Because {
		if !utf8.ValidString(s) || oneLine(s) != s || len(s) > 3*maxReason {
			t.Errorf("%q", s)
		}
	}
	v := decided(dowse.Verdict{Relevance: 0.5, Scale: "share", Because: []dowse.Because{{What: "x", Weight: 0.5}}}, a, "n")
	if v.Relevance < 0 || v.Relevance > 1 {
		t.Errorf("%+v", v)
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add([]byte(`{"score":0.8,"because":["a","b"]}`))
	f.Add([]byte("```json\n{\"score\":\"80%\",\"because\":\"x\"}\n```"))
	f.Add([]byte(`{"choices":[{"message":{"content":[{"text":"{\"score\":1}"}]}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, parse := range []func([]byte) (Answer, error){
			parseAnswer, parseChat, func(b []byte) (Answer, error) { return findAnswer(string(b)) },
		} {
			a, err := parse(data)
			checkAnswer(t, a, err)
		}
	})
}

func FuzzAnswerFile(f *testing.F) {
	f.Add([]byte("{\"judge\":\"a\",\"url\":\"u\",\"title\":\"t\",\"text\":\"x\",\"score\":0.5,\"because\":[\"y\"]}\n{\"judge\""))
	f.Fuzz(func(t *testing.T, data []byte) {
		err := readAnswers(bytes.NewReader(data), func(l answerLine) { checkAnswer(t, l.Answer, nil) })
		if err != nil {
			t.Error(err)
		}
	})
}

func FuzzResults(f *testing.F) {
	f.Add([]byte(`{"results":[{"url":"http://a.example/","title":"A","content":"c"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := parseResults(data, 5)
		if err == nil && len(list) > 5 {
			t.Error(len(list))
		}
		for _, r := range list {
			if r.URL == "" || oneLine(r.Title) != r.Title || oneLine(r.Snippet) != r.Snippet {
				t.Errorf("%+v", r)
			}
		}
	})
}
