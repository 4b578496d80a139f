package admission_test

import (
	"slices"
	"testing"

	"dowse"
	"dowse/internal/admission"
	"dowse/internal/frontier"
)

const never = 400 // visits after which a test calls a budget endless

// lasts returns after how many visits a gate refuses further URLs of the shape a.test/item/N.
func lasts(g *admission.Gate, visit func(g *admission.Gate, i int, u dowse.URL)) int {
	for i := range never {
		if g.Excludes(at(urlf("http://a.test/item/%d", 1000+i))) != "" {
			return i
		}
		visit(g, i, urlf("http://a.test/item/%d", i))
	}
	return never
}

// tally returns a visit that gives one kind of page each time.
func tally(own int, l links, change func(p *dowse.Page)) func(*admission.Gate, int, dowse.URL) {
	return func(g *admission.Gate, _ int, u dowse.URL) {
		p := page(u)
		change(p)
		g.Tally(p, own, l)
	}
}

func TestBudgetOfAShape(t *testing.T) {
	same := func(*dowse.Page) {}
	month := fresh("http://a.test/item/9%d", 1)
	for _, c := range []struct {
		name  string
		visit func(*admission.Gate, int, dowse.URL)
		want  int
	}{
		{"pages with texts of their own", tally(64, nil, same), never},
		{"just enough of their own", tally(4, month, same), never},
		{"failed", tally(64, nil, func(p *dowse.Page) { p.Outcome = dowse.Failed }), 3},
		{"nothing of their own", tally(0, nil, same), 3},
		{"repeat a page of their host", tally(64, nil, func(p *dowse.Page) { p.Near = "https://a.test/other" }), 3},
		{"repeat a page of another host", tally(64, nil, func(p *dowse.Page) { p.Near = "http://b.test/" }), never},
		{"thin, as in a catalogue", tally(3, nil, same), 3 * 32},
		{"thin, and lead to themselves", tally(3, links{{url: "http://a.test/item/5", self: true, fresh: true}}, same), 3 * 32},
		{"thin, and lead to known pages", tally(3, known("http://a.test/item/%d", 3), same), 3 * 32},
		{"thin, and lead to other shapes", tally(3, fresh("http://a.test/help/%d", 3), same), 3 * 32},
		{"thin, and breed as a calendar", tally(3, month, same), 3},
		{"short, and breed", tally(1, month, func(p *dowse.Page) { p.Sketch = dowse.Sketch{Text: 9} }), 3 * 32},
		{"short, and seen before", tally(0, month, func(p *dowse.Page) { p.Sketch = dowse.Sketch{Text: 9} }), 3},
	} {
		if got := lasts(newGate(small), c.visit); got != c.want {
			t.Errorf("%s: refused after %d visits, want %d", c.name, got, c.want)
		}
	}
}

// The budget grows by one with each page that has a new text, and by Gain more if the page is on
// topic; a page on topic that is nothing new adds nothing.
func TestBudgetGrowsWithUsefulPages(t *testing.T) {
	for _, c := range []struct {
		novel, onTopic, repeats int // pages before the useless ones
		want                    int
	}{
		{0, 0, 0, 3},
		{2, 0, 0, 3 + 2},
		{0, 1, 0, 3 + 1 + 2},
		{1, 2, 0, 3 + 3 + 2*2},
		{0, 0, 2, 3},
	} {
		got := lasts(newGate(small), func(g *admission.Gate, i int, u dowse.URL) {
			p, own := page(u), 64
			switch {
			case i < c.novel:
			case i < c.novel+c.onTopic:
				p.OnTopic = true
			case i < c.novel+c.onTopic+c.repeats:
				p.OnTopic, p.Near = true, "http://a.test/"
			default:
				own = 0
			}
			g.Tally(p, own, none)
		})
		if got != c.want {
			t.Errorf("%+v: refused after %d visits", c, got)
		}
	}
}

func TestSpentShape(t *testing.T) {
	g := newGate(small)
	for i := range 3 {
		p := page(urlf("http://a.test/item/%d", i))
		p.OnTopic = i == 0
		p.Near = "http://a.test/"
		g.Tally(p, 64, none)
	}
	for u, want := range map[dowse.URL]dowse.Reason{
		"http://a.test/item/7":     dowse.SkipTrapPattern,
		"https://a.test/item/7":    dowse.SkipTrapPattern,
		"http://a.test/item/7?p=1": "",
		"http://a.test/item/x":     "",
		"http://b.test/item/7":     "",
	} {
		if got := g.Excludes(at(u)); got != want {
			t.Errorf("%s is refused for %q, want %q", u, got, want)
		}
	}
	if got, want := g.Detail(at("http://a.test/item/7")), "pattern a.test/item/N visited 3 times, 0 with a new text on topic"; got != want {
		t.Errorf("detail %q, want %q", got, want)
	}
	if visited, onTopic := g.Pattern("http://a.test/item/8"); visited != 3 || onTopic != 0 {
		t.Errorf("pattern: %d visited, %d on topic, want 3 and 0", visited, onTopic)
	}
	if visited, onTopic := g.Pattern("http://b.test/item/8"); visited != 0 || onTopic != 0 {
		t.Errorf("pattern of another host: %d visited, %d on topic, want none", visited, onTopic)
	}
	g.Tally(&dowse.Page{URL: "http://b.test/item/1", Outcome: dowse.Fetched, OnTopic: true, Document: page("x").Document}, 64, none)
	if visited, onTopic := g.Pattern("http://b.test/item/8"); visited != 1 || onTopic != 1 {
		t.Errorf("pattern after a page on topic: %d visited, %d on topic, want one of each", visited, onTopic)
	}
}

// Filters that can be combined give one path many sets of parameters. Those that were visited
// go on by their own budgets, new ones are refused.
func TestSetsOfParameters(t *testing.T) {
	g := newGate(small)
	for _, u := range []dowse.URL{"http://a.test/list?colour=1", "http://a.test/list?colour=2", "http://a.test/list?size=1"} {
		if got := g.Excludes(at(u)); got != "" {
			t.Fatalf("%s is refused for %q, want it allowed", u, got)
		}
		g.Tally(page(u), 64, none)
	}
	for u, want := range map[dowse.URL]dowse.Reason{
		"http://a.test/list?colour=3":        "",
		"http://a.test/list":                 "",
		"http://a.test/list?colour=1&size=1": dowse.SkipTrapPattern,
		"http://a.test/other?page=1":         "",
	} {
		if got := g.Excludes(at(u)); got != want {
			t.Errorf("%s is refused for %q, want %q", u, got, want)
		}
	}
	if got, want := g.Detail(at("http://a.test/list?page=1")), "visited with 2 different sets of parameters"; got != want {
		t.Errorf("detail %q, want %q", got, want)
	}
}

func TestTrapInTheURLItself(t *testing.T) {
	const u = "http://a.test/x/y/x/y/x/y"
	g := newGate(small)
	if got := g.Excludes(at(u)); got != dowse.SkipTrapPattern {
		t.Errorf("refused for %q, want %q", got, dowse.SkipTrapPattern)
	}
	if got, want := g.Detail(at(u)), "the path goes in circles"; got != want {
		t.Errorf("detail %q, want %q", got, want)
	}
}

func TestNegativeBudgetTurnsTrapsOff(t *testing.T) {
	off := small
	off.Budget = -1
	g := newGate(off)
	visit := tally(0, fresh("http://a.test/item/8%d", 1), func(*dowse.Page) {})
	if got := lasts(g, visit); got != never {
		t.Errorf("refused after %d visits, want never", got)
	}
	for i := range 20 {
		p := page(urlf("http://h%d.a.test/", i))
		g.Meet(p.URL)
		g.Survey(p, 64, 100, fresh("http://a.test/%d", 10))
	}
	for _, u := range []dowse.URL{"http://a.test/x/y/x/y/x/y", "http://new.a.test/"} {
		if got := g.Excludes(at(u)); got != "" {
			t.Errorf("%s is refused for %q, want it allowed", u, got)
		}
	}
	if g.IsFull("http://new.a.test/") || g.CountsHosts() || g.HasHostFarms() {
		t.Error("hosts are counted although traps are off")
	}
}

// When the gate remembers as many shapes as it may, further ones are not counted, and so never
// refused: memory is bounded, and a trap of endless shapes is caught by its texts.
func TestNumberOfShapesIsBounded(t *testing.T) {
	few := small
	few.Shapes = 1
	g := newGate(few)
	for _, u := range []dowse.URL{"http://b.test/1", "http://a.test/item/1?q=1"} {
		for range 5 {
			g.Tally(page(u), 0, none)
		}
	}
	if visited, _ := g.Pattern("http://b.test/2"); visited != 5 {
		t.Errorf("the first shape was counted %d times, want 5", visited)
	}
	if visited, _ := g.Pattern("http://a.test/item/2?q=2"); visited != 0 {
		t.Errorf("a second shape was counted %d times, want it left out", visited)
	}
}

// TestCalendarAndCatalogue visits pages as a crawl does, with the bins of their own that Near
// finds. Both sites have one template and pages that differ in a number only. The months of the
// calendar lead to new months, the goods of the catalogue were known before from lists.
func TestCalendarAndCatalogue(t *testing.T) {
	visits := func(l links) int {
		g := newGate(small)
		template := text(1)
		for i := range 8 { // the host's template becomes known
			s := template
			s.Text += 2 * uint64(i)
			g.Near(frontier.ID(i), 0, &s)
		}
		return lasts(g, func(g *admission.Gate, i int, u dowse.URL) {
			p := page(u)
			p.Sketch = template
			p.Sketch.Text += 2 * uint64(100+i)
			_, found, own := g.Near(frontier.ID(100+i), 0, &p.Sketch)
			if found {
				t.Fatalf("page %d is called a near-duplicate for its template", i)
			}
			g.Tally(p, own, l)
		})
	}
	if got := visits(fresh("http://a.test/item/77%d", 1)); got != small.Budget {
		t.Errorf("the calendar was left after %d months, want %d", got, small.Budget)
	}
	if got := visits(known("http://a.test/item/%d", 5)); got != 32*small.Budget {
		t.Errorf("the catalogue was left after %d pages, want %d", got, 32*small.Budget)
	}
}

func TestTrapDefaults(t *testing.T) {
	want := admission.Traps{Budget: 60, Gain: 10, Sets: 20, Strays: 100, Hosts: 1000, Shapes: 1_000_000}
	if got := (admission.Traps{}).WithDefaults(); got != want {
		t.Errorf("defaults are %+v, want %+v", got, want)
	}
	if got := small.WithDefaults(); got != small {
		t.Errorf("given values became %+v, want %+v", got, small)
	}
}

// Errors have a budget of their own, which pages with a new text pay for. A failure that is
// not an answer with an error counts as a useless page.
func TestErrorsHaveABudget(t *testing.T) {
	answer := func(status, live int) func(*admission.Gate, int, dowse.URL) {
		return func(g *admission.Gate, i int, u dowse.URL) {
			p := page(u)
			if i >= live {
				p.Outcome, p.Fetch.Status = dowse.Failed, status
			}
			g.Tally(p, 64, none)
		}
	}
	budget := small.Budget * 5 / 2
	for _, c := range []struct{ status, live, want int }{
		{404, 0, budget}, {410, 0, budget}, {403, 0, budget}, {500, 0, budget}, {404, 1, 1 + budget + 32}, {404, 3, 3 + budget + 3*32}, {200, 0, small.Budget},
	} {
		if got := lasts(newGate(small), answer(c.status, c.live)); got < c.want || got > c.want+2 { // the sample beyond the budget may have some
			t.Errorf("status %d after %d live pages: refused after %d visits, want %d", c.status, c.live, got, c.want)
		}
	}
}

// A shape that has nothing but errors ends, however many links lead to it.
func TestNothingButErrors(t *testing.T) {
	g := admission.New(admission.Scope{}, admission.Traps{}, 1)
	visits := 0
	for i := range 200_000 {
		if u := urlf("http://a.test/more/%d", i); g.Excludes(at(u)) == "" {
			p := page(u)
			p.Outcome, p.Fetch.Status = dowse.Failed, 404
			g.Tally(p, 0, none)
			visits++
		}
	}
	if visits < 150 || visits > 280 {
		t.Errorf("%d of 200,000 dead links were visited, want 150 and a sample of about 90", visits)
	}
}

// When the budget of a shape is used up, a sample of its URLs is visited that becomes rarer:
// about 16 of the first 200 and about 100 of the first million. Each crawl has its own sample.
func TestSampleBeyondTheBudget(t *testing.T) {
	sampled := func(secret uint64, n int) (list []int) {
		g := admission.New(admission.Scope{}, small, secret)
		for i := range n {
			if u := urlf("http://a.test/item/%d", i); g.Excludes(at(u)) == "" {
				g.Tally(page(u), 0, none)
				list = append(list, i)
			}
		}
		return list
	}
	few, many := sampled(1, 200), sampled(1, 1_000_000)
	if n := len(few); n < 3+6 || n > 3+26 {
		t.Errorf("%d of 200 URLs were visited, want about 16 beyond the budget of 3", n)
	}
	if n := len(many); n < 3+70 || n > 3+140 {
		t.Errorf("%d of a million URLs were visited, want about 100", n)
	}
	if slices.Equal(few, sampled(2, 200)) {
		t.Error("crawls with different secrets have the same sample")
	}
}
