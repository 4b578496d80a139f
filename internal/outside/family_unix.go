//go:build unix && !linux

package outside

import (
	"os/exec"
	"syscall"
)

// A family is a program and the processes that it starts: a process group of
// its own.
type family struct{}

func (family) prepare(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func (family) started(*exec.Cmd) {}

// kill ends the group.
func (family) kill(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
