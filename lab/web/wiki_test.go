package web

import (
	"os"
	"testing"
	"time"
)

const wikispeedia = "../../../shared/webs/wikispeedia.warc.gz"

func TestTry(t *testing.T) {
	begin := time.Now()
	w, err := Open(t.Context(), Source{Paths: []string{wikispeedia}}, Options{Cache: os.Getenv("LABCACHE")})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(time.Since(begin), w.Len(), w.features.size)
	l, err := w.source.LoadLabels()
	if err != nil {
		t.Fatal(err)
	}
	s, err := w.Survey(l, []string{"Top/Science/Physics/Space_Astronomy", "Top/Science/Biology/Mammals", "Top/History/World_War_II"})
	t.Logf("%+v %v held %d", s, err, w.held.Load())
	t.Log(time.Since(begin))
}
