// Command release packs what .ci/release has built. Its output depends on the files
// and the time that it is given only, so that anybody can build a release again and
// compare.
//
//	release archive TIME OUT.tar.gz|OUT.zip NAME=FILE...
//	release image TIME OUT.tar VERSION ARCH BINARY LICENSE
//
// TIME is in seconds since 1970. NAME is the path of FILE in the archive.
package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(2)
	}
}

func run(args []string) error {
	if len(args) < 3 {
		return errors.New("missing arguments: see go doc ./internal/tools/release")
	}
	seconds, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return fmt.Errorf("invalid time %q", args[1])
	}
	at, out := time.Unix(seconds, 0).UTC(), args[2]
	switch rest := args[3:]; {
	case args[0] == "archive" && len(rest) > 0:
		files, err := readFiles(rest)
		if err != nil {
			return err
		}
		return writeArchive(out, files, at)
	case args[0] == "image" && len(rest) == 4:
		files, err := readFiles([]string{"mcpdbg=" + rest[2], "LICENSE=" + rest[3]})
		if err != nil {
			return err
		}
		return writeImage(out, image{version: rest[0], arch: rest[1], files: files, at: at})
	}
	return fmt.Errorf("unknown command or wrong number of arguments: %q", args)
}

// A file is a file of an archive.
type file struct {
	name string
	mode int64
	data []byte
}

// A file that its owner can execute is a program for everybody, whatever the builder's
// umask.
func readFiles(args []string) ([]file, error) {
	var files []file
	for _, arg := range args {
		name, path, found := strings.Cut(arg, "=")
		if !found || name == "" {
			return nil, fmt.Errorf("invalid argument %q: NAME=FILE is required", arg)
		}
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		f := file{name: name, mode: 0o644, data: data}
		if info.Mode()&0o100 != 0 {
			f.mode = 0o755
		}
		files = append(files, f)
	}
	return files, nil
}
