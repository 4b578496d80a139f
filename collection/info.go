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

// An Overview tells what a collection is and how large.
type Overview struct {
	Dir       string           `json:"dir"`
	Name      string           `json:"name"`
	Format    string           `json:"format"`
	Version   string           `json:"version"` // of the program that began it
	Begun     time.Time        `json:"begun"`
	Strategy  string           `json:"strategy"`
	Threshold float64          `json:"threshold"`
	Seeds     []string         `json:"seeds"`
	Settings  []Setting        `json:"settings"`
	Topic     string           `json:"topic"` // the topic file
	Status    crawl.Status     `json:"status"`
	Bytes     map[string]int64 `json:"bytes"` // on disk, by folder; "." for the files beside them
	Total     int64            `json:"total_bytes"`
	WARCs     []FileSize       `json:"warc_files"`
	Journal   uint64           `json:"journal_bytes"`
	Segments  int              `json:"journal_segments"`
	Snapshot  *FileSize        `json:"snapshot,omitempty"` // the newest; nil for none
	Running   int              `json:"running,omitempty"`  // the process that works on it
	Notices   []string         `json:"notices,omitempty"`
}

// A Setting is one of the settings of a crawl, as a text.
type Setting struct {
	Key     string `json:"key"` // as in crawl.yaml, with its section
	Value   string `json:"value"`
	Default bool   `json:"default,omitempty"` // it holds if nobody gives another
}

// settingsList returns the settings that have a value.
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

// A FileSize is a file and its length.
type FileSize struct {
	Name  string    `json:"name"`
	Bytes int64     `json:"bytes"`
	At    time.Time `json:"at"`
}

// Info returns what there is to say of the collection as a whole.
func (c *Collection) Info() (*Overview, error) {
	s := &c.Settings
	o := &Overview{
		Dir: c.Dir, Name: s.Name, Format: s.Dowse, Version: s.Version, Begun: s.Begun, Strategy: s.Strategy,
		Threshold: c.Threshold(), Seeds: s.Seeds, Settings: settingsList(s.Settings), Status: c.Crawl.Status(), Journal: c.Journal.End(), Notices: c.Notices,
		Running: Running(c.Dir),
	}
	topic, err := c.Topic()
	if err != nil {
		return nil, err
	}
	o.Topic = string(topic)
	return o, c.onDisk(o)
}

// onDisk fills in what the files of the collection are.
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

// fileSize describes a file; one that has just gone is empty.
func (c *Collection) fileSize(name string) FileSize {
	f := FileSize{Name: path.Base(name)}
	if info, err := c.files().Stat(name); err == nil {
		f.Bytes, f.At = info.Size(), info.ModTime().UTC()
	}
	return f
}

// sizes adds up the files of a directory by folder.
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
