package main

import (
	"os"
	"time"

	"dowse/collection"
	"dowse/crawler"
	"dowse/settings"
)

// askFlags are the flags of commands that send requests without crawling, such as fetch
// and judge: those of a crawl that concern a single request. They are the same settings
// with the same names and defaults, so that a page is fetched as a crawl would fetch it.
type askFlags struct {
	settings.Identity
	Delay time.Duration `name:"delay" group:"polite" type:"time" shown:"1s" placeholder:"DUR" help:"Pause between two requests to a host."`
	settings.Network
	trustFlag
	Demo bool `group:"polite" help:"Ask the built-in demo web (hosts *.demo), offline."`
}

// config returns the configuration for requests as the flags state it.
func (a *askFlags) config() crawler.Config {
	return crawler.Config{
		Settings: settings.Settings{Identity: a.Identity, Politeness: settings.Politeness{Delay: a.Delay}, Network: a.Network},
		Getenv:   os.Getenv,
	}
}

// ask returns a configuration that is ready to send requests, to the web or with --demo
// to the built-in web, and a function that ends them. The caller calls that function
// unless there is an error. Nothing is sent yet.
func (a *askFlags) ask(w *world) (crawler.Config, func(), error) {
	cfg := a.config()
	cfg.Consent = w.consent(a.Trust).allow
	if !a.Demo {
		return cfg, func() {}, nil
	}
	d, err := openDemoWeb(collection.Demo{Pages: demoPages})
	if err != nil {
		return cfg, nil, err
	}
	end, err := d.ask(w, &cfg)
	return cfg, end, err
}
