package linkclass

// A bag is the terms of a link, and whether it led to a relevant page.
type bag struct {
	Relevant bool
	Terms    []string
}

func kind(relevant bool) int {
	if relevant {
		return 1
	}
	return 0
}

// balanced returns as many bags of one kind as of the other: those of the rarer kind
// are repeated in turn. Otherwise the model would learn first of all that most links
// of seeds lead nowhere, and refuse the others too.
func balanced(list []bag) []bag {
	var kinds [2][]bag
	for _, b := range list {
		kinds[kind(b.Relevant)] = append(kinds[kind(b.Relevant)], b)
	}
	rare, common := kinds[0], kinds[1]
	if len(rare) > len(common) {
		rare, common = common, rare
	}
	if len(rare) == 0 {
		return list
	}
	for i := len(rare); i < len(common); i++ {
		list = append(list, rare[i%len(rare)])
	}
	return list
}
