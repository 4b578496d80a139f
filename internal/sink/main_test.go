package sink_test

import (
	"os"
	"testing"

	"dowse/internal/durable"
)

func TestMain(m *testing.M) {
	durable.UsualFloor = 1 << 20 // tests run on any disk
	os.Exit(m.Run())
}
