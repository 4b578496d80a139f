package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"strings"

	"dowse"
	"dowse/crawler"
	"dowse/fetch"
	"dowse/internal/extract"
	"dowse/internal/text"
	"dowse/weburl"
)

type debugCmd struct {
	Robots  debugRobotsCmd  `cmd:"" help:"Check a URL against a robots.txt."`
	URL     debugURLCmd     `cmd:"" name:"url" help:"Parse a URL as a browser does."`
	Canon   debugCanonCmd   `cmd:"" help:"Show the canonical form of a URL, or compare two."`
	HTML    debugHTMLCmd    `cmd:"" name:"html" help:"Extract links, text and title of a page."`
	Charset debugCharsetCmd `cmd:"" help:"Detect the encoding of a page."`
	Stem    debugStemCmd    `cmd:"" help:"Reduce words to stems."`
	Net     debugNetCmd     `cmd:"" help:"Check whether an address is public."`
}

const debugStreams = `
Cases are read from stdin, one JSON object to a line; each gets its answer, one
line, at once. A line that makes no sense gets {"error":"..."}, and the rest is
answered all the same; the exit code is 0.`

func (debugCmd) Help() string {
	return `Examples:
  dowse debug canon < urls.jsonl            lines of {"url":"..."}
  echo '{"ip":"10.0.0.1"}' | dowse debug net
` + debugStreams
}

type debugRobotsCmd struct{}

func (debugRobotsCmd) Help() string {
	return `Examples:
  dowse debug robots < cases.jsonl

In: robots, agent and url, each as text or, for any bytes, as robots_hex,
agent_hex and url_hex:
  {"robots":"User-agent: *\nDisallow: /x","agent":"reefbot",
   "url":"https://example.org/x"}                         (in one line)
Out: {"allowed":true} or {"allowed":false}.
` + debugStreams
}

type robotsCase struct {
	Robots    string `json:"robots"`
	Agent     string `json:"agent"`
	URL       string `json:"url"`
	RobotsHex string `json:"robots_hex"`
	AgentHex  string `json:"agent_hex"`
	URLHex    string `json:"url_hex"`
}

type robotsVerdict struct {
	Allowed bool `json:"allowed"`
}

// Run answers whether URLs may be fetched.
func (debugRobotsCmd) Run(w *world) error {
	return answerCases(w, func(c *robotsCase) (any, error) {
		for _, f := range []struct{ plain, hexed *string }{{&c.Robots, &c.RobotsHex}, {&c.Agent, &c.AgentHex}, {&c.URL, &c.URLHex}} {
			b, err := hex.DecodeString(*f.hexed)
			if err != nil {
				return nil, err
			}
			*f.plain += string(b)
		}
		ok, _ := fetch.ParseRobots([]byte(c.Robots), 200, c.Agent).Rules.Allowed(dowse.URL(c.URL))
		return robotsVerdict{ok}, nil
	})
}

type debugURLCmd struct{}

func (debugURLCmd) Help() string {
	return `Examples:
  dowse debug url < cases.jsonl
  echo '{"input":"../b","base":"http://a.example/x/y"}' |
  dowse debug url

In: input, and base, which may be absent or null.
Out: {"href":"..."} as the WHATWG URL Standard serialises it, or {"failure":true}.
` + debugStreams
}

type urlCase struct {
	Input string  `json:"input"`
	Base  *string `json:"base"`
}

type urlAnswer struct {
	Href    string `json:"href,omitempty"`
	Failure bool   `json:"failure,omitempty"`
}

// Run answers what URLs browsers see.
func (debugURLCmd) Run(w *world) error {
	return answerCases(w, func(c *urlCase) (any, error) {
		base := ""
		if c.Base != nil {
			base = *c.Base
		}
		href, err := weburl.Href(c.Input, base)
		if err != nil {
			return urlAnswer{Failure: true}, nil
		}
		return urlAnswer{Href: href}, nil
	})
}

type debugCanonCmd struct{}

func (debugCanonCmd) Help() string {
	return `Examples:
  dowse debug canon < cases.jsonl
  echo '{"url":"http://EXAMPLE.org:80/%7Ea?PHPSESSID=1"}' |
  dowse debug canon

In: url. Out: {"canon":"..."}, or {"error":"..."} for what is no http(s) URL.
` + debugStreams
}

type canonCase struct {
	URL string `json:"url"`
}

type canonAnswer struct {
	Canon dowse.URL `json:"canon"`
}

// Run answers under which names URLs are known.
func (debugCanonCmd) Run(w *world) error {
	return answerCases(w, func(c *canonCase) (any, error) {
		u, err := weburl.Parse(c.URL)
		return canonAnswer{u}, err
	})
}

type debugHTMLCmd struct{}

func (debugHTMLCmd) Help() string {
	return `Examples:
  dowse debug html < cases.jsonl
  echo '{"html":"<a href=b>c</a>","base":"http://a.example/"}' |
  dowse debug html

In: html, and base, the URL of the page; http://localhost/ if it is absent.
Out: {"links":["..."],"text":"...","title":"..."}: links in canonical form, one to
a target, in the order of the page.
` + debugStreams
}

type htmlCase struct {
	HTML string `json:"html"`
	Base string `json:"base"`
}

type htmlAnswer struct {
	Links []dowse.URL `json:"links"`
	Text  string      `json:"text"`
	Title string      `json:"title"`
}

// Run answers what is on pages.
func (debugHTMLCmd) Run(w *world) error {
	return answerCases(w, func(c *htmlCase) (any, error) {
		base := crawler.Nowhere
		if c.Base != "" {
			var err error
			if base, err = weburl.Parse(c.Base); err != nil {
				return nil, err
			}
		}
		doc := extract.HTML([]byte(c.HTML), base, extract.Options{KeepSelf: true})
		a := htmlAnswer{Links: []dowse.URL{}, Text: doc.Text, Title: doc.Title}
		for _, l := range doc.Links {
			a.Links = append(a.Links, l.URL)
		}
		return a, nil
	})
}

type debugCharsetCmd struct{}

func (debugCharsetCmd) Help() string {
	return `Examples:
  dowse debug charset < cases.jsonl
  echo '{"bytes_hex":"e4","content_type":"text/html"}' |
  dowse debug charset

In: bytes_hex, and content_type, which may be absent.
Out: {"charset":"..."}, the name of the Encoding Standard in lower case.
` + debugStreams
}

type charsetCase struct {
	Bytes string `json:"bytes_hex"`
	Type  string `json:"content_type"`
}

type charsetAnswer struct {
	Charset string `json:"charset"`
}

// Run answers in which encodings pages are.
func (debugCharsetCmd) Run(w *world) error {
	return answerCases(w, func(c *charsetCase) (any, error) {
		body, err := hex.DecodeString(c.Bytes)
		if err != nil {
			return nil, err
		}
		return charsetAnswer{extract.Charset(body, c.Type)}, nil
	})
}

type debugStemCmd struct{}

func (debugStemCmd) Help() string {
	return `Examples:
  dowse debug stem < cases.jsonl
  echo '{"lang":"porter","word":"bleaching"}' |
  dowse debug stem

In: lang, the tag of a language or the name of a stemmer (porter, english,
turkish, prefix, whole, ...), and word. Out: {"stem":"..."}.
` + debugStreams
}

type stemCase struct {
	Lang string `json:"lang"`
	Word string `json:"word"`
}

type stemAnswer struct {
	Stem string `json:"stem"`
}

// Run answers what words are reduced to.
func (debugStemCmd) Run(w *world) error {
	return answerCases(w, func(c *stemCase) (any, error) {
		stem, ok := text.StemmerNamed(c.Lang)
		if !ok {
			return nil, fmt.Errorf("no language and no stemmer is called %q", c.Lang)
		}
		return stemAnswer{stem(strings.ToLower(c.Word))}, nil
	})
}

type debugNetCmd struct{}

func (debugNetCmd) Help() string {
	return `Examples:
  dowse debug net < cases.jsonl
  echo '{"ip":"192.168.0.1"}' |
  dowse debug net

In: ip. Out: {"public":true} if a crawler may dial it unasked, else
{"public":false}: it is inside a network, or reserved.
` + debugStreams
}

type netCase struct {
	IP string `json:"ip"`
}

type netAnswer struct {
	Public bool `json:"public"`
}

// Run answers whether addresses are public.
func (debugNetCmd) Run(w *world) error {
	return answerCases(w, func(c *netCase) (any, error) {
		a, err := netip.ParseAddr(c.IP)
		return netAnswer{err == nil && weburl.PublicAddr(a)}, err
	})
}

// maxDebugLine is how many bytes a case may have.
const maxDebugLine = 64 << 20

var errLongLine = fmt.Errorf("the line is longer than %d MB", maxDebugLine>>20)

type errorAnswer struct {
	Error string `json:"error"`
}

// answerCases reads cases from stdin and writes the answer to each before it reads
// the next.
func answerCases[C any](w *world, answer func(*C) (any, error)) error {
	in := bufio.NewReaderSize(w.in, 1<<16)
	for w.ctx.Err() == nil {
		line, err := readLine(in, maxDebugLine)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, errLongLine) {
			return err
		}
		if err == nil && len(strings.TrimSpace(string(line))) == 0 {
			continue
		}
		if err := jsonLine(w.out, answerTo(line, err, answer)); err != nil {
			return err
		}
	}
	return &exitError{code: exitInterrupted}
}

func answerTo[C any](line []byte, err error, answer func(*C) (any, error)) any {
	var c C
	if err == nil {
		err = json.Unmarshal(line, &c)
	}
	var a any
	if err == nil {
		a, err = answer(&c)
	}
	if err != nil {
		return errorAnswer{err.Error()}
	}
	return a
}

// readLine reads a line without its end. Of one that is longer than max nothing is
// kept, and the error is errLongLine; the next line is there all the same.
func readLine(in *bufio.Reader, max int) (line []byte, err error) {
	long := false
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(line)+len(part) > max; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
		case err != nil && (err != io.EOF || len(line) == 0 && !long):
			return nil, err
		case long:
			return nil, errLongLine
		default:
			return line, nil
		}
	}
}
