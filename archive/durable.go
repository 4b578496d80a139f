package archive

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
)

// syncFolder makes names in a folder durable. Windows has no such call and needs
// none.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("archive: sync %s: %w", dir, err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return fmt.Errorf("archive: sync %s: %w", dir, err)
	}
	return nil
}

// temporary is added to the name of a file that is being rewritten.
const temporary = ".tmp"

// replace rewrites a file by way of a temporary one beside it: at any moment,
// and after a crash, the old or the new file is there, whole.
func replace(path string, write func(w io.Writer) error) (err error) {
	f, err := os.OpenFile(path+temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(path + temporary)
		}
	}()
	if err = errors.Join(write(f), f.Sync(), f.Close()); err != nil {
		return err
	}
	if err = os.Rename(path+temporary, path); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(path))
}
