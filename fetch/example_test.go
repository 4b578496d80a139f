package fetch_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"

	"dowse"
	"dowse/fetch"
)

// A client reports what each hop answered; it follows no redirect by itself.
func Example() {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			fmt.Fprint(w, "User-agent: *\nDisallow: /private\nCrawl-delay: 2\n")
		case "/old":
			http.Redirect(w, r, "/new", http.StatusMovedPermanently)
		default:
			fmt.Fprint(w, "<!DOCTYPE html><title>Reefs</title>")
		}
	}))
	defer web.Close()

	client, err := fetch.New(fetch.Config{
		Agent: "reefbot", Contact: "https://example.org/bot", Version: "0.4",
		AllowNet: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	fmt.Println(client.UserAgent())

	ctx, home := context.Background(), dowse.URL(web.URL)
	robots, _ := client.Robots(ctx, home+"/old")
	ok, rule := robots.Rules.Allowed(home + "/private/x")
	fmt.Printf("%v by %q, %v between requests\n", ok, rule, robots.Delay)

	hop := client.Get(ctx, home+"/old")
	fmt.Println(hop.Outcome, "to", hop.Location[len(home):])
	page := client.Get(ctx, hop.Location)
	fmt.Println(page.Outcome, page.Fetch.Type, page.Fetch.Bytes, "bytes")
	fmt.Println(client.Get(ctx, "http://10.0.0.1/").Detail)
	// Output:
	// Mozilla/5.0 (compatible; reefbot/1.0; +https://example.org/bot) dowse/0.4
	// false by "Disallow: /private", 2s between requests
	// redirected to /new
	// fetched text/html 35 bytes
	// 10.0.0.1 is not a public address
}

// Rules are parsed once and used often.
func ExampleParseRobots() {
	robots := fetch.ParseRobots([]byte("User-agent: *\nDisallow: /a\nAllow: /a/b\n"), 200, "reefbot")
	for _, u := range []dowse.URL{"https://example.org/a/x", "https://example.org/a/b/x"} {
		fmt.Println(robots.Rules.Allowed(u))
	}
	// Output:
	// false Disallow: /a
	// true Allow: /a/b
}
