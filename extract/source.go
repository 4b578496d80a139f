package extract

import (
	"bytes"
	"io"

	"golang.org/x/net/html"
)

// A source hands out the tokens of a page. It starts its tokenizer anew where a
// token is too long to be buffered, and after a tag with very many attributes,
// whose names the tokenizer would carry on to every later tag.
type source struct {
	body []byte
	off  int // bytes of body that were handed to the tokenizer
	z    *html.Tokenizer
	last html.TokenType
	data bool // the last token was a CDATA section
}

const (
	maxToken = 1 << 20 // bytes; longer comments and scripts are skipped, longer texts come in parts
	bigTag   = 8 << 10 // bytes of a tag after which the tokenizer starts anew
)

func newSource(body []byte) source { return source{body: body} }

// Read lets the tokenizer read the body.
func (s *source) Read(b []byte) (int, error) {
	n := copy(b, s.body[s.off:])
	s.off += n
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// next reads the next token; raw is the element whose raw text is being read,
// foreign tells whether CDATA sections are text.
func (s *source) next(raw tag, foreign bool) html.TokenType {
	if s.z == nil {
		s.restart(0)
	}
	for {
		s.z.AllowCDATA(foreign)
		tt := s.z.Next()
		if tt != html.ErrorToken {
			s.last = tt
			s.data = foreign && tt == html.TextToken && bytes.HasPrefix(s.z.Raw(), cdata)
			return tt
		}
		if s.z.Err() != html.ErrBufferExceeded || !s.resume(raw) {
			return html.ErrorToken
		}
	}
}

var (
	cdata      = []byte("<![CDATA[")
	cdataEnd   = []byte("]]>")
	commentEnd = []byte("-->")
	tagEnd     = []byte(">")
)

func (s *source) restart(at int) {
	s.off = at
	s.z = html.NewTokenizer(s)
	s.z.SetMaxBuf(maxToken)
}

// at returns how far the body was read.
func (s *source) at() int { return s.off - len(s.z.Buffered()) }

// resume goes on behind a token that was too long. It reports whether there is
// anything behind it.
func (s *source) resume(raw tag) bool {
	at := s.at()
	switch {
	case len(s.z.Raw()) > 0:
		rest := skipTag(s.body[at-len(s.z.Raw()):])
		at = len(s.body) - len(bytes.TrimPrefix(rest, tagEnd))
	case s.last == html.DoctypeToken:
		at = s.after(tagEnd, at-len(tagEnd))
	case s.last == html.CommentToken:
		at = s.after(commentEnd, at-len(commentEnd))
	case s.data:
		at = s.after(cdataEnd, at-len(cdataEnd))
	case raw != 0:
		at = s.endTag(raw, at-len("</plaintext"))
	}
	s.last, s.data = 0, false
	if at >= len(s.body) {
		return false
	}
	s.restart(at)
	return true
}

// after returns the place behind the first end at or after from.
func (s *source) after(end []byte, from int) int {
	i := bytes.Index(s.body[from:], end)
	if i < 0 {
		return len(s.body)
	}
	return from + i + len(end)
}

// endTag returns the place of the first end tag of raw at or after from.
func (s *source) endTag(raw tag, from int) int {
	name := raw.String()
	if name == "plaintext" {
		return len(s.body)
	}
	for i := from; ; i++ {
		j := bytes.IndexByte(s.body[i:], '<')
		if j < 0 {
			return len(s.body)
		}
		i += j
		rest := s.body[i+1:]
		if len(rest) > len(name) && rest[0] == '/' && bytes.EqualFold(rest[1:1+len(name)], []byte(name)) {
			return i
		}
	}
}

// forget drops what the tokenizer keeps of a big tag. If the tag's raw text is
// next it is returned.
func (s *source) forget(raw tag) (text []byte) {
	at := s.at()
	if raw != 0 {
		end := s.endTag(raw, at)
		text = s.body[at:end]
		at = end
	}
	s.restart(at)
	return text
}

// text returns the text of a text token, in which line breaks may be of any kind.
// It goes by the tokenizer's own way only where the text is not what is written.
func (s *source) text(raw tag) []byte {
	b := s.z.Raw()
	switch {
	case s.data:
		return bytes.TrimSuffix(b[len(cdata):], cdataEnd)
	case bytes.IndexByte(b, '&') >= 0 || raw != 0 && bytes.IndexByte(b, 0) >= 0:
		return s.z.Text()
	}
	return b
}

// tagName appends the tag token's name to name, as far as there is room, and
// returns the token's bytes behind the name. Unlike the tokenizer's own method it
// does not allocate.
func (s *source) tagName(name []byte) (lower, rest []byte) {
	raw := s.z.Raw()[1:]
	if len(raw) > 0 && raw[0] == '/' {
		raw = raw[1:]
	}
	for i, c := range raw {
		switch c {
		case ' ', '\n', '\r', '\t', '\f', '/', '>':
			return name, raw[i:]
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if len(name) < cap(name) {
			name = append(name, c)
		}
	}
	return name, nil
}
