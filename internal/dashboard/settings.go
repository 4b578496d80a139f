package dashboard

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"dowse/internal/operations"
)

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
		if len(x.Changes) == 0 {
			continue // it was refused, or the settings were as wanted already
		}
		changes = append(changes, change{x.At, tidy(x.By, 40), tidy(strings.Join(x.Changes, ", "), 300)})
	}
	body := map[string]any{"Fixed": fixed, "Open": open, "Entries": s.Entries, "Changes": changes, "C": c, "S": s}
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
	case form("reset") != "":
		q.Reset = []string{name}
		words = name + " has its default again."
	case form("value") == "":
		return "", "", &operations.Error{Kind: operations.Invalid, Field: name, Err: fmt.Errorf("%s: there is no new value; give one, or use reset to return to the default", tidy(name, 40))}
	case (name == "include" || name == "exclude") && form("value") == "none":
		return "", "", &operations.Error{Kind: operations.Invalid, Field: name, Err: fmt.Errorf("%s: none is not a pattern; use reset to remove all patterns", name)}
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
