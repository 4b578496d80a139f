package garbage

import (
	"os"
	"strings"
	"testing"
)

// The program goes on, with less of itself in memory.
func TestDropFiles(t *testing.T) {
	self, err := os.Readlink("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	resident := func() string { // of the unchanging mappings of this program, in kB
		maps, err := os.ReadFile("/proc/self/smaps")
		if err != nil {
			t.Skip(err)
		}
		var list []string
		ours := false
		for line := range strings.Lines(string(maps)) {
			if f := strings.Fields(line); strings.Contains(f[0], "-") {
				_, _, ours = unchanging(line, self)
			} else if ours && f[0] == "Rss:" {
				list = append(list, f[1])
			}
		}
		return strings.Join(list, " ")
	}
	strings.ToValidUTF8(string(os.Args[0]), "") // some code
	before := resident()
	DropFiles()
	if after := resident(); before == "" || after == before {
		t.Errorf("%q kB of the program are in memory, and %q were before", after, before)
	}
}

func TestUnchanging(t *testing.T) {
	const exe = "/opt/my tools/dowse"
	for line, want := range map[string]bool{
		"00400000-01fdb000 r-xp 00000000 fe:00 1234                       /opt/my tools/dowse\n":             true,
		"01fdb000-03d22000 r--p 01bdb000 fe:00 1234                       /opt/my tools/dowse\n":             true,
		"03d22000-03f17000 rw-p 03922000 fe:00 1234                       /opt/my tools/dowse\n":             false,
		"7f0000000000-7f0000021000 r--p 00000000 fe:00 99                 /usr/lib/libc.so.6\n":              false,
		"7f0000000000-7f0000021000 r--s 00000000 fe:00 99                 /var/a.dowse/search/store/1.zap\n": true,
		"7f0000000000-7f0000021000 rw-s 00000000 fe:00 99                 /var/a.dowse/search/store/1.zap\n": false,
		"7f0000000000-7f0000021000 r--s 00000000 00:00 0 \n":                                                 false,
		"7f0000000000-7f0000021000 r--p 00000000 00:00 0 \n":                                                 false,
		"00400000-01fdb000 r-xp 00000000 fe:00 1234                       /old/opt/my tools/dowse2\n":        false,
		"zz-01fdb000 r-xp 00000000 fe:00 1234                             /opt/my tools/dowse\n":             false,
		"": false,
	} {
		from, to, ok := unchanging(line, exe)
		if ok != want || ok && from >= to {
			t.Errorf("%q: %x to %x, %v; want %v", line, from, to, ok, want)
		}
	}
}
