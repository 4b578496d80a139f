//go:build !race

package dashboard

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"dowse/collection"
)

// What is written is understood while it is written, without a reload, and the words that are left out are shown.
func TestBrowserTopicCheck(t *testing.T) {
	s := open(t, copied(t))
	b := browse(t)
	b.enter(s)
	b.do(chromedp.Navigate(s.base+"/new"), chromedp.Focus("#words"))
	eval[bool](b, "window.sameDocument = true")
	b.press("pools of the shore")
	b.until(`[...document.querySelectorAll("#check s")].map(e => e.innerText).join(" ") == "of the"`)
	b.until(`document.getElementById("command").innerText.includes("pools of the shore")`)
	if got := eval[string](b, `document.activeElement.id`); got != "words" || !eval[bool](b, "!!window.sameDocument") {
		t.Errorf("the person who writes was moved to %q", got)
	}
	if source := axe(); source != "" {
		b.accessible(source)
	}
	if lines := b.console(); len(lines) > 0 {
		t.Errorf("console: %q", lines)
	}
}

// Rows are chosen and labelled by keys alone: x chooses, y and n label the row and go to the next one.
func TestBrowserBulkLabels(t *testing.T) {
	dir := copied(t)
	s := open(t, dir)
	b := browse(t)
	b.enter(s)
	b.do(chromedp.Navigate(s.base + "/c/pools/pages?verdict=on&sort=score"))
	here := `[...document.querySelectorAll("[data-row]")].findIndex(r => r.classList.contains("here"))`
	b.press("jn")
	b.until(`document.getElementById("flash").innerText.includes("Labelled off")`)
	b.until(here + " == 1")
	b.press("xjxjx")
	b.until(`document.querySelector("[data-chosen]").innerText == "3 chosen:"`)
	if source := axe(); source != "" {
		b.accessible(source)
	}
	b.do(chromedp.Focus(`#bulk button[value="on"]`))
	b.press(kb.Enter)
	b.until(`document.getElementById("flash").innerText.includes("Labelled on topic: 3 pages")`)
	l, err := collection.ReadLabels(filepath.Join(dir, "pools.dowse"))
	if err != nil || len(l.Standing()) != 4 {
		t.Errorf("%d labels, %v", len(l.Standing()), err)
	}
	if lines := b.console(); len(lines) > 0 {
		t.Errorf("console: %q", lines)
	}
}

// A term is boosted by its button, and an exclusion is tried before it is made; both survive a reload.
func TestBrowserTry(t *testing.T) {
	s := open(t, copied(t))
	b := browse(t)
	b.enter(s)
	b.do(chromedp.Navigate(s.base+"/c/pools/topic"), chromedp.Click(`.change a`))
	b.until(`document.querySelector("#pending .chip.pending") && location.search.startsWith("?boost=")`)
	if source := axe(); source != "" {
		b.accessible(source)
	}
	b.do(chromedp.Navigate(s.base+"/c/pools/frontier"), chromedp.Focus("#exclude"))
	b.press("/old/" + kb.Enter)
	b.until(`document.querySelector("#excluding s.going") && location.search == "?exclude=%2Fold%2F"`)
	b.do(chromedp.Reload())
	gone := eval[int](b, `document.querySelectorAll("tr.going").length`)
	b.do(chromedp.Click(`#excluding form[method=post] button`))
	b.until(`document.getElementById("flash").innerText.includes("are skipped from now on")`)
	if gone > 0 && eval[int](b, `document.querySelectorAll("tr.going").length`) > 0 {
		t.Error("links are struck through after the exclusion was made")
	}
	if lines := b.console(); len(lines) > 0 {
		t.Errorf("console: %q", lines)
	}
}

// Links that moved in the queue are marked when the list is replaced.
func TestBrowserRanks(t *testing.T) {
	s := open(t, copied(t))
	b := browse(t)
	b.enter(s)
	b.do(chromedp.Navigate(s.base + "/c/pools/frontier"))
	b.until(`document.getElementById("live-sign").innerText != "not live"`)
	// The list as it would be after a change: its last row is the first one.
	eval[bool](b, `(async () => {
		const real = window.fetch;
		window.fetch = async (...a) => {
			const text = await (await real(...a)).text();
			const page = new DOMParser().parseFromString(text, "text/html");
			const rows = page.querySelector("[data-ranked]");
			rows.prepend(rows.lastElementChild);
			return new Response(page.documentElement.outerHTML, { headers: { "Content-Type": "text/html" } });
		};
		const { swap } = await import(document.querySelector("script[type=module]").src.replace(/main\.js.*/, "swap.js"));
		const { ranks } = await import(document.querySelector("script[type=module]").src.replace(/main\.js.*/, "ranks.js"));
		return await swap(location.href, ranks, { only: "live" });
	})()`)
	b.until(`document.querySelector("[data-ranked] tr:first-child .moved")?.innerText.startsWith("↑")`)
	if n := eval[int](b, `document.querySelectorAll("[data-ranked] tr.fell").length`); n == 0 {
		t.Error("the links that were passed are not marked")
	}
}

// The report of a run is shown in a browser: its pictures are drawn, nothing of them runs, and the policy is kept.
func TestBrowserLabReport(t *testing.T) {
	s := labSite(t, withRun(t, copied(t)), "exit 0\n")
	b := browse(t)
	b.enter(s)
	for _, path := range []string{"/lab", "/lab/run?run=runs/demo"} {
		for _, width := range []int64{1280, 400} {
			b.do(chromedp.EmulateViewport(width, 900), chromedp.Navigate(s.base+path))
			if wide := eval[int](b, "document.documentElement.scrollWidth"); int64(wide) > width {
				t.Errorf("%s at %d: the page is %d wide", path, width, wide)
			}
		}
		if source := axe(); source != "" {
			b.accessible(source)
		}
	}
	b.until(`[...document.images].length == 1 && document.images[0].complete && document.images[0].naturalWidth > 0`)
	if eval[bool](b, "window.pwned !== undefined") {
		t.Error("a script of the report has run")
	}
	if lines := b.console(); len(lines) > 0 {
		t.Errorf("console: %q", lines)
	}
}

// Printed pages begin on their first sheet, and what is distinguished by colour keeps it: browsers leave backgrounds out. A hint in an
// empty field is not printed as if it were written there.
func TestBrowserPrint(t *testing.T) {
	s := open(t, copied(t))
	b := browse(t)
	b.enter(s)
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}); err != nil {
		t.Fatal(err)
	}
	style := func(selector, pseudo, name string) string {
		b.until(fmt.Sprintf("!!document.querySelector(%q)", selector))
		return eval[string](b, fmt.Sprintf("getComputedStyle(document.querySelector(%q), %q)[%q]", selector, pseudo, name))
	}
	for _, x := range []struct{ path, selector, pseudo, name, want string }{
		{"/c/pools/search?q=tide", ".card:has(.hit)", "", "breakInside", "auto"},
		{"/c/pools/search?q=tide", "mark", "", "printColorAdjust", "exact"},
		{"/c/pools/labels", ".card.ask", "", "breakInside", "auto"},
		{"/c/pools/", ".key", "::before", "printColorAdjust", "exact"},
		{"/new", "#seeds", "::placeholder", "color", "rgba(0, 0, 0, 0)"},
	} {
		b.do(chromedp.Navigate(s.base + x.path))
		if got := style(x.selector, x.pseudo, x.name); got != x.want {
			t.Errorf("%s, %s%s: %s is %q, want %q", x.path, x.selector, x.pseudo, x.name, got, x.want)
		}
	}
}

// A key that is held down, or pressed while the list of keys is open, labels nothing: a person has not seen what would be labelled.
func TestBrowserKeysThatLabelNothing(t *testing.T) {
	dir := copied(t)
	s := open(t, dir)
	b := browse(t)
	b.enter(s)
	b.do(chromedp.Navigate(s.base + "/c/pools/labels"))
	b.until(`!!document.querySelector("[data-key=y]")`)
	b.press("?")
	b.until(`document.getElementById("keys-help").open`)
	b.press("y")
	b.press("\u001b")
	b.until(`!document.getElementById("keys-help").open`)
	eval[bool](b, `document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "y", bubbles: true, repeat: true }))`)
	b.press("n") // and this one does
	b.until(`!!document.querySelector("[data-key=u]")`)
	l, err := collection.ReadLabels(filepath.Join(dir, "pools.dowse"))
	standing := l.Standing()
	if err != nil || len(standing) != 1 {
		t.Errorf("labels: %+v, %v", standing, err)
	}
	for u, label := range standing {
		if label.Label != collection.LabelOff {
			t.Errorf("%s was labelled %s", u, label.Label)
		}
	}
}

// What a setting means can be read on a phone, too, and dates keep to their line.
func TestBrowserPhone(t *testing.T) {
	s := open(t, copied(t))
	b := browse(t)
	b.enter(s)
	shown := `[...document.querySelectorAll("td")].filter(e => e.innerText.includes("Pause between two requests") && e.checkVisibility()).length`
	for _, width := range []int64{1280, 400} {
		b.do(chromedp.EmulateViewport(width, 900), chromedp.Navigate(s.base+"/c/pools/settings"))
		if n := eval[int](b, shown); n != 1 {
			t.Errorf("at %d: the meaning of a setting is shown %d times", width, n)
		}
		b.do(chromedp.Navigate(s.base + "/c/pools/"))
		if n := eval[int](b, `(t => { t.textContent = "18 Nov 10:00"; return Math.round(t.getBoundingClientRect().height) })(document.querySelector(".events time"))`); n > 24 {
			t.Errorf("at %d: a date is %d high, more than a line", width, n)
		}
	}
}
