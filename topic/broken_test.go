package topic_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"dowse/topic"
)

// head is the beginning of most broken files: three lines.
const head = "dowse: topic/v1\nname: reefs\nwords: [coral reef]\n"

func TestBrokenFiles(t *testing.T) {
	tests := []struct {
		name, file   string
		line, column int
		problem, fix string // parts of what it says
	}{
		{"empty", "", 1, 1, "empty", "dowse: topic/v1"},
		{"only a comment", "# nothing\n", 1, 1, "empty", "begin with"},
		{"a list", "- coral\n- reef\n", 1, 1, "a list", "key: value"},
		{"a word", "coral", 1, 1, "single value", "key: value"},
		{"misspelt key", head + "sedes: [https://example.org/]\n", 4, 1, `unknown key "sedes"`, `did you mean "seeds"`},
		{"swapped letters", head + "aslo: [fish]\n", 4, 1, `unknown key "aslo"`, `did you mean "also"`},
		{"capital", "Dowse: topic/v1\nname: reefs\nwords: [reef]\n", 1, 1, `unknown key "Dowse"`, `did you mean "dowse"`},
		{"strange key", head + "colour: red\n", 4, 1, `unknown key "colour"`, "use one of: dowse, name"},
		{"key twice", head + "also: [fish]\nwords: [reef]\n", 5, 1, `"words" is there twice`, "remove one"},
		{"no schema", "name: reefs\nwords: [reef]\n", 1, 1, `"dowse" is missing`, "dowse: topic/v1"},
		{"newer schema", "dowse: topic/v2\nname: reefs\nwords: [reef]\n", 1, 8, "topic/v2", "newer dowse"},
		{"other schema", "dowse: lab/v1\nname: reefs\nwords: [reef]\n", 1, 8, "lab/v1", "dowse: topic/v1"},
		{"no name", "dowse: topic/v1\nwords: [coral reef]\n", 1, 1, `"name" is missing`, "name: coral-reef"},
		{"name with space", "dowse: topic/v1\nname: Coral Reefs\nwords: [reef]\n", 2, 7, "Coral Reefs", "name: coral-reefs"},
		{"name with slash", "dowse: topic/v1\nname: ../etc\nwords: [reef]\n", 2, 7, "../etc", "name: etc"},
		{"empty name", "dowse: topic/v1\nname:\nwords: [reef]\n", 2, 6, "no value", "write a value"},
		{"no words", "dowse: topic/v1\nname: reefs\nseeds: [https://example.org/]\n", 1, 1, "what is wanted", `add "words:"`},
		{"words as a text", "dowse: topic/v1\nname: reefs\nwords: coral reef\n", 3, 8, "not a list", "words: [coral reef]"},
		{"words as a mapping", "dowse: topic/v1\nname: reefs\nwords: {coral: reef}\n", 3, 8, "a mapping, not a list", "[one, two]"},
		{"empty list", head + "also: []\n", 4, 7, "empty", "add an item"},
		{"empty item", head + "also:\n  - fish\n  -\n", 6, 5, "no value", "write a value"},
		{"empty text", head + "also: ['']\n", 4, 8, "empty", "write a text"},
		{"list in a list", head + "also: [[fish]]\n", 4, 8, "a list, not a single value", "one value"},
		{"colon in a word", head + "also:\n  - reef: the book\n", 5, 5, "not a single value", "in quotes"},
		{"language by name", head + "languages: [english]\n", 4, 13, `"english"`, `did you mean "en"`},
		{"language of another form", head + "languages: ['e']\n", 4, 13, `"e"`, "two or three letters"},
		{"languages misspelt only", head + "languages: {onyl: [en]}\n", 4, 13, `unknown key "onyl"`, `did you mean "only"`},
		{"languages empty mapping", head + "languages: {}\n", 4, 12, "empty", "{only: [en]}"},
		{"threshold in percent", head + "threshold: 60%\n", 4, 12, `"60%"`, "did you mean 0.6?"},
		{"threshold too high", head + "threshold: 60\n", 4, 12, `"60"`, "did you mean 0.6?"},
		{"threshold just too high", head + "threshold: 1.5\n", 4, 12, `"1.5"`, "from 0.01 to 1"},
		{"program of no arguments", head + "judge: {exec: []}\n", 4, 15, "judge: exec: the list is empty", "add an item"},
		{"long problem of a clause", head + "where: keyword(reef\n", 4, 8, "the parenthesis of keyword is not closed", `add ")"`},
		{"threshold negative", head + "threshold: -1\n", 4, 12, `"-1"`, "such as 0.5"},
		{"threshold not a number", head + "threshold: .nan\n", 4, 12, "nan", "such as 0.5"},
		{"threshold a word", head + "threshold: high\n", 4, 12, `"high"`, "such as 0.5"},
		{"seed without scheme", head + "seeds: [example.org/reef]\n", 4, 9, "example.org/reef", `did you mean "https://example.org/reef"`},
		{"seed of another scheme", head + "seeds:\n - ftp://example.org/\n", 5, 4, "ftp://example.org/", "only http and https"},
		{"seed with a password", head + "seeds: ['https://me:secret@example.org/']\n", 4, 9, "absolute", "remove user"},
		{"seed without host", head + "seeds: ['https:///x']\n", 4, 9, "https:///x", "whole URL"},
		{"two seeds in one", head + "seeds: ['https://a.example/ https://b.example/']\n", 4, 9, "a.example", "one URL to an item"},
		{"seeds as a text", head + "seeds: https://example.org/\n", 4, 8, "not a list", "seeds: [https://example.org/]"},
		{"scope misspelt", head + "scope: hots\n", 4, 8, `"hots"`, `did you mean "host"`},
		{"scope unknown", head + "scope: everything\n", 4, 8, `"everything"`, "web, domain, host, prefix"},
		{"limit misspelt", head + "limits: {per-host: 3}\n", 4, 10, `unknown key "per-host"`, `did you mean "per_host"`},
		{"limit a fraction", head + "limits: {per_host: 1.5}\n", 4, 20, `"1.5"`, "whole number from 1"},
		{"limit zero", head + "limits:\n  per_host: 0\n", 5, 13, `"0"`, "whole number from 1"},
		{"until misspelt", head + "limits: {until: recal>0.8}\n", 4, 17, `"recal>0.8"`, `column 1: want recall, gain, harvest or pprs, got "recal"`},
		{"limits a number", head + "limits: 200\n", 4, 9, "single value", "key: value"},
		{"tunnel negative", head + "follow: {tunnel: -2}\n", 4, 18, `"-2"`, "whole number from 0"},
		{"strategy a sentence", head + "follow: {strategy: best first}\n", 4, 20, "best first", "link-context"},
		{"seeds from nothing", head + "seeds: from-like\n", 4, 8, "which the topic does not have", `add "like:"`},
		{"seeds from no category", head + "seeds: {from: category}\n", 4, 8, "come from category", `add "category:"`},
		{"seeds from elsewhere", head + "like: [https://example.org/]\nseeds: {from: liek}\n", 5, 15, `"liek"`, `did you mean "like"`},
		{"seeds without from", head + "seeds: {limit: 5}\n", 4, 8, `"from" is missing`, "{from: like}"},
		{"seeds misspelt limit", head + "category: {directory: x, path: y}\nseeds: {from: category, limt: 5}\n", 5, 25, `unknown key "limt"`, `did you mean "limit"`},
		{"seed URLs as a text", head + "like: [https://example.org/]\nseeds: {from: like, urls: here}\n", 5, 27, "not a list", "urls: ["},
		{"explore in percent", head + "follow: {explore: 5}\n", 4, 19, `"5" is not a share`, "such as 0.05"},
		{"like as a text", head + "like: https://example.org/\n", 4, 7, "not a list", "like: ["},
		{"like empty", head + "like: []\n", 4, 7, "empty", "add an item"},
		{"like a file without its key", head + "like: [examples/*.html]\n", 4, 8, "not an absolute", `{file: examples/*.html}`},
		{"like an archive without its key", head + "like: [old.warc.gz]\n", 4, 8, "not an absolute", `{warc: old.warc.gz}`},
		{"like a collection without its key", head + "like: [old.dowse]\n", 4, 8, "not an absolute", `{collection: old.dowse}`},
		{"like words", head + "like: [coral reefs in heat]\n", 4, 8, "not an absolute", "{text: "},
		{"like without scheme", head + "like: [example.org/reefs]\n", 4, 8, "example.org/reefs", `did you mean "https://example.org/reefs"`},
		{"like an empty item", head + "like:\n  -\n", 5, 5, "no value", "write a value"},
		{"like a misspelt kind", head + "like: [{flie: a.html}]\n", 4, 9, `unknown key "flie"`, `did you mean "file"`},
		{"like of two kinds", head + "like: [{file: a.html, warc: b.warc}]\n", 4, 8, "several kinds", "one item for each"},
		{"like of no kind", head + "like: [{limit: 5}]\n", 4, 8, "where the pages are", "url, file, warc"},
		{"a pattern that is none", head + "like: [{file: 'a[.html'}]\n", 4, 15, "not a pattern", "close the bracket"},
		{"a URL as a file", head + "unlike:\n  - file: https://example.org/a.html\n", 5, 11, "is a URL", "write the URL alone"},
		{"match of files", head + "like: [{file: a.html, match: /x/}]\n", 4, 8, "match goes with warc", "remove match"},
		{"match without slashes", head + "like: [{warc: a.warc, match: heat}]\n", 4, 30, `"heat" is not /re/`, "/heat/i"},
		{"match that is no RE2", head + "like: [{warc: a.warc, match: '/(?=x)/'}]\n", 4, 30, "match", "RE2"},
		{"collection without dir", head + "like: [{collection: {label: 'on'}}]\n", 4, 21, `"dir" is missing`, "NAME.dowse"},
		{"label of another kind", head + "like: [{collection: {dir: a.dowse, label: maybe}}]\n", 4, 43, `"maybe"`, "on, off"},
		{"limit of pages too high", head + "like: [{warc: a.warc, limit: 501}]\n", 4, 30, "501 pages", "500 at most"},
		{"site with a path", head + "like: [{site: example.org/reefs}]\n", 4, 15, "not a host", "reefs.example.org"},
		{"text empty", head + "like: [{text: ''}]\n", 4, 15, "empty", "write a text"},
		{"category a text", head + "category: Recreation/Lighthouses\n", 4, 11, "not keys with values", "key: value"},
		{"category without path", head + "category: {directory: odp.jsonl}\n", 4, 11, `"path" is missing`, "Recreation/Collecting"},
		{"category without directory", head + "category: {path: Top/Arts}\n", 4, 11, `"directory" is missing`, "directory: FILE"},
		{"category include", head + "category: {directory: x, path: y, include: all}\n", 4, 44, `"all"`, "node, subtree"},
		{"category contrast", head + "category: {directory: x, path: y, contrast: sibling}\n", 4, 45, `"sibling"`, `did you mean "siblings"`},
		{"model without file", head + "model: {name: x}\n", 4, 9, `unknown key "name"`, "file"},
		{"model a list", head + "model: [a.json]\n", 4, 8, "not a single value", "one value"},
		{"judge without anybody", head + "judge: {timeout: 5s}\n", 4, 8, "who judges", "exec: ["},
		{"judge twice", head + "judge: {exec: [a], endpoint: 'https://example.org/v1', model: b}\n", 4, 8, "two judges", "keep one"},
		{"judge without model", head + "judge: {endpoint: 'https://example.org/v1'}\n", 4, 8, `"model" is missing`, "model: NAME"},
		{"judge as a line", head + "judge: {exec: python3 judge.py}\n", 4, 15, "not a list", "exec: [python3, judge.py]"},
		{"judge with its key", head + "judge: {endpoint: 'https://example.org/v1', model: b, key_env: sk-12ab}\n", 4, 64, "environment variable", "not the key itself"},
		{"judge in a range upside down", head + "judge: {exec: [a], only_if: '0.7..0.3'}\n", 4, 29, "not a range", "0.3..0.7"},
		{"judge without unit", head + "judge: {exec: [a], timeout: 5}\n", 4, 29, `"5"`, `did you mean "5s"`},
		{"judge without budget", head + "judge: {exec: [a], budget: 0}\n", 4, 28, `"0"`, "whole number from 1"},
		{"where a misspelt fact", head + "where: {titel: reef}\n", 4, 9, "titel", "title"},
		{"where a misspelt group", head + "where:\n  al:\n    - lang: [de]\n", 5, 3, `"al"`, "all"},
		{"where an open pattern", head + "where: {title: '/(reef/i'}\n", 4, 9, "reef", ""},
		{"where a broken expression", head + "where: keyword(reef\n", 4, 8, "where", ""},
		{"where a key twice", head + "where: {title: a, title: b}\n", 4, 19, "there twice", "all:"},
		{"where an alias", head + "where: {title: &a reef}\n", 4, 16, "anchors", "write the value out"},
		{"where unknown unknown", head + "where: {title: a, unknown: maybe}\n", 4, 19, "unknown", "pass"},
		{"alias", head + "also: [&a fish, *a]\n", 4, 8, "anchors", "write the value out"},
		{"tag", head + "about: !!binary aGk=\n", 4, 8, "tags", "write the value out"},
		{"merge key", head + "<<: {also: [fish]}\n", 4, 1, "merge key", "write the keys out"},
		{"second document", head + "---\nname: more\n", 5, 1, "second document", "one topic per file"},
		{"colon in a text", head + "about: reefs: a story\n", 4, 8, "not YAML", "in quotes"},
		{"open quote", head + "about: 'reefs\n", 4, 8, "not YAML", "close the quote"},
		{"open list", head + "also: [fish, sea\n", 4, 7, "not YAML", "close the list"},
		{"tab", head + "limits:\n\tper_host: 3\n", 5, 1, "not YAML", "spaces, not with tabs"},
		{"uneven list", head + "also:\n   - fish\n  - sea\n", 6, 3, "not YAML", "one column"},
		{"reserved sign", head + "also: [@fish]\n", 4, 8, "not YAML", "in quotes"},
		{"Latin-1", head + "about: caf\xe9\n", 4, 1, "not UTF-8", "save the file as UTF-8"},
		{"control characters", head + "about: a\x1b[31mb\n", 4, 1, "control characters", "remove them"},
		{"long word", head + "also: [" + strings.Repeat("x", 201) + "]\n", 4, 8, "200 bytes", "shorten it"},
		{"too many words", head + "also:\n" + strings.Repeat("  - fish\n", 1000), 1, 1, "too many", "1000"},
	}
	if len(tests) < 80 {
		t.Errorf("only %d broken files", len(tests))
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := topic.Parse([]byte(tt.file), "reefs.yaml")
			var e *topic.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %+v, %v; want an error with a place", got, err)
			}
			if e.File != "reefs.yaml" || e.Line != tt.line || e.Column != tt.column {
				t.Errorf("%v: want it at %d:%d", e, tt.line, tt.column)
			}
			if !strings.Contains(e.Problem, tt.problem) || !strings.Contains(e.Fix, tt.fix) {
				t.Errorf("%v: want %q and %q", e, tt.problem, tt.fix)
			}
		})
	}
}

func TestAllProblemsAreTold(t *testing.T) {
	_, err := topic.Parse([]byte("dowse: topic/v1\nnmae: x\nwords: reef\nscope: all\n"), "x.yaml")
	for _, want := range []string{"x.yaml:2:1", "x.yaml:3:8", "x.yaml:4:8", `"name" is missing`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %s", err, want)
		}
	}
	many := head
	for i := range 100 {
		many += fmt.Sprintf("key%d: x\n", i)
	}
	_, err = topic.Parse([]byte(many), "x.yaml")
	if n := strings.Count(err.Error(), "\n") + 1; n > 20 {
		t.Errorf("%d problems told", n)
	}
}

func TestHostileFilesAreRefused(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		bomb += fmt.Sprintf("%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", c, c, c-1, c-1, c-1, c-1, c-1, c-1, c-1, c-1)
	}
	for name, file := range map[string]string{
		"alias bomb":  bomb,
		"words bomb":  head + "also: [*a,*a]\nnot: &a [*a]\n",
		"brackets":    strings.Repeat("[", 200000),
		"braces":      strings.Repeat("{a: ", 50000),
		"bracketed":   strings.Repeat("[\n", 100000),
		"dashes":      strings.Repeat("- ", 100000),
		"questions":   strings.Repeat("? ", 100000),
		"keys":        strings.Repeat("*a: ", 60000),
		"lines":       strings.Repeat("a:\n", 80000),
		"tabs":        strings.Repeat("a:\t1\n", 40000),
		"old lines":   strings.Repeat("a:\r", 60000),
		"spaced":      strings.Repeat("a :\n", 60000),
		"JSON keys":   "{" + strings.Repeat("\"a\":1,\n", 30000) + "}",
		"flow keys":   "{" + strings.Repeat("a,\n", 15000) + "}",
		"documents":   strings.Repeat("--- a\n", 40000),
		"indented":    indented(600),
		"large":       strings.Repeat("x", topic.MaxFile+1),
		"null bytes":  strings.Repeat("\x00", 1000),
		"byte orders": strings.Repeat("\ufeff", 1000),
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := topic.Parse([]byte(file), "x.yaml"); err == nil {
				t.Errorf("%+v", got)
			} else if len(err.Error()) > 1<<14 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
		})
	}
}

func indented(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(reefs))
	f.Add([]byte(head + "like: [https://a.example/, {file: 'x/*.html'}, {warc: a.warc, match: /x/i}, {collection: {dir: c, label: 'off', limit: 3}}, {site: b.example}, {text: a b}]\nseeds: {from: like, limit: 3, urls: [https://c.example/]}\n"))
	f.Add([]byte("dowse: topic/v1\nname: x\ncategory: {directory: d.jsonl, path: a/b, include: node, contrast: none}\nseeds: from-category\nmodel: m.json\n"))
	f.Add([]byte("dowse: topic/v1\nname: x\nwhere: {all: [{lang: [de]}, {any: [{title: /a|b/i}]}, {text: {has: [x], words: '120..'}}, {not: {path: /x/}}, {published: {after: 2024-01-01}}], unknown: pass}\njudge: {exec: [a, b], only_if: '0.2..0.8', timeout: 5s, budget: 9}\n"))
	f.Add([]byte(head + "languages: {only: [en]}\nfollow: {strategy: auto, tunnel: 3}\nlimits: {per_host: 2}\n"))
	f.Add([]byte(head + "about: >-\n  a\n  b\nalso: [\"\\u00e9\\x41\", 'it''s', 1e3, ~]\n"))
	f.Add([]byte("a: &a [*a]\n<<: *a\n? [x]\n: y\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := topic.Parse(data, "fuzz.yaml")
		if err != nil {
			var e *topic.Error
			if !errors.As(err, &e) || e.Line < 1 || e.Column < 1 || e.Problem == "" || e.Fix == "" {
				t.Fatalf("an error without place, cause or help: %v", err)
			}
			return
		}
		text := got.YAML()
		again, err := topic.Parse(text, "again.yaml")
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if string(again.YAML()) != string(text) {
			t.Fatalf("not stable:\n%s\n%s", text, again.YAML())
		}
		got.Check()
		_, _ = got.Judge()
	})
}

// What people type becomes a file that reads back as what they typed.
func FuzzWritten(f *testing.F) {
	for _, w := range []string{"coral bleaching", "c#", "- x", "a: b", "true", "1984", "it's \"so\"", "# no", "\u2028 é", "\\", "~", "a -b", "http://x/#y", "👍🏽", "é\u0301"} {
		f.Add(w)
	}
	f.Fuzz(func(t *testing.T, w string) {
		made := topic.FromWords([]string{w})
		if len(made.Words) == 0 || len(made.Words[0]) > 200 {
			return
		}
		read, err := topic.Parse(made.YAML(), "made.yaml")
		if err != nil {
			t.Fatalf("%v\n%s", err, made.YAML())
		}
		if read.Words[0] != made.Words[0] || read.Name != made.Name {
			t.Fatalf("%+v became %+v\n%s", made, read, made.YAML())
		}
	})
}
