package frontier

import (
	"testing"
	"time"
)

// TestMoments checks that moments are in the order of times and give them back.
func TestMoments(t *testing.T) {
	last := never
	for i, at := range []time.Time{
		{}, time.Time{}.Add(1), time.Time{}.Add(time.Hour), time.Date(200, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(0, 0).UTC(),
		time.Date(2026, 2, 3, 4, 5, 6, 7, time.UTC), time.Date(2262, 1, 1, 0, 0, 0, 0, time.UTC),
	} {
		m := momentOf(at)
		if !m.time().Equal(at) || m < last || i > 0 && m == last {
			t.Errorf("%v became %v (%d after %d)", at, m.time(), m, last)
		}
		if got := m.moved(time.Minute); i > 0 && !got.time().Equal(at.Add(time.Minute)) || i == 0 && got != never {
			t.Errorf("a minute after %v is %v", at, got.time())
		}
		last = m
	}
	if momentOf(time.Date(1066, 1, 1, 0, 0, 0, 0, time.UTC)) >= momentOf(time.Unix(0, 0)) || momentOf(time.Date(3000, 1, 1, 0, 0, 0, 0, time.UTC)) < last {
		t.Error("times that do not fit are out of order")
	}
}
