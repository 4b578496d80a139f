// Package report turns the crawls of an experiment into what a paper needs: one
// page with figures, tables, files of figures, and what others check them with.
package report
