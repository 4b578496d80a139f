package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"dowse/internal/durable"
	"dowse/search"
)

// Lengths of a salt in bytes: of a new one, and the least.
const (
	newSaltSize = 32
	leastSalt   = 16
)

// userSalt returns the salt with which the people in access logs are hashed. It is
// generated once and kept next to the user's settings, readable by the user alone and
// never in a collection: whoever receives a collection cannot find out by trying names
// who is in it. One salt for all crawls of a user lets a strategy recognise people across
// logs. If nothing can be kept it returns nil, and every crawl generates its own.
func userSalt(env func(string) string) ([]byte, error) {
	config := userConfig(env)
	if config == "" {
		return nil, nil
	}
	path := filepath.Join(filepath.Dir(config), "salt")
	salt, err := readSalt(path)
	if errors.Is(err, fs.ErrNotExist) {
		return newUserSalt(path)
	}
	return salt, err
}

// readSalt reads a salt that was kept. A damaged file is an error: a new salt would give
// known people new identities.
func readSalt(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, usage("salt for names of people: %w; make it readable, or remove it", err)
	}
	salt, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(salt) < leastSalt {
		return nil, usage("%s: not a salt of at least %d bytes in hexadecimal digits; remove it, and the next crawl generates one", path, leastSalt)
	}
	return salt, nil
}

// newUserSalt generates a salt and keeps it. If another process was faster, its salt is
// used.
func newUserSalt(path string) ([]byte, error) {
	salt := make([]byte, newSaltSize)
	rand.Read(salt) // never fails
	if os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return nil, nil
	}
	switch err := durable.NewSecret(path, []byte(hex.EncodeToString(salt)+"\n")); {
	case errors.Is(err, fs.ErrExist):
		return readSalt(path)
	case err != nil:
		return nil, nil
	}
	return salt, nil
}

// searchKey returns the secret by which an index of this user is recognised. It is generated once and kept next to the
// user's settings. Without a place for it, or with an unusable file, there is none, and no index is kept.
func searchKey(env func(string) string) []byte {
	config := userConfig(env)
	if config == "" {
		return nil
	}
	key, err := search.Key(filepath.Join(filepath.Dir(config), "search-key"))
	if err != nil {
		return nil
	}
	return key
}
