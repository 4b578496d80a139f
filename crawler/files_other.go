//go:build !unix

package crawler

// openFiles returns how many files this process may have open.
func openFiles() int { return 1 << 20 }
