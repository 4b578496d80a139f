// Package agents offers collections and crawls to language models and other agents, as tools and resources of the Model
// Context Protocol.
//
// # The idea
//
// Every tool is one call of package operations. This package adds what an agent needs and a person does not: a budget
// that the agent cannot exceed, answers of a bounded size, and marks around everything that comes from the web.
//
// # How the parts fit
//
// [New] makes a [Server] over operations; [Server.Stdio] and [Server.Handler] connect it to clients. tools.go declares the
// tools, crawls.go starts crawls and waits for them, read.go reads pages, bounds.go keeps answers small, untrusted.go marks
// foreign text.
//
// # What it must never do
//
// It must never let an agent do what the operator did not allow when the server was started: crawl more pages, longer or
// other networks, name a path, run a program. A topic that an agent writes is data: one that runs a program, asks a
// service or reads a file is refused. It must never return an answer above the bound, and never return text of a page
// without marking it as such.
package agents
