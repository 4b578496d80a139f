package archive

import (
	"io"
	"path/filepath"
	"testing"
	"time"

	"dowse"
)

func TestOpenFollowsRevisits(t *testing.T) {
	dir := t.TempDir()
	w, err := OpenWriter(dir, options())
	check(t, err)
	ex := page(0, 1000)
	e := Encode(nil, ex)
	original := e.Original
	original.Place, err = w.Append(e)
	check(t, err)
	again := *ex
	again.At = noon.Add(time.Hour)
	revisit, err := w.Append(EncodeRevisit(nil, &again, original))
	check(t, err)
	wrong := original
	wrong.Digest = Digest{1}
	astray, err := w.Append(EncodeRevisit(nil, &again, wrong))
	check(t, err)
	check(t, w.Close())
	sound(t, filepath.Join(dir, w.name))
	foreignReaders(t, filepath.Join(dir, w.name), 10)

	payload := func(p dowse.Place) (string, string) {
		rec, err := Open(dir, p)
		check(t, err)
		defer rec.Close()
		resp, err := rec.Response()
		check(t, err)
		b, err := io.ReadAll(resp.Body)
		check(t, err)
		return rec.Type(), string(b)
	}
	for _, p := range []dowse.Place{original.Place, revisit} {
		if kind, body := payload(p); kind != "response" || body != string(ex.Payload) {
			t.Errorf("%v: %s of %d bytes", p, kind, len(body))
		}
	}
	if kind, body := payload(astray); kind != "revisit" || body != "" {
		t.Errorf("a revisit of another payload: %s of %d bytes", kind, len(body))
	}
	_, err = Erase(filepath.Join(dir, w.name), noon, original.Place.Offset)
	check(t, err)
	if kind, body := payload(revisit); kind != "revisit" || body != "" {
		t.Errorf("a revisit of what was erased: %s of %d bytes", kind, len(body))
	}
	for _, file := range []string{"", "../" + w.name, "none.warc.gz", "/etc/passwd"} {
		if _, err := Open(dir, dowse.Place{File: file}); err == nil {
			t.Errorf("%q was opened", file)
		}
	}
}
