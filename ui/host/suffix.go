package host

import (
	"bytes"
	"strings"
)

// ViewerSuffix returns the end of a file name with which data can be opened, by its
// beginning and the type that a server declares: for pictures, sounds, videos and PDF.
// It is empty for everything else: another program could run that.
func ViewerSuffix(declared string, head []byte) string {
	suffix, known := sniff(head[:min(len(head), sniffed)])
	if known {
		return suffix
	}
	unknown := map[string]string{ // by the declared type, of which the beginning says nothing
		"image/tiff": ".tiff", "image/avif": ".avif", "image/heic": ".heic", "video/quicktime": ".mov",
		"audio/mpeg": ".mp3", "audio/flac": ".flac", "audio/aac": ".aac", "audio/mp4": ".m4a", "audio/wav": ".wav",
	}
	declared, _, _ = strings.Cut(declared, ";")
	return unknown[strings.ToLower(strings.TrimSpace(declared))]
}

// sniffed is how many bytes at the beginning of data tell its type.
const sniffed = 512

// A beginning is how data of a type begins. Where mask is set, only its bits count.
type beginning struct {
	bytes, mask string
	suffix      string // empty for a type that no viewer gets
}

// beginnings returns the beginnings of binary types in the MIME Sniffing Standard
// of WHATWG.
func beginnings() []beginning {
	const riff = "\xFF\xFF\xFF\xFF\x00\x00\x00\x00\xFF\xFF\xFF\xFF"
	return []beginning{
		{bytes: "%PDF-", suffix: ".pdf"}, {bytes: "%!PS-Adobe-"},
		{bytes: "\xFE\xFF\x00\x00", mask: "\xFF\xFF\x00\x00"}, {bytes: "\xFF\xFE\x00\x00", mask: "\xFF\xFF\x00\x00"},
		{bytes: "\xEF\xBB\xBF\x00", mask: "\xFF\xFF\xFF\x00"},
		{bytes: "\x00\x00\x01\x00"}, {bytes: "\x00\x00\x02\x00"}, {bytes: "BM", suffix: ".bmp"},
		{bytes: "GIF87a", suffix: ".gif"}, {bytes: "GIF89a", suffix: ".gif"},
		{bytes: "RIFF\x00\x00\x00\x00WEBPVP", mask: riff + "\xFF\xFF", suffix: ".webp"},
		{bytes: "\x89PNG\r\n\x1A\n", suffix: ".png"}, {bytes: "\xFF\xD8\xFF", suffix: ".jpg"},
		{bytes: "FORM\x00\x00\x00\x00AIFF", mask: riff, suffix: ".aiff"}, {bytes: "ID3", suffix: ".mp3"},
		{bytes: "OggS\x00", suffix: ".ogg"}, {bytes: "MThd\x00\x00\x00\x06", suffix: ".mid"},
		{bytes: "RIFF\x00\x00\x00\x00AVI ", mask: riff, suffix: ".avi"}, {bytes: "RIFF\x00\x00\x00\x00WAVE", mask: riff, suffix: ".wav"},
		{bytes: "\x1A\x45\xDF\xA3", suffix: ".webm"},
		{bytes: strings.Repeat("\x00", 34) + "LP", mask: strings.Repeat("\x00", 34) + "\xFF\xFF"},
		{bytes: "\x00\x01\x00\x00"}, {bytes: "OTTO"}, {bytes: "ttcf"}, {bytes: "wOFF"}, {bytes: "wOF2"},
		{bytes: "\x1F\x8B\x08"}, {bytes: "PK\x03\x04"}, {bytes: "Rar!\x1A\x07\x00"}, {bytes: "Rar!\x1A\x07\x01\x00"},
		{bytes: "\x00\x61\x73\x6D"},
	}
}

// sniff reports whether the beginning of data tells its type, and returns the
// suffix of that type.
func sniff(head []byte) (suffix string, known bool) {
	for _, b := range beginnings() {
		if b.matches(head) {
			return b.suffix, true
		}
	}
	if isMP4(head) {
		return ".mp4", true
	}
	return "", isMarkup(head) || isText(head)
}

// isMarkup reports whether data begins as HTML or XML.
func isMarkup(head []byte) bool {
	head = bytes.TrimLeft(head, "\t\n\f\r ")
	if bytes.HasPrefix(head, []byte("<?xml")) || bytes.HasPrefix(head, []byte("<!--")) {
		return true
	}
	for _, tag := range strings.Fields("!DOCTYPE_HTML HTML HEAD SCRIPT IFRAME H1 DIV FONT TABLE A STYLE TITLE B BODY BR P") {
		tag = "<" + strings.ReplaceAll(tag, "_", " ")
		if len(head) > len(tag) && bytes.EqualFold(head[:len(tag)], []byte(tag)) && (head[len(tag)] == ' ' || head[len(tag)] == '>') {
			return true
		}
	}
	return false
}

func (b beginning) matches(head []byte) bool {
	if len(head) < len(b.bytes) {
		return false
	}
	for i := range len(b.bytes) {
		c := head[i]
		if b.mask != "" {
			c &= b.mask[i]
		}
		if c != b.bytes[i]&maskAt(b.mask, i) {
			return false
		}
	}
	return true
}

func maskAt(mask string, i int) byte {
	if mask == "" {
		return 0xFF
	}
	return mask[i]
}

// isMP4 reports whether data begins with a box of file types that names MP4.
func isMP4(head []byte) bool {
	const fixed, brand = 12, 4 // bytes: size, "ftyp" and the first brand; the length of one
	if len(head) < fixed || string(head[4:8]) != "ftyp" {
		return false
	}
	size := int(head[0])<<24 | int(head[1])<<16 | int(head[2])<<8 | int(head[3])
	if len(head) < size || size%brand != 0 {
		return false
	}
	for at := 8; at < size; at += brand {
		if at != fixed && string(head[at:at+3]) == "mp4" { // between them is a version
			return true
		}
	}
	return false
}

// isText reports whether data has no byte that only binary data has.
func isText(head []byte) bool {
	return !bytes.ContainsFunc(head, func(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\n\f\r\x1B", r) })
}
