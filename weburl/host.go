package weburl

import (
	"encoding/hex"
	"net/netip"
	"strconv"
	"strings"
	"unicode/utf8"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/idna"
)

// A host name is parsed here and carried through the library in hexadecimal,
// which it can't misread: hideHost goes before its host parser and revealHost
// behind it.
const (
	hiddenHost = "h" // begins every hidden host
	brokenHost = "[" // a host that the library refuses
)

func hideHost(u *whatwg.Url, raw string) string {
	switch {
	case raw == "" || !isSpecial(u.Scheme()):
		return raw
	case raw[0] == '[':
		return soundBrackets(raw)
	}
	host, ok := parseHost(raw)
	if !ok {
		return brokenHost
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return host
	}
	return hiddenHost + hex.EncodeToString([]byte(host)) + "z"
}

func revealHost(host string) string {
	b, err := hex.DecodeString(host[len(hiddenHost) : len(host)-1])
	if err != nil {
		panic("weburl: a host went through the library changed: " + host)
	}
	return string(b)
}

// soundBrackets passes on an address in one pair of brackets; the library would
// take several.
func soundBrackets(raw string) string {
	if strings.LastIndexByte(raw, '[') != 0 || strings.IndexByte(raw, ']') != len(raw)-1 {
		return brokenHost
	}
	return raw
}

// parseHost is the host parser of the standard for domains and IPv4 addresses.
func parseHost(raw string) (string, bool) {
	host, ok := domainToASCII(unescape(raw))
	if !ok || host == "" || strings.ContainsFunc(host, forbiddenInDomain) {
		return "", false
	}
	if !endsInNumber(host) {
		return host, true
	}
	return parseIPv4(host)
}

// domainToASCII lowers an ASCII domain, Punycode unseen, and maps any other to
// Punycode by UTS 46.
func domainToASCII(domain string) (string, bool) {
	if isASCII(domain) {
		return strings.ToLower(domain), true
	}
	if !utf8.ValidString(domain) || longestLabel(domain) > maxLabel {
		return "", false
	}
	ascii, err := punycode.ToASCII(laterUnicode.Replace(domain))
	return ascii, err == nil
}

// maxLabel bounds the bytes of a label that is to become Punycode, since the
// time for that grows with their square. No name with a longer one is in the DNS.
const maxLabel = 256

func longestLabel(domain string) int {
	longest := 0
	for label := range strings.SplitSeq(domain, ".") {
		longest = max(longest, len(label))
	}
	return longest
}

// laterUnicode maps what UTS 46 maps since Unicode 15.1 and 16, ahead of the
// tables of x/net: capital letters whose small ones came later, a corrected
// ideograph, and format characters that are now ignored.
var laterUnicode = strings.NewReplacer(
	"\u1e9e", "\u00df", "\u04c0", "\u04cf", "\u2183", "\u2184", "\U0002f868", "\u36fc", "\u180e", "",
	"\u206a", "", "\u206b", "", "\u206c", "", "\u206d", "", "\u206e", "", "\u206f", "",
)

var punycode = idna.New(
	idna.MapForLookup(),
	idna.BidiRule(),
	idna.VerifyDNSLength(false),
	idna.StrictDomainName(false),
	idna.ValidateLabels(true),
	idna.CheckHyphens(false),
	idna.CheckJoiners(true),
	idna.Transitional(false),
)

func forbiddenInDomain(r rune) bool {
	return r <= ' ' || r == 0x7f || strings.ContainsRune("#%/:<>?@[\\]^|", r)
}

// endsInNumber reports whether the standard takes the domain for an IPv4
// address, good or bad.
func endsInNumber(domain string) bool {
	domain = strings.TrimSuffix(domain, ".")
	last := domain[strings.LastIndexByte(domain, '.')+1:]
	if last != "" && strings.Trim(last, "0123456789") == "" {
		return true
	}
	_, ok := parseIPv4Number(last)
	return ok
}

// parseIPv4 reads one to four numbers, the last of which fills what is left of
// the address.
func parseIPv4(domain string) (string, bool) {
	parts := strings.Split(strings.TrimSuffix(domain, "."), ".")
	if len(parts) > 4 {
		return "", false
	}
	var address uint64
	for i, part := range parts {
		n, ok := parseIPv4Number(part)
		room := 8
		if i == len(parts)-1 {
			room = 8 * (4 - i)
		}
		if !ok || n>>room != 0 {
			return "", false
		}
		address = address<<room | n
	}
	a := [4]byte{byte(address >> 24), byte(address >> 16), byte(address >> 8), byte(address)}
	return netip.AddrFrom4(a).String(), true
}

// parseIPv4Number reads decimal, 0 octal and 0x hexadecimal. A number too large
// for any address stays too large.
func parseIPv4Number(s string) (n uint64, ok bool) {
	base, digits := 10, s
	switch {
	case s == "":
		return 0, false
	case len(s) >= 2 && s[0] == '0' && s[1]|0x20 == 'x':
		base, digits = 16, s[2:]
	case len(s) >= 2 && s[0] == '0':
		base, digits = 8, s[1:]
	}
	for i := 0; i < len(digits); i++ {
		v := hexValue(digits[i])
		if v < 0 || v >= base {
			return 0, false
		}
	}
	digits = strings.TrimLeft(digits, "0")
	if digits == "" {
		return 0, true
	}
	n, err := strconv.ParseUint(digits, base, 40)
	if err != nil {
		return 1 << 40, true
	}
	return n, true
}

// unescape undoes percent escapes; what is none stays.
func unescape(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if c, ok := escaped(s, i); ok {
			b = append(b, c)
			i += 2
			continue
		}
		b = append(b, s[i])
	}
	return string(b)
}

// escaped returns the byte that the escape at s[i:] stands for.
func escaped(s string, i int) (c byte, ok bool) {
	if i+2 >= len(s) || s[i] != '%' {
		return 0, false
	}
	hi, lo := hexValue(s[i+1]), hexValue(s[i+2])
	if hi < 0 || lo < 0 {
		return 0, false
	}
	return byte(hi<<4 | lo), true
}

func hexValue(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
