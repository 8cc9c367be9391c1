package room

import (
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/nbd-wtf/go-nostr"
)

// Limits on the files of one message.
const (
	MaxFiles    = 20
	MaxFileName = 120  // code points
	MaxFileAlt  = 1000 // code points
	maxMIMEPart = 100  // bytes, on either side of the slash
)

// FilesOf returns the files that an event names in imeta tags (NIP-92), one an
// address, at most MaxFiles. Only http and https addresses count.
func FilesOf(e *nostr.Event) []File {
	var files []File
	known := map[string]bool{}
	for _, t := range e.Tags {
		if len(t) == 0 || t[0] != "imeta" || len(files) == MaxFiles {
			continue
		}
		if f := readImeta(t[1:]); f.URL != "" && !known[f.URL] {
			known[f.URL] = true
			files = append(files, f)
		}
	}
	return files
}

// readImeta reads "name value" entries; of a name the first counts.
func readImeta(entries []string) File {
	values := map[string]string{}
	for _, entry := range entries {
		name, value, _ := strings.Cut(entry, " ")
		if _, known := values[name]; !known {
			values[name] = value
		}
	}
	f := File{
		URL:  cleanURL(values["url"]),
		Name: cleanLine(values["name"], MaxFileName),
		Type: mimeType(values["m"]),
		Alt:  cleanText(values["alt"], MaxFileAlt),
	}
	if size, err := strconv.ParseInt(values["size"], 10, 64); err == nil && size > 0 {
		f.Size = size
	}
	if isHex32(values["x"]) {
		f.SHA256 = values["x"]
	}
	if f.Name == "" {
		f.Name = nameInURL(f.URL)
	}
	return f
}

// mimeType returns a type/subtype in lower case, "" for anything else.
func mimeType(s string) string {
	s, _, _ = strings.Cut(strings.ToLower(s), ";")
	top, sub, ok := strings.Cut(strings.TrimSpace(s), "/")
	if !ok || !mimeToken(top) || !mimeToken(sub) {
		return ""
	}
	return top + "/" + sub
}

func mimeToken(s string) bool {
	return s != "" && len(s) <= maxMIMEPart && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789.+-_") == ""
}

func nameInURL(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Path == "" || strings.HasSuffix(u.Path, "/") {
		return ""
	}
	return cleanLine(path.Base(u.Path), MaxFileName)
}

// imeta is the tag of a file (NIP-92). A NIP-94 field without a value is left
// out; `name` is ours.
func imeta(f File) nostr.Tag {
	tag := nostr.Tag{"imeta", "url " + f.URL}
	for _, field := range [][2]string{{"m", f.Type}, {"x", f.SHA256}, {"name", f.Name}, {"alt", f.Alt}} {
		if field[1] != "" {
			tag = append(tag, field[0]+" "+field[1])
		}
	}
	if f.Size > 0 {
		tag = append(tag, "size "+strconv.FormatInt(f.Size, 10))
	}
	return tag
}

// withoutFiles takes out the lines of a text that are nothing but the address
// of one of its files, as those are shown as files.
func withoutFiles(text string, files []File) string {
	if len(files) == 0 {
		return text
	}
	var kept []string
	for line := range strings.SplitSeq(text, "\n") {
		if !isFileLine(strings.TrimSpace(line), files) {
			kept = append(kept, line)
		}
	}
	return strings.TrimRight(strings.Join(kept, "\n"), " \n")
}

func isFileLine(line string, files []File) bool {
	for _, f := range files {
		if line == f.URL {
			return true
		}
	}
	return false
}
