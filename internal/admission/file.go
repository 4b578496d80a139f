package admission

import (
	"strings"

	"dowse"
	"dowse/weburl"
)

// IsFile reports whether the name of a URL's path ends like that of a file that is no web
// page, such as .pdf or .jpg. Only the answer of the server shows what a URL is, so such a URL
// is not refused for its name. Names with a colon, as /wiki/File:Reef.jpg, are pages about a
// file on most wikis.
func IsFile(u dowse.URL) bool {
	path := weburl.Path(u)
	path, _, _ = strings.Cut(path, "?")
	name := path[strings.LastIndexByte(path, '/')+1:]
	dot := strings.LastIndexByte(name, '.')
	if dot < 1 || len(name)-dot > len(".jpeg2000") || strings.IndexByte(name, ':') >= 0 {
		return false
	}
	return fileEndings[strings.ToLower(name[dot+1:])]
}

// fileEndings are the endings of files that hold no HTML.
var fileEndings = endings(
	"pdf ps eps djvu doc docx dot xls xlsx xlsm ppt pptx pps odt ods odp rtf epub mobi tex csv tsv json ics vcf kml kmz",
	"zip gz tgz bz2 xz zst 7z rar tar jar war iso dmg exe msi apk deb rpm pkg bin",
	"jpg jpeg jpe png gif webp avif svg ico bmp tif tiff psd heic",
	"mp3 mp4 m4a m4v ogg oga ogv opus wav flac mid avi mov mkv webm wmv wma mpg mpeg swf",
	"css js mjs map woff woff2 ttf otf eot",
)

func endings(lists ...string) map[string]bool {
	set := map[string]bool{}
	for _, list := range lists {
		for e := range strings.FieldsSeq(list) {
			set[e] = true
		}
	}
	return set
}
