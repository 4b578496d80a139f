//go:build race

package archive

import "testing"

// foreignReaders does nothing under the race detector: libraries of others read the same
// files in the run without it, and start no goroutines of ours. They take longer to
// compile than this package with its tests takes to run.
func foreignReaders(*testing.T, string, int) {}
