package main

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"dowse/crawler"
	"dowse/internal/durable"
)

const leastSalt = 16 // bytes

// userSalt returns the salt under which this user's crawls know the people of access
// logs. It is drawn once and kept beside the settings, for the user alone, never in a
// collection: who is given a collection can't find out by trying names who is in it.
// Where nothing can be kept there is none, and every crawl draws its own.
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

// readSalt reads a salt that was kept.
func readSalt(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, usage("the salt that names of people are hashed with: %w; make it readable, or remove it", err)
	}
	salt, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(salt) < leastSalt {
		return nil, usage("%s is no salt of at least %d bytes in hexadecimal digits; remove it, and the next crawl draws another", path, leastSalt)
	}
	return salt, nil
}

// newUserSalt draws a salt and keeps it. If another crawl was quicker, its salt counts.
func newUserSalt(path string) ([]byte, error) {
	salt := crawler.NewSalt()
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
