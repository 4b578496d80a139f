package collection

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

// layout lists what may be in a collection, as patterns of package path.
var layout = []string{
	lockName, settingsName, "topic.yaml", readmeName,
	ExamplesName, LockName, AnswersName, "models/*.json",
	"archive/*.warc.gz", "archive/*.warc",
	indexName, pagesName, extraName, logName, "log/sittings.jsonl", summaryName,
	needsFolder + "/*",
	"state/journal-*.log", "state/snapshot-*.snap",
	pendingName, labelsName, "models/m*.json", modelLog,
}

// belongs reports whether a file is part of a collection.
func belongs(name string) bool {
	for _, pattern := range layout {
		if ok, _ := path.Match(pattern, name); ok {
			return true
		}
	}
	return false
}

// eachFile runs over the files below a directory; names have forward slashes.
func eachFile(dir string, do func(name string, d fs.DirEntry) error) error {
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		return do(filepath.ToSlash(name), d)
	})
	if err != nil {
		return fmt.Errorf("collection: %w", err)
	}
	return nil
}

// folderOf returns the first folder of a name, "." for a file outside of folders.
func folderOf(name string) string {
	folder, _, ok := strings.Cut(name, "/")
	if !ok {
		return "."
	}
	return folder
}
