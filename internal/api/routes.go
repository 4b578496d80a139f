package api

import (
	"net/http"
	"reflect"
	"time"

	"dowse/collection"
	"dowse/crawler"
	"dowse/internal/operations"
)

// A route is one operation of the API.
type route struct {
	method, path string
	name         string // operationId
	about        string
	params       []param
	body         reflect.Type // of the JSON body; nil for none
	answer       reflect.Type // of the JSON answer; nil for none
	status       int          // of success; default 200
	produces     []string     // further media types of the answer
	items        string       // the member of the answer that is a list, for NDJSON; "" for none
	handle       func(c *call) (any, error)
	raw          func(c *call) error // instead of handle: writes the answer itself
}

// A param is a parameter of the query.
type param struct {
	name, kind string // kind: string, integer, boolean, time or list
	about      string
	required   bool
	enum       []string
	least      int // of an integer
}

// The parameters that several operations have.
var (
	cursorParam = param{name: "cursor", kind: "string", about: "next of the answer before"}
	limitParam  = param{name: "limit", kind: "integer", about: "how many at most", least: 1}
	urlParam    = param{name: "url", kind: "string", about: "the URL; the scheme may be left out", required: true}
	idsParam    = param{name: "id", kind: "list", about: "a collection; repeatable", required: true}
)

// crawlPath is the path of a collection.
const crawlPath = "/crawls/{id}"

// The media types of answers that are not JSON objects.
const (
	typeJSON     = "application/json"
	typeNDJSON   = "application/x-ndjson"
	typeSSE      = "text/event-stream"
	typeMarkdown = "text/markdown"
	typeBinary   = "application/octet-stream"
)

// The lists of the API, each in an object of its own so that more can be added.
type (
	crawlList struct {
		Crawls []operations.Collection `json:"crawls"`
	}
	jobList struct {
		Jobs []operations.Job `json:"jobs" doc:"crawls that this server has started, the newest first"`
	}
	exportList struct {
		Exports []operations.Export `json:"exports" doc:"the newest first"`
	}
	eventList struct {
		Events []operations.Event `json:"events" doc:"oldest first"`
	}
)

// A crawlPatch changes a collection: its state, its settings, or both. A change of settings comes
// first.
type crawlPatch struct {
	State string              `json:"state,omitempty" doc:"running continues the crawl; paused or stopping stops it gently"`
	Set   map[string][]string `json:"set,omitempty" doc:"new values of settings, named as the flags of the command line are; entries are added to lists"`
	Reset []string            `json:"reset,omitempty" doc:"settings that return to their default"`
	Drop  []string            `json:"drop,omitempty" doc:"entries to remove from include, exclude and block"`
	By    string              `json:"by,omitempty" doc:"who asks, for the log"`
	Wait  int                 `json:"wait,omitempty" doc:"seconds to wait until a crawl has stopped; default 30"`

	Exclude   []string `json:"exclude,omitempty" doc:"the same as set.exclude: patterns of URLs that are not fetched any more"`
	Threshold *float64 `json:"threshold,omitempty" doc:"the same as set.threshold: the relevance from which a page is on topic"`
}

// A patched is what a crawlPatch did.
type patched struct {
	Changed *crawler.SetRecord  `json:"changed,omitempty"`
	Stopped *operations.Stopped `json:"stopped,omitempty"`
	Job     *operations.Job     `json:"job,omitempty"`
}

// An undoRequest goes back to an earlier model.
type undoRequest struct {
	Model string `json:"model,omitempty" doc:"the model; default the one before the present one"`
	By    string `json:"by,omitempty" doc:"who asks"`
}

// A trainRequest trains a model.
type trainRequest struct {
	Accept bool `json:"accept,omitempty" doc:"use the model even if it seems worse or changes many verdicts"`
}

// typeOf returns the type of an answer or a body.
func typeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }

// routes is the table of all operations.
var routes []route

func init() {
	routes = []route{
		{method: "GET", path: "/openapi.json", name: "getDescription", about: "This description.", raw: (*call).description},
		{method: "GET", path: "/crawls", name: "listCrawls", about: "List the collections.", answer: typeOf[crawlList](), items: "crawls", produces: []string{typeNDJSON},
			handle: func(c *call) (any, error) {
				list, err := c.ops.Collections(c.ctx, operations.CountWait)
				return crawlList{list}, err
			}},
		{method: "POST", path: "/crawls", name: "startCrawl", about: "Start a crawl, as a process of its own.", body: typeOf[operations.StartRequest](), answer: typeOf[*operations.Job](), status: http.StatusCreated, handle: (*call).start},
		{method: "POST", path: "/lab/runs", name: "startLabRun", about: "Run a built-in experiment of the lab, as a process of its own.", body: typeOf[operations.LabRequest](), answer: typeOf[*operations.Job](), status: http.StatusCreated,
			handle: func(c *call) (any, error) { return c.ops.StartLab(c.ctx, *bodyOf[operations.LabRequest](c)) }},
		{method: "GET", path: "/jobs", name: "listJobs", about: "List the crawls and runs of the lab that this server has started.", answer: typeOf[jobList](), items: "jobs", produces: []string{typeNDJSON},
			handle: func(c *call) (any, error) { return jobList{c.ops.Jobs()}, nil }},
		{method: "GET", path: crawlPath, name: "getCrawl", about: "Get the progress and the health of a collection.", answer: typeOf[*operations.Report](),
			handle: func(c *call) (any, error) { return c.ops.Status(c.ctx, c.id()) }},
		{method: "PATCH", path: crawlPath, name: "changeCrawl", about: "Change settings, pause or continue a crawl.", body: typeOf[crawlPatch](), answer: typeOf[patched](), handle: (*call).patch},
		{method: "GET", path: crawlPath + "/pages", name: "listPages", about: "List pages, or URLs that were skipped or failed.", answer: typeOf[*operations.PageList](), items: "pages", produces: []string{typeNDJSON},
			params: []param{
				{name: "verdict", kind: "string", about: "on or off of the threshold, or unsure: near it, on either side", enum: []string{"on", "off", "unsure"}},
				{name: "host", kind: "string", about: "only of this host"},
				{name: "language", kind: "string", about: "only in this language; en matches en-gb, too"},
				{name: "reason", kind: "string", about: "only pages whose verdict has a reason with this text"},
				{name: "text", kind: "string", about: "only pages with this in their title or URL"},
				{name: "model", kind: "string", about: "only pages that this judge rated"},
				{name: "skipped", kind: "string", about: "URLs that were skipped for this reason instead of pages; any for all"},
				{name: "failed", kind: "boolean", about: "URLs that failed for good instead of pages"},
				{name: "since", kind: "time", about: "only what was fetched since"},
				{name: "sort", kind: "string", about: "the order; -score and -time are the same as score and time", enum: append(operations.Sorts(), "-score", "-time")},
				cursorParam, limitParam,
			}, handle: (*call).pages},
		{method: "GET", path: crawlPath + "/page", name: "getPage", about: "Get one page: facts, text, versions and links.", params: []param{urlParam}, answer: typeOf[*operations.Page](),
			handle: func(c *call) (any, error) { return c.ops.Page(c.ctx, c.id(), c.text("url")) }},
		{method: "GET", path: crawlPath + "/markdown", name: "getMarkdown", about: "Get the own text of a page as Markdown. It comes from the web.", params: []param{urlParam, {name: "bytes", kind: "integer", about: "how much at most", least: 1}}, produces: []string{typeMarkdown}, raw: (*call).markdown},
		{method: "GET", path: crawlPath + "/why", name: "getWhy", about: "Explain what became of a URL.", params: []param{urlParam, {name: "links", kind: "boolean", about: "with every link of the page"}}, answer: typeOf[*operations.Account](),
			handle: func(c *call) (any, error) { return c.ops.Why(c.ctx, c.id(), c.text("url"), c.flag("links")) }},
		{method: "GET", path: crawlPath + "/frontier", name: "getFrontier", about: "Get what comes next, and why.", params: []param{{name: "host", kind: "string", about: "only of this host"}, limitParam}, answer: typeOf[*operations.Frontier](), items: "leads", produces: []string{typeNDJSON},
			handle: func(c *call) (any, error) {
				return c.ops.Frontier(c.ctx, c.id(), operations.FrontierQuery{Host: c.text("host"), Limit: c.number("limit")})
			}},
		{method: "GET", path: crawlPath + "/hosts", name: "listHosts", about: "List the hosts: pages, pauses, errors, robots.txt.", answer: typeOf[*operations.HostList](), items: "hosts", produces: []string{typeNDJSON},
			params: []param{
				{name: "show", kind: "string", about: "which hosts", enum: []string{"all", "on", "off", "problems"}},
				{name: "text", kind: "string", about: "only hosts with this in their name"},
				{name: "sort", kind: "string", about: "the order", enum: operations.HostSorts()},
				cursorParam, limitParam,
			},
			handle: func(c *call) (any, error) {
				return c.ops.Hosts(c.ctx, c.id(), operations.HostQuery{Show: c.text("show"), Text: c.text("text"), Sort: c.text("sort"), Cursor: c.text("cursor"), Limit: c.number("limit")})
			}},
		{method: "GET", path: crawlPath + "/problems", name: "listProblems", about: "List what did not go well, with what to do.", answer: typeOf[*operations.ProblemList](), items: "problems", produces: []string{typeNDJSON},
			handle: func(c *call) (any, error) { return c.ops.Problems(c.ctx, c.id()) }},
		{method: "GET", path: crawlPath + "/series", name: "getSeries", about: "Get the harvest curve, judged and audited, and the rate.", params: []param{{name: "points", kind: "integer", about: "points of the curve", least: 1}, {name: "step", kind: "integer", about: "instead of points: pages from one point to the next", least: 1}, {name: "window", kind: "integer", about: "pages of the moving harvest", least: 1}}, answer: typeOf[*operations.Series](), items: "points", produces: []string{typeNDJSON},
			handle: func(c *call) (any, error) {
				return c.ops.Series(c.ctx, c.id(), operations.SeriesQuery{Points: c.number("points"), Step: c.number("step"), Window: c.number("window")})
			}},
		{method: "GET", path: crawlPath + "/events", name: "listEvents", about: "Get events after one, or follow them (text/event-stream, Last-Event-ID).", params: []param{{name: "after", kind: "string", about: "the ID of an event; 0 for the first, none for what happens from now on"}, limitParam}, answer: typeOf[eventList](), items: "events", produces: []string{typeNDJSON, typeSSE}, raw: (*call).events},
		{method: "GET", path: crawlPath + "/decisions", name: "listDecisions", about: "Get every decision of the crawl since a time, one JSON object per line.", params: []param{{name: "since", kind: "time", about: "only decisions since"}}, produces: []string{typeNDJSON}, raw: (*call).decisions},
		{method: "GET", path: crawlPath + "/sites", name: "listSites", about: "List sites with their verdicts.", answer: typeOf[*operations.SiteList](), items: "sites", produces: []string{typeNDJSON},
			params: []param{
				{name: "homepage", kind: "boolean", about: "judge the hosts of a crawl for pages by their homepages"},
				{name: "all", kind: "boolean", about: "also sites that were not read"},
				{name: "on", kind: "boolean", about: "only sites on topic"},
				{name: "sort", kind: "string", about: "the order", enum: operations.SiteSorts()},
				limitParam, {name: "offset", kind: "integer", about: "how many to leave out before the first"},
			},
			handle: func(c *call) (any, error) {
				return c.ops.Sites(c.ctx, c.id(), operations.SiteQuery{Homepage: c.flag("homepage"), All: c.flag("all"), On: c.flag("on"), Sort: c.text("sort"), Limit: c.number("limit"), Offset: c.number("offset")})
			}},
		{method: "GET", path: crawlPath + "/site", name: "getSite", about: "Explain a site of a crawl for sites.", params: []param{{name: "name", kind: "string", about: "its host", required: true}}, answer: typeOf[*collection.SiteStory](),
			handle: func(c *call) (any, error) { return c.ops.SiteWhy(c.ctx, c.id(), c.text("name")) }},
		{method: "GET", path: crawlPath + "/graph", name: "getGraph", about: "Get the hosts and the links between them.", params: []param{{name: "nodes", kind: "integer", about: "how many hosts at most", least: 1}}, answer: typeOf[*operations.Graph](),
			handle: func(c *call) (any, error) { return c.ops.Graph(c.ctx, c.id(), c.number("nodes")) }},
		{method: "GET", path: crawlPath + "/search", name: "searchCrawl", about: "Find pages of a collection by their words.", params: searchParams(), answer: typeOf[*operations.Found](), items: "hits", produces: []string{typeNDJSON},
			handle: func(c *call) (any, error) { return c.search([]string{c.id()}) }},
		{method: "GET", path: "/search", name: "search", about: "Find pages of several collections by their words.", params: append(searchParams(), idsParam), answer: typeOf[*operations.Found](), items: "hits", produces: []string{typeNDJSON},
			handle: func(c *call) (any, error) { return c.search(c.list("id")) }},
		{method: "GET", path: "/compare", name: "compare", about: "Put two to four collections next to each other.", params: []param{idsParam}, answer: typeOf[*operations.Comparison](),
			handle: func(c *call) (any, error) { return c.ops.Compare(c.ctx, c.list("id")) }},
		{method: "GET", path: crawlPath + "/models", name: "listModels", about: "List the models that judged.", answer: typeOf[*operations.Models](), items: "models", produces: []string{typeNDJSON},
			handle: func(c *call) (any, error) { return c.ops.Models(c.ctx, c.id()) }},
		{method: "POST", path: crawlPath + "/models/train", name: "trainModel", about: "Train a model on all labels.", body: typeOf[trainRequest](), answer: typeOf[*collection.Model](),
			handle: func(c *call) (any, error) { return c.ops.Train(c.ctx, c.id(), bodyOf[trainRequest](c).Accept) }},
		{method: "POST", path: crawlPath + "/models/undo", name: "undoModel", about: "Go back to an earlier model.", body: typeOf[undoRequest](), answer: typeOf[*collection.Model](),
			handle: func(c *call) (any, error) {
				r := bodyOf[undoRequest](c)
				return c.ops.Undo(c.ctx, c.id(), r.Model, r.By)
			}},
		{method: "GET", path: crawlPath + "/labels", name: "listLabels", about: "List the labels in force.", answer: typeOf[*operations.Labels](), items: "labels", produces: []string{typeNDJSON},
			handle: func(c *call) (any, error) { return c.ops.Labels(c.ctx, c.id()) }},
		{method: "POST", path: crawlPath + "/labels", name: "addLabels", about: "Label pages, and train on the labels if wanted.", body: typeOf[operations.LabelRequest](), answer: typeOf[*operations.Labelled](),
			handle: func(c *call) (any, error) {
				return c.ops.Label(c.ctx, c.id(), *bodyOf[operations.LabelRequest](c))
			}},
		{method: "GET", path: crawlPath + "/queue", name: "getQueue", about: "Get pages that are worth a label.", params: []param{{name: "queue", kind: "string", about: "which", enum: []string{"unsure", "audit", "disagreements"}}, limitParam}, answer: typeOf[*operations.Queue](), items: "pages", produces: []string{typeNDJSON},
			handle: func(c *call) (any, error) {
				return c.ops.Queue(c.ctx, c.id(), c.text("queue"), c.number("limit"))
			}},
		{method: "GET", path: crawlPath + "/settings", name: "getSettings", about: "Get settings, topic and changes of settings.", answer: typeOf[*operations.Settings](),
			handle: func(c *call) (any, error) { return c.ops.Settings(c.ctx, c.id()) }},
		{method: "POST", path: crawlPath + "/judge", name: "judge", about: "Rate a text as the judge of the collection would. Nothing is fetched.", body: typeOf[operations.JudgeRequest](), answer: typeOf[*collection.Ruling](),
			handle: func(c *call) (any, error) {
				return c.ops.Judge(c.ctx, c.id(), *bodyOf[operations.JudgeRequest](c))
			}},
		{method: "POST", path: "/judge", name: "judgeByTopic", about: "Rate a text as a new crawl of a topic would, without a collection. Nothing is fetched.", body: typeOf[operations.TopicJudgeRequest](), answer: typeOf[*collection.Ruling](),
			handle: func(c *call) (any, error) {
				return c.ops.JudgeByTopic(*bodyOf[operations.TopicJudgeRequest](c))
			}},
		{method: "POST", path: crawlPath + "/forget", name: "forget", about: "Take pages down for good.", body: typeOf[operations.ForgetRequest](), answer: typeOf[*collection.Forgotten](),
			handle: func(c *call) (any, error) {
				return c.ops.Forget(c.ctx, c.id(), *bodyOf[operations.ForgetRequest](c))
			}},
		{method: "GET", path: crawlPath + "/exports", name: "listExports", about: "List the exports of a collection.", answer: typeOf[exportList](), items: "exports", produces: []string{typeNDJSON}, handle: (*call).exports},
		{method: "POST", path: crawlPath + "/exports", name: "startExport", about: "Begin an export.", body: typeOf[operations.ExportRequest](), answer: typeOf[*operations.Export](), status: http.StatusCreated, handle: (*call).export},
		{method: "GET", path: crawlPath + "/exports/{export}", name: "getExport", about: "Get how far an export is.", answer: typeOf[*operations.Export](),
			handle: func(c *call) (any, error) { return c.ops.ExportNamed(c.id(), c.r.PathValue("export")) }},
		{method: "GET", path: crawlPath + "/exports/{export}/file", name: "getExportFile", about: "Download an export that is ready.", produces: []string{typeBinary}, raw: (*call).exportFile},
		{method: "DELETE", path: crawlPath + "/exports/{export}", name: "deleteExport", about: "End an export and remove its file.", status: http.StatusNoContent,
			handle: func(c *call) (any, error) {
				return nil, c.ops.DeleteExport(c.id(), c.r.PathValue("export"))
			}},
	}
}

// searchParams returns the parameters of a search.
func searchParams() []param {
	return []param{
		{name: "q", kind: "string", about: "words, \"phrases\", -word, and conditions such as host:, lang:, date:, score:, verdict:, title:"},
		{name: "similar", kind: "string", about: "a URL; pages that share its rarest words"},
		{name: "all", kind: "boolean", about: "also pages off topic"},
		{name: "facets", kind: "boolean", about: "count all matches by verdict, host, language and year"},
		limitParam, {name: "offset", kind: "integer", about: "how many to leave out before the first"},
	}
}

// stopWait is how long a stop is waited for if the request does not say.
const stopWait = 30 * time.Second
