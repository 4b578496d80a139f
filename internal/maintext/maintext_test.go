package maintext

import (
	"fmt"
	"strings"
	"testing"

	"dowse"
	"dowse/internal/demo"
	"dowse/internal/extract"
	"dowse/internal/maintext/madepages"
)

// A measure is the mean precision, recall and F1 of words.
type measure struct {
	precision, recall, f1 float64
	pages                 int
}

func (m *measure) add(found, truth string) {
	count, total, hit, all := map[string]int{}, 0, 0, 0
	for _, w := range dowse.Words(truth) {
		count[truth[w.Start:w.End]]++
		total++
	}
	for _, w := range dowse.Words(found) {
		if word := found[w.Start:w.End]; count[word] > 0 {
			count[word]--
			hit++
		}
		all++
	}
	m.pages++
	if hit > 0 {
		p, r := float64(hit)/float64(all), float64(hit)/float64(total)
		m.precision, m.recall, m.f1 = m.precision+p, m.recall+r, m.f1+2*p*r/(p+r)
	}
}

func (m *measure) mean() (precision, recall, f1 float64) {
	n := float64(m.pages)
	return m.precision / n, m.recall / n, m.f1 / n
}

func TestMadePages(t *testing.T) {
	pages := madepages.All(12)
	learners := map[string]*Learner{}
	for _, p := range pages {
		if learners[p.Template] == nil {
			learners[p.Template] = &Learner{}
		}
		_, page := Read([]byte(p.HTML), dowse.URL(p.URL), extract.Options{})
		learners[p.Template].Add(page)
	}
	var plain, alone, learnt measure
	each := map[string]*measure{}
	for _, p := range pages {
		doc, page := Read([]byte(p.HTML), dowse.URL(p.URL), extract.Options{})
		plain.add(doc.Text, p.Main)
		alone.add(page.Main(nil).Plain(), p.Main)
		text := page.Main(learners[p.Template].Template()).Plain()
		learnt.add(text, p.Main)
		if each[p.Template] == nil {
			each[p.Template] = &measure{}
		}
		each[p.Template].add(text, p.Main)
	}
	_, _, ofPlain := plain.mean()
	_, _, ofAlone := alone.mean()
	_, _, ofLearnt := learnt.mean()
	if ofLearnt < 0.99 || ofAlone < ofPlain+0.1 || ofLearnt < ofAlone+0.02 {
		t.Errorf("F1 of plain text %.3f, without templates %.3f, with them %.3f; want each clearly above the one before, and 0.99", ofPlain, ofAlone, ofLearnt)
	}
	for name, m := range each {
		if p, r, f := m.mean(); f < 0.97 || p < 0.99 {
			t.Errorf("%s: precision %.3f, recall %.3f, F1 %.3f", name, p, r, f)
		}
	}
}

func TestDemoWeb(t *testing.T) {
	web := demo.New(demo.Config{Seed: 1})
	var m measure
	for u := range web.Pages() {
		if m.pages == 60 {
			break
		}
		article, ok := web.Article(u)
		answer, there := web.Page(u)
		if !ok || !there || answer.Status != 200 {
			continue
		}
		body, _ := extract.Decode(answer.Body, answer.Type)
		_, page := Read(body, u, extract.Options{})
		m.add(page.Main(nil).Plain(), extract.HTML(article, u, extract.Options{}).Text)
	}
	if p, r, f := m.mean(); f < 0.99 {
		t.Errorf("precision %.3f, recall %.3f, F1 %.3f", p, r, f)
	}
}

// A template has what many pages share, whatever the numbers in it; two copies are no
// template.
func TestTemplate(t *testing.T) {
	page := func(n int, extra string) *Page {
		html := fmt.Sprintf("<p>Visitor %d of this site<p>Text of page %s number<p>%s", 1000*n, strings.Repeat("x", n+1), extra)
		_, p := Read([]byte(html), "http://a.example/", extract.Options{})
		return p
	}
	var l Learner
	l.Add(page(1, "twice"))
	l.Add(page(2, "twice"))
	if l.Template() != nil {
		t.Error("two pages make a template")
	}
	l = Learner{}
	for n := range 6 {
		l.Add(page(n, map[bool]string{true: "twice", false: "once" + strings.Repeat("y", n)}[n < 2]))
	}
	got := l.Template()
	if got.Len() != 1 || !got.Has("Visitor 7 of this site") || got.Has("twice") {
		t.Errorf("a template of %d blocks", got.Len())
	}
	l = Learner{}
	for range SamplePages + 5 {
		var b strings.Builder
		for i := range maxSampled + 100 {
			fmt.Fprintf(&b, "<p>%s", strings.Repeat("a ", 1+i%7)+strings.Repeat("b", i))
		}
		_, p := Read([]byte(b.String()), "http://a.example/", extract.Options{})
		l.Add(p)
	}
	if l.pages != SamplePages || len(l.count) > maxSampled || l.Template().Len() > maxTemplate {
		t.Errorf("%d pages, %d blocks counted, a template of %d", l.pages, len(l.count), l.Template().Len())
	}
}

// TestNumbersTellApart checks that headings and cells which differ by a number from those of other pages are text of
// the page, that the labels of a table stay with its values, and that a table which all pages have is left out.
func TestNumbersTellApart(t *testing.T) {
	prose := func(n int) string {
		return "<p>" + strings.Repeat("The reef number "+strings.Repeat("x", n+1)+" has corals of many kinds, and divers count them. ", 3)
	}
	pages := make([]*Page, 6)
	var l Learner
	for n := range pages {
		html := fmt.Sprintf(`<body><div>Visitor %d of this site</div><table><tr><td>1<td>2<td>3<tr><td>4<td>5<td>6</table><div><h1>Chapter %d</h1>%s
<table><tr><th>Depth<th>Found<tr><td>%d m<td>yes<tr><td>%d m<td>no</table>%s</div><table><tr><td><a href=/a>One</a><td><a href=/b>Two</a><tr><td><a href=/c>Three</a><td>4</table>`, 7*n, n+1, prose(n), 10+n, 50+n, prose(n))
		_, pages[n] = Read([]byte(html), "http://a.example/", extract.Options{})
		l.Add(pages[n])
	}
	for n, p := range pages {
		text := p.Main(l.Template()).Plain()
		for _, want := range []string{fmt.Sprintf("Chapter %d", n+1), "Depth\tFound\n", fmt.Sprintf("%d m\tyes\n", 10+n), fmt.Sprintf("%d m\tno\n", 50+n)} {
			if !strings.Contains(text, want) {
				t.Errorf("page %d: no %q in\n%s", n, want, text)
			}
		}
		for _, frame := range []string{"Visitor", "1\t2\t3", "Three"} {
			if strings.Contains(text, frame) {
				t.Errorf("page %d: %q of the frame in\n%s", n, frame, text)
			}
		}
	}
}

// TestTitlesInMenus checks that a heading above the text of its page is kept where other pages of the host name it in
// a menu or a list of articles, and that the name of the site, a heading of each page, is left out.
func TestTitlesInMenus(t *testing.T) {
	titles := []string{"Corals of the reef", "Feeding the starter", "Walks along the shore", "About our club", "Kelp in winter", "Crabs at night"}
	for _, item := range []string{"<li><a href=/%d>%s</a>", "<h2><a href=/%d>%s</a></h2>"} {
		pages := make([]*Page, len(titles))
		var l Learner
		for n, title := range titles {
			var menu strings.Builder
			for i, other := range titles {
				fmt.Fprintf(&menu, item, i, other)
			}
			text := "<p>" + strings.Repeat("The reef number "+strings.Repeat("x", n+1)+" has corals of many kinds, and divers count them. ", 5)
			html := "<body><h1>The Shore Club</h1>" + "<div>" + menu.String() + "</div><main><article><h1>" + title + "</h1>" + text + "</article></main>"
			_, pages[n] = Read([]byte(html), "http://a.example/", extract.Options{})
			l.Add(pages[n])
		}
		for n, p := range pages {
			text := p.Main(l.Template()).Plain()
			if !strings.HasPrefix(text, titles[n]+"\n") {
				t.Errorf("%s: the title %q is not the beginning of\n%s", item, titles[n], text)
			}
			for _, frame := range []string{"Shore Club", titles[(n+1)%len(titles)]} {
				if strings.Contains(text, frame) {
					t.Errorf("%s: %q of the frame in\n%s", item, frame, text)
				}
			}
		}
	}
}

// TestLastHeading checks that a heading at the end of main is part of the text, unless what it introduces is left out.
func TestLastHeading(t *testing.T) {
	text := "<p>" + strings.Repeat("The reef has corals of many kinds, and divers count them. ", 5)
	for html, want := range map[string]bool{
		"<main><h1>Reefs</h1>" + text + "<h2>The last part</h2></main>":                                                  true,
		"<main><h1>Reefs</h1>" + text + "<h2>The last part</h2></main><footer>Imprint of the site</footer>":              true,
		"<main><h1>Reefs</h1>" + text + "<h2>The last part</h2><ul><li><a href=/a>a</a><li><a href=/b>b</a></ul></main>": false,
		"<main><h1>Reefs</h1>" + text + "</main><div><h2>The last part</h2></div><footer>Imprint of the site</footer>":   false,
	} {
		_, p := Read([]byte("<body>"+html), "http://a.example/", extract.Options{})
		if got := strings.Contains(p.Main(nil).Plain(), "The last part"); got != want {
			t.Errorf("%s: kept %v, want %v", html, got, want)
		}
	}
}

// TestMarkdown checks what is written as markup, and what is escaped.
func TestMarkdown(t *testing.T) {
	const html = `<body><nav><a href=/m>Menu of the site</a></nav><main><h1>A *bold* title</h1>
<p>One sentence with <a href="/a_(b)">a link</a> in it, and &lt;script&gt;alert(1)&lt;/script&gt; that is text.
<p># not a heading, and ![not an image](x) either, as all of it is text.
<ul><li>first item of the list<li>second item</ul><pre>x := 1
` + "```" + `
y</pre></main>`
	_, p := Read([]byte(html), "http://a.example/", extract.Options{})
	const want = `# A \*bold\* title

One sentence with [a link](http://a.example/a_%28b%29) in it, and \<script\>alert(1)\</script\> that is text.

\# not a heading, and \!\[not an image\](x) either, as all of it is text.

- first item of the list
- second item

` + "````\nx := 1\n```\ny\n````\n"
	if got := p.Main(nil).Markdown(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestMarkdownLists checks the numbers, levels and paragraphs of lists, and the lines of preformatted text.
func TestMarkdownLists(t *testing.T) {
	for html, want := range map[string]string{
		"<ol start=4><li>four<li>five</ol>":                                           "4. four\n5. five\n",
		"<ol><li>one<ul><li>a<li>b</ul><li>two</ol>":                                  "1. one\n   - a\n   - b\n2. two\n",
		"<ul><li>one<ol start=9><li>nine<li>ten<p>more of ten</ol><li>two</ul>":       "- one\n  9. nine\n  10. ten\n\n      more of ten\n- two\n",
		"<ul><li><ul><li>inner alone</ul><li>outer</ul>":                              "- inner alone\n- outer\n",
		"<ol start=x><li>one</ol><p>text<ol><li>one again</ol>":                       "1. one\n\ntext\n\n1. one again\n",
		"<dl><dt>term<dd>meaning</dl>":                                                "- term\n- meaning\n",
		"<pre>\nif x {\n\ty  = 1 &lt; 2\n}\n\n</pre><p>end":                           "```\nif x {\n\ty  = 1 < 2\n}\n```\n\nend\n",
		"<pre><code>a<br>  b</code></pre>":                                            "```\na\n  b\n```\n",
		"<pre><span>a\n</span><span style='display: none'>secret</span>  b\x1b</pre>": "```\na\n  b\n```\n",
		"<pre><div>one</div><div>two</div></pre>":                                     "```\none\ntwo\n```\n",
	} {
		_, p := Read([]byte("<body>"+html), "http://a.example/", extract.Options{})
		if got := p.All().Markdown(); got != want {
			t.Errorf("%s:\n%q, want\n%q", html, got, want)
		}
	}
}

// TestTables checks the rows and columns of tables, also with empty cells and cells that take several, and that tables
// for the layout stay paragraphs.
func TestTables(t *testing.T) {
	for html, want := range map[string][2]string{
		"<table><tr><th>Year<th>Count<tr><td>2001<td><a href=/x>12</a> a|b<tr><td>2002<td>13</table>": {
			"Year\tCount\n2001\t12 a|b\n2002\t13", "| Year | Count |\n| --- | --- |\n| 2001 | [12](http://a.example/x) a\\|b |\n| 2002 | 13 |\n"},
		"<p>Before<table><caption>Reefs</caption><thead><tr><th><th>A<th></thead><tr><td>x<td><td>1</td><td></td></tr><tr><td><td>y<td></table>After": {
			"Before\nReefs\nA\nx\t\t1\ny\nAfter", "Before\n\nReefs\n\n| | A | |\n| --- | --- | --- |\n| x | | 1 |\n| | y |\n\nAfter\n"},
		"<table><tr><td rowspan=2>both<td colspan=2>wide<td>d<tr><td>b<td>c<td><p>one<p>two<br>three</table>": {
			"both\twide\t\td\nb\tc\tone two\nthree", "| both | wide | | d |\n| --- | --- | --- | --- |\n| | b | c | one two three |\n"},
		"<table><tr><td><table><tr><td>a<td>b<tr><td>c<td>d</table><td>outer</table>": {
			"a\tb\nc\td\nouter", "| a | b |\n| --- | --- |\n| c | d |\n\nouter\n"},
		"<table><tr><td>one<td>two</table>": {"one\ntwo", "one\n\ntwo\n"},
	} {
		_, p := Read([]byte("<body>"+html), "http://a.example/", extract.Options{})
		if plain, markdown := p.All().Plain(), p.All().Markdown(); plain != want[0] || markdown != want[1] {
			t.Errorf("%s:\n%q and\n%q, want\n%q and\n%q", html, plain, markdown, want[0], want[1])
		}
	}
}

// TestHiddenText checks that text which its style attribute hides is no text of the page.
func TestHiddenText(t *testing.T) {
	const html = `<p>seen <span style="color:red; DISPLAY : none !important">one</span> here<div style="visibility:hidden"><p>two</div>
<div style="display:block">three</div><p hidden>four</p><p style="background:url(x?display:none)">five`
	doc, p := Read([]byte(html), "http://a.example/", extract.Options{})
	const want = "seen here\nthree\nfive"
	if got := p.All().Plain(); got != want || doc.Text != want {
		t.Errorf("%q and %q, want %q", got, doc.Text, want)
	}
	if doc := extract.HTML([]byte(html), "http://a.example/", extract.Options{}); !strings.Contains(doc.Text, "two") {
		t.Error("a crawl reads another text than before")
	}
}

// A page cannot make the rules slow or fail: deep, unclosed, overlapping, huge.
func TestHostilePages(t *testing.T) {
	for name, html := range map[string]string{
		"deep":     strings.Repeat("<div class=sidebar><p>", 5000) + "text",
		"articles": strings.Repeat("<article><p>some words", 30000),
		"lines":    strings.Repeat("x<br>", 100000),
		"misnest":  strings.Repeat("<a href=/x><div><p>y</a>", 10000),
		"empty":    "",
		"spans":    "<table>" + strings.Repeat("<tr><td colspan=1000 rowspan=1000><td>x", 20000),
		"tables":   strings.Repeat("<table><tr><td>", 3000) + "x",
		"class":    "<div class='" + strings.Repeat("Footer", 100000) + "'><p>z</div>",
	} {
		_, p := Read([]byte(html), "http://a.example/", extract.Options{})
		text := p.Main(nil)
		if plain := text.Plain(); len(plain) > len(p.doc.Text) || len(text.Markdown()) > 100*len(html)+10 {
			t.Errorf("%s: %d bytes of %d", name, len(plain), len(p.doc.Text))
		}
	}
}

func BenchmarkMain(b *testing.B) {
	web := demo.New(demo.Config{Seed: 1, Topology: demo.Topology{PageBytes: 20_000}})
	var bodies [][]byte
	for u := range web.Pages() {
		if answer, ok := web.Page(u); ok && answer.Status == 200 {
			bodies = append(bodies, answer.Body)
		}
		if len(bodies) == 50 {
			break
		}
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		_, p := Read(bodies[i%len(bodies)], "http://a.example/", extract.Options{})
		_ = p.Main(nil).Plain()
	}
}

// TestListings shows that listings keep their lines in both forms, and that numbers of lines beside them are left out.
func TestListings(t *testing.T) {
	const code = "def low(tide):\n    if tide < 0:\n        return True\n\n    return False"
	html := `<article><h1>Low tide</h1><p>This program finds out whether the tide is low enough for a walk to the pools, which is what most readers ask.</p>
<table><tr><td class="gutter"><pre>1
2
3
4
5</pre></td><td class="code"><pre><code>` + strings.ReplaceAll(code, "<", "&lt;") + `</code></pre></td></tr></table><p>Call it in the morning and in the evening, because the tide is low twice a day.</p></article>`
	_, page := Read([]byte(html), "http://a.example/", extract.Options{})
	own := page.Main(nil)
	if got := own.Plain(); !strings.Contains(got, "\n"+code+"\n") || strings.Contains(got, "1\n2") {
		t.Errorf("plain text:\n%s\nwant the lines of the listing, without their numbers", got)
	}
	if got := own.Markdown(); !strings.Contains(got, "```\n"+code+"\n```") || strings.Contains(got, "1\n2") {
		t.Errorf("Markdown:\n%s\nwant the lines of the listing, without their numbers", got)
	}
	if got := page.All().Plain(); !strings.Contains(got, code) || !strings.Contains(got, "1\n2\n3\n4\n5\n") {
		t.Errorf("all text:\n%s\nwant the listing and its numbers", got)
	}
}

// TestScriptsWithoutSpaces shows that a sentence of a script without spaces counts as its words do: it is not a short
// block because no space cuts it.
func TestScriptsWithoutSpaces(t *testing.T) {
	for _, c := range []struct{ name, menu, title, first, second, last string }{
		{"Japanese", "ホーム", "潮だまりの生き物", "潮だまりは、岩場の海岸にできる浅い海水の池で、イソギンチャク、カニ、カサガイなどが住んでいます。干潮のとき水温が急に上がり、塩分も高くなります。", "ヒトデとイガイは中潮帯で場所を争い、波は一日に二度、餌と酸素を運んできます。", "夏には水温が三十度を超えることもあり、多くの動物は石の下に隠れています。"},
		{"Chinese", "首页", "潮池", "潮池是在岩石海岸上形成的浅水池，海葵、螃蟹和帽贝生活在其中。退潮时水温迅速升高，盐度也会上升，这对动物是很大的考验。", "海星和贻贝在中潮带争夺空间，海浪每天两次带来食物和氧气，也把一些动物带走。", "夏天水温可以超过三十度，所以很多动物白天都躲在石头下面或者海藻里。"},
		{"Thai", "หน้าแรก", "แอ่งน้ำขึ้นน้ำลง", "แอ่งน้ำขึ้นน้ำลงเป็นแอ่งน้ำทะเลตื้นที่เกิดขึ้นบนชายฝั่งหินและมีดอกไม้ทะเลปูและหอยอาศัยอยู่ในนั้นเมื่อน้ำลงอุณหภูมิของน้ำจะสูงขึ้นอย่างรวดเร็วและความเค็มก็สูงขึ้นด้วยซึ่งเป็นความท้าทายสำหรับสัตว์", "ปลาดาวและหอยแมลงภู่แย่งพื้นที่กันในเขตกลางและคลื่นนำอาหารและออกซิเจนมาวันละสองครั้งและพาสัตว์บางชนิดไปด้วย", "ในฤดูร้อนอุณหภูมิของน้ำอาจสูงกว่าสามสิบองศาและสัตว์หลายชนิดซ่อนตัวอยู่ใต้ก้อนหิน"},
	} {
		for _, tag := range []string{"article", "div"} {
			html := fmt.Sprintf(`<nav><a href="/">%s</a></nav><%s><h1>%s</h1><p>%s</p><p>%s</p><p>%s</p></%[2]s><footer>%[1]s</footer>`, c.menu, tag, c.title, c.first, c.second, c.last)
			_, page := Read([]byte(html), "http://a.example/", extract.Options{})
			if got, want := page.Main(nil).Plain(), strings.Join([]string{c.title, c.first, c.second, c.last}, "\n"); got != want {
				t.Errorf("%s in %s:\n%s\nwant\n%s", c.name, tag, got, want)
			}
		}
	}
}

// TestTitleBeforeNotes shows that the title of a page stays if a date, a name or a button stands between it and the
// text, and that the name of a site over its menu does not.
func TestTitleBeforeNotes(t *testing.T) {
	const text = "<p>Starfish and mussels compete for the middle zone of the shore, where waves bring food and oxygen twice a day.</p><p>At low tide the water becomes warm, its salinity rises, and the hermit crab hides beneath the seaweed of the pool.</p>"
	for _, note := range []string{"<p class=byline>By A. Limpet</p>", "<p>3 May</p>", "<button>Listen</button>", "<noscript>Enable scripts.</noscript><p>Photo: shore</p>"} {
		for _, form := range []string{"<div><h1>Low tide</h1>%s%s</div>", "<article><h1>Low tide</h1>%s%s</article>"} {
			_, page := Read(fmt.Appendf(nil, form, note, text), "http://a.example/", extract.Options{})
			if got := page.Main(nil).Plain(); !strings.HasPrefix(got, "Low tide\n") {
				t.Errorf("%s:\n%s\nwant the title", note, got)
			}
		}
	}
	const shared = `<div class=meta><a href=/anna>Anna Example</a> in <a href=/x>Travel</a></div><div class=share><a href=/t>Tweet</a> <a href=/p rel=nofollow>Print</a></div>`
	for _, form := range []string{"<main><article><h1>Low tide</h1>%s%s</article></main>", "<main><h1>Low tide</h1>%s%s</main>"} {
		_, page := Read(fmt.Appendf(nil, form, shared, text), "http://a.example/", extract.Options{})
		if got := page.Main(nil).Plain(); !strings.HasPrefix(got, "Low tide\n") || strings.Contains(got, "Tweet") {
			t.Errorf("%s:\n%s\nwant the title, and no buttons", form, got)
		}
	}
	const menu = `<ul><li><a href="/a">Home of the magazine</a></li><li><a href="/b">All of the articles</a></li></ul>`
	_, page := Read([]byte("<h1>The Shore</h1>"+menu+text), "http://a.example/", extract.Options{})
	if got := page.Main(nil).Plain(); strings.Contains(got, "The Shore") {
		t.Errorf("the text has the name of the site:\n%s", got)
	}
}
