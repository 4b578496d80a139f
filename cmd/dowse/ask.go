package main

import (
	"os"
	"time"

	"dowse/collection"
	"dowse/crawler"
)

// askFlags are what the commands that ask the web without crawling can be told: the
// same words as for a crawl.
type askFlags struct {
	Agent    string        `group:"polite" placeholder:"NAME" help:"Name of the crawler, for robots.txt."`
	Contact  string        `group:"polite" placeholder:"URL" help:"Where to reach you; required on the public web."`
	Delay    time.Duration `group:"polite" default:"-1ns" shown:"1s" placeholder:"DUR" help:"Pause between two requests to a host."`
	AllowNet []string      `group:"polite" placeholder:"CIDR" help:"Private network that may be asked; repeatable."`
	Resolver string        `group:"polite" placeholder:"ADDR" help:"Ask this DNS server."`
	Timeout  time.Duration `group:"polite" shown:"60s" placeholder:"DUR" help:"Give up a download after this time."`
	MaxBody  size          `group:"polite" shown:"10MiB" placeholder:"SIZE" help:"Cut pages after this many bytes."`
	trustFlag
	Demo bool `group:"polite" help:"Ask the built-in demo web (hosts *.demo), offline."`
}

func (a *askFlags) config() crawler.Config {
	return crawler.Config{
		Agent: a.Agent, Contact: a.Contact, Polite: collection.Politeness{Delay: pause(a.Delay)},
		AllowNet: a.AllowNet, Resolver: a.Resolver, Timeout: a.Timeout, MaxBody: int64(a.MaxBody), Getenv: os.Getenv,
	}
}

// ask returns the config, ready to ask the web that is meant, and what ends the asking.
func (a *askFlags) ask(w *world) (crawler.Config, func(), error) {
	cfg := a.config()
	cfg.Consent = w.consent(a.Trust).allow
	if !a.Demo {
		return cfg, func() {}, nil
	}
	d, err := openMade(collection.Demo{Pages: demoPages})
	if err != nil {
		return cfg, nil, err
	}
	end, err := d.ask(w, &cfg)
	return cfg, end, err
}

// pause turns the flag --delay, -1ns if it was not given, into the words of a
// collection, in which zero is the default and -1ns no delay.
func pause(flag time.Duration) time.Duration {
	switch {
	case flag < 0:
		return 0
	case flag == 0:
		return -1
	}
	return flag
}
