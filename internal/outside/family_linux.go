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

// A family is a program and all processes that it starts: a process group of
// its own, its descendants, and every process with its mark in the environment.
// A process that left the group is found by its parents, one whose parents
// ended by the mark.
//
// The mark is random, so that no other process has it by accident, and no process
// can claim to belong to a family that it does not know.
type family struct {
	mark string // NAME=value
}

// markName is the environment variable that marks a family.
const markName = "DOWSE_OUTSIDE_ID"

// prepare sets up the command before it is started.
func (f *family) prepare(cmd *exec.Cmd) {
	f.mark = markName + "=" + rand.Text()
	cmd.Env = append(cmd.Environ(), f.mark)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

func (family) started(*exec.Cmd) {}

// A family that keeps starting processes is searched for at most rounds times,
// until it has not grown for calmRounds: a process that is about to execute
// another program shows neither its environment nor its mark for a moment.
const (
	rounds     = 40
	calmRounds = 4
	roundPause = 3 * time.Millisecond
)

// kill ends the family. All members are stopped before the first is killed, so
// that none starts another one meanwhile, none loses the parent by which it is
// found, and no process ID is reused.
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

// members returns the process IDs of the family, except the program itself.
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

// parentOf returns the parent of a process, 0 if it is unknown.
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

// descends reports whether from is an ancestor of pid. The loop is bounded,
// since the table may be inconsistent.
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
