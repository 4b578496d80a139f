//go:build !linux || (!amd64 && !arm64)

package durable

import "os"

// atRandom does nothing on this system.
func atRandom(*os.File) {}

// ahead does nothing on this system.
func ahead(*os.File, int64, int64) {}
