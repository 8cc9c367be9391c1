package core

import (
	"unicode/utf8"

	"parley/wasm/room"
)

// Limits on what a person fills in, beside those of package room. Fold and page
// cut what others send; what is written here is refused instead, so that nobody
// sends half of what they meant.
const (
	// MaxFileURL is the longest address of a file, MaxFileType the longest MIME
	// type, in bytes.
	MaxFileURL  = 2048
	MaxFileType = 200
	// MaxSentFileName is the longest name of a file in code points: as long as
	// file systems have them.
	MaxSentFileName = 255
	// MaxInvite is the longest invite code, in bytes.
	MaxInvite = 200
	// MaxReport is the longest text of a report, in code points.
	MaxReport = 2000
)

// checkRunes refuses a text that has too many code points.
func checkRunes(what, text string, most int) error {
	if !utf8.ValidString(text) {
		return invalid("%s is not valid UTF-8.", what)
	}
	if n := utf8.RuneCountInString(text); n > most {
		return invalid("%s has %d characters; there can be %d at most.", what, n, most)
	}
	return nil
}

// checkBytes refuses a text that is too long for what it is.
func checkBytes(what, text string, most int) error {
	if len(text) > most {
		return invalid("%s has %d bytes; there can be %d at most.", what, len(text), most)
	}
	return checkRunes(what, text, most)
}

// checkAll gives the first of some errors.
func checkAll(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// checkFiles looks at the files of a message.
func checkFiles(files []room.File) error {
	if len(files) > room.MaxFiles {
		return invalid("A message can have %d files at most; these are %d.", room.MaxFiles, len(files))
	}
	for _, f := range files {
		if f.URL == "" {
			return invalid("A file needs an address.")
		}
		err := checkAll(
			checkBytes("A file's address", f.URL, MaxFileURL), checkBytes("A file's type", f.Type, MaxFileType),
			checkRunes("A file's name", f.Name, MaxSentFileName), checkRunes("The description of a file", f.Alt, room.MaxFileAlt),
			checkBytes("A file's hash", f.SHA256, 64),
		)
		if err != nil {
			return err
		}
	}
	return nil
}

// checkRoom looks at what a room says of itself.
func checkRoom(name, about string) error {
	return checkAll(checkRunes("A room's name", name, room.MaxRoomName), checkRunes("What a room is about", about, room.MaxRoomAbout))
}
