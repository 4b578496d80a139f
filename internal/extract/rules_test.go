package extract

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html/atom"

	"dowse"
)

// outline returns the text of a document, a bar for each line break, and its links.
func outline(doc *dowse.Document) string {
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(doc.Text, "\n", "|"))
	for _, l := range doc.Links {
		fmt.Fprintf(&b, " [%s %s]", strings.TrimPrefix(string(l.URL), "https://example.org/dir/"), l.Anchor)
	}
	return b.String()
}

// TestRules has one rule of the HTML standard's tree construction per row: markup
// that lacks tags or has them in the wrong place, and what a browser shows.
func TestRules(t *testing.T) {
	for _, c := range []struct{ rule, html, want string }{
		// Paragraphs, lists, headings.
		{"a block closes p", "<p>a<div>b</div>c", "a|b|c"},
		{"p in a button stays inside", "<p>a<button>b<p>c</button>d", "a b|c|d"},
		{"li closes li", "<ul><li>a<li>b<ul><li>c</ul>d</ul>", "a|b|c|d"},
		{"li does not close one of an outer list", "<ol><li>a<ol><li>b</ol>c<li>d</ol>", "a|b|c|d"},
		{"dt and dd close each other", "<dl><dt>a<dd>b<dt>c</dl>", "a|b|c"},
		{"a heading closes a heading", "<h1>a<h2>b</h2>c", "a|b|c"},
		{"any end tag of a heading closes it", "<h1>a</h3>b", "a|b"},
		{"a rule closes p", "<p>a<hr>b", "a|b"},
		{"</br> is a line break", "a</br>b", "a|b"},
		{"pre is a block", "a<pre>b  c</pre>d", "a|b c|d"},

		// Formatting and links.
		{"a link ends at the next", "<a href=x>a <a href=y>b</a> c", "a b c [x a] [y b]"},
		{"misnested formatting", "<b>a<i>b</b>c</i>d", "abcd"},
		{"a block in a link", "<a href=x>a<div>b</div></a>c", "a|b|c [x a b]"},
		{"a link over the end of p", "<p><a href=x>a</p>b</a>c", "a|bc [x a b]"},
		{"nobr closes nobr", "<nobr>a<nobr>b</nobr>c", "abc"},
		{"an end tag without a start", "a</b>b</div>c</span>d", "abcd"},
		{"a link in a cell ends with it", "<table><td><a href=x>a<td>b</table>", "a|b [x a]"},
		{"a link around a table", "<a href=x>a<table><td>b</table>c</a>", "a|b|c [x a b c]"},

		// Forms.
		{"a form in a form is ignored", "<form>a<form>b</form>c</form>d", "ab|cd"},
		{"a button closes a button", "<button>a<button>b</button>c", "a b c"},
		{"select in select closes it", "<select><option>a<select>b", "a|b"},
		{"optgroups", "<select><optgroup label=x><option>a<optgroup><option>b</select>c", "a|b|c"},
		{"a textarea is text", "<textarea><a href=x>a</a></textarea>b", "<a href=x>a</a> b"},

		// Tables.
		{"cells imply rows", "<table><td>a<td>b<tr><td>c</table>d", "a|b|c|d"},
		{"thead, tbody and tfoot", "<table><thead><tr><th>a<tbody><tr><td>b<tfoot><tr><td>c</table>", "a|b|c"},
		{"caption and colgroup", "<table><caption>a<colgroup><col><tr><td>b</table>", "a|b"},
		{"text between cells comes first", "<table><tr>a<td>b</table>", "a|b"},
		{"a link between cells comes first", "<table><tr><a href=x>a</a><td>b</table>", "a|b [x a]"},
		{"a table in a cell", "<table><tr><td>a<table><tr><td>b</table>c<td>d</table>", "a|b|c|d"},
		{"a table in a table closes it", "<table><tr><td>a</td><table><tr><td>b</table>", "a|b"},
		{"an end tag of a cell that is not open", "<table><tr><td>a</th>b</table>", "ab"},
		{"rows outside of a table", "<tr><td>a</td></tr>b", "ab"},
		{"a hidden input in a table", "<table><tr><input type=hidden><td>a</table>", "a"},
		{"the end of a table closes p in a cell", "<table><td><p>a</table>b", "a|b"},

		// Ruby.
		{"ruby annotations", "<ruby>a<rp>(<rt>b<rp>)</ruby>c", "a ( b ) c"},

		// Foreign content.
		{"a title in SVG is text", "<svg><title>a</title><text>b</text></svg>c", "a b c"},
		{"a style in SVG is not", "<svg><style>a</style><text>b</text></svg>c", "b c"},
		{"MathML", "<math><mi>a</mi><mo>+</mo></math>b", "a+b"},
		{"HTML in MathML", "<math><mtext><b>a</b></mtext></math>b", "ab"},
		{"HTML in an annotation", "<math><annotation-xml encoding=text/html><p>a</p></annotation-xml></math>b", "a|b"},
		{"font with a color ends SVG", "<svg><g>a<font color=red>b</font>c", "a bc"},
		{"font without does not", "<svg><g>a<font>b</font>c</g></svg>d", "abc d"},
		{"a self-closing element of SVG", "<svg><g/>a<path d=x />b</svg>c", "ab c"},

		// Head, body, frames, templates.
		{"text begins the body", "<title>t</title>a<title>u</title>b", "ab"},
		{"a second body is ignored", "<body>a<body>b", "ab"},
		{"noscript is read", "<head><noscript><a href=x>a</a></noscript></head>b", "ab [x a]"},
		{"after the end of html", "<html><body>a</body></html>b", "ab"},
		{"a body tag is too late for a frameset", "<body><frameset><frame src=x></frameset>", ""},
		{"a frameset replaces an empty body", "<p></p><frameset><frame src=x></frameset>", " [x ]"},
		{"a link in a template does not count", "<template><a href=x>a</a></template>b", "b"},
		{"a template in a table", "<table><template><tr><td>a</template><tr><td>b</table>", "b"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			doc := HTML([]byte(c.html), page, Options{})
			if got := outline(doc); got != c.want {
				t.Errorf("%s\ngot  %q\nwant %q", c.html, got, c.want)
			}
			sound(t, doc, Options{}.withDefaults())
		})
	}
}

// Every element of the table has the kind that was entered, although elements share
// slots; and names that are not in it have none.
func TestKinds(t *testing.T) {
	for name, want := range map[string]kind{
		"div": block | closesP | special, "p": block | special | implied, "h3": block | heading | special | breakout,
		"br": block | void | special | breakout, "a": format, "script": special | rawText | inHead | unseen, "x-custom": 0, "": 0, "span": breakout,
	} {
		if got := tagOf([]byte(name)).kind(); got&want != want || want == 0 && got != 0 {
			t.Errorf("kind of %q is %b, want at least %b", name, got, want)
		}
	}
	used := 0
	for _, k := range kinds {
		if k.tag != 0 {
			used++
			if k.tag.kind() != k.kind {
				t.Errorf("%s is in the table and not found there", k.tag)
			}
		}
	}
	if used < 100 || used > len(kinds)/2 {
		t.Errorf("%d of %d slots are used: want room, so that searches are short", used, len(kinds))
	}
	if long := tagOf([]byte(strings.Repeat("x", 100))); long.String() != "" || long>>31 == 0 {
		t.Errorf("an unknown name is taken for the atom %q", long)
	}
	if tagOf([]byte("table")) != tag(atom.Table) {
		t.Error("a known name is not its atom")
	}
}

// TestLimitsOfAPage reaches one limit per row, by a page that is small otherwise.
func TestLimitsOfAPage(t *testing.T) {
	many := func(s string, n int) string { return strings.Repeat(s, n) }
	for _, c := range []struct {
		name, html string
		opt        Options
		cut, want  string
	}{
		{"tokens", "<p>a<p>b<p>c", Options{Tokens: 4}, CutTokens, "a|b"},
		{"work", many("<i>", 40) + many("</b>", 40) + "a", Options{Work: 100}, CutWork, ""},
		{"text", "<p>abcd<p>efgh<p>i", Options{Text: 8}, CutText, "abcd"},
		{"text, with its links", "<p>abcd<p>efgh<a href=x>i</a>", Options{Text: 6}, CutText, "abcd [x ]"},
		{"links", "<a href=x>a</a> <a href=y>b</a>", Options{Links: 1}, CutLinks, "a b [x a]"},
		{"mentions", "<a href=x>a</a> <a href=x>b</a>", Options{Mentions: 1}, CutLinks, "a b [x a]"},
		{"references", "<a href=x>a</a> <a href=y>b</a>", Options{Hrefs: 100}, CutLinks, "a b [x a]"},
		{"a long reference", "<a href=" + many("x", 20) + ">a</a>", Options{Href: 10}, "", "a"},
		{"a long word", "abcdefgh ij", Options{Word: 4}, "", "abcd ij"},
		{"a long word in a link", "<a href=x>abcdefgh</a>ij k", Options{Word: 4}, "", "abcd k [x abcd]"},
		{"a long anchor", "<a href=x>abc def</a>", Options{Anchor: 5}, "", "abc def [x abc d]"},
		{"depth", many("<div>", 6) + "a" + many("</div>", 6) + "b", Options{Depth: 3}, "", "a|b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := HTML([]byte(c.html), page, c.opt)
			if got := outline(doc); got != c.want || doc.Cut != c.cut {
				t.Errorf("got %q, cut %q; want %q, cut %q", got, doc.Cut, c.want, c.cut)
			}
			sound(t, doc, c.opt.withDefaults())
		})
	}
}
