package weburl

import (
	"strings"

	"dowse"
)

// cut returns the indexes at which host and path of a canonical URL begin; both
// are 0 for an opaque URL.
func cut(u dowse.URL) (host, path int) {
	switch {
	case strings.HasPrefix(string(u), "http://"):
		host = len("http://")
	case strings.HasPrefix(string(u), "https://"):
		host = len("https://")
	default:
		return 0, 0
	}
	slash := strings.IndexByte(string(u[host:]), '/')
	if slash < 0 {
		return 0, 0
	}
	return host, host + slash
}

// Scheme returns "http" or "https", or "" for an opaque URL.
func Scheme(u dowse.URL) string {
	host, _ := cut(u)
	if host == 0 {
		return ""
	}
	return string(u[:host-len("://")])
}

// Host returns the host, with the port if it is not the default of the scheme;
// "" for an opaque URL.
func Host(u dowse.URL) string {
	host, path := cut(u)
	return string(u[host:path])
}

// Hostname returns the host without port and brackets, as a resolver or dialer
// needs it.
func Hostname(u dowse.URL) string {
	host := Host(u)
	end := ":"
	if strings.HasPrefix(host, "[") {
		host, end = host[1:], "]"
	}
	name, _, _ := strings.Cut(host, end)
	return name
}

// Path returns path and query, as they are sent in a request and matched by
// robots.txt; "" for an opaque URL.
func Path(u dowse.URL) string {
	host, path := cut(u)
	if host == 0 {
		return ""
	}
	return string(u[path:])
}

// origin returns scheme and host without a slash at the end.
func origin(u dowse.URL) string {
	_, path := cut(u)
	return string(u[:path])
}

// Homepage returns the URL of the host's root, "" for an opaque URL.
func Homepage(u dowse.URL) dowse.URL {
	host, path := cut(u)
	if host == 0 {
		return ""
	}
	return u[:path+1]
}

// Robots returns the URL of the host's robots.txt, "" for an opaque URL.
func Robots(u dowse.URL) dowse.URL {
	if Homepage(u) == "" {
		return ""
	}
	return Homepage(u) + "robots.txt"
}

// WithoutWWW returns host without a first label www, www2 and the like, which
// pywb and other tools treat as another name of the same host.
func WithoutWWW(host string) string {
	rest, ok := strings.CutPrefix(host, "www")
	if !ok {
		return host
	}
	rest = strings.TrimLeft(rest, "0123456789")
	if len(rest) < 2 || rest[0] != '.' {
		return host
	}
	return rest[1:]
}
