package outside

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// leaver is a program that starts three others which leave its process group: one that it
// goes on being the parent of, one without its environment, and one that loses its parent.
const leaver = `
setsid sh -c 'echo "left $$" >&2; exec sleep 1000 2>/dev/null >/dev/null' &
env -i PATH="$PATH" setsid sh -c 'echo "left $$" >&2; exec sleep 1000 2>/dev/null >/dev/null' &
( setsid sh -c 'echo "left $$" >&2; exec sleep 1000 2>/dev/null >/dev/null' & )
while read -r line; do echo '{"score":0.9}'; done`

// TestProgramEndsThoseThatLeft checks that nothing a program started outlives it, also
// what left its process group.
func TestProgramEndsThoseThatLeft(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("needs setsid")
	}
	left := make(chan int, 3)
	p := &Program{Command: []string{"sh", "-c", leaver}, Say: func(s string) {
		var n int
		if _, err := fmt.Sscanf(s, "left %d", &n); err == nil {
			left <- n
		}
	}}
	if _, err := ask(p, "x", patience); err != nil {
		t.Fatal(err)
	}
	pids := []int{<-left, <-left, <-left}
	for _, n := range pids {
		if !alive(n) {
			t.Fatalf("process %d never lived", n)
		}
	}
	stranger := exec.Command("sleep", "1000")
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { stranger.Process.Kill(); stranger.Wait() }()
	p.Close()
	for _, n := range pids {
		for i := 0; alive(n); i++ {
			if i > 1000 {
				exec.Command("kill", "-9", fmt.Sprint(n)).Run()
				t.Errorf("process %d outlives the program", n)
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	if !alive(stranger.Process.Pid) {
		t.Error("an unrelated process was killed")
	}
}

// TestMark checks that a mark is the whole value of the variable.
func TestMark(t *testing.T) {
	cmd := exec.Command("cat")
	f := &family{}
	f.prepare(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer in.Close()
	// The environment of a process shows a moment after it has started: one that answers has it.
	if _, err := in.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if !f.marked(cmd.Process.Pid) {
		t.Error("the program does not carry its mark")
	}
	if other := (&family{mark: strings.ToLower(f.mark)}); other.marked(cmd.Process.Pid) {
		t.Error("another mark was found")
	}
}
