package search

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"dowse/internal/facts"
	"dowse/internal/text"
)

// ErrQuery is returned for a query that can't be understood. The error that wraps it names the part
// and what is wanted.
var ErrQuery = errors.New("bad query")

// maxWords bounds the words of a query; the others are ignored.
const maxWords = 64

// A query is a question as it was parsed: clauses on words, and conditions on pages.
type query struct {
	clauses []clause

	hosts     []string // any of these, or hosts below them
	notHosts  []string
	langs     []string
	verdicts  []string
	low, high float64 // relevance; high 0 for no condition
	from, to  string  // dates in the form of the index; "" for open

	words   []string // words and phrases that must occur, as they were written
	unclear []string // notes on parts that look like conditions and are none
}

// A clause is a word or a phrase that a page must have, or must not have.
type clause struct {
	words []queryWord // several for a phrase
	title bool        // in the title
	not   bool
}

// A queryWord is a word of the query with the terms that it may have become in the index, by the rules of each
// language, and its distance from the first word of its phrase.
type queryWord struct {
	terms []string
	at    int
}

// parse reads a query: words and "phrases", which all must occur, with - in front those that must
// not, and conditions NAME:VALUE. langs are the languages by whose rules words are understood.
func parse(s string, lex *stems, langs []string) (*query, error) {
	q := &query{}
	for _, part := range split(s) {
		name, value, ok := strings.Cut(part.text, ":")
		if ok && !part.quoted {
			q.doubt(name, value)
		}
		if !ok || part.quoted || value == "" {
			q.addWords(part, lex, langs, part.text, false)
			continue
		}
		var err error
		switch strings.ToLower(name) {
		case "title":
			q.addWords(part, lex, langs, value, true)
		case "host", "site":
			if host := strings.Trim(strings.ToLower(value), "."); part.not {
				q.notHosts = append(q.notHosts, host)
			} else {
				q.hosts = append(q.hosts, host)
			}
		case "lang":
			for l := range strings.SplitSeq(value, ",") {
				q.langs = append(q.langs, primary(l))
			}
		case "verdict":
			q.verdicts, err = verdictsOf(value)
		case "score":
			q.low, q.high, err = scoresOf(value)
		case "date":
			q.from, q.to, err = datesOf(value)
		default: // a time or an address, such as 12:30
			q.addWords(part, lex, langs, part.text, false)
		}
		if err == nil && part.not && !slices.Contains([]string{"title", "host", "site"}, strings.ToLower(name)) && isField(name) {
			err = fmt.Errorf("-%s: only words, phrases, title and host can be excluded", name)
		}
		if err != nil {
			return nil, fmt.Errorf("search: %w: %w", ErrQuery, err)
		}
	}
	q.ignoreStopWords(langs, lex)
	return q, nil
}

// fields are the names of conditions, as notes list them.
var fields = []string{"title", "host", "lang", "date", "score", "verdict"}

// doubt adds a note for a condition without a value, or with a name that is none. A time or an address, such as 12:30 or
// http://example.org, is a word like others.
func (q *query) doubt(name, value string) {
	letters := name != "" && strings.IndexFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && r != '_' }) < 0
	known := slices.Contains(fields, strings.ToLower(name)) || strings.EqualFold(name, "site")
	switch {
	case known && value == "":
		q.unclear = append(q.unclear, fmt.Sprintf("%s: has no value, so %q was searched for as a word; write the value without a space after the colon", name, name))
	case letters && !known && value != "" && !strings.HasPrefix(value, "/"):
		q.unclear = append(q.unclear, fmt.Sprintf("%s: is no field, so %q was searched for as words; fields are %s", name, name+":"+value, strings.Join(fields, ", ")))
	}
}

// isField reports whether a name is that of a condition which can't be excluded.
func isField(name string) bool {
	return slices.Contains([]string{"lang", "verdict", "score", "date"}, strings.ToLower(name))
}

// A queryPart is a word, a quoted phrase or a condition as it was written.
type queryPart struct {
	text   string
	quoted bool // the whole part is in quotes
	not    bool
}

// split cuts a query at spaces that are not in quotes. A quote that is not closed ends with the query.
func split(s string) (list []queryPart) {
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		var p queryPart
		if len(s) > 1 && s[0] == '-' {
			p.not, s = true, s[1:]
		}
		var b strings.Builder
		inside, plain := false, false
		i := strings.IndexFunc(s, func(r rune) bool {
			switch {
			case r == '"' || r == '“' || r == '”':
				inside, p.quoted = !inside, true
				return false
			case unicode.IsSpace(r) && !inside:
				return true
			}
			plain = plain || !inside
			b.WriteRune(r)
			return false
		})
		if i < 0 {
			i = len(s)
		}
		p.text, s = b.String(), s[i:]
		p.quoted = p.quoted && !plain
		list = append(list, p)
	}
	return list
}

// addWords adds the clauses of a part: one of all its words if it was quoted or is several words without a
// space, as in sea-level, else one of its single word.
func (q *query) addWords(p queryPart, lex *stems, langs []string, s string, title bool) {
	c := clause{title: title, not: p.not}
	for _, l := range langs {
		for _, t := range lex.tokens(l, s) {
			i := slices.IndexFunc(c.words, func(w queryWord) bool { return w.at == t.at })
			if i < 0 {
				c.words = append(c.words, queryWord{at: t.at})
				i = len(c.words) - 1
			}
			if !slices.Contains(c.words[i].terms, t.term) {
				c.words[i].terms = append(c.words[i].terms, t.term)
			}
		}
	}
	slices.SortFunc(c.words, func(a, b queryWord) int { return a.at - b.at })
	if len(c.words) > 0 && q.size() < maxWords {
		c.words = c.words[:min(len(c.words), maxWords)]
		q.clauses = append(q.clauses, c)
		if !c.not {
			q.words = append(q.words, s)
		}
	}
}

// size returns the number of words of the query.
func (q *query) size() (n int) {
	for _, c := range q.clauses {
		n += len(c.words)
	}
	return n
}

// ignoreStopWords removes single words such as "the", unless the query has no others.
func (q *query) ignoreStopWords(langs []string, lex *stems) {
	stop := map[string]bool{}
	for _, l := range langs {
		for _, w := range text.StopWords(l) {
			stop[strip(lex.analyzer(l).Term(w))] = true
		}
	}
	rest := slices.DeleteFunc(slices.Clone(q.clauses), func(c clause) bool {
		return len(c.words) == 1 && !c.title && !c.not && stop[c.words[0].terms[0]]
	})
	if slices.ContainsFunc(rest, func(c clause) bool { return !c.not }) {
		q.clauses = rest
	}
}

// primary returns the language of a tag without its region, "und" for what is no tag.
func primary(tag string) string {
	tag, _, _ = strings.Cut(strings.ToLower(strings.ReplaceAll(strings.TrimSpace(tag), "_", "-")), "-")
	if len(tag) < 2 || len(tag) > 8 || strings.IndexFunc(tag, func(r rune) bool { return r < 'a' || r > 'z' }) >= 0 {
		return noLanguage
	}
	return tag
}

// verdictsOf reads the value of verdict: one or several verdicts, with commas between them.
func verdictsOf(value string) ([]string, error) {
	list := strings.Split(strings.ToLower(value), ",")
	for _, v := range list {
		if v != facts.On && v != facts.Off && v != facts.Unsure {
			return nil, fmt.Errorf("verdict:%s: got %q, want on, off or unsure", value, v)
		}
	}
	return list, nil
}

// scoresOf reads the value of score: a least relevance (0.8, >0.8, >=0.8), a most (<0.5), or both (0.3..0.7).
func scoresOf(value string) (low, high float64, err error) {
	from, to, err := bounds(value)
	low, high = 0, 1
	if err == nil && from != "" {
		low, err = strconv.ParseFloat(from, 64)
	}
	if err == nil && to != "" {
		high, err = strconv.ParseFloat(to, 64)
	}
	if err != nil || !(low >= 0 && low <= high && high <= 1) || high == 0 {
		return 0, 0, fmt.Errorf("score:%s: want a number from 0 to 1, such as score:0.8, score:<0.5 or score:0.3..0.7", value)
	}
	return low, high, nil
}

// bounds splits a range: a..b, >a, >=a, <b, <=b, or a alone for a.. .
func bounds(value string) (from, to string, err error) {
	if a, b, ok := strings.Cut(value, ".."); ok {
		return a, b, nil
	}
	rest := strings.TrimPrefix(strings.TrimLeft(value, "<>"), "=")
	switch {
	case rest == "" || strings.LastIndexAny(value, "<>") > 0:
		return "", "", errors.New("bad range")
	case value[0] == '<':
		return "", rest, nil
	}
	return rest, "", nil
}

// datesOf reads the value of date: a year, month or day, or a range of them. It returns the first and
// the last day.
func datesOf(value string) (from, to string, err error) {
	a, b, err := bounds(value)
	if err == nil && a != "" {
		from, _, err = dayRange(a)
	}
	switch {
	case err == nil && b != "":
		_, to, err = dayRange(b)
	case err == nil && value == a:
		_, to, err = dayRange(a) // the year, month or day itself
	}
	if err != nil || from != "" && to != "" && from > to {
		return "", "", fmt.Errorf("date:%s: want a year, a month or a day, such as date:2024, date:>=2024-05 or date:2024-05-01..2025", value)
	}
	return from, to, nil
}

// dayRange returns the first and the last day of a year, a month or a day.
func dayRange(s string) (first, last string, err error) {
	for _, p := range []struct {
		layout              string
		years, months, days int
	}{{"2006", 1, 0, 0}, {"2006-01", 0, 1, 0}, {time.DateOnly, 0, 0, 1}} {
		if t, err := time.Parse(p.layout, s); err == nil {
			return t.Format(time.DateOnly), t.AddDate(p.years, p.months, p.days).AddDate(0, 0, -1).Format(time.DateOnly), nil
		}
	}
	return "", "", errors.New("not a date")
}
