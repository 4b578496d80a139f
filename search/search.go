// Package search finds pages of collections by their words, for Go programs.
//
// The one idea: the index is a cache, which [Open] makes or brings up to date
// from journal and archive, so a program has nothing to maintain. What it
// finds and how pages are rated is the same as on the command line and over HTTP.
//
// How the parts fit: a program opens collections to read them (View of
// package crawler), opens a [Searcher] over them, and asks it. Package
// internal/search holds the index, the language of queries and the rating;
// this package is its public form. It is apart from package crawler, so that
// only programs that search contain the index.
//
// What it must never do: change anything in a collection but the folder
// search and its lock, or read an index that this user did not make.
package search

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"dowse"
	"dowse/collection"
	"dowse/internal/durable"
	"dowse/internal/search"
)

// ErrQuery is returned for a query that can't be understood. The error that
// wraps it names the part and what is wanted.
var ErrQuery = search.ErrQuery

// A Searcher answers requests over collections, as they were when it was
// opened: pages that a crawl adds later are found by the next Searcher, over
// collections that are opened again. It is not safe for concurrent use, and
// uses its collections, which are not either.
type Searcher struct {
	s *search.Searcher
}

// Open brings the indexes of loaded collections up to date and opens them.
// Several collections are searched as one. The collections must stay open
// until the Searcher is closed. When ctx ends, the pages that were indexed
// stay indexed.
//
// key is a secret of the user, see [Key], by which an index that was made
// before is recognised. Without a key an index is made in a temporary folder
// for this Searcher alone, and so is that of a collection that can't be
// written.
func Open(ctx context.Context, key []byte, cols ...*collection.Collection) (*Searcher, error) {
	if len(cols) == 0 {
		return nil, errors.New("search: no collection given")
	}
	s, err := search.Open(ctx, cols, search.Options{Key: key}, true)
	if err != nil {
		return nil, err
	}
	return &Searcher{s}, nil
}

// Close releases the indexes. The collections stay open.
func (s *Searcher) Close() error { return s.s.Close() }

// A Request is what to look for. Query or Similar is required.
type Request struct {
	// Query has words, "phrases", words to exclude (-word) and conditions
	// (title:, host:, lang:, date:, score:, verdict:), as docs/search.md
	// describes them.
	Query string
	// Similar is a page of one of the collections; pages that share its rarest
	// words are looked for.
	Similar dowse.URL
	// All searches all pages, also those off topic. A condition on the verdict does, too.
	All bool
	// Limit is the largest number of hits, at most 1000; default 10. Offset is
	// how many are left out before the first.
	Limit, Offset int
}

// A Result is the answer to a request.
type Result struct {
	// Hits are the pages that match, best first. Of pages with nearly the same
	// text there is one.
	Hits []Hit
	// Total is the number of pages that match, near-duplicates included. AtLeast
	// reports that it is a lower bound.
	Total   int
	AtLeast bool
	// Some reports that no page has all words, so that the hits have some of
	// them.
	Some bool
	// Missing counts pages that the indexes lack, because they were just
	// fetched or another process is indexing, and pages whose records are damaged.
	Missing int
	// Notes are for the person who wrote the query: parts that look like
	// conditions and are none.
	Notes []string
}

// A Hit is a page that matches. Its texts come from the web: they are to be
// escaped before they are shown.
type Hit struct {
	URL     dowse.URL
	Title   string // "" for none
	Snippet string // the part of the text with the most words of the query
	// InTitle and InSnippet are the words of the query: ranges of bytes of Title
	// and Snippet.
	InTitle, InSnippet []dowse.Span
	// Score is how well the page matches. Scores of one Result compare.
	Score float64
	// Page is what is known of the page, its relevance among it.
	Page *collection.Row
	// Same are pages with nearly the same text, which have no hit of their own.
	Same []dowse.URL
	// Dir is the directory of the collection that has the page.
	Dir string
}

// Search answers a request. A query that can't be understood is an
// [ErrQuery].
func (s *Searcher) Search(ctx context.Context, r Request) (*Result, error) {
	found, err := s.s.Search(ctx, search.Request{Query: r.Query, Similar: r.Similar, All: r.All, Limit: r.Limit, Offset: r.Offset})
	if err != nil {
		return nil, err
	}
	result := &Result{
		Total: found.Total, AtLeast: found.AtLeast, Some: found.Some,
		Missing: found.Lag.Pages + found.Unread, Notes: found.Unclear,
	}
	for _, h := range found.Hits {
		hit := Hit{URL: h.Page.URL, Score: h.Score, Page: h.Page, Same: h.Same, Dir: h.Collection}
		hit.Title, hit.InTitle = join(h.Title)
		hit.Snippet, hit.InSnippet = join(h.Snippet)
		result.Hits = append(result.Hits, hit)
	}
	return result, nil
}

// join puts a text in pieces together, and returns where its marked pieces
// are.
func join(pieces []search.Piece) (text string, marks []dowse.Span) {
	var b strings.Builder
	for _, p := range pieces {
		start := int32(b.Len())
		b.WriteString(p.Text)
		if p.Mark {
			marks = append(marks, dowse.Span{Start: start, End: int32(b.Len())})
		}
	}
	return b.String(), marks
}

// Sizes of a key in bytes: of a new one, and of the shortest that is taken.
const (
	keySize  = 32
	leastKey = 16
)

// Key returns the secret in a file of the user, in hexadecimal digits, by
// which indexes of this user are recognised. If there is no such file, it is
// made, readable by the user alone. It belongs outside of all collections: a
// collection that comes from elsewhere could bring an index with its key.
//
// The command line keeps its key in the file search-key next to the config
// file of the user. A program that names the same file shares the indexes
// with it; with different keys each makes the indexes of the other again.
func Key(file string) ([]byte, error) {
	key, err := readKey(file)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	key = make([]byte, keySize)
	rand.Read(key) // never fails
	switch err := durable.NewSecret(file, []byte(hex.EncodeToString(key)+"\n")); {
	case errors.Is(err, fs.ErrExist): // another process was faster
		return readKey(file)
	case err != nil:
		return nil, fmt.Errorf("search: %w", err)
	}
	return key, nil
}

// readKey reads a key.
func readKey(file string) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("search: %w", err)
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(key) < leastKey {
		return nil, fmt.Errorf("search: %s: not a key (want at least %d bytes in hexadecimal digits); remove it, and a new one is made", file, leastKey)
	}
	return key, nil
}
