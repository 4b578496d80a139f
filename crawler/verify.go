package crawler

import (
	"strings"

	"dowse/collection"
	"dowse/crawl"
)

// Verify checks everything that the collection holds, including that a
// replay of the whole journal gives the saved state. It changes nothing.
// progress, if set, is called with the current check and how much of it is
// done. Without its strategy, because a file that this needs is lost, the journal is read and not replayed.
func (c *Crawler) Verify(progress func(what string, done, all int64)) (*collection.Verification, error) {
	opt := collection.VerifyOptions{
		Progress: progress,
		Restore:  c.restore,
		Recorded: strings.HasPrefix(c.Collection.Settings.Strategy, customStrategy),
	}
	if c.Collection.Lost == nil {
		opt.Config = c.again
	}
	return c.Collection.Verify(opt)
}

// again returns the configuration of the crawl with a strategy that has learnt nothing.
func (c *Crawler) again() (crawl.Config, error) {
	p, err := partsOf(c.Collection.Dir, c.Collection.Settings, c.Topic, noJudge{}, Config{readOnly: true})
	if err != nil {
		return crawl.Config{}, err
	}
	p.client.Close()
	return p.crawl, nil
}
