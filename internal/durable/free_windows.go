package durable

import "golang.org/x/sys/windows"

// Free returns how many bytes a user may still write to the volume of a directory, and how
// many it has in all.
func Free(dir string) (free, size int64, err error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, 0, err
	}
	var available, all, total uint64
	if err := windows.GetDiskFreeSpaceEx(name, &available, &all, &total); err != nil {
		return 0, 0, err
	}
	return int64(available), int64(all), nil
}
