package operations

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/durable"
)

// ByCopy ends a run in a copy of its collection: the crawl went on elsewhere.
const ByCopy = "copy"

// EndInCopy records in the copy of a collection, made while the crawl ran, that the run was not killed there.
// Without a run under way in the original it changes nothing.
func EndInCopy(of *crawler.Crawler, dir string) error {
	r, ok := crawler.LastRun(&collection.Collection{Dir: dir})
	if crawlingIn(of.Collection.Dir) == 0 || !ok || !r.Ended.IsZero() {
		return nil
	}
	st := of.Status()
	r.Ended, r.By, r.Fetched, r.OnTopic = time.Now().UTC(), ByCopy, st.Fetched, st.OnTopic
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("operations: log of runs: %w", err)
	}
	f, err := durable.In(dir).Append(runsLog)
	if err != nil {
		return fmt.Errorf("operations: log of runs: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}
