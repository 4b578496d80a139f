package settings_test

import (
	"fmt"

	"dowse/settings"
)

// A crawl keeps what was given to it, takes what is given later in its place, and resolves
// the rest to the defaults.
func Example() {
	kept := settings.Settings{Limits: settings.Limits{Pages: 500}}
	given := settings.Settings{Politeness: settings.Politeness{Delay: settings.None}}
	now, changes := settings.Merge(kept, given, nil)
	for _, c := range changes {
		fmt.Println(c.Name(), c.Before, "→", c.After)
	}
	resolved := now.Resolved()
	fmt.Println(resolved.Pages, resolved.Delay, resolved.InFlight)
	// Output:
	// delay 1s → 0s
	// 500 0s 64
}
