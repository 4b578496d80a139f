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

// Run prints version, commit, Go version and platform.
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
	built := "commit unknown"
	if v.Commit != "" {
		built = "commit " + v.Commit[:min(len(v.Commit), 12)]
	}
	fmt.Fprintf(w.out, "dowse %s (%s, %s, %s/%s)\n", v.Version, built, v.Go, v.OS, v.Arch)
	return nil
}

// revision is the commit that a release was built from; the linker sets it. It is "" in other
// builds.
var revision string

// commit returns the revision that the program was built from, "" if the build has none:
// go build records it only within a checkout.
func commit() string {
	if revision != "" {
		return revision
	}
	return buildSetting("vcs.revision")
}

// changed reports whether the program was built from files that differ from its commit. A
// release was not.
func changed() bool { return revision == "" && buildSetting("vcs.modified") == "true" }

// buildSetting returns what go build recorded under a key, "" if it recorded nothing.
func buildSetting(key string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
