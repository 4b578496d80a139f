// Package dashboard shows collections in a browser: pages of html/template over the calls of package
// operations, which are those of the command line.
//
// # The idea
//
// Every page is complete when the server has sent it: lists, charts, graphs and forms work without
// JavaScript, and filters are the query of the URL. The modules in static add what a document can't do:
// they replace the parts of a page that change while a crawl runs, give keys to buttons, and show values
// under the pointer. A module fetches the same page again and takes parts out of it, so there is one
// way to draw a thing.
//
// # How the parts fit
//
// [New] makes a Dashboard over an [operations.Operations]. Handler has one route per page. The function of
// a page returns a [pageFrame], which render writes with the template of the page; the function of a form
// changes something and returns where to go next. chart.go and layout.go draw SVG; text.go makes text of
// the web harmless; live.go reports changes to open pages.
//
// # What it must never do
//
// It must never send text of the web as anything but text, change something by GET, or do what the
// command line can't.
package dashboard
