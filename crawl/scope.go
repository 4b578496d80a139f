package crawl

import "dowse/internal/admission"

// Scope limits the URLs that a crawl may visit.
type Scope = admission.Scope

// Reach is how far from the seeds a crawl may go.
type Reach = admission.Reach

// The reaches.
const (
	ReachWeb    = admission.ReachWeb    // anywhere
	ReachDomain = admission.ReachDomain // the seeds' registrable domains
	ReachHost   = admission.ReachHost   // the seeds' hosts
	ReachPrefix = admission.ReachPrefix // URLs that begin as a seed's directory does
)

// Traps bounds how much of a crawl goes into URLs that a server generates without end.
type Traps = admission.Traps
