package template

import (
	"hash/fnv"
	"math/rand/v2"
	"strings"
)

// vocabulary holds the words of ordinary pages; none of them is on topic.
var vocabulary = strings.Fields(`
acorn alley amber anchor apple arrow attic autumn badge baker barrel basket beacon bell bench blanket bottle branch
brick bridge broom bucket butter button cabin candle canvas carpet castle cedar chalk chapel cherry chimney cinder
circle clover cobbler copper corner cotton cradle cricket curtain dairy daisy desk donkey drawer drum eagle ember
engine fabric farmer feather fence fiddle finger flannel flint forest fountain garden garlic ginger glove granite
gravel hammer harvest hedge helmet honey hunter inkwell iron ivory jacket jasmine jigsaw kettle kitchen ladder
lantern leather lemon letter linen locket lumber mantle maple marble meadow mirror mitten mountain mustard napkin
needle nutmeg oak onion orchard oven paddle parcel parsley pencil pepper pewter pillow pitcher plaster plough pocket
porch potter pumpkin quarry quilt rabbit rafter raisin ribbon rocket rope saddle saffron satchel scarf school shovel
silver spindle spoon stable statue sugar summer tailor tavern thimble thistle timber tower trumpet tunnel turnip
umbrella valley velvet village violin wagon walnut weaver whistle willow window winter wood yarn`)

// Prose returns n words that look like a text. The same seed gives the same
// words.
func Prose(seed string, n int) string {
	h := fnv.New64a()
	h.Write([]byte(seed))
	dice := rand.New(rand.NewPCG(h.Sum64(), 1))
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(vocabulary[dice.IntN(len(vocabulary))])
		if dice.IntN(12) == 0 {
			b.WriteByte('.')
		}
	}
	return b.String()
}
