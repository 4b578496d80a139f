package weburl

import (
	"strings"
	"testing"

	"dowse"
)

func TestShape(t *testing.T) {
	for u, want := range map[dowse.URL]string{
		"http://calendar.demo/2024/05?page=2":                        "calendar.demo/N/N?page",
		"http://h.example/item-123/page2.html":                       "h.example/item-N/pageN.html",
		"http://h.example/?b=1&a=2&b=3;c":                            "h.example/?a&b&c",
		"http://h.example/?x":                                        "h.example/?x",
		"https://h.example:81/a/":                                    "h.example:81/a/",
		"http://h.example/o/550e8400-e29b-41d4-a716-446655440000/v":  "h.example/o/X/v",
		"http://h.example/d41d8cd98f00b204e9800998ecf8427e.jpg":      "h.example/X.jpg",
		"http://h.example/watch/dQw4w9WgXcQ8aZ3kP1":                  "h.example/watch/X",
		"http://h.example/2024-05-01/the-barn-owl-of-2023-returns":   "h.example/N-N-N/the-barn-owl-of-N-returns",
		"http://h.example/wiki/%C3%89cole_42":                        "h.example/wiki/%C3%89cole_N",
		"http://h.example/internationalisation-of-domain-names":      "h.example/internationalisation-of-domain-names",
		"http://h.example/facade/decade":                             "h.example/facade/decade",
		"http://h.example/TheQuickBrownFoxJumpsOverTheLazyDogAgain9": "h.example/TheQuickBrownFoxJumpsOverTheLazyDogAgainN",
		"s1": "s1",
	} {
		if got := Shape(u); got != want {
			t.Errorf("Shape(%q) = %q, want %q", u, got, want)
		}
	}
}

func TestShapeHashIsOneForAShape(t *testing.T) {
	long := strings.Repeat("/segment", 100)
	for _, c := range []struct {
		a, b dowse.URL
		same bool
	}{
		{"http://c.demo/2024/05", "https://c.demo/1999/12", true},
		{"http://c.demo/?a=1&b=2", "http://c.demo/?b=9&a=8&a=7", true},
		{"http://c.demo/2024/05", "http://c.demo/2024/05/01", false},
		{"http://c.demo/?a=1", "http://c.demo/?a=1&b=2", false},
		{"http://c.demo/2024", "http://d.demo/2024", false},
		{dowse.URL("http://c.demo/1" + long), dowse.URL("http://c.demo/22" + long), true},
	} {
		if got := ShapeHash(c.a) == ShapeHash(c.b); got != c.same {
			t.Errorf("%.40q and %.40q: same shape %v, want %v", c.a, c.b, got, c.same)
		}
	}
}

func TestShapeHashStaysTheSame(t *testing.T) {
	const want = 0xe29ccc623ec73a01
	if got := ShapeHash("http://calendar.demo/2024/05?page=2"); got != want {
		t.Errorf("hash is %#x, want %#x", got, uint64(want))
	}
}

func TestTrap(t *testing.T) {
	for _, c := range []struct {
		path string
		trap bool
	}{
		{"/", false},
		{"/2024/05/01/some-title.html?utm=1", false},
		{"/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p", false},
		{"/docs/api/docs/api/x", false},
		{"/tiles/0/0/0/0/0/0.png", false},
		{"/maps/a/b/a/c/a/d/a", false},
		{"/en/shop/en/", false},
		{"/dir/dir/dir/", false},
		{"/dir/dir/dir/dir/", true},
		{"/a/b/a/b/a/b", true},
		{"/x/a/b/c/a/b/c/a/b/c/y", true},
		{"/img/x/img/y/img/z/img/w", true},
		{"////////", true},
		{"/" + strings.Repeat("s/", 30), true},
		{segments(24), false},
		{segments(25), true},
		{"/" + strings.Repeat("x", 998), false},
		{"/" + strings.Repeat("x", 1001), true},
		{"/?" + strings.Repeat("f=1&", 7) + "f=1", false},
		{"/?" + strings.Repeat("f=1&", 8) + "f=1", true},
		{"/?a&b&c&d&e&f&g&h&i&j&k&l&m&n&o&p", false},
		{"/?a&b&c&d&e&f&g&h&i&j&k&l&m&n&o&p&q", true},
	} {
		if why := Trap(dowse.URL("http://h.example" + c.path)); (why != "") != c.trap {
			t.Errorf("Trap(%.60q) = %q, want one: %v", c.path, why, c.trap)
		}
	}
	if why := Trap("s1"); why != "" {
		t.Errorf("an opaque URL is a trap: %s", why)
	}
}

func segments(n int) string {
	var path strings.Builder
	for i := range n {
		path.WriteString("/s")
		path.WriteByte(byte('a' + i))
	}
	return path.String()
}

func TestCutsAllocateNothing(t *testing.T) {
	const u dowse.URL = "https://www.example.co.uk:8080/birds/2024/05/d41d8cd98f00b204?page=2&sort=name"
	for name, f := range map[string]func(){
		"Host":       func() { Host(u) },
		"Hostname":   func() { Hostname(u) },
		"Path":       func() { Path(u) },
		"Homepage":   func() { Homepage(u) },
		"WithoutWWW": func() { _ = WithoutWWW(Host(u)) },
		"ShapeHash":  func() { ShapeHash(u) },
		"Trap":       func() { Trap(u) },
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

func BenchmarkShapeHash(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		ShapeHash("https://www.example.co.uk/birds/2024/05/red-kite.html?page=2&sort=name")
	}
}

func BenchmarkTrap(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Trap("https://www.example.co.uk/birds/2024/05/red-kite.html?page=2&sort=name")
	}
}

func BenchmarkSURT(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		SURT("https://www.example.co.uk/birds/2024/05/red-kite.html?page=2&sort=name")
	}
}
