package fetch

import (
	"bytes"
	"net/http"

	"dowse"
)

// wallMarks are strings, in lower case, that occur only in the challenge pages
// of one vendor of bot protection each. They mark a challenge on any refusal.
var wallMarks = [...]string{
	"cdn-cgi/challenge-platform", "cf-chl-", "cf_chl_", "<title>just a moment...</title>",
	"attention required! | cloudflare",
	"captcha-delivery.com", "px-captcha", "_incapsula_resource", "awswafintegration",
	"ddos-guard/js-challenge", "sucuri website firewall",
	"/.within.website/x/cmd/anubis", "<title>making sure you&#39;re not a bot!</title>",
	"/vercel/security/", "go-away/challenge",
}

// forbiddenMarks are strings that also occur on ordinary pages, so they mark a
// challenge only in an answer with status 403.
var forbiddenMarks = [...]string{
	"captcha", "verify you are human", "verify that you are human", "are you a robot", "unusual traffic",
}

// challenged reports whether the answer is a challenge page, which asks for
// proof that the visitor is a person. A crawler must not try to solve one. Only
// refusals (403, 429, 503) and the headers that vendors document are examined:
// a page about captchas is a page.
func (v *visit) challenged() bool {
	if v.Header.Get("Cf-Mitigated") == "challenge" || v.Header.Get("X-Amzn-Waf-Action") != "" {
		return true
	}
	switch v.Fetch.Status {
	case http.StatusForbidden:
		return v.marked(wallMarks[:]) || v.marked(forbiddenMarks[:])
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return v.marked(wallMarks[:])
	}
	return false
}

// marked reports whether the beginning of the body contains one of marks,
// ignoring case.
func (v *visit) marked(marks []string) bool {
	text := bytes.ToLower(v.Body[:min(len(v.Body), maxAside)])
	for _, mark := range marks {
		if bytes.Contains(text, []byte(mark)) {
			return true
		}
	}
	return false
}

// challenge records that the page was skipped as a challenge, and that the host
// wants to be asked less often.
func (v *visit) challenge() {
	v.skip(dowse.SkipChallenge, http.StatusText(v.Fetch.Status)+": a page for people, not for crawlers")
	v.host().BackOff = true
}
