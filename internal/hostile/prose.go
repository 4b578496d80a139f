package hostile

import "dowse/internal/hostile/template"

// prose returns n words that look like a text. The same seed gives the same words.
func prose(seed string, n int) string { return template.Prose(seed, n) }
