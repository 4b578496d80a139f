package main

import "errors"

// The commands in this file stand in until those over a collection's contents are
// there.

var errPending = errors.New("this command is not there yet")

type whyCmd struct {
	Dir string `arg:"" help:"Collection."`
	URL string `arg:"" help:"URL."`
}

func (whyCmd) Help() string      { return "Example:\n  dowse why reefs.dowse https://example.org/" }
func (*whyCmd) Run(*world) error { return errPending }

type pagesCmd struct {
	Dir string `arg:"" help:"Collection."`
}

func (pagesCmd) Help() string      { return "Example:\n  dowse pages reefs.dowse" }
func (*pagesCmd) Run(*world) error { return errPending }

type hostsCmd struct {
	Dir string `arg:"" help:"Collection."`
}

func (hostsCmd) Help() string      { return "Example:\n  dowse hosts reefs.dowse" }
func (*hostsCmd) Run(*world) error { return errPending }

type exportCmd struct {
	Dir string `arg:"" help:"Collection."`
	Out string `arg:"" help:"File."`
}

func (exportCmd) Help() string      { return "Example:\n  dowse export reefs.dowse reefs.wacz" }
func (*exportCmd) Run(*world) error { return errPending }

type collectionCmd struct {
	Verify collectionVerifyCmd `cmd:"" help:"Check it."`
}

func (collectionCmd) Help() string { return "Example:\n  dowse collection verify reefs.dowse" }

type collectionVerifyCmd struct {
	Dir string `arg:"" help:"Collection."`
}

func (collectionVerifyCmd) Help() string      { return "Example:\n  dowse collection verify reefs.dowse" }
func (*collectionVerifyCmd) Run(*world) error { return errPending }

type forgetCmd struct {
	Dir string `arg:"" help:"Collection."`
	URL string `arg:"" help:"URL."`
}

func (forgetCmd) Help() string      { return "Example:\n  dowse forget reefs.dowse https://example.org/" }
func (*forgetCmd) Run(*world) error { return errPending }
