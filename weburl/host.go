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

// Host names are parsed here, not by the library, and are passed through the
// library in hexadecimal, which its host parser cannot misread: hideHost is
// called before that parser and revealHost after it.
const (
	hiddenHost = "h" // begins every hidden host
	brokenHost = "[" // a host that the library refuses
)

// hideHost returns the form in which a raw host passes through the library. IP
// addresses pass as they are, a host that is not valid becomes one that the
// library refuses.
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

// revealHost returns the host that hideHost encoded.
func revealHost(host string) string {
	b, err := hex.DecodeString(host[len(hiddenHost) : len(host)-1])
	if err != nil {
		panic("weburl: the URL library changed a hidden host: " + host)
	}
	return string(b)
}

// soundBrackets returns an address in one pair of brackets as it is; the
// library would accept several pairs.
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

// domainToASCII converts an ASCII domain to lower case, without checking
// Punycode in it, and any other domain to Punycode by UTS 46.
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

// maxLabel bounds the bytes of a label that is converted to Punycode, because
// the time for that grows with their square. No name with a longer label is in
// the DNS.
const maxLabel = 256

func longestLabel(domain string) int {
	longest := 0
	for label := range strings.SplitSeq(domain, ".") {
		longest = max(longest, len(label))
	}
	return longest
}

// laterUnicode contains the mappings that UTS 46 has since Unicode 15.1 and 16
// and the tables of x/net do not have yet: capital letters whose small letters
// were added later, a corrected ideograph, and format characters that are now
// ignored.
var laterUnicode = strings.NewReplacer(
	"\u1e9e", "\u00df", "\u04c0", "\u04cf", "\u2183", "\u2184", "\U0002f868", "\u36fc", "\u180e", "",
	"\u206a", "", "\u206b", "", "\u206c", "", "\u206d", "", "\u206e", "", "\u206f", "",
)

// punycode is configured as the URL Standard asks for in "domain to ASCII" with
// beStrict false.
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

// forbiddenInDomain reports whether r is a forbidden domain code point of the
// standard.
func forbiddenInDomain(r rune) bool {
	return r <= ' ' || r == 0x7f || strings.ContainsRune("#%/:<>?@[\\]^|", r)
}

// endsInNumber reports whether the standard treats the domain as an IPv4
// address, valid or not.
func endsInNumber(domain string) bool {
	domain = strings.TrimSuffix(domain, ".")
	last := domain[strings.LastIndexByte(domain, '.')+1:]
	if last != "" && strings.Trim(last, "0123456789") == "" {
		return true
	}
	_, ok := parseIPv4Number(last)
	return ok
}

// parseIPv4 reads one to four numbers, the last of which fills the rest of the
// address: 127.1 is 127.0.0.1.
func parseIPv4(domain string) (string, bool) {
	parts := strings.Split(strings.TrimSuffix(domain, "."), ".")
	if len(parts) > 4 {
		return "", false
	}
	var address uint64
	for i, part := range parts {
		n, ok := parseIPv4Number(part)
		// Every number but the last is one byte; the last one fills what is
		// left.
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

// parseIPv4Number reads a decimal number, an octal one after 0 or a hexadecimal
// one after 0x. A number too large for any address becomes one that parseIPv4
// refuses.
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

// unescape decodes percent escapes; a % that begins none stays.
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

// escaped returns the byte that the escape at s[i:] encodes; ok is false if
// there is none.
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
