package frontier

import (
	"syscall"
	"unsafe"
)

const (
	largePage     = 2 << 20 // bytes, on amd64 and arm64
	adviseLarge   = 14      // MADV_HUGEPAGE
	usualPageMask = 4095
)

// largePages asks the system to use large pages for memory that is not used
// yet and will be used as a whole. Too small a part is left as it is, and so is
// everything if the system declines.
func largePages(from unsafe.Pointer, size uintptr) {
	if size < largePage {
		return
	}
	begin := (uintptr(from) + usualPageMask) &^ usualPageMask
	end := (uintptr(from) + size) &^ usualPageMask
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, begin, end-begin, adviseLarge)
}
