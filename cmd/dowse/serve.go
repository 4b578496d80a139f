package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/alecthomas/kong"

	"dowse/internal/api"
	"dowse/internal/dashboard"
	reports "dowse/internal/lab/report"
	"dowse/internal/operations"
	"dowse/internal/server"
	"dowse/lab/experiment"
)

// serveCmd serves the dashboard: pages in a browser over all collections that are named, or
// that are in this directory, running or not. Everything that the pages show and change goes through
// package operations, so a browser can do nothing that a command can't.
type serveCmd struct {
	Dir       []string `arg:"" optional:"" help:"Collections, or folders of them (default: this directory)."`
	Listen    string   `placeholder:"ADDR" shown:"127.0.0.1:7337" help:"Listen on this address, as 127.0.0.1:7337."`
	TokenFile string   `placeholder:"FILE" help:"Read the token from this file (mode 0600)."`
	Host      []string `sep:"none" placeholder:"NAME" help:"Answer under this host name, too; repeatable."`
	Open      bool     `help:"Open it in the browser of this desktop."`
	ReadOnly  bool     `help:"Refuse every change."`
	Pprof     bool     `help:"Serve profiles at /debug/pprof/, on loopback only."`
}

func (serveCmd) Help() string {
	return `Examples:
  dowse serve                          every collection here
  dowse serve reefs.dowse --open
  dowse serve ~/crawls --read-only
  dowse serve --listen 0.0.0.0:7337 --token-file ~/dowse.token --host crawls.lan
  dowse demo --serve                   a crawl to look at, without a network

Prints an address with a token; whoever has it can do what you can do with these
collections. The browser keeps it in a cookie, programs send it in the header
Authorization: Bearer TOKEN to /api/v1 and /metrics. Without --token-file the token is made once and kept
in $XDG_STATE_HOME/dowse/serve.token. Other machines can only connect if --listen
names an address that they reach, and then --token-file is required; put a proxy
with TLS in front. Ctrl-C ends the server; crawls that it started go on.`
}

// Run serves until it is interrupted.
func (c *serveCmd) Run(w *world) error {
	dirs := c.Dir
	if len(dirs) == 0 {
		dirs = []string{"."}
	}
	ops := operations.Config{Dirs: dirs, ReadOnly: c.ReadOnly}
	b, err := openBoard(w, ops, server.Config{Listen: c.Listen, TokenFile: c.TokenFile, Hosts: c.Host, Pprof: c.Pprof}, w.err)
	if err != nil {
		return err
	}
	fmt.Fprintf(w.err, "dashboard: %s\nCtrl-C ends it.\n", b.server.URL())
	if c.Open {
		if err := openBrowser(b.server.OpenURL()); err != nil {
			fmt.Fprintf(w.err, "note: no browser could be started (%v); open the address above\n", err)
		}
	}
	return b.serve(w.ctx)
}

// A board is an open dashboard.
type board struct {
	ops    *operations.Operations
	pages  *dashboard.Dashboard
	server *server.Server
}

// openBoard opens the dashboard over the directories of a config. Nothing is answered yet. Faults of the server are
// written to log.
func openBoard(w *world, over operations.Config, cfg server.Config, log io.Writer) (*board, error) {
	var dictionary wordNetFlag
	over.WordNet, _ = dictionary.wordNet(w) // without one, judges grow from pages alone
	over.SearchKey, over.Agreed = func() []byte { return searchKey(w.env) }, w.consent(false).keep
	ops, err := operations.New(over)
	if err != nil {
		return nil, usage("%w", err)
	}
	pages, err := dashboard.New(ops, dashboard.Config{LabDirs: labDirs(over.Dirs), LabReport: labReportOf, Experiments: labExperiments, StopMeans: stopMeans, SignalMeans: signalMeans})
	if err != nil {
		return nil, errors.Join(err, ops.Close())
	}
	cfg.StateDir, cfg.Pages, cfg.Static = stateDir(w.env), pages.Handler(), dashboard.Static()
	cfg.API, cfg.Open = api.New(ops, api.Options{Log: slog.New(slog.NewTextHandler(log, nil))}), []string{"/healthz", "/readyz", "/version"}
	s, err := server.Listen(cfg)
	if err != nil {
		pages.Close()
		return nil, errors.Join(serveUsage(err), ops.Close())
	}
	return &board{ops, pages, s}, nil
}

// serveUsage names the flags that an error of the server is about.
func serveUsage(err error) error {
	switch {
	case errors.Is(err, server.ErrToken):
		return usage("--listen %w; give --token-file, or listen on 127.0.0.1", err)
	case errors.Is(err, server.ErrPprof):
		return usage("--pprof: %w", err)
	}
	return usage("%w", err)
}

// serve answers until ctx ends.
func (b *board) serve(ctx context.Context) error {
	err := b.server.Serve(ctx)
	b.pages.Close()
	return errors.Join(err, b.ops.Close())
}

// labDirs returns where runs of the lab are looked for: in the folders that are no collections.
func labDirs(dirs []string) (list []string) {
	for _, d := range dirs {
		if filepath.Ext(d) != ".dowse" {
			list = append(list, d)
		}
	}
	return list
}

// labReportOf returns the report of a run, as dowse lab report makes it, in parts for the dashboard.
func labReportOf(dir string) (*dashboard.LabReport, error) {
	in, err := openRun(dir)
	if err != nil {
		return nil, err
	}
	rep, err := reports.New(in)
	if err != nil {
		return nil, err
	}
	out := &dashboard.LabReport{Title: in.Title, About: in.About, Paper: in.Paper, Text: rep.Text(0), Command: in.Command}
	for _, f := range slices.Concat(in.Setup, in.Web) {
		out.Setup = append(out.Setup, [2]string{f.Name, f.Value})
	}
	for i, r := range rep.Rows() {
		row := dashboard.LabRow{ID: r.ID, Strategy: r.Strategy, Oracle: r.Oracle}
		for _, n := range r.Figures {
			if i == 0 {
				out.Measures = append(out.Measures, n.Measure)
			}
			row.Cells = append(row.Cells, labCell(n))
		}
		out.Rows = append(out.Rows, row)
	}
	for _, v := range rep.Verdicts {
		out.Claims = append(out.Claims, dashboard.LabClaim{Outcome: string(v.Outcome), Says: v.Says, Expect: v.Expect, Figures: v.Figures})
	}
	out.Figures, err = labFigures(rep)
	return out, err
}

// labCell returns a figure of a table as people read it.
func labCell(n reports.Number) (c dashboard.LabCell) {
	c.Value = "–"
	if n.Value != nil {
		c.Value = labNumber(*n.Value, *n.Value)
	}
	if n.Value != nil && n.SE != nil {
		c.Error = labNumber(*n.SE, *n.Value)
	}
	c.Beats = strings.Join(n.Beats, "")
	return c
}

// labNumber returns a number with as many digits as say something where values are about as large as another one: three
// for shares, fewer for counts.
func labNumber(v, like float64) string {
	switch {
	case math.Abs(like) <= 1:
		return fmt.Sprintf("%.3f", v)
	case math.Abs(like) < 100:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// labFigures draws the figures of a report, each with its data.
func labFigures(rep *reports.Report) (list []dashboard.LabFigure, err error) {
	for _, f := range rep.Files(reports.Files{Figures: "svg"}) {
		var out bytes.Buffer
		if err := f.Write(&out); err != nil {
			return nil, err
		}
		name, isSVG := strings.CutSuffix(strings.TrimPrefix(f.Name, "figures/"), ".svg")
		switch {
		case isSVG:
			list = append(list, dashboard.LabFigure{Name: strings.ReplaceAll(name, "_", " "), SVG: out.Bytes()})
		case strings.HasSuffix(f.Name, ".csv") && len(list) > 0: // it follows its picture
			if list[len(list)-1].Table, err = csv.NewReader(&out).ReadAll(); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// labExperiments lists the built-in experiments.
func labExperiments() (list []dashboard.Experiment) {
	for _, x := range experiment.Shipped() {
		list = append(list, dashboard.Experiment{Name: x.Name, Title: x.Title, Strategies: len(x.Variants()), Claims: len(x.Checks)})
	}
	return list
}

// stateDir returns the folder of what this user's programs keep between runs, "" if the environment
// names none.
func stateDir(env func(string) string) string {
	dir := orDefault(env("XDG_STATE_HOME"), env("LOCALAPPDATA"))
	if dir == "" && env("HOME") != "" {
		dir = filepath.Join(env("HOME"), ".local", "state")
	}
	if dir == "" || !filepath.IsAbs(dir) {
		return ""
	}
	return filepath.Join(dir, "dowse")
}

// openBrowser opens an address in the browser of the desktop.
func openBrowser(address string) error {
	words := []string{"xdg-open", address}
	switch runtime.GOOS {
	case "darwin":
		words[0] = "open"
	case "windows":
		words = []string{"rundll32", "url.dll,FileProtocolHandler", address}
	}
	cmd := exec.Command(words[0], words[1:]...)
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // it may live as long as the browser
	return nil
}

// A serveAt is the value of --serve of a crawl: where the dashboard listens, serveHere if the flag has no
// value, "" for no dashboard.
type serveAt string

// serveHere is the value of --serve without an address.
const serveHere serveAt = "here"

// Decode implements kong.MapperValue for a flag whose value is optional.
func (s *serveAt) Decode(ctx *kong.DecodeContext) error {
	*s = serveHere
	if t := ctx.Scan.Peek().Type; t == kong.FlagValueToken {
		*s = serveAt(ctx.Scan.Pop().String())
	}
	return nil
}

// IsBool lets the parser accept the flag without a value.
func (serveAt) IsBool() bool { return true }

// begin opens the dashboard of a crawl that has just been opened, which pause stops. The returned function waits for the dashboard: on a terminal until Ctrl-C, so that the result can be looked
// at, elsewhere not at all, since scripts wait for the end of a crawl. If the crawl was paused from the
// dashboard, it waits in any case: whoever paused it may want to continue it there.
func (s serveAt) begin(w *world, dir string, quiet bool, pause func(), log io.Writer) (func(), error) {
	if s == "" {
		return func() {}, nil
	}
	listen := string(s)
	if s == serveHere {
		listen = ""
	}
	var asked atomic.Bool
	b, err := openBoard(w, operations.Config{Dirs: []string{dir}, Pause: func() { asked.Store(true); pause() }}, server.Config{Listen: listen}, log)
	if err != nil {
		return nil, err
	}
	if !quiet {
		fmt.Fprintf(w.err, "dashboard: %s\n", b.server.URL())
	}
	ctx, cancel := context.WithCancel(w.abort)
	done := make(chan error, 1)
	go func() { done <- b.serve(ctx) }()
	return func() {
		paused := asked.Load()
		if (w.isTTY || paused) && w.ctx.Err() == nil {
			how := "has ended"
			if paused {
				how = "was paused, and can be continued there"
			}
			fmt.Fprintf(w.err, "\nThe crawl %s; the dashboard stays until Ctrl-C:\n%s\n", how, b.server.URL())
			select {
			case <-w.ctx.Done():
			case err := <-done:
				done <- err
			}
		}
		cancel()
		if err := <-done; err != nil && !errors.Is(err, http.ErrServerClosed) {
			fmt.Fprintf(w.err, "dowse: dashboard: %v\n", err)
		}
	}, nil
}
