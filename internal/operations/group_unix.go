//go:build unix

package operations

import (
	"os/exec"
	"syscall"
)

// ownGroup keeps a Ctrl-C in the terminal of this process from the child: a crawl that was
// started here goes on when this process ends.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
