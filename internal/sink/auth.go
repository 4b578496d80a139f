package sink

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
)

// The environment variables with credentials for sinks.
const (
	// authVar holds one credential for all sinks of the network.
	authVar = "DOWSE_SINK_AUTH"
	// authFileVar names a file with one credential per line: the beginning of the name of a
	// sink, a space, and the credential. The longest beginning that matches counts.
	authFileVar = "DOWSE_SINK_AUTH_FILE"
)

// A credential is what a sink is shown: user:password, "Bearer TOKEN" (any scheme and value of
// an Authorization header), or for NATS also creds:FILE.
type credential string

// credentialFor returns the credential for a sink, "" for none. It is looked up whenever a
// target is opened and is kept nowhere else.
func credentialFor(s Spec, getenv func(string) string) (credential, error) {
	if getenv == nil {
		return "", nil
	}
	if name := getenv(authFileVar); name != "" {
		c, err := fromFile(name, s.Text)
		if err != nil || c != "" {
			return c, err
		}
	}
	return credential(strings.TrimSpace(getenv(authVar))), nil
}

// maxAuthFile bounds the file of credentials, in bytes.
const maxAuthFile = 1 << 20

// fromFile returns the credential for a sink from a file. A file that others can read is
// refused, as ssh refuses it.
func fromFile(name, sink string) (c credential, err error) {
	f, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("%s: %w", authFileVar, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("%s: %w", authFileVar, err)
	}
	if info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		return "", fmt.Errorf("%s: others can read %s; chmod 600 it", authFileVar, name)
	}
	longest := -1
	sc := bufio.NewScanner(io.LimitReader(f, maxAuthFile))
	for sc.Scan() {
		line := strings.TrimSpace(sc.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		prefix, value, ok := strings.Cut(line, " ")
		if !ok {
			return "", fmt.Errorf("%s: %s: want lines of the beginning of a sink's URL, a space and the credential", authFileVar, name)
		}
		if belongsTo(sink, prefix) && len(prefix) > longest {
			longest, c = len(prefix), credential(strings.TrimSpace(value))
		}
	}
	return c, sc.Err()
}

// belongsTo reports whether the name of a sink begins with a prefix that ends where a part of
// the URL ends: https://host is not the same as https://host.evil.example.
func belongsTo(sink, prefix string) bool {
	rest, ok := strings.CutPrefix(sink, prefix)
	return ok && (rest == "" || strings.HasSuffix(prefix, "/") || strings.ContainsAny(rest[:1], "/?#"))
}

// header returns the value of the header Authorization, "" for none.
func (c credential) header() (string, error) {
	text := string(c)
	switch {
	case text == "":
		return "", nil
	case strings.HasPrefix(text, "creds:"):
		return "", errors.New("creds: is for NATS; want user:password or a scheme and a value, as Bearer TOKEN")
	case strings.ContainsAny(text, "\r\n"):
		return "", errors.New("the credential has a line break")
	case strings.Contains(text, " "):
		return text, nil
	case strings.Contains(text, ":"):
		return "Basic " + base64.StdEncoding.EncodeToString([]byte(text)), nil
	}
	return "Bearer " + text, nil
}
