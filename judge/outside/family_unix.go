//go:build unix

package outside

import (
	"os/exec"
	"syscall"
)

// A family is a program and all that it starts: a process group of its own.
type family struct{}

func (family) prepare(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func (family) started(*exec.Cmd) {}

// kill ends the group. It is called before the program is waited for, so its number
// is not another's yet.
func (family) kill(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
