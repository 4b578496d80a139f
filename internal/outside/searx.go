package outside

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"dowse"
	"dowse/weburl"
)

// A Search is a search service with the interface of SearXNG. It is asked only
// by Results; its address is the user's own choice, as that of an [Endpoint].
//
// It exists so that a person can look for seeds; a crawl never calls it.
type Search struct {
	URL     string        // of the service, such as https://searx.example.org/
	Timeout time.Duration // for a search; default 20 s
	Agent   string        // User-Agent; default none
}

// A Result is a page that a search found.
type Result struct {
	URL     dowse.URL
	Title   string
	Snippet string
}

// The limits of a search.
const (
	maxResults    = 100
	maxSearchBody = 4 << 20 // bytes
	searchTime    = 20 * time.Second
)

// Results returns the first n results for a query, at most 100, each page once.
// Results without an http or https URL are skipped.
func (s *Search) Results(ctx context.Context, query string, n int) ([]Result, error) {
	target, err := s.target(query)
	if err != nil {
		return nil, err
	}
	limit := s.Timeout
	if limit == 0 {
		limit = searchTime
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	data, err := s.fetch(ctx, target)
	if err != nil {
		return nil, fmt.Errorf("outside: search at %s: %w", s.URL, err)
	}
	list, err := parseResults(data, min(n, maxResults))
	if err != nil {
		return nil, fmt.Errorf("outside: search at %s: %w", s.URL, err)
	}
	return list, nil
}

// target returns the URL of a query. A service given by its host alone is asked
// at /search.
func (s *Search) target(query string) (string, error) {
	u, err := url.Parse(s.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("outside: search service %q: want an address such as https://searx.example.org/", s.URL)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/search"
	}
	values := u.Query()
	values.Set("q", query)
	values.Set("format", "json")
	u.RawQuery = values.Encode()
	return u.String(), nil
}

func (s *Search) fetch(ctx context.Context, target string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", s.Agent)
	client := newClient()
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusForbidden:
		return nil, errors.New("the service answered with 403: a SearXNG service must list json under search: formats: in its settings.yml")
	case resp.StatusCode == http.StatusTooManyRequests:
		return nil, errors.New("the service answered with 429: too many searches, try again later")
	case resp.StatusCode/100 != 2:
		return nil, fmt.Errorf("the service answered with %d", resp.StatusCode)
	}
	return io.ReadAll(io.LimitReader(resp.Body, maxSearchBody))
}

// parseResults parses the first n results of an answer.
func parseResults(data []byte, n int) (list []Result, err error) {
	var answer struct {
		Results []struct {
			URL     string `json:"url"`
			Title   string `json:"title"`
			Content string `json:"content"`
		} `json:"results"`
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return nil, fmt.Errorf("the answer %q is not {\"results\": […]}: %w", firstBytes(string(data), 80), err)
	}
	seen := map[dowse.URL]bool{}
	for _, r := range answer.Results {
		u, err := weburl.Parse(r.URL)
		if err != nil || seen[u] || len(list) >= n {
			continue
		}
		seen[u] = true
		list = append(list, Result{u, oneLine(firstBytes(r.Title, maxTitle)), oneLine(firstBytes(r.Content, 4*maxTitle))})
	}
	return list, nil
}
