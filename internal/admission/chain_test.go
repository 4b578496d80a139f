package admission_test

import (
	"testing"

	"dowse"
	"dowse/internal/admission"
	"dowse/internal/frontier"
)

// follow redirects n times in a row, from URL 0 on.
func follow(g *admission.Gate, n frontier.ID) {
	for id := range n {
		g.Redirect(id, id+1, true)
	}
}

func TestRedirectsInARow(t *testing.T) {
	g := newGate(small)
	for id := range frontier.ID(20) {
		if !g.MayRedirect(id) {
			t.Fatalf("redirect %d in a row may not be followed, want 20", id+1)
		}
		g.Redirect(id, id+1, true)
	}
	if g.MayRedirect(20) || g.MaySendOn(20) {
		t.Error("redirect 21 in a row may be followed")
	}
	if g.EndChain(20); !g.MayRedirect(20) {
		t.Error("a chain that ended still counts")
	}
}

// A target that does not wait for its visit, for instance because it was visited, gets no count.
func TestRedirectToAVisitedURL(t *testing.T) {
	g := newGate(small)
	follow(g, 19)
	g.Redirect(19, 20, false)
	if !g.MayRedirect(20) {
		t.Error("the redirects above a visited target count for it")
	}
}

// A URL that has redirected needs no count any more: the gate holds URLs that wait alone.
func TestRedirectMovesTheCount(t *testing.T) {
	g := newGate(small)
	g.SendOn(3, 50)
	if g.Redirect(50, 1, true); !g.Fits(2, 0) {
		t.Error("a URL keeps its count after it redirected")
	}
}

// Of several chains that lead to one target the longest counts.
func TestLongestChainCounts(t *testing.T) {
	g := newGate(small)
	follow(g, 20)
	g.Redirect(500, 20, true)
	if g.MayRedirect(20) {
		t.Error("a short chain to a URL makes it forget a longer one")
	}
}

func TestPagesThatSendOnCountAsRedirects(t *testing.T) {
	off := small
	off.Budget = -1
	for _, c := range []struct {
		traps admission.Traps
		want  bool
	}{{small, false}, {off, true}} {
		g := newGate(c.traps)
		for id := range frontier.ID(20) {
			g.SendOn(id, id+1)
		}
		if got := g.MaySendOn(20); got != c.want {
			t.Errorf("budget %d: page 21 in a row may send on: %v, want %v", c.traps.Budget, got, c.want)
		}
		if g.MayRedirect(20) {
			t.Errorf("budget %d: 20 pages that send on do not count for a redirect", c.traps.Budget)
		}
	}
}

func TestSendsOn(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(p *dowse.Page, l *dowse.Link)
		want   bool
	}{
		{"a link without words on a page without a text", func(*dowse.Page, *dowse.Link) {}, true},
		{"a short text", func(p *dowse.Page, _ *dowse.Link) { p.Sketch.Text = 3 }, true},
		{"a long text", func(p *dowse.Page, _ *dowse.Link) { p.Sketch = text(1) }, false},
		{"on topic", func(p *dowse.Page, _ *dowse.Link) { p.OnTopic = true }, false},
		{"a redirect itself", func(p *dowse.Page, _ *dowse.Link) { p.Outcome = dowse.Redirected }, false},
		{"words on the link", func(_ *dowse.Page, l *dowse.Link) { l.Anchor = "owls" }, false},
		{"several links to the target", func(_ *dowse.Page, l *dowse.Link) { l.More = []dowse.Mention{{}} }, false},
	} {
		p, l := &dowse.Page{Outcome: dowse.Fetched}, &dowse.Link{}
		c.change(p, l)
		if got := admission.SendsOn(p, l); got != c.want {
			t.Errorf("%s: sends on: %v, want %v", c.name, got, c.want)
		}
	}
}
