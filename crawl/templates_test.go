package crawl_test

import (
	"bytes"
	"math"
	"testing"

	"dowse"
	"dowse/crawl"
	"dowse/internal/wire"
)

// TestTemplates crawls pages of one host that share a menu. The visits after the third page know the menu, the strategy
// is shown links in it without words, and the journal has them with their words.
func TestTemplates(t *testing.T) {
	shown := map[dowse.URL]dowse.Mention{}
	cfg := hurried(follow(func(p *dowse.Page) leads {
		for _, l := range p.Links {
			shown[l.URL] = l.Mention
		}
		return queueAll(p)
	}))
	cfg.Templates = true
	recorded := map[dowse.URL]dowse.Mention{}
	cfg.OnEntry = func(e *crawl.Entry) {
		for _, l := range e.Found {
			recorded[l.URL] = l.Mention
		}
	}
	c := begin(t, cfg, "http://h/1")
	now, visits, known := epoch, 0, 0
	for {
		v, when, ok := c.Next(now)
		if !ok && when.IsZero() {
			break
		}
		if !ok {
			now = when
			continue
		}
		visits++
		p := v.Page()
		p.Text = "Menu of the site\nText of page " + string(rune('a'+visits))
		next := "http://h/" + string(rune('1'+visits))
		if visits < 8 {
			p.Links = []dowse.Link{{URL: dowse.URL(next), Mention: dowse.Mention{Anchor: "menu", Context: 0.5, At: dowse.Span{Start: 0, End: 1}}}}
		}
		v.Template.Apply(p)
		if len(p.Repeated) > 0 {
			known++
			for i := range p.Links {
				p.Links[i].Repeated = true
			}
		}
		c.Absorb(now, p)
	}
	if visits != 8 || known != 5 {
		t.Fatalf("%d visits, %d of them knew the menu; want 8 and 5", visits, known)
	}
	for _, x := range []struct {
		url  dowse.URL
		bare bool
	}{{"http://h/2", false}, {"http://h/4", false}, {"http://h/5", true}, {"http://h/8", true}} {
		s, r := shown[x.url], recorded[x.url]
		if (s.Anchor == "") != x.bare || math.IsNaN(s.Context) != x.bare || s.At.Len() == 0 != x.bare {
			t.Errorf("%s: the strategy is shown %+v", x.url, s)
		}
		if r.Anchor != "menu" || r.Repeated != x.bare {
			t.Errorf("%s: recorded as %+v", x.url, r)
		}
	}
}

// A crawl that does not look for templates keeps nothing about them, and its visits carry nothing.
func TestWithoutTemplates(t *testing.T) {
	c := begin(t, hurried(follow(queueAll)), "s")
	v, _, ok := c.Next(epoch)
	if !ok || v.Template != nil {
		t.Fatalf("visit %+v", v)
	}
	p := v.Page()
	p.Text = "Menu"
	c.Absorb(epoch, p)
	var w wire.Writer
	w.Uint(0)
	if got := crawl.Repeats(c); !bytes.Equal(got, w.B) {
		t.Errorf("%x is kept", got)
	}
}
