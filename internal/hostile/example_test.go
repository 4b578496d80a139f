package hostile_test

import (
	"fmt"

	"dowse/internal/hostile"
)

// Rows describe what sites do, and what a good crawler does then.
func Example() {
	rows := hostile.Rows()
	fmt.Println(len(rows), "rows")
	for _, r := range rows[:3] {
		fmt.Printf("%s %s: %s\n", r.ID, r.Does, r.Wants)
	}
	// Output:
	// 107 rows
	// R01 robots.txt answers 404: all pages may be fetched
	// R02 robots.txt answers 403: unavailable (RFC 9309 2.3.1.3): pages may be fetched
	// R03 robots.txt always answers 429: counts as a server error: no page is fetched
}
