package trace

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"dowse"
)

func writtenLog(t testing.TB) (*Log, []byte) {
	b, err := New(Options{Salt: []byte("saltsaltsalt")})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for i := range 500 {
		at = at.Add(time.Duration(i%40) * time.Minute)
		b.Add(Access{User: fmt.Sprint("secret reader ", i%17), Time: at, URL: dowse.URL("http://h.test/p" + "abcdefgh"[:1+i*i%7])})
	}
	l := b.Log()
	var out bytes.Buffer
	if err := l.Write(&out); err != nil {
		t.Fatal(err)
	}
	return l, out.Bytes()
}

func TestLogFile(t *testing.T) {
	l, b := writtenLog(t)
	if bytes.Contains(b, []byte("secret")) {
		t.Error("a name was written down")
	}
	again, err := ReadLog(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if again.Pages() != l.Pages() || again.Users() != l.Users() || again.Sessions() != l.Sessions() || again.Accesses() != l.Accesses() {
		t.Errorf("%d pages, %d users, %d sessions", again.Pages(), again.Users(), again.Sessions())
	}
	for u := range uint32(l.Users()) {
		if again.Key(u) != l.Key(u) || fmt.Sprint(again.Path(u)) != fmt.Sprint(l.Path(u)) {
			t.Errorf("user %d: %v, want %v", u, again.Path(u), l.Path(u))
		}
	}
	for p := range uint32(l.Pages()) {
		if n, ok := again.Page(l.URL(p)); !ok || n != p || fmt.Sprint(again.Visitors(p)) != fmt.Sprint(l.Visitors(p)) ||
			again.Visits(p) != l.Visits(p) || fmt.Sprint(again.Around(nil, p, 9, 2)) != fmt.Sprint(l.Around(nil, p, 9, 2)) {
			t.Errorf("page %d differs", p)
		}
	}
	for n := range b {
		if _, err := ReadLog(bytes.NewReader(b[:n])); err == nil {
			t.Errorf("the first %d of %d bytes were taken", n, len(b))
		}
	}
	for i := range b {
		bad := bytes.Clone(b)
		bad[i] ^= 4
		if _, err := ReadLog(bytes.NewReader(bad)); err == nil {
			t.Errorf("a change of byte %d went unnoticed", i)
		}
	}
}

func FuzzReadLog(f *testing.F) {
	_, b := writtenLog(f)
	f.Add(b)
	f.Add([]byte(logMagic + "\x01\x01x\x01keykeykk\x01\x01"))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := ReadLog(bytes.NewReader(b))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := l.Write(&out); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadLog(&out); err != nil {
			t.Error(err)
		}
	})
}
