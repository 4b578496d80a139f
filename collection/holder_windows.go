package collection

import "os"

// hardLinks is not looked up: on Windows no process is signalled.
func hardLinks(os.FileInfo) uint64 { return 1 }
