package recordings

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// pattern is a regular expression that is compiled when it is used first.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// partName is the end of the names of later parts, before the extension.
var partName = pattern(`^(.+)\.part([1-9][0-9]{0,8})$`)

// PartPath is the path of part n of the recording whose first file is at path:
// NAME.part2.jsonl beside NAME.jsonl. Part 1 is the first file itself.
func PartPath(path string, n int) string {
	if n < 2 {
		return path
	}
	ext := filepath.Ext(path)
	return fmt.Sprintf("%s.part%d%s", strings.TrimSuffix(path, ext), n, ext)
}

// partOf is the inverse of PartPath: the first file and the number, 0 for a path
// that is not named as a later part.
func partOf(path string) (first string, n int) {
	ext := filepath.Ext(path)
	found := partName().FindStringSubmatch(strings.TrimSuffix(path, ext))
	if found == nil {
		found = partName().FindStringSubmatch(path) // without an extension the number takes its place
		ext = ""
	}
	if found == nil {
		return path, 0
	}
	if n, _ = strconv.Atoi(found[2]); n < 2 {
		return path, 0
	}
	return found[1] + ext, n
}

// FirstPart returns the first file of the recording that the file at path is a
// later part of; ok is false for any other file, and if the first is not there.
func FirstPart(path string) (first string, ok bool) {
	first, n := partOf(path)
	if n == 0 {
		return "", false
	}
	part, err := headerOf(path)
	if err != nil || part.Part != n {
		return "", false
	}
	whole, err := headerOf(first)
	return first, err == nil && whole.ID == part.ID && whole.Part == 0
}

// laterParts are the numbers of the files in the folder of path that are named as
// its later parts, greater than after.
func laterParts(path string, after int) []int {
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil
	}
	var numbers []int
	for _, file := range files {
		if first, n := partOf(file.Name()); n > after && first == filepath.Base(path) {
			numbers = append(numbers, n)
		}
	}
	return numbers
}
