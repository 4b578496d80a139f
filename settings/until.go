package settings

import (
	"fmt"
	"strconv"
	"strings"
)

// The most pages that a rule can look back on: a crawl keeps the outcomes of this number.
const mostOver = 1000

// An untilError says where a rule of until is wrong, and what is wanted there.
type untilError struct {
	column int // of the text, from 1
	want   string
}

func (e *untilError) Error() string { return fmt.Sprintf("column %d: %s", e.column, e.want) }

// parseUntil reads rules that end a crawl, joined by "or":
//
//	recall>0.8 or gain<0.01 over 500 or harvest<0.05 over 500 or pprs>20 over 5000
//
// No rule may be given twice. The error is an untilError.
func parseUntil(text string) (d Dry, err error) {
	r := untilReader{text: text}
	for {
		if err := r.rule(&d); err != nil {
			return Dry{}, err
		}
		at, word := r.word()
		switch word {
		case "":
			return d, nil
		case "or":
		default:
			return Dry{}, &untilError{at + 1, `want "or" and another rule, or the end, got ` + strconv.Quote(word)}
		}
	}
}

// An untilReader takes words from the front of a text.
type untilReader struct {
	text string
	at   int
}

// word takes the next word: letters, a number, or one other character. It returns where
// the word begins; "" is the end of the text.
func (r *untilReader) word() (at int, word string) {
	for r.at < len(r.text) && r.text[r.at] == ' ' {
		r.at++
	}
	at = r.at
	if at == len(r.text) {
		return at, ""
	}
	kind := kindOfByte(r.text[at])
	for r.at++; kind != 0 && r.at < len(r.text) && kindOfByte(r.text[r.at]) == kind; r.at++ {
	}
	return at, r.text[at:r.at]
}

// kindOfByte returns 'a' for letters, '0' for what numbers consist of, 0 for the others.
func kindOfByte(c byte) byte {
	switch {
	case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80:
		return 'a'
	case c >= '0' && c <= '9' || c == '.' || c == '-' || c == '+':
		return '0'
	}
	return 0
}

// rule takes one rule.
func (r *untilReader) rule(d *Dry) error {
	at, name := r.word()
	switch name {
	case "recall":
		return r.numbers(at, name, ">", &d.Recall, nil)
	case "gain":
		return r.numbers(at, name, "<", &d.Gain, &d.GainOver)
	case "harvest":
		return r.numbers(at, name, "<", &d.Harvest, &d.Over)
	case "pprs":
		return r.pprs(at, d)
	case "":
		return &untilError{at + 1, "want recall, gain, harvest or pprs, got the end"}
	}
	return &untilError{at + 1, "want recall, gain, harvest or pprs, got " + strconv.Quote(name)}
}

const (
	pprsOver = 5000      // window of pprs in pages, as Ester, Kriegel and Schubert 2004 have it
	mostPPRS = 1_000_000 // its bound
)

// pprs takes what follows pprs: ">", a number of pages, and optionally over how many pages.
func (r *untilReader) pprs(began int, d *Dry) error {
	if d.PPRS != 0 {
		return &untilError{began + 1, "pprs is given twice"}
	}
	if err := r.literal(">"); err != nil {
		return err
	}
	at, text := r.word()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 1 && x <= mostPPRS) {
		return &untilError{at + 1, "want pages per site on topic, as 20, got " + gotText(text)}
	}
	d.PPRS, d.PPRSOver = x, pprsOver
	before := r.at
	if _, word := r.word(); word != "over" {
		r.at = before
		return nil
	}
	at, text = r.word()
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > mostPPRS {
		return &untilError{at + 1, fmt.Sprintf("want 1 to %d pages, got %s", mostPPRS, gotText(text))}
	}
	d.PPRSOver = n
	return nil
}

// numbers takes what follows the name of a rule: its sign, the share, and over how many
// pages, if over is not nil.
func (r *untilReader) numbers(began int, name, sign string, share *float64, over *int) error {
	if *share != 0 {
		return &untilError{began + 1, name + " is given twice"}
	}
	if err := r.literal(sign); err != nil {
		return err
	}
	at, text := r.word()
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x > 0 && x <= 1) || sign == ">" && x == 1 {
		return &untilError{at + 1, "want a share above 0, as 0.05, got " + gotText(text)}
	}
	*share = x
	if over == nil {
		return nil
	}
	if err := r.literal("over"); err != nil {
		return err
	}
	at, text = r.word()
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > mostOver {
		return &untilError{at + 1, fmt.Sprintf("want 1 to %d pages, got %s", mostOver, gotText(text))}
	}
	*over = n
	return nil
}

// literal takes a word that must be there.
func (r *untilReader) literal(want string) error {
	if at, got := r.word(); got != want {
		return &untilError{at + 1, fmt.Sprintf("want %q, got %s", want, gotText(got))}
	}
	return nil
}

func gotText(word string) string {
	if word == "" {
		return "the end"
	}
	return strconv.Quote(word)
}

// text returns the rules as parseUntil reads them.
func (d Dry) text() string {
	var list []string
	if d.Recall > 0 {
		list = append(list, fmt.Sprintf("recall>%v", d.Recall))
	}
	if d.GainOver > 0 {
		list = append(list, fmt.Sprintf("gain<%v over %d", d.Gain, d.GainOver))
	}
	if d.Over > 0 || d.Harvest > 0 {
		list = append(list, fmt.Sprintf("harvest<%v over %d", d.Harvest, d.Over))
	}
	if d.PPRS > 0 {
		list = append(list, fmt.Sprintf("pprs>%v over %d", d.PPRS, d.PPRSOver))
	}
	return strings.Join(list, " or ")
}
