package dashboard

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"dowse/internal/operations"
)

// topic shows what a crawl looks for.
func (d *Dashboard) topic(r *http.Request, c *head) (*pageFrame, error) {
	s, err := d.ops.Settings(r.Context(), c.ID)
	if err != nil {
		return nil, err
	}
	var seeds []tab
	for i, u := range s.Seeds {
		if i == 50 {
			break
		}
		seeds = append(seeds, tab{Name: bare(u), Href: pageHref(c, u)})
	}
	body := map[string]any{"Topic": tidyText(s.Topic, 64<<10), "Seeds": seeds, "More": max(0, len(s.Seeds)-len(seeds)), "S": s, "C": c}
	return &pageFrame{Title: "Topic", Command: command("collection", "info", c.Dir), Body: body}, nil
}

// settings shows the settings of a crawl, those that can be changed as a form.
func (d *Dashboard) settings(r *http.Request, c *head) (*pageFrame, error) {
	s, err := d.ops.Settings(r.Context(), c.ID)
	if err != nil {
		return nil, err
	}
	var fixed, open []operations.SettingValue
	for _, v := range s.Settings {
		v.Value = tidy(v.Value, 500)
		if v.Change {
			open = append(open, v)
		} else if v.Value != "" {
			fixed = append(fixed, v)
		}
	}
	type change struct {
		At   time.Time
		By   string
		What string
	}
	var changes []change
	for i := len(s.Changes) - 1; i >= 0 && len(changes) < 20; i-- {
		x := s.Changes[i]
		changes = append(changes, change{x.At, tidy(x.By, 40), tidy(strings.Join(x.Changes, ", "), 300)})
	}
	body := map[string]any{"Fixed": fixed, "Open": open, "Changes": changes, "C": c, "S": s}
	return &pageFrame{Title: "Settings", Command: command("set", c.Dir), Body: body}, nil
}

// set changes settings: one by its name and value, an exclusion, or the block of a host.
func (d *Dashboard) set(r *http.Request, c *head) (string, string, error) {
	q := operations.SetRequest{By: userName(), Set: map[string][]string{}}
	form := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	words := ""
	switch name := form("name"); {
	case form("exclude") != "":
		q.Set["exclude"] = []string{form("exclude")}
		words = "URLs that match " + form("exclude") + " are skipped from now on."
	case form("block") != "":
		q.Set["block"] = []string{form("block")}
		words = form("block") + " is skipped from now on."
	case form("drop") != "":
		q.Drop = []string{form("drop")}
		words = "Removed " + form("drop") + "."
	case name == "":
		return "", "", &operations.Error{Kind: operations.Invalid, Err: fmt.Errorf("nothing to change: the form has no setting")}
	case form("value") == "":
		q.Reset = []string{name}
		words = name + " has its default again."
	default:
		q.Set[name] = []string{form("value")}
		words = name + " is " + form("value") + " now."
	}
	if _, err := d.ops.Set(r.Context(), c.ID, q); err != nil {
		return "", "", err
	}
	return back(r, c, "settings"), tidy(words, 200), nil
}

// stop pauses a crawl.
func (d *Dashboard) stop(r *http.Request, c *head) (string, string, error) {
	s, err := d.ops.Stop(r.Context(), c.ID, 5*time.Second)
	if err != nil {
		return "", "", err
	}
	switch {
	case s.Process == 0:
		return c.Home, "No crawl was running.", nil
	case s.Stopping:
		return c.Home, "The crawl finishes its visits and stops.", nil
	}
	return c.Home, "The crawl is stopped.", nil
}
