package collection

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
