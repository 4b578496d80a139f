package strategy

// Windowed is what the history of a page becomes when it spends cash at a time.
func Windowed(history, last, cash, now, window float64) float64 {
	return account{history, last}.spend(cash, now, window).History
}

// Tests know strategies by these names; programs make them by their names in the list.
type (
	Fish           = fish
	NaiveBestFirst = naiveBestFirst
	OPIC           = opic
	OTIE           = otie
	Shark          = shark
	SoftFocus      = softFocus
)

var (
	Chance = pickChance
	Cycle  = pickCycle
)
