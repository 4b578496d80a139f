package strategy

// Windowed is what the history of a page becomes when it spends cash at a time.
func Windowed(history, last, cash, now, window float64) float64 {
	return account{history, last}.spend(cash, now, window).History
}
