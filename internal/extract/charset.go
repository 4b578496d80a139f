package extract

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gogs/chardet"
	"golang.org/x/net/html/charset"
)

// The names of encodings that have rules of their own.
const (
	utf8Name    = "utf-8"
	utf16LE     = "utf-16le"
	utf16BE     = "utf-16be"
	windows1252 = "windows-1252"
)

// Decode returns the body as HTML in UTF-8, and the name of the encoding it was in. The
// result is always valid UTF-8; a body that is valid already is returned
// without a copy, unless it is plain text or Markdown by its Content-Type: that becomes HTML. [Charset] describes how
// the encoding is found.
//
// Bytes that are invalid in the encoding become replacement characters, and a
// character that is cut off at the end is dropped, because bodies may be
// truncated.
func Decode(body []byte, contentType string) (text []byte, name string) {
	text, name = decode(body, contentType)
	if m := markupOf(contentType); m != 0 {
		return m.html(text), name
	}
	return text, name
}

// decode is Decode for HTML.
func decode(body []byte, contentType string) (text []byte, name string) {
	name = Charset(body, contentType)
	body = trimBOM(body, name)
	if name == utf8Name || isASCII(body) && !strings.HasPrefix(name, "utf-16") && name != "iso-2022-jp" {
		return validUTF8(body), name
	}
	e, _ := charset.Lookup(name)
	text, err := e.NewDecoder().Bytes(body)
	if err != nil {
		text = body
	}
	return validUTF8(text), name
}

// Charset returns the name of the encoding of a page, in lower case, as the
// Encoding Standard spells it. The first of these decides: a byte order mark,
// the Content-Type of the answer, a declaration in the first bytes of the page.
// Without any, it is UTF-8 if the bytes are valid UTF-8, else what their
// statistics suggest, else windows-1252.
//
// A declaration that cannot be true is ignored: of UTF-8 for a page with many
// invalid bytes, of anything for a page that is UTF-16, of UTF-16 for a page
// without zero bytes, and of a single-byte encoding for a page that is UTF-8
// throughout.
func Charset(body []byte, contentType string) string {
	if name := bomOf(body); name != "" {
		return name
	}
	if name := unmarkedUTF16(body); name != "" {
		return name
	}
	declared := lookup(charsetParam(contentType))
	if declared == "" && markupOf(contentType) == 0 {
		declared = prescan(body)
	}
	switch {
	case declared == "":
		return undeclared(body)
	case declared == utf8Name:
		return doubtfulUTF8(body)
	case isLie(declared, body):
		return utf8Name
	}
	return declared
}

// boms are the byte order marks.
var boms = []struct{ name, mark string }{
	{utf8Name, "\xEF\xBB\xBF"}, {utf16LE, "\xFF\xFE"}, {utf16BE, "\xFE\xFF"},
}

// bomOf returns the encoding of a byte order mark, "" for none.
func bomOf(body []byte) string {
	for _, b := range boms {
		if bytes.HasPrefix(body, []byte(b.mark)) {
			return b.name
		}
	}
	return ""
}

// trimBOM removes the byte order mark of the named encoding.
func trimBOM(body []byte, name string) []byte {
	for _, b := range boms {
		if b.name == name {
			return bytes.TrimPrefix(body, []byte(b.mark))
		}
	}
	return body
}

// validUTF8 returns body without a character that was cut off at its end, and
// with replacement characters for invalid bytes.
func validUTF8(body []byte) []byte {
	if utf8.Valid(body) {
		return body
	}
	body = trimPartial(body)
	if utf8.Valid(body) {
		return body
	}
	return bytes.ToValidUTF8(body, []byte("\uFFFD"))
}

// trimPartial removes an incomplete character from the end of body, which may
// have been cut.
func trimPartial(body []byte) []byte {
	for i := len(body) - 1; i >= 0 && i >= len(body)-utf8.UTFMax; i-- {
		if utf8.RuneStart(body[i]) {
			if !utf8.FullRune(body[i:]) {
				return body[:i]
			}
			return body
		}
	}
	return body
}

func isASCII(b []byte) bool { return firstBeyond(b) < 0 }

// firstBeyond returns the index of the first byte that is not ASCII, -1 for
// none. It tests eight bytes at a time.
func firstBeyond(b []byte) int {
	i := 0
	for ; len(b)-i >= 8; i += 8 {
		if binary.LittleEndian.Uint64(b[i:])&0x8080808080808080 != 0 {
			break
		}
	}
	for ; i < len(b); i++ {
		if b[i] >= utf8.RuneSelf {
			return i
		}
	}
	return -1
}

// unmarkedUTF16 recognises UTF-16 without a byte order mark: in markup, a third
// of all pairs or more have a zero in the same half.
func unmarkedUTF16(body []byte) string {
	head := body[:min(len(body), 2048)&^1]
	if len(head) < 4 || bytes.IndexByte(head, 0) < 0 {
		return ""
	}
	var zeros [2]int
	for i, c := range head {
		if c == 0 {
			zeros[i&1]++
		}
	}
	switch pairs := len(head) / 2; {
	case zeros[1]*3 > pairs && zeros[0]*16 < pairs+16:
		return utf16LE
	case zeros[0]*3 > pairs && zeros[1]*16 < pairs+16:
		return utf16BE
	}
	return ""
}

// charsetParam returns the charset of a Content-Type, also of a malformed one.
func charsetParam(contentType string) string {
	_, params, _ := strings.Cut(contentType, ";")
	for param := range strings.SplitSeq(params, ";") {
		key, val, _ := strings.Cut(param, "=")
		if strings.EqualFold(strings.TrimSpace(key), "charset") {
			return strings.Trim(val, " \t\"'")
		}
	}
	return ""
}

// lookup returns the name of the encoding with that label, "" for none.
func lookup(label string) string {
	if label == "" || len(label) > 64 {
		return ""
	}
	_, name := charset.Lookup(label)
	return name
}

// undeclared returns the encoding of a page that declares none. Pure ASCII is
// windows-1252, as in browsers, unless it contains escape sequences of
// ISO-2022.
func undeclared(body []byte) string {
	whole := trimPartial(body)
	switch {
	case isASCII(body) && !bytes.Contains(body, []byte("\x1b$")):
		return windows1252
	case len(whole) > 0 && utf8.Valid(whole) && !isASCII(whole):
		return utf8Name
	}
	return detect(body)
}

// doubtfulUTF8 returns the encoding of a page that is declared as UTF-8.
//
// Servers often declare UTF-8 for all files by default, also for old pages in
// another encoding. A declaration in such a page is then the better one.
func doubtfulUTF8(body []byte) string {
	if utf8.Valid(trimPartial(body)) || mostlyUTF8(body) {
		return utf8Name
	}
	if inside := prescan(body); inside != "" && inside != utf8Name {
		return inside
	}
	return detect(body)
}

// mostlyUTF8 reports whether at least four of five characters beyond ASCII are
// valid: then the page is damaged UTF-8 and not another encoding.
func mostlyUTF8(body []byte) bool {
	good, bad := countUTF8(body)
	return good >= 4*bad
}

// countUTF8 counts the valid characters beyond ASCII in body, and the invalid
// bytes.
func countUTF8(body []byte) (good, bad int) {
	for i := 0; i < len(body); {
		if body[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(body[i:])
		if r == utf8.RuneError && n == 1 {
			bad++
		} else {
			good++
		}
		i += n
	}
	return good, bad
}

// isLie reports whether a page that is declared to be in another encoding is
// UTF-8.
//
// Pages are converted to UTF-8 and keep their old declaration. Text in a
// single-byte encoding is practically never valid UTF-8 by accident, if at least
// three characters beyond ASCII are in it.
func isLie(declared string, body []byte) bool {
	switch {
	case strings.HasPrefix(declared, "utf-16"):
		return len(body) >= 256 && bytes.IndexByte(body, 0) < 0 && utf8.Valid(trimPartial(body))
	case strings.HasPrefix(declared, "windows-125") || strings.HasPrefix(declared, "iso-8859-"):
		good, bad := countUTF8(trimPartial(body))
		return good >= 3 && bad == 0
	}
	return false
}

// maxSample is how many bytes of a page statistics are computed from.
const maxSample = 32 << 10

// detect guesses the encoding from the statistics of the bytes, starting near
// the first that is not ASCII. Among guesses of equal confidence the first by
// name counts, because the library returns them in random order and equal pages
// must get equal answers.
func detect(body []byte) string {
	first := max(0, firstBeyond(body)-1024)
	sample := body[first:min(len(body), first+maxSample)]
	results, err := chardet.NewHtmlDetector().DetectAll(sample)
	if err != nil {
		return windows1252
	}
	slices.SortFunc(results, func(a, b chardet.Result) int {
		return cmp.Or(b.Confidence-a.Confidence, strings.Compare(a.Charset, b.Charset))
	})
	for _, r := range results {
		if name := lookup(r.Charset); name != "" && isGuess(name) && r.Confidence >= 10 {
			return name
		}
	}
	return windows1252
}

// isGuess reports whether statistics may suggest an encoding: not UTF-8 and
// UTF-16, which were tested before.
func isGuess(name string) bool {
	return name != utf8Name && name != "replacement" && !strings.HasPrefix(name, "utf-16")
}
