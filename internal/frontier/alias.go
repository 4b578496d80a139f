package frontier

// aliasChain is how many redirects Alias follows, more than any fetcher does.
const aliasChain = 64

// SetAlias records that the URL redirects to target.
func (f *Frontier) SetAlias(id, target ID) { f.aliases[id] = target }

// Alias returns where the URL's redirects end. ok is false for a URL that does
// not redirect, and for redirects without an end.
func (f *Frontier) Alias(id ID) (ID, bool) {
	end, ok := f.aliases[id]
	if !ok {
		return None, false
	}
	for range aliasChain {
		next, more := f.aliases[end]
		if !more {
			return end, true
		}
		end = next
	}
	return None, false
}
