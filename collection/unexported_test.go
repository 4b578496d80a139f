package collection

import (
	"dowse"
	"dowse/internal/frontier"
)

// For the tests outside the package.
var (
	ParseLabels = parseLabels
	Sorts       = sorts
)

// The constants that only tests need outside the package.
const (
	DoForgotten  = doForgotten
	EventFetched = eventFetched
	EventJudged  = eventJudged
	EventRobots  = eventRobots
	EventSkipped = eventSkipped
	FromLink     = fromLink
	LinkSkipped  = linkSkipped
	RobotsClosed = robotsClosed
	RobotsRules  = robotsRules
)

// History returns the labels of a page with those that are not in force.
func (l *Labels) History(u dowse.URL) []pageLabel { return l.history(u) }

// RewriteViews writes the views of all visits again.
func (c *Collection) RewriteViews() error { return c.writeViews(c.newSummary()) }

// Parents returns the parents of URLs as the views list them, looked up together.
func (c *Collection) Parents(ids []frontier.ID) ([]dowse.URL, error) { return c.parents(ids) }

// Parent returns the parent of one URL, looked up alone.
func (c *Collection) Parent(id frontier.ID) (dowse.URL, error) {
	r := reader{c: c}
	o, err := r.origin(id)
	if err != nil {
		return "", err
	}
	return c.standingParent(o.parent), nil
}
