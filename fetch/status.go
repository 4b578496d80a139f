package fetch

import (
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"dowse"
	"dowse/weburl"
)

// hasContent reports whether an answer with this status contains the requested
// page.
func hasContent(status int) bool {
	return status >= 200 && status < 300 && status != http.StatusNoContent && status != http.StatusResetContent
}

// status decides the outcome of an answer that does not contain the requested
// page.
func (v *visit) status(code int) {
	v.retryAfter(code)
	text := strings.TrimSpace(fmt.Sprintf("%03d %s", code, http.StatusText(code)))
	switch {
	case v.challenged():
		v.challenge()
	case code < 200:
		v.fail(dowse.FailProtocol, text+": not asked for")
	case code == http.StatusNotModified && v.isKnown():
		v.skip(dowse.SkipUnchanged, text)
	case isRedirect(code):
		v.redirect()
	case code == http.StatusPaymentRequired:
		v.skip(dowse.SkipPayment, text)
	case wantsLogin(code, v.Header):
		v.skip(dowse.SkipLogin, text)
	case isTemporary(code):
		v.again(dowse.FailHTTP, text)
		v.host().BackOff = true
	default:
		v.fail(dowse.FailHTTP, text)
	}
}

func isRedirect(code int) bool {
	switch code {
	case 300, 301, 302, 303, 307, 308:
		return true
	}
	return false
}

// wantsLogin reports whether the page is only for visitors who log in.
func wantsLogin(code int, h http.Header) bool {
	return code == http.StatusUnauthorized || code == http.StatusProxyAuthRequired ||
		code == http.StatusForbidden && h.Get("Www-Authenticate") != ""
}

// isTemporary reports whether the status describes the moment, not the page, so
// that another try may succeed.
func isTemporary(code int) bool {
	switch code {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	}
	return code >= 500 && code < 600
}

// redirect records the target of a redirect, or that it has none.
func (v *visit) redirect() {
	target, err := location(v.URL, v.Header)
	if err != nil {
		v.fail(dowse.FailRedirect, err.Error())
		return
	}
	v.Outcome, v.Location = dowse.Redirected, target
}

// location returns the canonical target of a redirect from u. A target that is
// not an http or https URL, or is u itself, is an error.
func location(u dowse.URL, h http.Header) (dowse.URL, error) {
	raw := strings.Trim(h.Get("Location"), " \t")
	switch {
	case raw == "":
		return "", fmt.Errorf("a redirect without a Location")
	case strings.ContainsFunc(raw, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "", fmt.Errorf("control characters in the Location")
	case !utf8.ValidString(raw):
		return "", fmt.Errorf("the Location is not UTF-8")
	}
	base, err := weburl.NewBase(string(u))
	if err != nil {
		return "", err
	}
	target, err := base.Resolve(raw)
	if err != nil {
		return "", fmt.Errorf("the Location %q: %w", clean(raw[:min(len(raw), 80)]), err)
	}
	if target == u {
		return "", fmt.Errorf("redirects to itself")
	}
	return target, nil
}

// retryAfter records how long the host asked not to be contacted. The header is
// ignored on pages and redirects.
func (v *visit) retryAfter(code int) {
	if code < 400 {
		return
	}
	if wait := retryAfter(v.Header, v.Fetch.At); wait > 0 {
		v.host().RetryAfter = wait
	}
}

// maxWait bounds Retry-After, well within the range of a time.Duration.
const maxWait = 100 * 365 * 24 * time.Hour

// retryAfter returns the wait that the header asks for: seconds, or a date,
// which is compared with the server's own clock if it sends one. The result is
// between 0 and maxWait; 0 means that there is no wait or that it is malformed.
func retryAfter(h http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if value == "" {
		return 0
	}
	if strings.Trim(value, "0123456789") == "" {
		return seconds(value)
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	return min(max(until.Sub(now), 0), maxWait)
}

// seconds parses any number of digits without overflow.
func seconds(digits string) time.Duration {
	var n int64
	for _, d := range []byte(digits) {
		n = n*10 + int64(d-'0')
		if n > int64(maxWait/time.Second) {
			return maxWait
		}
	}
	return time.Duration(n) * time.Second
}
