package outside

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
)

// alive reports whether a process runs; one that only waits to be counted is dead.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	if runtime.GOOS == "linux" {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err == nil && !strings.Contains(string(stat), ") Z ")
	}
	return runtime.GOOS != "windows" && p.Signal(syscall.Signal(0)) == nil
}
