package outside

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
)

// The limits of an answer. It comes from outside, so everything in it is
// bounded.
const (
	maxAnswer  = 64 << 10 // bytes
	maxReasons = 8
	maxReason  = 200 // bytes of one
)

// parseAnswer parses an answer that is one JSON object and nothing else.
func parseAnswer(line []byte) (Answer, error) {
	var w written
	if err := json.Unmarshal(line, &w); err != nil {
		return Answer{}, fmt.Errorf("the answer %q is not {\"score\": …, \"because\": […]}: %w", firstBytes(string(line), 80), err)
	}
	return w.answer()
}

// findAnswer finds the answer in the reply of a language model: the first JSON
// object that has a valid score. Models like to add text around it. At most 100
// opening braces are tried.
func findAnswer(reply string) (Answer, error) {
	text := []byte(reply)
	var last error = errors.New("no JSON object with a score")
	for tries := 0; tries < 100; tries++ {
		i := bytes.IndexByte(text, '{')
		if i < 0 {
			break
		}
		text = text[i:]
		var w written
		if err := json.NewDecoder(bytes.NewReader(text)).Decode(&w); err == nil {
			a, err := w.answer()
			if err == nil {
				return a, nil
			}
			last = err
		}
		text = text[1:]
	}
	return Answer{}, fmt.Errorf("in %q: %w", firstBytes(reply, 80), last)
}

// written is an answer as it may be written: the score also as a string or in
// percent, the reasons also as a single string.
type written struct {
	Score   json.RawMessage `json:"score"`
	Because json.RawMessage `json:"because"`
}

func (w written) answer() (Answer, error) {
	score, err := scoreOf(w.Score)
	if err != nil {
		return Answer{}, err
	}
	return sound(Answer{score, reasonsOf(w.Because)})
}

// scoreOf returns the score in a JSON number or string.
//
// Language models write 0.9, "0.9" and "90%"; all three mean the same.
func scoreOf(raw json.RawMessage) (float64, error) {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	text = strings.TrimSpace(text)
	if text == "" || text == "null" {
		return 0, errors.New("answer without a score")
	}
	number, percent := strings.CutSuffix(text, "%")
	score, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil {
		return 0, fmt.Errorf("score %q is not a number", firstBytes(text, 40))
	}
	if percent {
		score /= 100
	}
	return score, nil
}

// reasonsOf returns the reasons; what is not a string or a list of strings is
// ignored.
func reasonsOf(raw json.RawMessage) []string {
	var one string
	if json.Unmarshal(raw, &one) == nil {
		return []string{one}
	}
	var many []any
	if json.Unmarshal(raw, &many) != nil {
		return nil
	}
	var list []string
	for _, v := range many[:min(len(many), maxReasons)] {
		if s, ok := v.(string); ok {
			list = append(list, s)
		}
	}
	return list
}

// sound checks the score of an answer, and cuts and cleans its reasons.
func sound(a Answer) (Answer, error) {
	if math.IsNaN(a.Score) || a.Score < 0 || a.Score > 1 {
		return Answer{}, fmt.Errorf("score %g is not between 0 and 1", a.Score)
	}
	var kept []string
	for _, s := range a.Because {
		if s = oneLine(firstBytes(s, maxReason)); s != "" && len(kept) < maxReasons {
			kept = append(kept, s)
		}
	}
	a.Because = kept
	return a, nil
}

// oneLine returns a text without control characters and line breaks.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
}
