package predicate

import (
	"strings"

	"dowse"
	"dowse/text"
)

// A reading is one page while it is tested. What is dear to find out it finds out
// when it is first asked for, and once.
type reading struct {
	page  *dowse.Page
	facts *Facts
	of    *Predicate
	steps int // that are left of MaxSteps

	folded   map[*fact][]string
	emails   []string
	mailed   bool
	language *string
	keywords []bool
}

// fold returns the values of a fact in the form in which words are compared.
func (r *reading) fold(f *fact, values []string) []string {
	if got, ok := r.folded[f]; ok {
		return got
	}
	got := make([]string, len(values))
	for i, v := range values {
		got[i] = text.Fold(v)
	}
	if r.folded == nil {
		r.folded = map[*fact][]string{}
	}
	r.folded[f] = got
	return got
}

// lang returns the language that the page declares, else the one that its words
// look like, "" for neither.
func (r *reading) lang() string {
	if r.page.Language != "" {
		return r.page.Language
	}
	if r.language == nil {
		lang, _ := text.Detect(r.page.Text, r.facts.Languages)
		r.language = &lang
	}
	return *r.language
}

// mails returns the addresses in the text.
func (r *reading) mails() []string {
	if !r.mailed {
		r.emails, r.mailed = emails(r.page.Text), true
	}
	return r.emails
}

// maxEmails is how many addresses of a page count.
const maxEmails = 100

// emails returns the mail addresses in a text, each once.
func emails(s string) (list []string) {
	seen := map[string]bool{}
	for at := 0; len(list) < maxEmails; {
		i := strings.IndexByte(s[at:], '@')
		if i < 0 {
			break
		}
		i += at
		at = i + 1
		if m := emailAt(s, i); m != "" && !seen[m] {
			seen[m] = true
			list = append(list, m)
		}
	}
	return list
}

// emailAt returns the address around the @ at i, "" if there is none.
func emailAt(s string, i int) string {
	const maxLocal, maxDomain = 64, 253
	start, end := i, i+1
	for start > 0 && i-start < maxLocal && (isAlnum(s[start-1]) || strings.IndexByte("._%+-", s[start-1]) >= 0) {
		start--
	}
	for end < len(s) && end-i <= maxDomain && (isAlnum(s[end]) || s[end] == '.' || s[end] == '-') {
		end++
	}
	local, domain := strings.TrimLeft(s[start:i], "."), strings.TrimRight(s[i+1:end], ".-")
	dot := strings.LastIndexByte(domain, '.')
	if local == "" || dot < 1 || len(domain)-dot < 3 || strings.ContainsAny(domain[dot+1:], "0123456789") {
		return ""
	}
	return strings.ToLower(local + "@" + domain)
}

func isAlnum(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// keywords are the words of a predicate that are compared by their stems.
type keywords struct {
	analyzer *text.Analyzer // nil where there are none
	index    map[string]int // by stem
	first    [256]bool      // bytes with which words can begin that have one of the stems
}

// add returns the number of a keyword, -1 if it has no stem.
func (k *keywords) add(word string) int {
	if k.analyzer == nil {
		k.analyzer = text.NewAnalyzer(text.Options{Stem: text.Porter, Stop: []string{}, Memory: 1 << 13})
		k.index = map[string]int{}
	}
	stem := k.analyzer.Term(word)
	if stem == "" {
		return -1
	}
	if i, ok := k.index[stem]; ok {
		return i
	}
	i := len(k.index)
	k.index[stem] = i
	k.mark(stem[0])
	return i
}

// mark notes how a word with a stem may begin. Porter's stemmer leaves the first
// letter alone; what is not ASCII may be written in several ways.
func (k *keywords) mark(c byte) {
	k.first[c] = true
	if 'a' <= c && c <= 'z' {
		k.first[c-'a'+'A'] = true
	}
	for b := 0x80; b < 0x100; b++ {
		k.first[b] = true
	}
}

// keyword reports whether the page has the keyword with a number.
func (r *reading) keyword(n int) bool {
	if r.keywords == nil {
		r.keywords = make([]bool, len(r.of.keywords.index))
		r.lookFor(r.page.Title, dowse.Words(r.page.Title))
		r.lookFor(r.page.Text, r.page.Words)
	}
	return r.keywords[n]
}

// lookFor finds the keywords in the words of s.
func (r *reading) lookFor(s string, words []dowse.Span) {
	k := &r.of.keywords
	for _, w := range words {
		if !k.first[s[w.Start]] {
			continue
		}
		if i, ok := k.index[k.analyzer.Term(s[w.Start:w.End])]; ok {
			r.keywords[i] = true
		}
	}
}
