package fetch

import "testing"

// TestLinksOfAPile counts the links of pages before they are parsed.
func TestLinksOfAPile(t *testing.T) {
	for page, want := range map[string]int64{
		``:                                0,
		`<a href="x">`:                    1,
		`<A HREF=x><a hReF='y'>`:          2,
		`<a href = "x"><a href` + "\n=x>": 2,
		`<p class="a" id=b title="c">`:    0,
		`<a ref=x href>`:                  0,
		`=`:                               1,
	} {
		var first piece
		p := &pile{pieces: []*piece{&first}, size: int64(copy(first[:], page))}
		if got := p.links(); got != want {
			t.Errorf("%q: %d links, want %d", page, got, want)
		}
	}
}
