package topic_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"dowse"
	"dowse/topic"
)

const reefs = `# reefs.topic.yaml
dowse: topic/v1
name: coral-bleaching
about: Coral bleaching, its causes, observations and recovery.   # for people
words:
  - coral bleaching            # phrases as you would say them
  - reef heat stress
also: [zooxanthellae, "degree heating weeks", acropora]
not:  [hair bleaching, aquarium shop]
languages: [en, es]
seeds:
  - https://example.org/reef-watch/
`

func Example() {
	t, err := topic.Parse([]byte(reefs), "reefs.topic.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range t.Check() {
		fmt.Println(f)
	}
	_, err = topic.Parse([]byte("dowse: topic/v1\nname: reefs\nwrods: [reef]\nwords: [reef]\n"), "reefs.topic.yaml")
	fmt.Println(err)
	// Output:
	// ok    words 2, also 3, not 2, seeds 1
	// hint  the judge looks for, in any form: coral bleaching, reef heat stress
	// hint  words are stemmed as "en", the first of the languages
	// reefs.topic.yaml:3:1: unknown key "wrods"; did you mean "words"?
}

func parse(t testing.TB, s string) *topic.Topic {
	t.Helper()
	got, err := topic.Parse([]byte(s), "test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestParse(t *testing.T) {
	three := 3
	tests := []struct {
		name, file string
		want       topic.Topic
	}{
		{"the example", reefs, topic.Topic{
			Name: "coral-bleaching", About: "Coral bleaching, its causes, observations and recovery.",
			Words: []string{"coral bleaching", "reef heat stress"}, Also: []string{"zooxanthellae", "degree heating weeks", "acropora"},
			Not: []string{"hair bleaching", "aquarium shop"}, Languages: []string{"en", "es"},
			Seeds: []string{"https://example.org/reef-watch/"},
		}},
		{"all keys", "dowse: topic/v1\nname: x2\nwords: [a b]\nlanguages: {only: [DE, pt_BR]}\nthreshold: 0.6\nscope: domain\n" +
			"limits: {per_host: 200, until: 'recall>0.8'}\nfollow: {strategy: 'link-context:beta=0.25', tunnel: 3}\n", topic.Topic{
			Name: "x2", Words: []string{"a b"}, Languages: []string{"de", "pt-br"}, Only: true, Threshold: 0.6,
			Scope: "domain", PerHost: 200, Until: "recall>0.8", Strategy: "link-context:beta=0.25", Tunnel: &three,
		}},
		{"no limit on tunnels", "dowse: topic/v1\nname: x\nwords: [reef]\nfollow: {tunnel: none}\n",
			topic.Topic{Name: "x", Words: []string{"reef"}}},
		{"numbers and truth are words", "dowse: topic/v1\nname: x\nwords: [1984, 0x1F, 3.10, true, 'null', \"c#\"]\n",
			topic.Topic{Name: "x", Words: []string{"1984", "0x1F", "3.10", "true", "null", "c#"}}},
		{"folded text, line ends of Windows", "dowse: topic/v1\r\nname: x\r\nwords: [reef]\r\nabout: |\r\n  one\r\n  two\r\n",
			topic.Topic{Name: "x", Words: []string{"reef"}, About: "one two"}},
		{"JSON", `{"dowse": "topic/v1", "name": "x", "words": ["reef"]}`, topic.Topic{Name: "x", Words: []string{"reef"}}},
		{"other scripts", "dowse: topic/v1\nname: mercan-ağarması\nwords: [mercan ağarması, 珊瑚]\n",
			topic.Topic{Name: "mercan-ağarması", Words: []string{"mercan ağarması", "珊瑚"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := parse(t, tt.file)
			if !reflect.DeepEqual(*got, tt.want) {
				t.Errorf("got %+v, want %+v", *got, tt.want)
			}
			again := parse(t, string(got.YAML()))
			if !reflect.DeepEqual(again, got) {
				t.Errorf("written and read: %+v, want %+v; file:\n%s", again, got, got.YAML())
			}
		})
	}
}

func TestYAMLIsCanonical(t *testing.T) {
	want := `dowse: topic/v1
name: coral-bleaching
about: "Coral bleaching, its causes, observations and recovery."
words:
  - coral bleaching
  - reef heat stress
also:
  - zooxanthellae
  - degree heating weeks
  - acropora
not:
  - hair bleaching
  - aquarium shop
languages: [en, es]
seeds:
  - https://example.org/reef-watch/
`
	got := parse(t, reefs).YAML()
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if again := parse(t, string(got)).YAML(); string(again) != want {
		t.Errorf("not stable:\n%s", again)
	}
}

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "reefs.topic.yaml")
	if err := os.WriteFile(path, []byte(reefs), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := topic.Load(path)
	if err != nil || got.Name != "coral-bleaching" {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := topic.Load(filepath.Join(t.TempDir(), "none.yaml")); !os.IsNotExist(unwrapped(err)) {
		t.Errorf("a file that is not there: %v", err)
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("# x\n", topic.MaxFile)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := topic.Load(path); err == nil || !strings.Contains(err.Error(), "256 KiB") {
		t.Errorf("a file too large: %v", err)
	}
}

func unwrapped(err error) error {
	if u, ok := err.(interface{ Unwrap() error }); ok {
		return u.Unwrap()
	}
	return err
}

func TestFromWords(t *testing.T) {
	tests := []struct {
		words []string
		name  string
		want  []string
	}{
		{[]string{"coral bleaching"}, "coral-bleaching", []string{"coral bleaching"}},
		{[]string{"coral", "bleaching"}, "coral-bleaching", []string{"coral bleaching"}},
		{[]string{"tide pools", "zonation"}, "tide-pools-zonation", []string{"tide pools", "zonation"}},
		{[]string{"  Reefs!\n ", ""}, "reefs", []string{"Reefs!"}},
		{[]string{"C++"}, "c", []string{"C++"}},
		{[]string{"???"}, "topic", []string{"???"}},
		{nil, "topic", nil},
		{[]string{strings.Repeat("long ", 40)}, strings.TrimSuffix(strings.Repeat("long-", 13)[:64], "-"), []string{strings.TrimSpace(strings.Repeat("long ", 40))}},
	}
	for _, tt := range tests {
		got := topic.FromWords(tt.words)
		if got.Name != tt.name || !reflect.DeepEqual(got.Words, tt.want) {
			t.Errorf("%q: %q %q, want %q %q", tt.words, got.Name, got.Words, tt.name, tt.want)
		}
	}
	again := parse(t, string(topic.FromWords([]string{"coral bleaching"}).YAML()))
	if !reflect.DeepEqual(again.Words, []string{"coral bleaching"}) {
		t.Errorf("%+v", again)
	}
}

func TestJudge(t *testing.T) {
	j, err := parse(t, reefs).Judge()
	if err != nil {
		t.Fatal(err)
	}
	s := strings.Repeat("Coral bleaching follows heat. ", 10)
	v := j.Judge(&dowse.Page{Document: dowse.Document{Title: "Coral bleaching", Text: s, Words: dowse.Words(s)}})
	if v.Relevance < 0.8 {
		t.Errorf("%+v", v)
	}
	if _, err := topic.FromWords([]string{"the"}).Judge(); err == nil {
		t.Error("a judge of stop words")
	}
}

func TestThresholdAndLanguages(t *testing.T) {
	var zero topic.Topic
	if zero.OnTopic() != 0.5 || zero.Language() != "en" || !zero.AcceptsLanguage("fr") {
		t.Errorf("zero: %g %s %v", zero.OnTopic(), zero.Language(), zero.AcceptsLanguage("fr"))
	}
	only := topic.Topic{Threshold: 0.7, Languages: []string{"de", "pt-br"}, Only: true}
	if only.OnTopic() != 0.7 || only.Language() != "de" {
		t.Errorf("%g %s", only.OnTopic(), only.Language())
	}
	for language, want := range map[string]bool{"de": true, "de-at": true, "DE-CH": true, "": true, "pt-br": true, "pt": false, "en": false, "den": false} {
		if only.AcceptsLanguage(language) != want {
			t.Errorf("%q: %v", language, !want)
		}
	}
}
