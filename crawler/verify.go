package crawler

import (
	"strings"

	"dowse/collection"
	"dowse/crawl"
)

// Verify checks everything that the collection holds, including that a
// replay of the whole journal gives the saved state. It changes nothing.
// progress, if set, is called with the current check and how much of it is
// done.
func (c *Crawler) Verify(progress func(what string, done, all int64)) (*collection.Verification, error) {
	return c.Collection.Verify(collection.VerifyOptions{
		Progress: progress,
		Restore:  c.restore,
		Recorded: strings.HasPrefix(c.Collection.Settings.Strategy, customStrategy),
		Config: func() (crawl.Config, error) {
			p, err := partsOf(c.Collection.Dir, c.Collection.Settings, c.Topic, noJudge{}, Config{readOnly: true})
			if err != nil {
				return crawl.Config{}, err
			}
			p.client.Close()
			return p.crawl, nil
		},
	})
}
