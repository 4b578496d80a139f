//go:build !linux

package crawler

import "time"

// queueTime returns 0: for how long threads wait for a processor is not known here.
func queueTime() time.Duration { return 0 }
