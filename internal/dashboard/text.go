package dashboard

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"dowse/internal/facts"
	"dowse/internal/plain"
)

// tidy returns a text of the web in one line of at most n characters, as a page may show it.
func tidy(s string, n int) string {
	s = plain.Cut(s, 8*n) // a title may have megabytes
	return plain.Fit(strings.Join(strings.Fields(harmless(s)), " "), n)
}

// tidyText returns a text of the web with its line breaks, of at most n bytes.
func tidyText(s string, n int) string {
	cut := plain.Cut(s, n)
	text := harmless(cut)
	if len(cut) < len(s) {
		text += " …"
	}
	return text
}

// mostMarks is how many combining marks a character may have; languages need three at most, and hundreds of
// them cover the lines above.
const mostMarks = 4

// harmless removes from a text what can hide or reorder other text: control characters, marks that
// turn the direction of writing, characters without width, and towers of combining marks. Joiners
// stay between two letters, where they are part of words.
func harmless(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	marks := 0
	before := rune(0)
	for i, r := range s {
		switch {
		case r == '\n' || r == '\t':
			marks = 0
		case r == utf8.RuneError, unicode.IsControl(r):
			continue
		case r == '\u200c' || r == '\u200d':
			next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
			if !joins(before) || !joins(next) {
				continue
			}
		case unicode.Is(unicode.Cf, r), r == '\u2028', r == '\u2029', unicode.Is(unicode.Co, r), r == '\u3164', r == '\u115f', r == '\u1160', r == '\uffa0':
			continue
		case unicode.Is(unicode.M, r):
			if marks++; marks > mostMarks {
				continue
			}
		default:
			marks = 0
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

// joins reports whether a joiner next to a character can be part of a word or an emoji.
func joins(r rune) bool {
	return unicode.IsLetter(r) || unicode.Is(unicode.M, r) || unicode.Is(unicode.So, r) || unicode.Is(unicode.Sk, r)
}

// isPlain reports whether a text has only characters that need no thought, as most have.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x7f || c < 0x20 && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// bare returns a URL without its scheme, as lists show it.
func bare(u any) string {
	s := fmt.Sprint(u)
	_, rest, ok := strings.Cut(s, "://")
	if !ok {
		rest = s
	}
	return plain.FitMiddle(tidy(rest, 2000), 140)
}

// count returns a number with commas.
func count(n int) string { return plain.Count(n) }

// score returns a number from 0 to 1 with two digits.
func score(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return fmt.Sprintf("%.2f", x)
}

// signed returns a weight with its sign.
func signed(x float64) string { return fmt.Sprintf("%+.2f", x) }

// percent returns a share in percent.
func percent(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }

// span returns how long something took, in one or two units.
func span(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

// ago returns how long ago a time was.
func ago(now, t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	d := now.Sub(t)
	if d < 2*time.Second {
		return "now"
	}
	return span(d.Round(time.Second)) + " ago"
}

// clock returns a time of this day, or a date.
func clock(now, t time.Time) string {
	switch {
	case t.IsZero():
		return "–"
	case now.Sub(t) < 20*time.Hour && t.Day() == now.Day():
		return t.Format("15:04:05")
	case now.Year() == t.Year():
		return t.Format("2 Jan 15:04")
	}
	return t.Format("2006-01-02")
}

// A piece is a part of a text; Mark is set for a word that is to be marked.
type piece struct {
	Text string
	Mark bool
}

// marked cuts a text into pieces and marks the words for which want is true. Words are runs of letters
// and digits. In a run of words that are written without spaces, the given parts are marked.
func marked(text string, want func(word string) bool, parts []string) (list []piece) {
	from := 0
	flush := func(to int, mark bool) {
		if to > from {
			list = append(list, piece{text[from:to], mark})
		}
		from = to
	}
	begin := -1
	end := func(i int) {
		if begin >= 0 && want(text[begin:i]) {
			flush(begin, false)
			flush(i, true)
		} else if begin >= 0 {
			for at, to := partIn(text[begin:i], parts); to > 0; at, to = partIn(text[begin:i], parts) {
				flush(begin+at, false)
				flush(begin+to, true)
				begin += to
			}
		}
		begin = -1
	}
	for i, r := range text {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || begin >= 0 && unicode.Is(unicode.M, r) {
			if begin < 0 {
				begin = i
			}
			continue
		}
		end(i)
	}
	end(len(text))
	flush(len(text), false)
	return list
}

// partIn returns where the first of some parts begins in a run of words, and where it ends, with those that follow it or that it
// overlaps; 0 for none.
func partIn(run string, parts []string) (at, end int) {
	at = len(run)
	for _, p := range parts {
		if i := strings.Index(run[:min(len(run), at+len(p))], p); i >= 0 && i < at {
			at, end = i, i+len(p)
		}
	}
	for more := end > 0; more; {
		more = false
		for _, p := range parts {
			from := max(at, end-len(p))
			if i := strings.LastIndex(run[from:min(len(run), end+len(p))], p); i >= 0 && from+i+len(p) > end {
				end, more = from+i+len(p), true
			}
		}
	}
	return at, end
}

// inWords returns a verdict in a sentence: on topic, off topic or unsure.
func inWords(verdict string) string {
	if verdict == facts.Unsure {
		return verdict
	}
	return verdict + " topic"
}
