package server

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"dowse/internal/durable"
)

// leastToken and mostToken bound the length of a token, in characters.
const (
	leastToken = 22 // 128 bits in base64
	mostToken  = 512
)

// token returns the secret: that of the token file, that of the user, or a new one for this process
// if there is no place to keep it.
func (c *Config) token() (string, error) {
	if c.TokenFile != "" {
		return readToken(c.TokenFile)
	}
	if c.StateDir == "" {
		return newToken(), nil
	}
	path := filepath.Join(c.StateDir, "serve.token")
	token, err := readToken(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return token, err
	}
	if os.MkdirAll(c.StateDir, 0o700) != nil {
		return newToken(), nil
	}
	token = newToken()
	switch err = durable.NewSecret(path, []byte(token+"\n")); {
	case errors.Is(err, fs.ErrExist):
		return readToken(path)
	case err != nil:
		return newToken(), nil
	}
	return token, nil
}

// newToken returns a random token of 192 bits.
func newToken() string {
	var b [24]byte
	_, _ = rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// readToken reads a token from a file. A file that others can read is refused: the token in it is no
// secret.
func readToken(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("token: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("token: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("token file %s: others can read it (mode %04o); run chmod 600 on it", path, info.Mode().Perm())
	}
	if !info.Mode().IsRegular() || info.Size() > mostToken {
		return "", fmt.Errorf("token file %s: want a file with one line of %d to %d characters", path, leastToken, mostToken)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("token: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if !isToken(token) {
		return "", fmt.Errorf("token file %s: want one line of %d to %d letters, digits and -._~", path, leastToken, mostToken)
	}
	return token, nil
}

// isToken reports whether a text can be a token: long enough to be a secret, and of characters that
// need no escape in a URL.
func isToken(s string) bool {
	if len(s) < leastToken || len(s) > mostToken {
		return false
	}
	for _, r := range s {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~", r) {
			return false
		}
	}
	return true
}

// same compares two secrets in a time that does not depend on where they differ.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// codes are secrets that are good for one log-in.
type codes struct {
	mu   sync.Mutex
	code string
	till time.Time
}

// codeTime is how long a code is good.
const codeTime = time.Minute

// issue returns a new code; the one before it is no longer good.
func (c *codes) issue(now time.Time) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.code, c.till = newToken(), now.Add(codeTime)
	return c.code
}

// use reports whether a code is good, and spends it.
func (c *codes) use(code string, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.code == "" || now.After(c.till) || !same(code, c.code) {
		return false
	}
	c.code = ""
	return true
}
