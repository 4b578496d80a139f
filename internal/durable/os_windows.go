package durable

import "io/fs"

func cannotSync(error) bool { return true }

// hardLinks returns 1: Windows needs another call for it, and asks for
// a right to make such links.
func hardLinks(fs.FileInfo) uint64 { return 1 }

// IsOwn returns true: temporary folders of Windows belong to one user.
func IsOwn(fs.FileInfo) bool { return true }
