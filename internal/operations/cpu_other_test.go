//go:build !unix

package operations_test

import "time"

// cpuTime returns 0 where it is not known.
func cpuTime() time.Duration { return 0 }
