package main

// inode returns 0: a path is all that names a directory here.
func inode(string) uint64 { return 0 }
