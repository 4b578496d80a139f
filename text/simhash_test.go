package text_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"dowse/text"
)

// distance returns in how many bits the simhashes of two texts differ.
func distance(a, b string) int {
	return bits.OnesCount64(text.Simhash(document(a)) ^ text.Simhash(document(b)))
}

// edited returns s with n of its words replaced.
func edited(s string, n int, rng *rand.Rand) string {
	words := strings.Fields(s)
	for k := range n {
		words[rng.IntN(len(words))] = fmt.Sprint("edit", k)
	}
	return strings.Join(words, " ")
}

func TestSimhashOfNearDuplicates(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	near, all := 0, 0
	for seed := range uint64(100) {
		page := prose(seed, 2000)
		all++
		if distance(page, edited(page, 3, rng)) <= 3 {
			near++
		}
	}
	if near < 95*all/100 {
		t.Errorf("%d of %d pages with 3 words of 2,000 changed are within 3 bits", near, all)
	}
}

func TestSimhashOfDifferentPages(t *testing.T) {
	closest := 64
	var hashes []uint64
	for seed := range uint64(60) {
		h := text.Simhash(document(prose(seed, 1000)))
		for _, other := range hashes {
			closest = min(closest, bits.OnesCount64(h^other))
		}
		hashes = append(hashes, h)
	}
	if closest < 8 {
		t.Errorf("two different pages are %d bits apart", closest)
	}
}

func TestSimhashIgnores(t *testing.T) {
	page := prose(1, 400)
	for name, other := range map[string]string{
		"case":        strings.ToUpper(page),
		"punctuation": strings.ReplaceAll(page, ".", " !"),
		"space":       strings.Join(strings.Fields(page), "\n"),
	} {
		if d := distance(page, other); d != 0 {
			t.Errorf("%s: %d bits", name, d)
		}
	}
	greek := strings.Repeat("Ὀδυσσεύς ΠΟΛΎΤΡΟΠΟΣ ", 20)
	if d := distance(greek, strings.ToLower(greek)); d != 0 {
		t.Errorf("greek case: %d bits", d)
	}
}

func TestSimhashIsZeroOnlyForShortPages(t *testing.T) {
	for n, zero := range map[int]bool{0: true, 1: true, 29: true, 30: false, 31: false} {
		if got := text.Simhash(document(strings.Repeat("word ", n))); (got == 0) != zero {
			t.Errorf("%d words: %x", n, got)
		}
	}
}

func BenchmarkSimhash(b *testing.B) {
	d := document(prose(1, 2000))
	b.ReportAllocs()
	for b.Loop() {
		text.Simhash(d)
	}
}
