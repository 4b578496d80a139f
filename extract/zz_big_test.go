package extract
import ("testing";"strings";"time";"fmt";"runtime")
func TestZZBig(t *testing.T) {
	const mb = 1<<20
	for name, body := range map[string]string{
		"nest": strings.Repeat("<div>", 1_000_000)+ordinary,
		"attr": "<div "+strings.Repeat("a=b ", 300_000)+">"+ordinary,
		"value": "<div a='"+strings.Repeat("x", 20*mb)+"'>"+ordinary,
		"comment": ordinary+"<!--"+strings.Repeat("x-", 10*mb),
		"script": ordinary+"<script>"+strings.Repeat("x<", 10*mb),
		"textarea": ordinary+"<textarea>"+strings.Repeat("x ", 10*mb),
		"word": ordinary+strings.Repeat("x", 20*mb),
		"amp": ordinary+strings.Repeat("&a", 10*mb),
		"lt": ordinary+strings.Repeat("<", 20*mb),
		"p": ordinary+strings.Repeat("<p>", 7*mb),
		"tabledeep": strings.Repeat("<table><tr><td>", 300_000)+ordinary,
		"bcloses": strings.Repeat("<b>", 500)+strings.Repeat("</i>", 3*mb),
		"aaa": strings.Repeat("<a href=/x><div>", 600_000),
		"liwalk": strings.Repeat("<b>", 500)+strings.Repeat("<li></li>", 1*mb),
		"cdata": "<svg>"+strings.Repeat("<![CDATA[x]]>", mb),
		"meta": strings.Repeat("<meta name=date content=xxxxxxxxxxxxxxxx>", 300_000),
		"bighuge": strings.Repeat("<a "+strings.Repeat("b=c ", 3000)+">", 1500),
		"fieldalt": "<a href=/x>"+strings.Repeat("<img alt='  '>", 1*mb),
		"selfsame": strings.Repeat("<a href='/"+strings.Repeat("x",2000)+"'>", 10000),
		"jsonq": `<script type="application/ld+json">`+strings.Repeat(`"@type":[`, 100_000)+strings.Repeat(`"a"`, 100_000),
		"licence": strings.Repeat("<a rel=license href=/x>", 400_000),
		"itemtype": strings.Repeat("<b itemtype='A B C D E F'>", 400_000),
	} {
		b := []byte(body)
		var m0, m1 runtime.MemStats; runtime.ReadMemStats(&m0)
		s := time.Now(); d := HTML(b, page, Options{}); 
		runtime.ReadMemStats(&m1)
		fmt.Printf("%-10s %6.1f MB %8v alloc %4d MB cut %q links %d\n", name, float64(len(b))/mb, time.Since(s).Round(time.Millisecond), (m1.TotalAlloc-m0.TotalAlloc)/mb, d.Cut, len(d.Links))
	}
}
