package logistic

import (
	"math"
	"testing"
)

// FuzzClues reads any note in both forms, and what it writes again is the same.
func FuzzClues(f *testing.F) {
	for _, form := range []form{onlineForm, autoForm} {
		var k clues
		k.page(7, 3, 0x201, &form)
		k.page(70_000, 255, 0, &form)
		k.inAnchor(9, &form)
		k.inWindow(10, &form)
		k.add(1, 0.25, 0.5, &form)
		f.Add(k.note(&form))
	}
	f.Add("")
	f.Add(seedNote)
	f.Fuzz(func(t *testing.T, note string) {
		for _, form := range []form{onlineForm, autoForm} {
			k, ok := form.clues(note)
			if !ok {
				continue
			}
			first := k.note(&form)
			again, ok := form.clues(first)
			if !ok || again.note(&form) != first {
				t.Errorf("%q is read as %+v and written as %q", note, k, again.note(&form))
			}
		}
	})
}

// TestNotes pins the bytes of a note in both forms: collections hold such notes.
func TestNotes(t *testing.T) {
	for _, c := range []struct {
		form form
		want string
	}{
		{onlineForm, "o\x02\x00\x40\x00\x80\xff\xff\xff\xbf\x02\x01\x01\x07\x00\x00\x00\x70\x11\x01\x00\x09\x00\x0a\x01"},
		{autoForm, "A\x02\x00\x40\x00\x80\xff\xff\xff\xbf\x00\x40\x00\x40\x02\x01\x01\x07\x00\x00\x00\x03\x01\x02\x70\x11\x01\x00\xff\x00\x00\x09\x00\x0a\x01"},
	} {
		var k clues
		k.page(7, 3, 0x201, &c.form)
		k.page(70_000, 255, 0, &c.form)
		k.inAnchor(9, &c.form)
		k.inWindow(0x10a, &c.form)
		k.add(1, 0.25, 0.5, &c.form)
		k.add(0.5, 0.25, 0, &c.form)
		if got := k.note(&c.form); got != c.want {
			t.Errorf("%c: note %q, want %q", c.form.mark, got, c.want)
		}
	}
}

// TestCluesOfManyLinks adds more links than a note can count: means stay means.
func TestCluesOfManyLinks(t *testing.T) {
	var k clues
	for range 1000 {
		k.add(0.5, 0.25, 0.75, &autoForm)
	}
	var twice clues
	twice.merge(&k, &autoForm)
	twice.merge(&k, &autoForm)
	for name, k := range map[string]*clues{"added": &k, "merged": &twice} {
		if k.links != mostLinks {
			t.Errorf("%s: %d links", name, k.links)
		}
		for _, c := range []struct{ got, want float64 }{{k.per(k.sum), 0.5}, {k.per(k.contexts), 0.25}, {k.per(k.ratings), 0.75}} {
			if math.Abs(c.got-c.want) > 1e-9 {
				t.Errorf("%s: mean %v, want %v", name, c.got, c.want)
			}
		}
	}
}

// TestOldNotes reads a note that was written before headings were part of it.
func TestOldNotes(t *testing.T) {
	const old = "a\x02\x00\x40\x00\x80\xff\xff\xff\xbf\x00\x40\x00\x40\x02\x01\x01\x07\x00\x00\x00\x03\x70\x11\x01\x00\xff\x09\x00\x0a\x01"
	k, ok := autoForm.clues(old)
	if !ok || k.links != 2 || k.n != 2 || k.pages != [mostPages]uint32{7, 70_000} || k.sections != [mostPages]uint8{3, 255} || k.anchors[0] != 9 || k.around[0] != 0x10a {
		t.Errorf("read as %+v, %v", k, ok)
	}
	if _, ok := onlineForm.clues(old); ok {
		t.Error("online reads a note of auto")
	}
}
