//go:build !linux

package frontier

import "unsafe"

// largePages does nothing on this system.
func largePages(unsafe.Pointer, uintptr) {}
