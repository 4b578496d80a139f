package outside

import (
	"bytes"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// A family is a program and all that it starts: a process group of its own, its
// descendants, and whoever carries its mark in the environment. A process that left the
// group is found by its parents, one that was left by its parents by the mark.
type family struct {
	mark string // NAME=value
}

// markName is the variable of the environment that marks a family.
const markName = "DOWSE_OUTSIDE_ID"

func (f *family) prepare(cmd *exec.Cmd) {
	f.mark = markName + "=" + rand.Text()
	cmd.Env = append(cmd.Environ(), f.mark)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

func (family) started(*exec.Cmd) {}

// rounds bounds how often a family is looked for that goes on starting others. It is
// looked for until it has not grown for some rounds: a process that is about to run
// another program shows neither its environment nor its mark for a moment.
const (
	rounds     = 40
	calmRounds = 4
	roundPause = 3 * time.Millisecond
)

// kill ends the family. All members are stopped before the first is ended: none starts
// another meanwhile, none loses the parent by which it is found, and no number becomes
// that of another process.
func (f *family) kill(cmd *exec.Cmd) {
	program := cmd.Process.Pid
	syscall.Kill(-program, syscall.SIGSTOP)
	found := map[int]bool{}
	for round, calm := 0, 0; round < rounds && calm < calmRounds; round++ {
		before := len(found)
		if round > 0 {
			time.Sleep(roundPause)
		}
		for _, pid := range f.members(program) {
			if !found[pid] {
				found[pid] = true
				syscall.Kill(pid, syscall.SIGSTOP)
			}
		}
		if calm++; len(found) > before {
			calm = 0
		}
	}
	for pid := range found {
		syscall.Kill(pid, syscall.SIGKILL)
	}
	syscall.Kill(-program, syscall.SIGKILL)
}

// members lists the processes of the family but for the program itself.
func (f *family) members(program int) (list []int) {
	parents := map[int]int{}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil && pid != os.Getpid() {
			parents[pid] = parentOf(dir)
		}
	}
	for pid := range parents {
		if pid != program && (descends(pid, program, parents) || f.marked(pid)) {
			list = append(list, pid)
		}
	}
	return list
}

// parentOf returns the parent of a process, 0 if that can't be told.
func parentOf(dir string) int {
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return 0
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) // a name may have spaces and brackets
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(string(fields[1]))
	return parent
}

// descends reports whether a process was started by another, or by one that was.
func descends(pid, from int, parents map[int]int) bool {
	for range len(parents) {
		if pid = parents[pid]; pid == from {
			return true
		}
		if pid <= 1 {
			return false
		}
	}
	return false
}

// marked reports whether a process has the family's mark in its environment.
func (f *family) marked(pid int) bool {
	env, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	return err == nil && bytes.Contains(append([]byte{0}, env...), append([]byte{0}, f.mark...))
}
