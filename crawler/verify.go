package crawler

import (
	"dowse/collection"
	"dowse/crawl"
)

// Verify checks everything that the collection holds, also that a replay of the
// whole journal gives the state that was saved. It changes nothing. progress, which
// may be nil, hears what is being checked and how far that is.
func (c *Crawler) Verify(progress func(what string, done, all int64)) (*collection.Verification, error) {
	return c.Collection.Verify(collection.VerifyOptions{
		Progress: progress,
		Restore:  c.restore,
		Config: func() (crawl.Config, error) {
			p, err := partsOf(c.Collection.Dir, c.Collection.Settings, c.Topic, silent{}, Config{})
			if err != nil {
				return crawl.Config{}, err
			}
			p.client.Close()
			return p.crawl, nil
		},
	})
}
