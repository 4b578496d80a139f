//go:build unix && !linux

package crawler_test

import "testing"

func smallDisk(t *testing.T) (string, func()) {
	t.Skip("no way to fill a disk here")
	return "", nil
}

func limitFiles(uint64) {}
