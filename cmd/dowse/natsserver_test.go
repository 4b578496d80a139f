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
		o.Cluster = server.ClusterOpts{Name: "c", Host: "127.0.0.1", Port: ports[1]}
		for _, port := range ports[2:] {
			o.Routes = append(o.Routes, server.RoutesFromStr(fmt.Sprintf("nats://127.0.0.1:%d", port))...)
		}
	}
	srv, err := server.NewServer(o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitUsage)
	}
	srv.Start()
	for test := os.Getppid(); os.Getppid() == test; { // a test that was interrupted leaves no server behind
		time.Sleep(time.Second)
	}
}
