package main

import (
	"net"
	"time"
)

// A notifier reports the state of a crawl to systemd, for units with Type=notify: that it is
// ready, that it still runs (for WatchdogSec=), and that it stops. Without the variable
// NOTIFY_SOCKET, or with a socket that does not accept it, nothing is sent.
type notifier struct {
	address string
	last    time.Time // of the last sign of life
}

// notifyEvery is how often a sign of life is sent.
const notifyEvery = 5 * time.Second

func newNotifier(env func(string) string) *notifier { return &notifier{address: env("NOTIFY_SOCKET")} }

// send sends a state.
func (n *notifier) send(state string) {
	if n.address == "" {
		return
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: n.address, Net: "unixgram"})
	if err != nil {
		return
	}
	defer conn.Close()
	_, _ = conn.Write([]byte(state))
}

// alive sends a sign of life if that is due. The loop of the crawl calls it, so a loop that
// hangs sends none.
func (n *notifier) alive() {
	if now := time.Now(); now.Sub(n.last) >= notifyEvery {
		n.last = now
		n.send("WATCHDOG=1")
	}
}
