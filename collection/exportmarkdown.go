package collection

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"dowse"
	"dowse/internal/durable"
	"dowse/internal/facts"
	"dowse/weburl"
)

// The data card in a folder, and the folder of the pages in it. Pages are never at the
// top, so no page can have the name of the card.
const (
	folderCard     = "README.md"
	folderCardJSON = "card.json"
	folderPages    = "pages"
)

// writeFolder writes a folder with one Markdown file per page and the data card. It is
// written under another name and renamed when it is complete. An existing folder is
// replaced only with Force, and only if an export has written it.
func (x *exporter) writeFolder() (err error) {
	if x.out == "-" {
		return wrong("md is a folder, which can't be written to standard output")
	}
	if x.opt.Shard > 0 {
		return wrong("shard: a folder has one file per page")
	}
	out := filepath.Clean(x.out)
	if err := x.folderFree(out); err != nil {
		return err
	}
	scratch, err := durable.NewScratch(filepath.Dir(out), "export")
	if err != nil {
		return err
	}
	defer scratch.Remove()
	tmp := scratch.Path
	dir := durable.In(tmp)
	made := map[string]bool{}
	err = x.selected(x.prepareMarkdown, func(c *exportedPage) error {
		folder, name := pageFile(c.row.URL)
		if !made[folder] {
			if err := mkdirs(dir, folder); err != nil {
				return err
			}
			made[folder] = true
		}
		return create(dir, path.Join(folder, name), c.prepared.([]byte))
	})
	if err != nil {
		return err
	}
	if err := x.writeCards(filepath.Join(tmp, folderCard), filepath.Join(tmp, folderCardJSON), []string{filepath.Base(out)}); err != nil {
		return err
	}
	return x.placeFolder(scratch, out)
}

// mkdirs creates a folder and those above it.
func mkdirs(dir durable.Dir, folder string) error {
	for i := range folder {
		if folder[i] != '/' {
			continue
		}
		if err := dir.Mkdir(folder[:i]); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return dir.Mkdir(folder)
}

// create writes a new file. It is not synced by itself: a folder of a hundred thousand files
// would take many minutes, and it can be made again.
func create(dir durable.Dir, name string, data []byte) error {
	f, err := dir.Create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// folderFree returns an error if no folder can be written to a path.
func (x *exporter) folderFree(out string) error {
	info, err := os.Lstat(out)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !x.opt.Force:
		return ErrExists
	case !info.IsDir():
		return errors.New("that is a file, and an export to Markdown is a folder; remove the file first")
	}
	card, err := durable.In(out).ReadBounded(folderCardJSON, 1<<20)
	if err != nil || !bytes.Contains(card, []byte(cardSchema)) {
		return fmt.Errorf("that is a folder that no export has written (it has no %s); remove it first", folderCardJSON)
	}
	return nil
}

// placeFolder gives a complete folder its name, in place of an earlier export.
func (x *exporter) placeFolder(scratch *durable.Scratch, out string) (err error) {
	tmp := scratch.Path
	dir := durable.In(filepath.Dir(out))
	from, to := filepath.Base(tmp), filepath.Base(out)
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	if err := scratch.Give(); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.RemoveAll(tmp)
		}
	}()
	old := ""
	if _, err := os.Lstat(out); err == nil {
		if !x.opt.Force {
			return ErrExists
		}
		old = from + ".old"
		if err := dir.Rename(to, old); err != nil {
			return err
		}
	}
	if err := dir.Rename(from, to); err != nil {
		if old != "" {
			err = errors.Join(err, dir.Rename(old, to))
		}
		return err
	}
	if old != "" {
		return os.RemoveAll(dir.Path(old))
	}
	return nil
}

// prepareMarkdown makes the file of a page: its facts as front matter, then its text.
func (x *exporter) prepareMarkdown(c *exportedPage) error {
	var b bytes.Buffer
	b.WriteString("---\n")
	for _, name := range []string{
		"url", "title", "host", "lang", "lang_score", "fetched", "published", "relevance", "verdict", "token_count", "licence", "robots_flags", "use_flags", "parent", "near", "warc", "offset",
	} {
		raw, err := facts.Named(name).JSON(c.row)
		if err != nil {
			return err
		}
		if raw != nil {
			fmt.Fprintf(&b, "%s: %s\n", name, inYAML(raw))
		}
	}
	b.WriteString("---\n\n")
	b.WriteString(c.markdown)
	c.prepared = b.Bytes()
	return nil
}

// inYAML returns JSON as YAML reads it: the same, but for characters that YAML does not
// allow in a text.
func inYAML(raw []byte) []byte {
	var b bytes.Buffer
	for _, r := range string(raw) {
		if 0x7f <= r && r <= 0x9f || r == 0xfeff || r == 0xfffe || r == 0xffff {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.Bytes()
}

// The lengths of names in a folder, in bytes. With the rest of a path they stay below the
// 260 characters of older programs on Windows.
const (
	maxFolderName = 60
	maxFileName   = 60
)

// pageFile returns the folder and the name of the file of a page. Both consist of the
// letters a to z, digits, hyphens and, in folders, dots, so that they are safe on every
// file system; the name ends in a hash of the URL, so that no two pages share it, also
// where upper and lower case are the same.
func pageFile(u dowse.URL) (folder, name string) {
	host := safeName(weburl.Hostname(u), maxFolderName, true)
	if isReserved(host) {
		host = "_" + host
	}
	slug := safeName(strings.TrimSuffix(weburl.Path(u), "/"), maxFileName, false)
	return folderPages + "/" + host, strings.TrimPrefix(slug+"-"+pageID(u)[:12]+".md", "-")
}

// safeName returns a text as a name of at most most bytes: other characters than letters
// and digits become single hyphens, and there are none at its ends.
func safeName(s string, most int, dots bool) string {
	var b strings.Builder
	for i := 0; i < len(s) && b.Len() < most; i++ {
		c := s[i]
		switch {
		case 'A' <= c && c <= 'Z':
			b.WriteByte(c + 'a' - 'A')
		case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
			b.WriteByte(c)
		case dots && c == '.' && b.Len() > 0 && !strings.HasSuffix(b.String(), "."):
			b.WriteByte('.')
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	name := strings.Trim(b.String(), ".-")
	if name == "" && dots {
		return "host"
	}
	return name
}

// isReserved reports whether Windows keeps a name for a device, whatever follows a dot.
func isReserved(name string) bool {
	name, _, _ = strings.Cut(name, ".")
	devices := []string{"con", "prn", "aux", "nul"}
	return slices.Contains(devices, name) || len(name) == 4 && (strings.HasPrefix(name, "com") || strings.HasPrefix(name, "lpt")) && name[3] >= '0' && name[3] <= '9'
}
