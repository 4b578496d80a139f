package durable

// UsualFloor is how many bytes of a disk stay free if nothing else is asked for. It is a
// variable for tests, which run on any disk.
var UsualFloor int64 = 2_000_000_000
