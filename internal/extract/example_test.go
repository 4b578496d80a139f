package extract_test

import (
	"fmt"

	"dowse/internal/extract"
)

func Example() {
	body, charset := extract.Decode([]byte("<title>B\xe4ume</title><h1>Oaks</h1><p>See the <a href=/oak>old oak</a>.</p>"), "text/html; charset=iso-8859-1")
	doc := extract.HTML(body, "https://example.org/trees", extract.Options{})
	fmt.Println(charset, doc.Title)
	for _, link := range doc.Links {
		fmt.Println(link.URL, link.Anchor, "under", doc.Headings[link.Above[0]].Text)
	}
	// Output:
	// windows-1252 Bäume
	// https://example.org/oak old oak under Oaks
}

func ExampleRefresh() {
	fmt.Println(extract.Refresh("5; url='/next'"))
	// Output: 5 /next true
}
