//go:build !linux

package garbage

// ProgramSize is how many bytes of this program's code and constants are in memory while it crawls.
const ProgramSize = 48 << 20

// DropFiles does nothing on this system.
func DropFiles() {}

// machineMemory returns 0: it is not known.
func machineMemory() uint64 { return 0 }
