package collection

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"time"

	"dowse/crawl"
	"dowse/internal/archive"
	"dowse/settings"
)

// An Overview describes a collection as a whole: what it is, how it is
// configured and how large it is.
type Overview struct {
	Dir    string `json:"dir"`
	Name   string `json:"name"`
	Format string `json:"format"`
	// Version is that of the program that created the collection.
	Version   string    `json:"version"`
	Begun     time.Time `json:"begun"`
	Strategy  string    `json:"strategy"`
	Threshold float64   `json:"threshold"`
	Seeds     []string  `json:"seeds"`
	Settings  []Setting `json:"settings"`
	// Topic is the text of the topic file.
	Topic  string       `json:"topic"`
	Status crawl.Status `json:"status"`
	// Bytes is the size on disk by folder; "." counts the files outside of
	// folders.
	Bytes    map[string]int64 `json:"bytes"`
	Total    int64            `json:"total_bytes"`
	WARCs    []FileSize       `json:"warc_files"`
	Journal  uint64           `json:"journal_bytes"`
	Segments int              `json:"journal_segments"`
	// Snapshot is the newest one; nil if there is none.
	Snapshot *FileSize `json:"snapshot,omitempty"`
	// Running is the process that works on the collection; 0 for none.
	Running int      `json:"running,omitempty"`
	Notices []string `json:"notices,omitempty"`
}

// A Setting is one setting of a crawl as text.
type Setting struct {
	// Key is the name in crawl.yaml, with its section.
	Key   string `json:"key"`
	Value string `json:"value"`
	// Default reports that the value is the default.
	Default bool `json:"default,omitempty"`
}

// settingsList returns the settings that have a value or a default.
func settingsList(s settings.Settings) (list []Setting) {
	for _, f := range settings.Fields() {
		switch text := f.Text(&s); {
		case f.Key == "":
		case text != "":
			list = append(list, Setting{f.Key, text, text == f.Default})
		case f.Default != "":
			list = append(list, Setting{f.Key, f.Default, true})
		}
	}
	return list
}

// A FileSize is a file with its length in bytes and the time of its last change.
type FileSize struct {
	Name  string    `json:"name"`
	Bytes int64     `json:"bytes"`
	At    time.Time `json:"at"`
}

// Info returns an overview of the collection. It reads the sizes of all files,
// but not their contents.
func (c *Collection) Info() (*Overview, error) {
	s := &c.Settings
	o := &Overview{
		Dir: c.Dir, Name: s.Name, Format: s.Dowse, Version: s.Version, Begun: s.Begun, Strategy: s.Strategy,
		Threshold: c.Threshold(), Seeds: s.Seeds, Settings: settingsList(s.Settings), Status: c.Crawl.Status(), Journal: c.Journal.End(), Notices: c.Notices,
	}
	o.Running, _ = Running(c.Dir)
	topic, err := c.Topic()
	if err != nil {
		return nil, err
	}
	o.Topic = string(topic)
	return o, c.onDisk(o)
}

// onDisk fills in the sizes of the files. It works without a loaded crawl.
func (c *Collection) onDisk(o *Overview) (err error) {
	if o.Bytes, o.Total, err = sizes(c.Dir); err != nil {
		return err
	}
	files, err := archive.Files(c.ArchiveDir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, path := range files {
		o.WARCs = append(o.WARCs, c.fileSize("archive/"+filepath.Base(path)))
	}
	segments, _ := c.files().Sub("state").Names("journal-*.log")
	o.Segments = len(segments)
	if snaps := c.snapshots(); len(snaps) > 0 {
		snap := c.fileSize("state/" + snaps[0])
		o.Snapshot = &snap
	}
	return nil
}

// fileSize describes a file. One that another process has just removed has
// length 0.
func (c *Collection) fileSize(name string) FileSize {
	f := FileSize{Name: path.Base(name)}
	if info, err := c.files().Stat(name); err == nil {
		f.Bytes, f.At = info.Size(), info.ModTime().UTC()
	}
	return f
}

// sizes returns the total length of the files of a directory, by folder and in
// all.
func sizes(dir string) (by map[string]int64, total int64, err error) {
	by = map[string]int64{}
	err = eachFile(dir, func(name string, d fs.DirEntry) error {
		info, err := d.Info()
		if err != nil {
			return nil // it has just gone
		}
		by[folderOf(name)] += info.Size()
		total += info.Size()
		return nil
	})
	return by, total, err
}
