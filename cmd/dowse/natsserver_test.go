package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// natsServerMain is a NATS server as a process of its own, so that tests can kill it: nats-server NAME DIR
// PORT, and for a server of several the port of its route and those of all routes. Its storage is in DIR, and
// it syncs every message.
func natsServerMain() {
	args := os.Args[1:]
	var ports []int
	for _, a := range args[2:] {
		port, err := strconv.Atoi(a)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(exitUsage)
		}
		ports = append(ports, port)
	}
	o := &server.Options{ServerName: args[0], Host: "127.0.0.1", Port: ports[0], JetStream: true, SyncAlways: true, StoreDir: args[1], NoLog: true}
	if len(ports) > 1 {
		// The name keeps servers of another test out, which may have got a port that one of these had.
		o.Cluster = server.ClusterOpts{Name: fmt.Sprint("c", ports[2]), Host: "127.0.0.1", Port: ports[1]}
		for _, port := range ports[2:] {
			o.Routes = append(o.Routes, server.RoutesFromStr(fmt.Sprintf("nats://127.0.0.1:%d", port))...)
		}
	}
	srv, err := server.NewServer(o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitUsage)
	}
	srv.SetLogger(fatalLog{}, false, false)
	srv.Start()
	for test := os.Getppid(); os.Getppid() == test; { // a test that was interrupted leaves no server behind
		time.Sleep(time.Second)
	}
}

// A fatalLog prints what a NATS server can't go on with, such as a port that another program has got, and ends it. A
// server without it goes on, takes no part in the cluster, and says nothing.
type fatalLog struct{}

func (fatalLog) Noticef(string, ...any) {}
func (fatalLog) Warnf(string, ...any)   {}
func (fatalLog) Errorf(string, ...any)  {}
func (fatalLog) Debugf(string, ...any)  {}
func (fatalLog) Tracef(string, ...any)  {}

func (fatalLog) Fatalf(format string, v ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", v...)
	os.Exit(exitNetwork)
}
