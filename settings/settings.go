// Package settings declares what a person decides about a crawl: how far it goes, where, how
// politely, under which name. Every setting is one struct field, and the field's tags are the
// table from which the rest of the program is derived: the key in crawl.yaml, the flag with
// its help, the environment variable, the default, the bounds, and what happens when the value
// changes at a resume. A new setting is one field here, and the code that uses its value.
//
// A zero field means that the setting was not given. [Settings.Resolved] replaces it by the
// default, so that no other package has to know what an unset value means.
package settings

import "time"

// Settings are what a person decides about a crawl, as far as it was given. The groups are
// embedded, so that fields are reached by their own names; no two groups share one.
//
// These tags describe a field:
//
//	yaml         key in crawl.yaml
//	name, short  flag of the command line; kong:"-" for none
//	help, placeholder, group, rare, sep, enum   how the flag is listed and read
//	type         how a text is read and printed, see [Kind]
//	shown        default, as a text
//	var          environment variable
//	config       which config files may set it: any, own (the user's own file only) or
//	             new (any file, but only for crawls that begin)
//	when         when the value can change: create, again (at a resume, and everything is
//	             decided again) or resume
//	min, max     bounds of a number; of a text or a list, max is its length
//	zero, none   value that the texts "0" and "none" are kept as, where 0 means unset
//	merge        add: values that are given at a resume are added to those that are kept
type Settings struct {
	Order `yaml:",inline"`

	// Key is the random seed: of the fingerprints of URLs, and of all that is drawn.
	Key uint64 `yaml:"key" name:"rng" group:"order" rare:"" placeholder:"N" var:"DOWSE_CRAWL_RNG" when:"create" help:"Random seed; set it for a reproducible crawl."`

	// Contrast selects the negative examples of a topic that has none: pages seen in the
	// crawl, or everyday pages.
	Contrast string `yaml:"contrast,omitempty" name:"contrast" group:"order" rare:"" enum:",seen,everyday" default:"" shown:"seen" placeholder:"KIND" var:"DOWSE_CRAWL_CONTRAST" when:"resume" help:"Negative examples if the topic has none: seen or everyday."`

	// Index is whether the program keeps the full-text index up to date while it crawls. The crawl
	// itself does not depend on it.
	Index string `yaml:"index,omitempty" name:"index" group:"output" rare:"" enum:",background,none" default:"" shown:"background" placeholder:"HOW" var:"DOWSE_CRAWL_INDEX" when:"resume" help:"Index pages for dowse search: background or none."`

	// Sinks are where pages are sent while they are crawled: jsonl:FILE, URLs of services, and options behind a #.
	Sinks []string `yaml:"sinks,omitempty" name:"sink" group:"output" rare:"" sep:"none" type:"sink" placeholder:"URL" max:"16" config:"own" var:"DOWSE_CRAWL_SINK" when:"resume" help:"Also send pages to this sink; see dowse help sinks; repeatable."`

	// SinkWait is how long the sinks may take to catch up after the crawl has ended; -1 does not wait.
	SinkWait time.Duration `yaml:"sink_wait,omitempty" name:"sink-wait" group:"output" rare:"" type:"time" shown:"10s" placeholder:"DUR" min:"0s" max:"24h" zero:"-1" config:"own" var:"DOWSE_CRAWL_SINK_WAIT" when:"resume" help:"Wait this long for sinks when the crawl has ended."`

	Scope      `yaml:"scope,omitempty"`
	Limits     `yaml:"limits,omitempty"`
	Identity   `yaml:"identity,omitempty"`
	Politeness `yaml:"politeness,omitempty"`
	Network    `yaml:"network,omitempty"`
	Machine    `yaml:"machine,omitempty"`
	Requisites `yaml:"requisites,omitempty"`
}

// Order selects the order in which pages are visited, and what counts as on topic.
type Order struct {
	// Strategy ranks the links: NAME or NAME:key=value,...
	Strategy string `yaml:"strategy" name:"strategy" group:"order" shown:"auto" placeholder:"NAME" max:"10000" config:"new" var:"DOWSE_STRATEGY" when:"create" help:"Rank links by NAME[:key=value,...]; see dowse help strategies."`

	// Shadows are strategies that rank the same links without steering the crawl.
	Shadows []string `yaml:"shadows,omitempty" name:"shadow" group:"order" rare:"" sep:"none" placeholder:"NAME,..." max:"8" var:"DOWSE_CRAWL_SHADOW" when:"create" help:"Strategies that rank the same links without steering."`

	// Explore is the share of the links that are picked at random.
	Explore float64 `yaml:"explore,omitempty" name:"explore" group:"order" rare:"" type:"share" shown:"0" placeholder:"SHARE" min:"0" max:"1" var:"DOWSE_CRAWL_EXPLORE" when:"create" help:"Pick this share of the links at random."`

	// Templates is what is done without the parts of pages that other pages of their host have too, such as menus: judge
	// (the judge does not read them) and links (links in them are followed without their words).
	Templates []string `yaml:"templates,omitempty" name:"templates" group:"order" rare:"" enum:"judge,links" placeholder:"WHAT,..." max:"2" var:"DOWSE_CRAWL_TEMPLATES" when:"create" help:"Leave out what a host repeats: for the judge, links or both."`

	// Refresh has pages on topic asked again, to see whether they have changed: after this time; auto, where a request
	// finds most and keeps most pages up to date; changes, where it finds most; none for never. See [Order.RefreshEvery].
	Refresh string `yaml:"refresh,omitempty" name:"refresh" group:"much" rare:"" type:"often" placeholder:"7d|auto|changes" max:"20" var:"DOWSE_CRAWL_REFRESH" when:"resume" help:"Ask again for pages: after a time, auto, changes, none."`

	// RefreshShare is the share of the requests that ask for pages again, while there are new ones to visit.
	RefreshShare float64 `yaml:"refresh_share,omitempty" name:"refresh-share" group:"much" rare:"" type:"share" shown:"0.2" placeholder:"SHARE" min:"0" max:"1" var:"DOWSE_CRAWL_REFRESH_SHARE" when:"resume" help:"Share of the requests for asking again."`

	// Threshold is the relevance from which a page is on topic.
	Threshold float64 `yaml:"threshold" name:"threshold" group:"order" rare:"" type:"share" shown:"0.5" placeholder:"X" min:"0" max:"1" var:"DOWSE_CRAWL_THRESHOLD" when:"again" help:"Relevance from which a page is on topic."`
}

// Limits end a crawl, or bound what it queues. The first limit that is reached counts. Zero
// means no limit.
type Limits struct {
	// Pages is the number of pages to fetch.
	Pages int `yaml:"pages,omitempty" name:"pages" short:"n" group:"much" type:"count" placeholder:"N" min:"0" max:"1099511627776" var:"DOWSE_CRAWL_PAGES" when:"resume" help:"Stop after N pages fetched (0: no limit)."`

	// OnTopic is the number of pages on topic to fetch.
	OnTopic int `yaml:"on_topic,omitempty" name:"on-topic" group:"much" type:"count" placeholder:"N" min:"0" max:"1099511627776" var:"DOWSE_CRAWL_ON_TOPIC" when:"resume" help:"Stop after N pages on topic."`

	// Bytes is how much is received, as it comes over the wire.
	Bytes int64 `yaml:"bytes,omitempty" name:"bytes" group:"much" rare:"" type:"size" placeholder:"SIZE" min:"0" max:"1152921504606846976" var:"DOWSE_CRAWL_BYTES" when:"resume" help:"Stop after this many bytes received (e.g. 5GB)."`

	// Time is how long the crawl may run, all runs together.
	Time time.Duration `yaml:"time,omitempty" name:"time" group:"much" type:"time" placeholder:"DUR" min:"0s" max:"876000h" var:"DOWSE_CRAWL_TIME" when:"resume" help:"Stop after this running time (e.g. 2h)."`

	// PerHost is the number of pages to fetch from one host.
	PerHost int `yaml:"per_host,omitempty" name:"per-host" group:"much" type:"count" placeholder:"N" min:"0" max:"1099511627776" config:"new" var:"DOWSE_CRAWL_PER_HOST" when:"resume" help:"Fetch at most N pages per host."`

	// Depth is the number of links between a seed and a page.
	Depth int `yaml:"max_depth,omitempty" name:"max-depth" group:"where" rare:"" type:"count" placeholder:"N" min:"0" max:"1099511627776" var:"DOWSE_CRAWL_MAX_DEPTH" when:"resume" help:"Follow at most N links from a seed."`

	// Tunnel is the number of off-topic pages in a row that are followed; -1 follows none.
	Tunnel int `yaml:"tunnel,omitempty" name:"tunnel" group:"where" rare:"" type:"count" shown:"none" placeholder:"N" min:"0" max:"1099511627776" zero:"-1" none:"0" var:"DOWSE_CRAWL_TUNNEL" when:"resume" help:"Follow at most N off-topic pages in a row."`

	// Dry ends a crawl that has found most of what there is, or finds hardly anything any more.
	Dry Dry `yaml:",inline" name:"until" group:"much" rare:"" type:"until" placeholder:"RULE" var:"DOWSE_CRAWL_UNTIL" when:"resume" help:"Stop at 'recall>0.8', 'gain<0.01 over 500' or 'pprs>20 over 5000'."`
}

// Dry ends a crawl by what it finds. Of several rules the first that comes true counts; a
// rule whose number is zero is not given.
type Dry struct {
	// Harvest and Over end a crawl when fewer than Harvest of the last Over pages were on
	// topic.
	Harvest float64 `yaml:"until_harvest,omitempty" kong:"-"`
	Over    int     `yaml:"until_over,omitempty" kong:"-"`

	// Gain and GainOver do the same, but a near-duplicate of an earlier page is no gain.
	Gain     float64 `yaml:"until_gain,omitempty" kong:"-"`
	GainOver int     `yaml:"until_gain_over,omitempty" kong:"-"`

	// Recall ends a crawl when more than this share of the pages on topic within reach is
	// found, by the crawl's own estimate.
	Recall float64 `yaml:"until_recall,omitempty" kong:"-"`

	// PPRS and PPRSOver end a crawl for sites when more than PPRS pages were read per site
	// on topic, over whole sites back until they have PPRSOver pages.
	PPRS     float64 `yaml:"until_pprs,omitempty" kong:"-"`
	PPRSOver int     `yaml:"until_pprs_over,omitempty" kong:"-"`
}

// Scope limits which URLs a crawl may visit.
type Scope struct {
	// Reach is how far from the seeds the crawl goes: the web, or the domains, hosts or
	// directories of the seeds.
	Reach string `yaml:"reach,omitempty" name:"scope" group:"where" enum:",web,domain,host,prefix" default:"" shown:"web" placeholder:"HOW" config:"new" var:"DOWSE_CRAWL_SCOPE" when:"again" help:"Stay on web, domain, host or prefix of the seeds."`

	// Include and Exclude are regular expressions. A URL must match one of Include, if
	// there are any, and none of Exclude.
	Include []string `yaml:"include,omitempty" name:"include" group:"where" rare:"" sep:"none" type:"pattern" placeholder:"RE" max:"100000" merge:"add" var:"DOWSE_CRAWL_INCLUDE" when:"again" help:"Fetch only URLs that match; repeatable."`
	Exclude []string `yaml:"exclude,omitempty" name:"exclude" group:"where" sep:"none" type:"pattern" placeholder:"RE" max:"100000" merge:"add" var:"DOWSE_CRAWL_EXCLUDE" when:"again" help:"Never fetch URLs that match; repeatable."`

	// Block are hosts that are never asked, at every port unless they name one.
	Block []string `yaml:"block,omitempty" kong:"-" max:"1048576" merge:"add" when:"again" help:"Hosts that are never asked."`
}

// Politeness limits how often and how fast hosts are visited.
type Politeness struct {
	// Delay is the pause between the end of a visit to a host and the next; None for none.
	Delay time.Duration `yaml:"delay,omitempty" name:"delay" group:"polite" type:"time" shown:"1s" placeholder:"DUR" min:"0s" max:"24h" zero:"-1" config:"begin" var:"DOWSE_DELAY" when:"resume" help:"Pause between two requests to a host."`

	// Conns is the number of concurrent visits to a host.
	Conns int `yaml:"host_conns,omitempty" name:"host-conns" group:"polite" rare:"" type:"count" shown:"1" placeholder:"N" min:"0" max:"10000" config:"begin" var:"DOWSE_HOST_CONNS" when:"resume" help:"Concurrent requests per host."`

	// InFlight is the number of concurrent visits over all hosts.
	InFlight int `yaml:"conns,omitempty" name:"conns" group:"polite" rare:"" type:"count" shown:"64" placeholder:"N" min:"0" max:"10000" config:"any" var:"DOWSE_CONNS" when:"resume" help:"Concurrent requests in all."`

	// MaxRate is the number of visits per second over all hosts; 0 for no limit.
	MaxRate float64 `yaml:"max_rate,omitempty" name:"max-rate" group:"polite" rare:"" type:"rate" placeholder:"RATE" min:"0" max:"1000000" config:"begin" var:"DOWSE_MAX_RATE" when:"resume" help:"Requests per second in all (e.g. 20/s)."`

	// Prefer says what to spare: pages, by waiting for better links of resting hosts, or
	// time, by always visiting the best link that is ready.
	Prefer string `yaml:"prefer,omitempty" name:"prefer" group:"polite" rare:"" enum:",pages,time" default:"" shown:"pages" placeholder:"WHAT" var:"DOWSE_CRAWL_PREFER" when:"resume" help:"Spare pages (wait for better links) or time (do not)."`

	// Hold is the share of the waiting links, best first, among which a link must be to be
	// visited while better ones wait for hosts that will be free soon. So pages are not
	// spent on what is merely at hand. It counts if Prefer is pages; -1 never waits.
	Hold float64 `yaml:"hold,omitempty" name:"hold" group:"polite" rare:"" type:"share" shown:"0.05" placeholder:"X" min:"0" max:"1" zero:"-1" none:"-1" var:"DOWSE_CRAWL_HOLD" when:"resume" help:"Wait for a link of the best share X; none never waits."`

	// Patience ends the crawl when no host answers, or may be visited, for so long. A rest
	// that politeness demands does not count.
	Patience time.Duration `yaml:"patience,omitempty" name:"patience" group:"polite" rare:"" type:"time" shown:"2m" placeholder:"DUR" min:"0s" max:"876000h" var:"DOWSE_CRAWL_PATIENCE" when:"resume" help:"End when no host answers for this long."`

	// NoFollow follows links that are marked nofollow all the same.
	NoFollow bool `yaml:"follow_nofollow,omitempty" kong:"-" when:"resume" help:"Follow links that are marked nofollow."`

	// Outage ends the crawl when this machine has no network for so long.
	Outage time.Duration `yaml:"-" kong:"-" type:"time" shown:"12h" min:"0s" max:"876000h" when:"resume" help:"End when this machine has no network for this long."`

	// MaxDelay bounds how far a Crawl-delay, or a slow host, slows the crawl of a host down.
	MaxDelay time.Duration `yaml:"-" kong:"-" type:"time" shown:"1m" min:"0s" max:"876000h" when:"resume" help:"Longest pause that a Crawl-delay can ask for."`
}

// None is a [Politeness].Delay of zero: the zero value means that none was given.
const None time.Duration = -1

// Identity is what hosts are shown of the person who crawls.
type Identity struct {
	// Agent is the product token by which robots.txt names the crawler.
	Agent string `yaml:"agent,omitempty" name:"agent" group:"polite" shown:"dowse" placeholder:"NAME" max:"200" config:"begin" var:"DOWSE_AGENT" when:"resume" help:"Name of the crawler, for robots.txt."`

	// Contact is a URL or mail address at which the owner of the crawler is reached.
	Contact string `yaml:"contact,omitempty" name:"contact" group:"polite" placeholder:"URL" max:"1000" config:"begin" var:"DOWSE_CONTACT" when:"resume" help:"Where to reach you; required on the public web."`
}

// Network limits which addresses may be reached, and how.
type Network struct {
	// AllowNet are the networks or addresses that are not public and may be crawled.
	AllowNet []string `yaml:"allow_net,omitempty" name:"allow-net" group:"polite" rare:"" type:"net" placeholder:"CIDR" max:"1000" config:"own" var:"DOWSE_CRAWL_ALLOW_NET" when:"resume" help:"Private network that may be reached; repeatable."`

	// Resolver is the address of a DNS server, in place of the system's.
	Resolver string `yaml:"resolver,omitempty" name:"resolver" group:"polite" rare:"" placeholder:"ADDR" max:"300" config:"own" var:"DOWSE_RESOLVER" when:"resume" help:"Ask this DNS server."`

	// Timeout bounds the time of a download.
	Timeout time.Duration `yaml:"timeout,omitempty" name:"timeout" group:"polite" rare:"" type:"time" shown:"60s" placeholder:"DUR" min:"0s" max:"24h" config:"any" var:"DOWSE_TIMEOUT" when:"resume" help:"Give up a download after this time."`

	// MaxBody bounds the bytes of one page.
	MaxBody int64 `yaml:"max_body,omitempty" name:"max-body" group:"polite" rare:"" type:"size" shown:"10MiB" placeholder:"SIZE" min:"0" max:"1073741824" config:"any" var:"DOWSE_MAX_BODY" when:"resume" help:"Cut pages after this many bytes."`
}

// Machine bounds what a crawl takes of the machine that it runs on.
type Machine struct {
	// DiskFloor ends the crawl when fewer bytes are free on the disk of the collection. The
	// default is less on a small disk, at most a tenth of it, and for a crawl of few pages. -1
	// never ends it.
	DiskFloor int64 `yaml:"disk_floor,omitempty" name:"disk-floor" group:"much" rare:"" type:"size" shown:"2GB" placeholder:"SIZE" min:"0" max:"1152921504606846976" zero:"-1" none:"-1" config:"any" var:"DOWSE_DISK_FLOOR" when:"resume" help:"Stop when less than this is free on the disk."`

	// MemoryLimit is the memory of the process; 0 for as much as it takes. Near the limit links that promise
	// least are not remembered any more.
	MemoryLimit int64 `yaml:"memory,omitempty" name:"memory" group:"much" rare:"" type:"size" placeholder:"SIZE" min:"100000000" max:"1152921504606846976" none:"0" config:"any" var:"DOWSE_MEMORY" when:"resume" help:"Use at most this much memory (e.g. 2GB)."`
}

// Requisites are what pages on topic need to be shown: images, style sheets, scripts, fonts and
// icons. They are fetched for the archive, after the pages of a run, and so are the wishes of owners
// about text and data mining.
type Requisites struct {
	// WithRequisites has them fetched.
	WithRequisites bool `yaml:"fetch,omitempty" name:"requisites" group:"output" rare:"" var:"DOWSE_CRAWL_REQUISITES" when:"resume" help:"Archive images, style sheets, scripts and fonts, too."`

	// WithTDMRep has the hosts of pages on topic asked for the file in which they reserve text and data mining.
	WithTDMRep bool `yaml:"tdmrep,omitempty" name:"tdmrep" group:"output" rare:"" var:"DOWSE_CRAWL_TDMREP" when:"resume" help:"Ask hosts for /.well-known/tdmrep.json, for exports."`

	// PerPage and PageBytes are how many requisites of a page are fetched, and how many bytes of them.
	PerPage   int   `yaml:"per_page,omitempty" name:"requisites-per-page" group:"output" rare:"" type:"count" shown:"100" placeholder:"N" min:"0" max:"10000" var:"DOWSE_CRAWL_REQUISITES_PER_PAGE" when:"resume" help:"Fetch at most N requisites of a page."`
	PageBytes int64 `yaml:"page_bytes,omitempty" name:"requisites-page-bytes" group:"output" rare:"" type:"size" shown:"20MB" placeholder:"SIZE" min:"0" max:"1152921504606846976" var:"DOWSE_CRAWL_REQUISITES_PAGE_BYTES" when:"resume" help:"Fetch at most this much of a page's requisites."`

	// AllBytes is how many bytes of requisites the collection may have.
	AllBytes int64 `yaml:"all_bytes,omitempty" name:"requisites-bytes" group:"output" rare:"" type:"size" shown:"2GB" placeholder:"SIZE" min:"0" max:"1152921504606846976" var:"DOWSE_CRAWL_REQUISITES_BYTES" when:"resume" help:"Fetch at most this much of requisites in all."`
}
