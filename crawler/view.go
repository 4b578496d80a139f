package crawler

import (
	"errors"

	"dowse/collection"
	"dowse/topic"
)

// View opens the collection in dir to read it. It changes nothing, takes no
// lock and can't send anything, so another process may be crawling; the view
// is what that process had committed. Crawl and Run fetch nothing, and Err returns an error.
func View(dir string) (*Crawler, error) {
	col, err := collection.Open(dir, nil, true)
	if err != nil {
		return nil, err
	}
	c, err := restoreView(col)
	if err != nil {
		return nil, errors.Join(err, col.Close())
	}
	return c, nil
}

// restoreView restores the crawl of an open collection without a judge and
// without a network. The client is closed immediately: it is made only because
// all parts are made together. A strategy that can't be made, mostly because a
// file that it needs is lost, is not needed to look at what was crawled.
func restoreView(col *collection.Collection) (*Crawler, error) {
	col.Journal.SetParser(robotsParser(col.Settings))
	t, err := topicOf(col)
	if err != nil {
		return nil, err
	}
	parts, err := partsOf(col.Dir, col.Settings, t, noJudge{}, Config{readOnly: true})
	if err != nil {
		return nil, err
	}
	parts.client.Close()
	col.Lost = parts.lost
	c := &Crawler{Collection: col, Topic: t, strategy: parts.crawl.Strategy, restore: restorer(col, parts.visitor.wish)}
	if err := col.Load(parts.crawl, c.restore); err != nil {
		return nil, err
	}
	c.stopped = lastReason(col)
	return c, nil
}

// topicOf parses the topic of a collection. One that can't be parsed is
// damage, since it was checked before it was written.
func topicOf(col *collection.Collection) (*topic.Topic, error) {
	data, err := col.Topic()
	if err != nil {
		return nil, err
	}
	t, err := topic.Parse(data, "topic.yaml")
	if err != nil {
		return nil, &collection.DamageError{Dir: col.Dir, Found: err}
	}
	t.Dir = col.Settings.TopicDir
	return t, nil
}
