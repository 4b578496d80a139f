package outside

import (
	"os/exec"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A family is a program and the processes that it starts: a job object of its
// own.
type family struct{ job windows.Handle }

func (*family) prepare(*exec.Cmd) {}

// started puts the program into a job that ends with its handle. If that fails,
// only the program itself will be ended.
func (f *family) started(cmd *exec.Cmd) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		err = f.assign(job, cmd)
	}
	if err != nil {
		windows.CloseHandle(job)
		return
	}
	f.job = job
}

func (f *family) assign(job windows.Handle, cmd *exec.Cmd) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(cmd.Process.Pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process)
	return windows.AssignProcessToJobObject(job, process)
}

func (f *family) kill(cmd *exec.Cmd) {
	if f.job != 0 {
		windows.CloseHandle(f.job)
		f.job = 0
	}
	cmd.Process.Kill()
}
