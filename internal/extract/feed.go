package extract

import (
	"bytes"
	"fmt"
	"html"
	"strings"

	"dowse"
)

// An Item is an entry of a feed. Title and Text are as the feed has them, which is mostly HTML.
type Item struct {
	URL         dowse.URL
	Title, Text string
}

// Feed returns what is read of a feed at a URL: a block of text for each item, in which its title is the anchor of the
// link to its page.
func Feed(items []Item, url dowse.URL) *dowse.Document {
	var b bytes.Buffer
	for _, it := range items {
		fmt.Fprintf(&b, "<p><a href=\"%s\">%s</a> %s</p>\n", html.EscapeString(string(it.URL)), itemText(it.Title), itemText(it.Text))
	}
	d := HTML(b.Bytes(), url, Options{})
	return &dowse.Document{Text: d.Text, Words: d.Words, Links: d.Links}
}

// itemText returns the text of a part of an item in one line, as HTML.
func itemText(part string) string {
	if !strings.ContainsAny(part, "<&") {
		return part
	}
	d := HTML([]byte(part), "", Options{})
	return html.EscapeString(strings.ReplaceAll(d.Text, "\n", " "))
}
