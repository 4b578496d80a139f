package hostile

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"dowse"
)

// bigPage is the size of a big page: the most that a crawl reads by default.
const bigPage = 10 << 20

// bigKinds are the forms of big pages: plain, in a charset that a crawler must
// convert, and compressed.
var bigKinds = []string{"plain", "latin1", "gzip"}

// BigRows returns n sites that each have one page of 10 MiB in addition to the
// ordinary ones. Crawled together they show what a crawler keeps in memory per
// connection. They are not part of [Rows], because a test must choose their
// number.
func BigRows(n int) (rows []Row) {
	for i := range n {
		kind := bigKinds[i%len(bigKinds)]
		rows = append(rows, Row{
			ID: fmt.Sprintf("B%03d", i), Does: "a page of 10 MiB, " + kind, Wants: "fetched; memory bounded",
			checks: []check{is("/big", dowse.Visited)},
			open:   func(s *Site) { s.at("/big", serveBig(i, kind)) },
		})
	}
	return rows
}

// serveBig answers with a big page: a very long article in a template with a menu. It is
// written block by block, so that the server itself needs little memory.
func serveBig(seed int, kind string) act {
	return func(x *exchange) {
		x.w.Header().Set("Content-Type", "text/html; charset=utf-8")
		var w io.Writer = x.w
		switch kind {
		case "latin1":
			x.w.Header().Set("Content-Type", "text/html; charset=iso-8859-1")
		case "gzip":
			x.w.Header().Set("Content-Encoding", "gzip")
			z := gzipped(x.w)
			defer z.Close()
			w = z
		}
		x.site.book.note(func() { x.entry.Status = http.StatusOK })
		io.WriteString(w, x.site.head("/big"))
		for sent, k := 0, seed; sent < bigPage-bigBlock; k++ {
			n, err := io.WriteString(w, bigBlocks()[k*k%len(bigBlocks())])
			if sent += n; err != nil {
				return
			}
			n, err = fmt.Fprintf(w, "<h2>Part %d</h2><p><a href=\"/never-mentioned/%d\">On %s</a> caf\xe9\n", k, k, prose(fmt.Sprint(x.site.Host, k), 40))
			if sent += n; err != nil {
				return
			}
		}
	}
}

// bigBlock is the approximate size of one block of a big page.
const bigBlock = 64 << 10

// bigBlocks returns the blocks that big pages are put together from.
var bigBlocks = sync.OnceValue(func() (list []string) {
	for i := range 97 {
		var b strings.Builder
		b.WriteString(`<nav><ul><li><a href="/">Home</a><li><a href="/never-mentioned/shop">Shop</a></ul></nav><article>`)
		for k := 0; b.Len() < bigBlock-600; k++ {
			fmt.Fprintf(&b, "<p class=\"text-body\">%s\n", prose(fmt.Sprint("big", i, k), 60))
		}
		b.WriteString("</article><footer>All rights reserved</footer>\n")
		list = append(list, b.String())
	}
	return list
})
