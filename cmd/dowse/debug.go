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
	"dowse/fetch"
	"dowse/internal/extract"
	"dowse/internal/rawpage"
	"dowse/internal/text"
	"dowse/weburl"
)

// debugCmd groups commands that expose single components, for conformance tests and for
// questions such as "why is this URL not allowed?". They read cases as JSONL from stdin
// and print one answer per case, immediately, so that another program can hold a dialogue
// with them. A case that cannot be answered gets an error object, and the next one is
// still answered: a suite of thousands of cases must not end at a broken one.
type debugCmd struct {
	Robots  debugRobotsCmd  `cmd:"" help:"Check a URL against a robots.txt."`
	URL     debugURLCmd     `cmd:"" name:"url" help:"Parse a URL as a browser does."`
	Canon   debugCanonCmd   `cmd:"" help:"Show the canonical form of a URL."`
	HTML    debugHTMLCmd    `cmd:"" name:"html" help:"Extract links, text and title of a page."`
	Charset debugCharsetCmd `cmd:"" help:"Detect the encoding of a page."`
	Stem    debugStemCmd    `cmd:"" help:"Reduce words to stems."`
	Net     debugNetCmd     `cmd:"" help:"Check whether an address is public."`
}

// debugStreams ends the help of each debug command: how cases and answers correspond.
const debugStreams = `
Cases are read from stdin, one JSON object per line; each is answered with one
line, immediately. A line that cannot be read gets {"error":"..."}; the rest is
still answered, and the exit code is 0.`

func (debugCmd) Help() string {
	return `Examples:
  dowse debug canon < urls.jsonl            lines of {"url":"..."}
  echo '{"ip":"10.0.0.1"}' | dowse debug net
` + debugStreams
}

// debugRobotsCmd evaluates robots.txt files.
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

// A robotsCase is a line of input. The members with _hex hold arbitrary bytes, which are
// appended to the text: JSON cannot hold bytes that are not UTF-8, and robots.txt files
// can.
type robotsCase struct {
	Robots    string `json:"robots"`
	Agent     string `json:"agent"`
	URL       string `json:"url"`
	RobotsHex string `json:"robots_hex"`
	AgentHex  string `json:"agent_hex"`
	URLHex    string `json:"url_hex"`
}

// A robotsVerdict is the answer to a robotsCase.
type robotsVerdict struct {
	Allowed bool `json:"allowed"`
}

// Run answers whether each URL may be fetched by the agent.
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

// debugURLCmd parses URLs by the WHATWG URL Standard.
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

// A urlCase is a reference and the URL that it is relative to, if any.
type urlCase struct {
	Input string  `json:"input"`
	Base  *string `json:"base"`
}

// A urlAnswer is the serialised URL, or a failure.
type urlAnswer struct {
	Href    string `json:"href,omitempty"`
	Failure bool   `json:"failure,omitempty"`
}

// Run answers with the URL that a browser would request.
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

// debugCanonCmd shows the canonical form of URLs.
type debugCanonCmd struct{}

func (debugCanonCmd) Help() string {
	return `Examples:
  dowse debug canon < cases.jsonl
  echo '{"url":"http://EXAMPLE.org:80/%7Ea?PHPSESSID=1"}' |
  dowse debug canon

In: url. Out: {"canon":"..."}, or {"error":"..."} for what is no http(s) URL.
` + debugStreams
}

// A canonCase is a URL in any spelling.
type canonCase struct {
	URL string `json:"url"`
}

// A canonAnswer is the form in which a crawl knows the URL.
type canonAnswer struct {
	Canon dowse.URL `json:"canon"`
}

// Run answers with the canonical form, under which a crawl identifies a URL.
func (debugCanonCmd) Run(w *world) error {
	return answerCases(w, func(c *canonCase) (any, error) {
		u, err := weburl.Parse(c.URL)
		return canonAnswer{u}, err
	})
}

// debugHTMLCmd extracts pages.
type debugHTMLCmd struct{}

func (debugHTMLCmd) Help() string {
	return `Examples:
  dowse debug html < cases.jsonl
  echo '{"html":"<a href=b>c</a>","base":"http://a.example/"}' |
  dowse debug html

In: html, and base, the URL of the page; http://localhost/ if it is absent.
Out: {"links":["..."],"text":"...","title":"..."}: links in canonical form, one per
target, in the order of the page.
` + debugStreams
}

// An htmlCase is a page and its URL.
type htmlCase struct {
	HTML string `json:"html"`
	Base string `json:"base"`
}

// An htmlAnswer is what the crawler extracts from the page.
type htmlAnswer struct {
	Links []dowse.URL `json:"links"`
	Text  string      `json:"text"`
	Title string      `json:"title"`
}

// Run answers with links, text and title. Links of the page to itself are included,
// which a crawl leaves out.
func (debugHTMLCmd) Run(w *world) error {
	return answerCases(w, func(c *htmlCase) (any, error) {
		base := rawpage.Nowhere
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

// debugCharsetCmd detects encodings.
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

// A charsetCase is the body of a response and its Content-Type.
type charsetCase struct {
	Bytes string `json:"bytes_hex"`
	Type  string `json:"content_type"`
}

// A charsetAnswer is the name of an encoding.
type charsetAnswer struct {
	Charset string `json:"charset"`
}

// Run answers with the encoding in which the crawler would decode the page.
func (debugCharsetCmd) Run(w *world) error {
	return answerCases(w, func(c *charsetCase) (any, error) {
		body, err := hex.DecodeString(c.Bytes)
		if err != nil {
			return nil, err
		}
		return charsetAnswer{extract.Charset(body, c.Type)}, nil
	})
}

// debugStemCmd stems words.
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

// A stemCase is a word and its language, or the name of a stemmer.
type stemCase struct {
	Lang string `json:"lang"`
	Word string `json:"word"`
}

// A stemAnswer is the stem of a word.
type stemAnswer struct {
	Stem string `json:"stem"`
}

// Run answers with the stem of each word in lower case.
func (debugStemCmd) Run(w *world) error {
	return answerCases(w, func(c *stemCase) (any, error) {
		stem, ok := text.StemmerNamed(c.Lang)
		if !ok {
			return nil, fmt.Errorf("unknown language or stemmer %q", c.Lang)
		}
		return stemAnswer{stem(strings.ToLower(c.Word))}, nil
	})
}

// debugNetCmd classifies IP addresses.
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

// A netCase is an IP address.
type netCase struct {
	IP string `json:"ip"`
}

// A netAnswer reports whether the crawler connects to the address without --allow-net.
type netAnswer struct {
	Public bool `json:"public"`
}

// Run answers whether each address is public.
func (debugNetCmd) Run(w *world) error {
	return answerCases(w, func(c *netCase) (any, error) {
		a, err := netip.ParseAddr(c.IP)
		return netAnswer{err == nil && weburl.PublicAddr(a)}, err
	})
}

// maxDebugLine is the longest line that is read, in bytes.
const maxDebugLine = 64 << 20

// errLongLine is the error of a line longer than maxDebugLine.
var errLongLine = fmt.Errorf("the line is longer than %d MB", maxDebugLine>>20)

// An errorAnswer is the answer to a case that could not be processed.
type errorAnswer struct {
	Error string `json:"error"`
}

// answerCases reads cases from stdin, one JSON object per line, and prints one answer
// each. Every answer is flushed, since another program may wait for it before it sends
// the next case.
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

// answerTo decodes one case and returns the answer or an errorAnswer; err is the error
// of reading the line.
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

// readLine reads a line with its end. For a line longer than max it returns errLongLine
// and keeps nothing; the next call reads the line after it.
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
