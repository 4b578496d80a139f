package main

// spare is how much more garbage may pile up before it is collected than there
// would with what a crawl keeps: a crawl keeps little and throws away a lot, and
// would otherwise spend a twentieth of its time on collecting. Memory that is
// never touched counts as kept and takes none, so one has only to ask for it.
const spare = 32 << 20
