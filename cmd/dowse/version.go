package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"dowse/crawler"
)

// versionCmd prints the version of the program. dowse --version is the same, since other
// programs have that flag.
type versionCmd struct {
	JSON bool `help:"Print JSON."`
}

func (versionCmd) Help() string { return "Example:\n  dowse version" }

// Run prints version, Go version and platform; JSON has the commit too.
func (c *versionCmd) Run(w *world) error {
	v := struct {
		Version string `json:"version"`
		Commit  string `json:"commit,omitempty"`
		Go      string `json:"go"`
		OS      string `json:"os"`
		Arch    string `json:"arch"`
	}{crawler.Version, commit(), runtime.Version(), runtime.GOOS, runtime.GOARCH}
	if c.JSON {
		return json.NewEncoder(w.out).Encode(v)
	}
	fmt.Fprintf(w.out, "dowse %s (%s, %s/%s)\n", v.Version, v.Go, v.OS, v.Arch)
	return nil
}

// commit returns the revision that the program was built from, "" if the build has none:
// go build records it only within a checkout.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}
