package extract

import "bytes"

// maxPrescan is how many bytes of a page are searched for a declaration of its
// encoding. The standard has 1,024 and lets browsers change the encoding later;
// searching further has the same effect.
const maxPrescan = 16 << 10

// prescan returns the name of the encoding that a page declares in its first
// bytes, "" for none. It follows "prescan a byte stream" of the HTML standard.
//
// Comments and the attributes of other tags are skipped, since they may contain
// what looks like a declaration.
func prescan(body []byte) string {
	b := body[:min(len(body), maxPrescan)]
	for {
		i := bytes.IndexByte(b, '<')
		if i < 0 {
			return ""
		}
		b = b[i:]
		var name string
		if name, b = prescanTag(b); name != "" {
			return name
		}
	}
}

// prescanTag reads what begins with the "<" of b. It returns the encoding that
// is declared there, if any, and what follows.
func prescanTag(b []byte) (name string, rest []byte) {
	switch {
	case bytes.HasPrefix(b, []byte("<!--")):
		return "", cutAfter(b[2:], "-->")
	case len(b) > 5 && eq(b[1:5], "meta") && (isSpace(b[5]) || b[5] == '/'):
		return prescanMeta(b[5:])
	case len(b) > 1 && isLetter(b[1]) || len(b) > 2 && b[1] == '/' && isLetter(b[2]):
		return "", skipTag(b)
	case len(b) > 1 && (b[1] == '!' || b[1] == '/' || b[1] == '?'):
		return "", cutAfter(b, ">")
	}
	return "", b[1:]
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// cutAfter returns what follows the first end in b.
func cutAfter(b []byte, end string) []byte {
	_, rest, _ := bytes.Cut(b, []byte(end))
	return rest
}

// skipTag returns what follows a tag. Attributes are parsed, because a quoted
// value may contain ">".
func skipTag(b []byte) []byte {
	i := bytes.IndexAny(b, " \t\n\f\r>")
	if i < 0 {
		return nil
	}
	b = b[i:]
	for ok := true; ok; {
		_, _, b, ok = nextAttribute(b)
	}
	return b
}

// prescanMeta reads the attributes of a meta tag. A tag that does not end
// within the searched bytes does not count.
func prescanMeta(b []byte) (name string, rest []byte) {
	var equiv, content, label []byte
	for {
		key, val, rest, ok := nextAttribute(b)
		b = rest
		if !ok {
			break
		}
		switch {
		case eq(key, "http-equiv") && equiv == nil:
			equiv = val
		case eq(key, "content") && content == nil:
			content = val
		case eq(key, "charset") && label == nil:
			label = val
		}
	}
	if len(b) == 0 { // the tag does not end here
		return "", nil
	}
	if label == nil && len(equiv) == len("content-type") && eq(equiv, "content-type") {
		label = charsetIn(content)
	}
	return declarable(lookup(string(label))), b
}

// declarable returns the encoding that is meant. A page whose declaration can
// be read as ASCII is not UTF-16, whatever it declares.
func declarable(name string) string {
	switch name {
	case utf16LE, utf16BE:
		return utf8Name
	case "x-user-defined":
		return windows1252
	}
	return name
}

// charsetIn returns the charset in the content of a meta element.
func charsetIn(content []byte) []byte {
	lower := bytes.ToLower(content)
	for {
		i := bytes.Index(lower, []byte("charset"))
		if i < 0 {
			return nil
		}
		lower = skipSpace(lower[i+len("charset"):])
		if len(lower) > 0 && lower[0] == '=' {
			return charsetValue(skipSpace(lower[1:]))
		}
	}
}

// charsetValue returns the value with which b begins, nil if its quote is not
// closed.
func charsetValue(b []byte) []byte {
	if len(b) > 0 && (b[0] == '"' || b[0] == '\'') {
		val, _, closed := bytes.Cut(b[1:], b[:1])
		if !closed {
			return nil
		}
		return val
	}
	if i := bytes.IndexAny(b, " \t\n\f\r;"); i >= 0 {
		return b[:i]
	}
	return b
}
