// Package operations is everything that a person or a program may ask of collections, or do
// to them: one Go call per question and per change, with plain structs as answers. The
// command line, the HTTP API, the dashboard and the tools for agents call it, so none of them
// can answer differently or do what another can't.
//
// # How the parts fit
//
// [New] makes an [Operations] over directories. A directory is a collection, or a folder whose
// collections (NAME.dowse) are found by name; collections that appear there later are found,
// too. Each has a name within the process ([Collection.ID]), which every other call takes first.
//
//	reading   Collections, Status, Pages, Page, Markdown, Why, Judge, Frontier, Hosts, Problems, Series,
//	          Follow (events), Decisions, Sites, SiteWhy, Graph, Search, Compare, Models,
//	          Labels, Queue, Settings, Topic
//	changing  Set, Label, Train, Undo, Stop, Start, StartLab, Continue, Forget, Export, DeleteExport
//
// Errors that the caller can mend are [*Error] values; their Kind is the kind of answer that an
// HTTP status or an exit code expresses, and their text may be shown to a person. Other errors
// are faults of this machine or damage of the collection.
//
// # What is kept in memory
//
// A crawl is read as [crawler.View] restores it: the newest snapshot, and a fold of the journal
// behind it. The restored frontier has 48 bytes per known URL and holds state, host, priority,
// reason, relevance and the place of the visit of every URL. The columns of the fetched pages
// are copied from it once (33 bytes per page), in the order of fetching. Lists are answered by
// one pass over these columns that keeps the best rows behind the cursor; only the rows of the
// answer are read from the journal. So opening reads the snapshot and nothing else, an answer
// costs one pass and a page of rows, and no text or title is held.
//
// A condition that the columns lack (language, text, model) is checked on the rows in the order of the
// list. Such a call looks at [maxLooked] rows at most; if the list is not full by then, the
// answer is partial and its cursor goes on from there.
//
// # Running crawls
//
// A view shows one moment. When the journal has grown, the next question has the view made again: before the
// answer if that is cheap, otherwise in the background while the old one answers, and at most a
// thirtieth of the time is spent on it; one view that is slow because the machine is busy counts for at most
// twice the one before. [Status.Seen] is the moment. Events do not wait
// for it: they are read from the journal as it grows, and numbered by their offset in it, so a
// reader can continue after any event that it has seen.
//
// # Changes
//
// Changes are made by the calls of the command line (crawler.Set, collection.AppendLabels,
// crawler.Forget, …). A crawl is started as a child process of the same executable, with the
// arguments that a person would type.
//
// # What it must never do
//
// It must never change a collection when asked a question, hold what grows with the bytes of pages, or
// return text of pages as anything but text.
package operations
