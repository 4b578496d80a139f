package settings_test

import (
	"testing"
	"time"

	"dowse/settings"
)

func TestRefreshEvery(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"": 0, "none": 0, "auto": 0, "changes": 0, "7d": 7 * 24 * time.Hour, "2w": 14 * 24 * time.Hour, "0.5d": 12 * time.Hour, "90m": 90 * time.Minute,
	} {
		s := settings.Settings{Order: settings.Order{Refresh: text}}
		if err := s.Check(); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		aim := map[string]string{"auto": "auto", "changes": "changes"}[text]
		if every, got := s.RefreshEvery(); every != want || got != aim {
			t.Errorf("%q: every %v, aim %q", text, every, got)
		}
	}
	f, _ := settings.ByFlag("refresh")
	for _, text := range []string{"7", "d", "-3d", "1s", "1e300d", "NaNd", "sometimes", "999999w", "7d\n"} {
		s := settings.Settings{Order: settings.Order{Refresh: text}}
		if err := s.Check(); err == nil {
			t.Errorf("%q is kept", text)
		}
		if _, err := f.Read(text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}
