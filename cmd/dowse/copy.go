package main

import (
	"errors"
	"fmt"

	"dowse/collection"
	"dowse/internal/operations"
)

// collectionCopyCmd copies a collection, for backups. It reads like status and pages do, so a
// crawl may run meanwhile.
type collectionCopyCmd struct {
	Dir string `arg:"" help:"Collection."`
	To  string `arg:"" help:"Directory of the copy; an earlier copy is updated."`
}

func (collectionCopyCmd) Help() string {
	return `Examples:
  dowse collection copy reefs.dowse /backup/reefs.dowse
  dowse collection verify /backup/reefs.dowse

A crawl may run meanwhile. The copy has all that is committed at this moment,
and nothing else. Run it again to update the copy: files that have not changed are
kept. Lists and index are not copied; the next run writes them again. What you
agreed to for the collection holds for the copy, too.`
}

// Run copies what is committed and prints how much was written.
func (c *collectionCopyCmd) Run(w *world) error {
	cr, err := w.view(c.Dir)
	if err != nil {
		return err
	}
	defer cr.Close()
	done, err := cr.Collection.CopyTo(c.To)
	if errors.Is(err, collection.ErrMake) {
		return usage("%w", err)
	}
	if err == nil {
		err = operations.EndInCopy(cr, c.To)
	}
	if err == nil {
		err = w.consent(false).carry(c.Dir, c.To, cr.Acts())
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(w.err, "%s: %s written, %s; %s unchanged\n", c.To, some(done.Files, "file"), bytesText(done.Bytes), count(done.Kept))
	return nil
}
