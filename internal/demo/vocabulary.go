package demo

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed vocabulary/*.txt
var vocabularyFiles embed.FS

// A lexicon holds the words of pages on one subject.
type lexicon struct {
	Topic
	language  string
	phrases   []string // names of the topic in running text
	nouns     []form
	verbs     []form
	adjs      []string
	subjects  []string
	slugs     []string // of the subjects, in the same order
	hosts     []string
	sections  []string
	places    []string
	sentences []sentence // of a language other than English; nil for English
}

// A form is a word in the singular and in the plural (of a verb: after he and
// after they).
type form struct{ one, many string }

// A vocabulary holds everything that text is composed of.
type vocabulary struct {
	lexicons []lexicon // the topics, then the four below
	slugs    map[string]slug
	names    map[string]int // topics by name and path, as they are and as slugs

	nouns, verbs            []form
	adjs, adverbs, starts   []string
	foreign, heads, tails   []string
	sections                []string
	topical, plain, mention []sentence
	farm, link              []sentence

	nounRanks, verbRanks, adjRanks zipf
}

// A slug names a subject of a lexicon.
type slug struct{ lexicon, subject int }

// topics returns the number of topics. The four lexicons after them have none:
// everyday text, spam, French, German.
func (v *vocabulary) topics() int { return len(v.lexicons) - 4 }

// everyday and the next three return the numbers of the lexicons that are no
// topics.
func (v *vocabulary) everyday() int { return v.topics() }
func (v *vocabulary) spam() int     { return v.topics() + 1 }
func (v *vocabulary) french() int   { return v.topics() + 2 }
func (v *vocabulary) german() int   { return v.topics() + 3 }

// readVocabulary reads the embedded files, some 30 kB, for each web anew. It
// panics on a mistake in them, since they are part of the program.
func readVocabulary() *vocabulary {
	v := &vocabulary{slugs: map[string]slug{}, names: map[string]int{}}
	v.readLexicons(readBlocks("topics.txt"))
	v.readLexicons(readBlocks("everyday.txt"))
	v.lexicons = append(v.lexicons, foreignLexicon("fr", "french.txt"), foreignLexicon("de", "german.txt"))
	v.readGrammar(readBlocks("grammar.txt"))
	v.nounRanks, v.verbRanks, v.adjRanks = newZipf(len(v.nouns)), newZipf(len(v.verbs)), newZipf(len(v.adjs))
	for i := range v.lexicons {
		v.nameSubjects(i)
	}
	for i := range v.topics() {
		for _, name := range []string{v.lexicons[i].Name, v.lexicons[i].Path} {
			v.names[name] = i
			v.names[slugOf(strings.ReplaceAll(name, "_", " "))] = i
		}
	}
	return v
}

// nameSubjects computes the slugs of a lexicon's subjects. A slug must be
// unique over all lexicons, because a path is resolved by it.
func (v *vocabulary) nameSubjects(i int) {
	lex := &v.lexicons[i]
	for k, subject := range lex.subjects {
		name := slugOf(subject)
		if old, taken := v.slugs[name]; taken {
			panic(fmt.Sprintf("demo: subject %q is in two lexicons, %d and %d", subject, old.lexicon, i))
		}
		v.slugs[name] = slug{i, k}
		lex.slugs = append(lex.slugs, name)
	}
}

// readBlocks returns the blocks of a file: runs of lines between blank ones,
// without comments.
func readBlocks(name string) [][]string {
	text, err := vocabularyFiles.ReadFile("vocabulary/" + name)
	if err != nil {
		panic(fmt.Sprintf("demo: vocabulary: %v", err))
	}
	var blocks [][]string
	var block []string
	for _, line := range append(strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"), "") {
		switch {
		case strings.HasPrefix(line, "#"):
		case line != "":
			block = append(block, line)
		case len(block) > 0:
			blocks = append(blocks, block)
			block = nil
		}
	}
	return blocks
}

// readLexicons reads the topics of a file, and the words that all of them share.
func (v *vocabulary) readLexicons(blocks [][]string) {
	for _, block := range blocks {
		if block[0] == "common" {
			v.readCommon(keyed(block[1:]))
			continue
		}
		v.lexicons = append(v.lexicons, newLexicon("en", keyed(block)))
	}
}

// newLexicon returns the lexicon of a block of "key values" lines.
func newLexicon(language string, of map[string][]string) lexicon {
	lex := lexicon{
		language: language,
		nouns:    nounForms(of["nouns"]), verbs: verbForms(of["verbs"]), adjs: of["adjs"],
		subjects: of["subjects"], hosts: of["hosts"], sections: of["sections"], places: of["places"],
	}
	lex.Words, lex.Also, lex.Not = of["words"], of["also"], of["not"]
	lex.phrases = of["phrases"]
	if lex.phrases == nil {
		lex.phrases = lex.Words
	}
	if len(of["topic"]) > 0 {
		lex.Name, lex.Path = of["topic"][0], of["path"][0]
	}
	return lex
}

// foreignLexicon reads the lexicon of a language whose sentences are given
// whole, with slots for nouns only.
func foreignLexicon(language, file string) lexicon {
	lines := readBlocks(file)[0]
	end := 1
	for !strings.HasPrefix(lines[end], "nouns ") {
		end++
	}
	of := keyed(lines[end:])
	lex := newLexicon(language, of)
	lex.verbs = sameForms(of["verbs"])
	lex.Name = language
	lex.sentences = parseSentences(lines[1:end])
	return lex
}

// readCommon reads the words that all English lexicons share.
func (v *vocabulary) readCommon(of map[string][]string) {
	v.nouns, v.verbs, v.adjs = nounForms(of["nouns"]), verbForms(of["verbs"]), of["adjs"]
	v.adverbs, v.starts, v.foreign = of["adverbs"], of["starts"], of["foreign"]
	v.sections, v.heads, v.tails = of["sections"], of["heads"], of["tails"]
}

// readGrammar reads the sentences, by the purpose that the first line of a
// block names.
func (v *vocabulary) readGrammar(blocks [][]string) {
	for _, block := range blocks {
		parsed := parseSentences(block[1:])
		switch block[0] {
		case "topical":
			v.topical = parsed
		case "plain":
			v.plain = parsed
		case "mention":
			v.mention = parsed
		case "farm":
			v.farm = parsed
		case "link":
			v.link = parsed
		}
	}
}

// keyed reads lines of the form "key value, value".
func keyed(lines []string) map[string][]string {
	of := map[string][]string{}
	for _, line := range lines {
		key, values, _ := strings.Cut(line, " ")
		of[key] = strings.Split(values, ", ")
	}
	return of
}

// nounForms returns nouns with plurals: the given one after a slash, or the
// regular one.
func nounForms(words []string) []form {
	forms := make([]form, len(words))
	for i, w := range words {
		one, many, given := strings.Cut(w, "/")
		if !given {
			many = withS(one)
		}
		forms[i] = form{one, many}
	}
	return forms
}

// verbForms takes the plural form; "come back" becomes "comes back".
func verbForms(words []string) []form {
	forms := make([]form, len(words))
	for i, w := range words {
		verb, rest, _ := strings.Cut(w, " ")
		forms[i] = form{strings.TrimSpace(withS(verb) + " " + rest), w}
	}
	return forms
}

// sameForms returns words that have one form only.
func sameForms(words []string) []form {
	forms := make([]form, len(words))
	for i, w := range words {
		forms[i] = form{w, w}
	}
	return forms
}

// withS returns the regular plural, or third person, of an English word.
func withS(w string) string {
	last, before := w[len(w)-1], byte('a')
	if len(w) > 1 {
		before = w[len(w)-2]
	}
	switch {
	case last == 'y' && !strings.ContainsRune("aeiou", rune(before)):
		return w[:len(w)-1] + "ies"
	case last == 's' || last == 'x' || last == 'z' || last == 'h' && (before == 'c' || before == 's'):
		return w + "es"
	}
	return w + "s"
}

// slugOf makes a phrase fit for a path: lower case ASCII and hyphens.
func slugOf(phrase string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(phrase) {
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			b.WriteRune(r)
		case r == ' ' || r == '-' || r == '\'':
			b.WriteByte('-')
		default:
			b.WriteString(plainLetter[r])
		}
	}
	return b.String()
}

// plainLetter spells letters in ASCII for paths.
var plainLetter = map[rune]string{
	'à': "a", 'â': "a", 'ä': "ae", 'ç': "c", 'è': "e", 'é': "e", 'ê': "e", 'î': "i", 'ï': "i",
	'ñ': "n", 'ô': "o", 'ö': "oe", 'û': "u", 'ü': "ue", 'ß': "ss",
}

// zipf maps random bits to ranks whose probability falls as 1/(rank +
// zipfOffset): Zipf's law as Mandelbrot put it in 1953. The head of the law,
// words such as "the", is in the grammar.
type zipf []uint16

// zipfSteps is the resolution of the table; zipfOffset flattens the head of the
// law.
const (
	zipfSteps  = 4096
	zipfOffset = 5
)

// newZipf returns the table for n words.
func newZipf(n int) zipf {
	total := 0.0
	for k := 1; k <= n; k++ {
		total += 1 / float64(k+zipfOffset)
	}
	z := make(zipf, zipfSteps)
	k, sum := 1, 1.0/(1+zipfOffset)
	for i := range z {
		for k < n && sum/total < (float64(i)+0.5)/zipfSteps {
			k++
			sum += 1 / float64(k+zipfOffset)
		}
		z[i] = uint16(k - 1)
	}
	return z
}

// at returns the rank for random bits: one lookup, since every word of every
// page needs one.
func (z zipf) at(bits uint64) int { return int(z[bits%zipfSteps]) }
