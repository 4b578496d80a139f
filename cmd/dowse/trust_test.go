package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dowse/crawler"
)

// TestConsentAtTheTerminal asks a person, takes only yes for yes, and remembers that.
func TestConsentAtTheTerminal(t *testing.T) {
	file := filepath.Join(t.TempDir(), "dowse", "trusted")
	dir := t.TempDir()
	topic := filepath.Join(dir, "a.topic.yaml")
	link := filepath.Join(dir, "link.topic.yaml")
	if err := errors.Join(os.WriteFile(topic, nil, 0o644), os.Symlink(topic, link)); err != nil {
		t.Fatal(err)
	}
	acts := []crawler.Act{{Verb: "run", What: `"sh" in "/"`, Sum: "1"}, {Verb: "send", What: "the environment variable KEY"}}
	var out bytes.Buffer
	at := func(answer string, asks bool) *consent {
		out.Reset()
		return &consent{file: file, in: strings.NewReader(answer), out: &out, asks: asks, command: "dowse " + shellLine(withTrust([]string{"crawl", "--", "a b"}))}
	}
	for _, answer := range []string{"", "\n", "n\n", "yesterday\n"} {
		err := at(answer, true).allow(topic, acts)
		var ee *exitError
		if !errors.Is(err, crawler.ErrTrust) || !errors.As(err, &ee) || ee.code != exitForbidden {
			t.Errorf("%q: %v, want a refusal", answer, err)
		}
		if !strings.Contains(out.String(), "\n  send the environment variable KEY\n") {
			t.Errorf("the question does not name the variable: %q", out.String())
		}
	}
	if err := at("y\n", false).allow(topic, acts); !errors.Is(err, crawler.ErrTrust) || out.Len() > 0 {
		t.Errorf("%v and %q, want a script not to be asked", err, out.String())
	}
	if err := at("y\n", true).allow(topic, acts[:1]); err != nil {
		t.Error(err)
	}
	if err := at("", false).allow(link, acts[:1]); err != nil {
		t.Errorf("the same file by a link: %v", err)
	}
	err := at("", false).allow(topic, acts)
	var refused *crawler.TrustError
	if !errors.As(err, &refused) || len(refused.Acts) != 1 || refused.Acts[0] != acts[1] {
		t.Errorf("%v, want only what is new to be refused", err)
	}
	changed := acts[0]
	changed.Sum = "2"
	if err := at("", false).allow(topic, []crawler.Act{changed}); !errors.As(err, &refused) || !refused.Acts[0].Changed {
		t.Errorf("%v, want a program that has changed to be refused, and to say so", err)
	}
	if err := at("y\n", true).allow(topic, []crawler.Act{{Verb: "run", What: "x", Unread: "gone"}}); !errors.Is(err, crawler.ErrTrust) {
		t.Errorf("%v, want no consent to a program that cannot be read", err)
	}
	err = at("", false).allow(topic, acts)
	if !strings.HasSuffix(err.Error(), "\n  dowse crawl --trust -- 'a b'") {
		t.Errorf("%v, want the command at the end", err)
	}
	if st, err := os.Stat(file); err != nil || st.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("%v, %v: want a file for its owner alone", st.Mode(), err)
	}
}

// TestShellLine writes arguments so that a shell reads them as they were.
func TestShellLine(t *testing.T) {
	got := shellLine([]string{"crawl", "it's $(x)", "", "--seed=https://a/?b", "plain.dowse"})
	if want := `crawl 'it'\''s $(x)' '' '--seed=https://a/?b' plain.dowse`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
