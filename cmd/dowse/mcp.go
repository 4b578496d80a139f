package main

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/agents"
	"dowse/internal/operations"
	"dowse/internal/server"
)

// mcpCmd offers the collections of a folder to agents, as tools of the Model Context Protocol. The flags
// bound what agents may do: no call can exceed them.
type mcpCmd struct {
	Dir       string        `arg:"" optional:"" default:"." help:"Folder in which collections are found and made."`
	HTTP      string        `name:"http" placeholder:"ADDR" help:"Serve streamable HTTP on this address, not stdio."`
	TokenFile string        `placeholder:"FILE" help:"Read the token for HTTP from this file (mode 0600)."`
	Host      []string      `sep:"none" placeholder:"NAME" help:"Answer HTTP under this host name, too; repeatable."`
	ReadOnly  bool          `help:"No crawls, labels or exports."`
	Demo      bool          `help:"Crawl the built-in demo web, offline."`
	Contact   string        `placeholder:"URL" help:"Where to reach you; required on the public web."`
	Agent     string        `placeholder:"NAME" help:"Name of the crawler, for robots.txt."`
	AllowNet  []string      `placeholder:"CIDR" help:"Private networks that crawls may reach; repeatable."`
	Pages     int           `default:"1000" placeholder:"N" help:"Largest number of pages of one crawl."`
	Time      time.Duration `default:"1h" placeholder:"DUR" help:"Longest running time of one crawl."`
	Bytes     shardSize     `default:"1GB" placeholder:"SIZE" help:"Most that one crawl may receive."`
	Crawls    int           `default:"2" placeholder:"N" help:"Crawls that may run at the same time."`
	Answer    shardSize     `default:"64KB" placeholder:"SIZE" help:"Largest size of one answer."`
}

func (mcpCmd) Help() string {
	return `Examples:
  dowse mcp ~/crawls --contact https://example.org/bot
  dowse mcp ~/crawls --contact https://example.org/bot --pages 200 --time 10m
  dowse mcp ~/crawls --read-only
  dowse mcp /tmp/try --demo                try it without a network
  dowse mcp ~/crawls --http 127.0.0.1:7338 --contact https://example.org/bot

In the configuration of a client:
  {"mcpServers": {"dowse": {"command": "dowse",
    "args": ["mcp", "/home/me/crawls", "--contact", "https://example.org/me"]}}}

Tools: collect (topic and seeds to Markdown in one call), start_crawl, wait, status,
continue_crawl, stop_crawl, list_collections, search, list_pages, read_page, read_pages,
why, label, export. Pages are resources, too.

Agents can do no more than these flags allow: no other networks, larger crawls or other
folders, and no programs. Text of pages is marked as untrusted. When the server ends,
crawls that it started stop; dowse crawl DIR continues them.

Over HTTP, clients send the token as Authorization: Bearer TOKEN. Without --token-file it
is kept in $XDG_STATE_HOME/dowse/serve.token. Other machines can only connect if --http
names an address that they reach, and then --token-file is required.`
}

// Run serves one client over stdin and stdout, or many over HTTP, until the client has gone or a signal
// comes.
func (c *mcpCmd) Run(w *world) error {
	if err := c.check(); err != nil {
		return err
	}
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return usage("%w", err)
	}
	ops, err := operations.New(operations.Config{
		Dirs: []string{dir}, Into: dir, ReadOnly: c.ReadOnly, Crawls: c.Crawls, CrawlFlags: c.crawlFlags(), Bound: true,
		SearchKey: func() []byte { return searchKey(w.env) },
	})
	if err != nil {
		return usage("%w", err)
	}
	s, err := agents.New(agents.Config{
		Operations: ops, Exports: dir, ReadOnly: c.ReadOnly, Demo: c.Demo, Version: crawler.Version,
		Pages: c.Pages, Time: c.Time, Bytes: int64(c.Bytes), Result: int(c.Answer),
	})
	if err != nil {
		return errors.Join(usage("%w", err), ops.Close())
	}
	defer w.ends.finish()() // crawls that were started finish their visits
	err = c.serve(w, s)
	return errors.Join(err, s.Close(), ops.Close())
}

// check checks the flags.
func (c *mcpCmd) check() error {
	if info, err := os.Stat(c.Dir); err != nil || !info.IsDir() {
		return usage("%s is not a folder; make it first: collections are made in it", c.Dir)
	}
	switch {
	case collection.IsCollection(c.Dir):
		return usage("%s is a collection; give the folder that it is in", c.Dir)
	case c.Pages < 1 || c.Time < time.Second || c.Bytes < 1e6 || c.Crawls < 1:
		return usage("--pages and --crawls must be at least 1, --time 1s and --bytes 1MB")
	case c.Answer < 4<<10 || c.Answer > 4<<20:
		return usage("--answer: got %s, want 4KB to 4MB", bytesText(int64(c.Answer)))
	case c.HTTP == "" && (c.TokenFile != "" || len(c.Host) > 0):
		return usage("--token-file and --host are for --http")
	}
	for _, network := range c.AllowNet {
		if !isNetwork(network) {
			return usage("--allow-net: got %q, want a network as 10.0.0.0/8, or an address", network)
		}
	}
	return nil
}

// crawlFlags returns the flags that every crawl of an agent has.
func (c *mcpCmd) crawlFlags() []string {
	flags := []string{"--until-eof"}
	if c.Contact != "" {
		flags = append(flags, "--contact="+c.Contact)
	}
	if c.Agent != "" {
		flags = append(flags, "--agent="+c.Agent)
	}
	for _, net := range c.AllowNet {
		flags = append(flags, "--allow-net="+net)
	}
	return flags
}

// serve answers until the client has gone or w.ctx ends.
func (c *mcpCmd) serve(w *world, s *agents.Server) error {
	if c.HTTP == "" {
		if err := s.Stdio(w.ctx, io.NopCloser(w.in), unclosed{w.out}); err != nil {
			return usage("the client sent what is no message of the protocol: %w", err)
		}
		return nil
	}
	mux := http.NewServeMux()
	mux.Handle(mcpPath, s.Handler())
	state := stateDir(w.env)
	door, err := server.Listen(server.Config{Listen: c.HTTP, TokenFile: c.TokenFile, Hosts: c.Host, StateDir: state, Pages: mux})
	if errors.Is(err, server.ErrToken) {
		return usage("--http %w; give --token-file, or listen on 127.0.0.1", err)
	}
	if err != nil {
		return usage("%w", err)
	}
	fmt.Fprintf(w.err, "tools for agents: http://%s%s\n", door.Addr(), mcpPath)
	switch {
	case c.TokenFile != "":
	case state != "":
		fmt.Fprintf(w.err, "token: in %s\n", oneLine(filepath.Join(state, "serve.token")))
	default:
		fmt.Fprintf(w.err, "token, for this run only: %s\n", door.Token())
	}
	return door.Serve(w.ctx)
}

// mcpPath is the path of the tools over HTTP.
const mcpPath = "/mcp"

// unclosed is a writer whose Close does nothing: the process closes its standard output.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }
