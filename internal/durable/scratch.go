package durable

import "os"

// scratchName is the name that begins those of scratch files.
const scratchName = ".dowse-scratch-"

// Scratch makes a file that only its caller can reach, to read it and to write to it. It has no
// name where the system allows that; elsewhere the next call removes it, once it is closed. Nothing
// in it is to outlive the process, so nothing is synced.
func (d Dir) Scratch() (*File, error) {
	if old, err := d.Names(scratchName + "*" + Temporary); err == nil {
		for _, name := range old {
			d.discard(name)
		}
	}
	name := scratchName + temporaryName()[len(".dowse-"):]
	f, err := d.open(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	d.discard(name)
	atRandom(f.f)
	return f, nil
}
