package collection

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"dowse/internal/durable"
	"dowse/internal/requisite"
)

// layout lists the files that may be in a collection, as patterns of package
// path. Verify reports all others.
var layout = []string{
	lockName, settingsName, "topic.yaml", readmeName,
	ExamplesName, LockName, AnswersName, "models/*.json",
	"archive/*.warc.gz", "archive/*.warc",
	indexName, pagesName, extraName, logName, "log/sittings.jsonl", "log/settings.jsonl", summaryName,
	needsFolder + "/*",
	"state/journal-*.log", "state/snapshot-*.snap", "state/" + tailPattern, "state/set-*.json", "state/now.json", clusterName,
	pendingName, changeName, labelsName, "models/m*.json", modelLog,
	requisite.Folder + "/*.warc.gz", requisite.Folder + "/ledger.jsonl", requisiteIndex,
	sinksLock, "state/sink-*.json", searchLock, searchFolder + "/*", searchFolder + "/store/*",
}

// The full-text index, which package internal/search makes and reads, and its lock. It is a cache:
// it can be deleted at any time, and one that came from elsewhere is never read.
const (
	searchFolder = "search"
	searchLock   = "search.lock"
)

// clusterVisits is how many visits may be in flight in a cluster if the settings do not say it.
const clusterVisits = 4096

// clusterName is the file of a collection that several machines work on, see package internal/cluster.
const clusterName = "state/cluster.json"

// sinksLock is held by the process that sends pages to sinks, see package internal/sink. The cursors of the
// sinks are in the folder state.
const sinksLock = "sinks.lock"

// belongs reports whether a file is part of the layout.
func belongs(name string) bool {
	for _, pattern := range layout {
		if ok, _ := path.Match(pattern, name); ok {
			return true
		}
	}
	return false
}

// isLeftover reports whether a name is that of a temporary file of a part of a collection: a
// process that was killed left it, nothing reads it, and the next replacement takes its place.
func isLeftover(name string) bool {
	stem, ok := strings.CutSuffix(name, durable.Temporary)
	return ok && (belongs(stem) || strings.HasPrefix(path.Base(stem), ".dowse-"))
}

// eachFile runs over the files below a directory; names have forward slashes.
func eachFile(dir string, do func(name string, d fs.DirEntry) error) error {
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) && name != "." {
			return nil // another process has removed it meanwhile
		}
		if err != nil || d.IsDir() {
			return err
		}
		return do(name, d)
	})
	if err != nil {
		return fmt.Errorf("collection: %w", err)
	}
	return nil
}

// folderOf returns the first folder of a name, "." for a file outside of
// folders.
func folderOf(name string) string {
	folder, _, ok := strings.Cut(name, "/")
	if !ok {
		return "."
	}
	return folder
}

// Plain returns an error if a file or folder of the collection in dir is a
// link, a pipe or anything else that a crawl would refuse to open. The full-text
// index does not count: a crawl does not read it.
func Plain(dir string) error {
	files := durable.In(dir)
	for _, pattern := range layout {
		if folder := folderOf(pattern); folder != "." && folder != searchFolder {
			if _, err := files.ReadDir(folder); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("collection: %w", err)
			}
		}
	}
	return eachFile(dir, func(name string, d fs.DirEntry) error {
		if !belongs(name) || folderOf(name) == searchFolder {
			return nil
		}
		f, err := files.Open(name)
		if err != nil {
			return err
		}
		return f.Close()
	})
}
