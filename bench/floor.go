package main

import (
	"bytes"
	"io"
	"net/http"
	"sync"
	"sync/atomic"

	"golang.org/x/net/html"
)

// floor is the least that any crawler must do: fetch with net/http, find the
// links with the tokenizer, visit each URL once. It has no robots.txt,
// politeness, judge or disk.
//
// The loop hands URLs to conns workers, and one message from each visit lets it
// send the next. Workers add the links that they find to the queue under a lock.
// When all pages have been sent, the loop no longer reads these messages, so a
// goroutine does until the last worker has ended.
func floor(pages, conns int) int {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 16, MaxIdleConns: 4096}}
	var mu sync.Mutex
	seen := map[string]bool{urlOf(0): true}
	queue := []string{urlOf(0)}
	var fetched atomic.Int64
	var out sync.WaitGroup
	work := make(chan string, conns)
	idle := make(chan struct{}, conns)
	for range conns {
		out.Go(func() {
			for u := range work {
				links := visit(client, u)
				fetched.Add(1)
				mu.Lock()
				for _, l := range links {
					if !seen[l] {
						seen[l] = true
						queue = append(queue, l)
					}
				}
				mu.Unlock()
				idle <- struct{}{}
			}
		})
	}
	sent, flying := 0, 0
	for sent < pages {
		mu.Lock()
		for len(queue) > 0 && flying < conns && sent < pages {
			work <- queue[0]
			queue = queue[1:]
			sent, flying = sent+1, flying+1
		}
		mu.Unlock()
		if flying == 0 {
			break
		}
		<-idle
		flying--
	}
	close(work)
	go func() {
		for range idle {
		}
	}()
	out.Wait()
	return int(fetched.Load())
}

// visit fetches a page and returns its links; none after an error. Links are
// absolute in the cheap web, so the floor need not resolve them.
func visit(client *http.Client, u string) (links []string) {
	resp, err := client.Get(u)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil
	}
	z := html.NewTokenizer(bytes.NewReader(body))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return links
		case html.StartTagToken:
			name, more := z.TagName()
			if len(name) != 1 || name[0] != 'a' {
				continue
			}
			for more {
				var k, v []byte
				k, v, more = z.TagAttr()
				if string(k) == "href" {
					links = append(links, string(v))
				}
			}
		}
	}
}
