package collection

import (
	"sync"
	"testing"
)

// TestLockBesideReaders takes the lock while others look whether it is held.
func TestLockBesideReaders(t *testing.T) {
	dir := t.TempDir()
	f, err := lock(dir)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					Running(dir)
				}
			}
		})
	}
	for range 400 {
		f, err := lock(dir)
		if err != nil {
			t.Errorf("not locked while there are readers: %v", err)
			break
		}
		f.Close()
	}
	close(stop)
	readers.Wait()
}
