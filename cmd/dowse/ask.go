package main

import (
	"os"
	"time"

	"dowse/collection"
	"dowse/crawler"
	"dowse/settings"
)

// askFlags are the flags of commands that ask the web without crawling: those of a crawl,
// as far as they concern a single request.
type askFlags struct {
	settings.Identity
	Delay time.Duration `name:"delay" group:"polite" type:"time" shown:"1s" placeholder:"DUR" help:"Pause between two requests to a host."`
	settings.Network
	trustFlag
	Demo bool `group:"polite" help:"Ask the built-in demo web (hosts *.demo), offline."`
}

func (a *askFlags) config() crawler.Config {
	return crawler.Config{
		Settings: settings.Settings{Identity: a.Identity, Politeness: settings.Politeness{Delay: a.Delay}, Network: a.Network},
		Getenv:   os.Getenv,
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
