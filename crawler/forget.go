package crawler

import (
	"errors"
	"fmt"

	"dowse/collection"
)

// Forget takes pages down in the collection in dir permanently, and then
// makes its state and its lists again. It asks no outside judge and sends
// nothing. If the strategy belongs to a Go program, only that program can
// make state and lists again when it resumes; a note reports that.
func Forget(dir string, x collection.Takedown) (*collection.Forgotten, error) {
	out, err := collection.Forget(dir, x)
	if err != nil {
		return out, err
	}
	if err := renew(dir); err != nil {
		out.Notes = append(out.Notes, fmt.Sprintf("the pages are gone; the lists of pages are made again by the next crawl (%v)", err))
	}
	return out, nil
}

// renew replays a crawl after a takedown, and saves its state and its lists.
// The snapshots of before were removed with the pages, since they may contain
// what strategies learnt from them. In the middle of a round no snapshot can be
// saved; the next run replays the journal then.
func renew(dir string) error {
	col, err := collection.Open(dir, nil, false)
	if err != nil {
		return err
	}
	c, err := restoreView(col)
	if err != nil {
		return errors.Join(err, col.Close())
	}
	if err = col.Summarise(); err == nil && !col.Crawl.MidRound() {
		err = saved(col.Checkpoint())
	}
	return errors.Join(err, c.Close())
}

// saved calls a function that saves, if there is one.
func saved(save func() error, err error) error {
	if err != nil {
		return err
	}
	return save()
}
