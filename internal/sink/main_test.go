package sink_test

import (
	"fmt"
	"os"
	"testing"

	"dowse/internal/durable"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(receiverVar); dir != "" {
		if err := receive(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	durable.UsualFloor = 1 << 20 // tests run on any disk
	os.Exit(m.Run())
}
