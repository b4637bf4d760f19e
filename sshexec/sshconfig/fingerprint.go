package sshconfig

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"strings"
)

// fingerprint returns a hash of all files of the configuration, including
// included ones. certain is false if the result also depends on something else:
// a command, the name service, the network, or a file that cannot be read.
//
// The hash covers the contents of the files, not their times: they are a few
// kilobytes, and a change within the resolution of the clock must not be
// missed.
func fingerprint(files []configFile, m machine) (sum string, certain bool) {
	p := printer{hash: sha256.New(), m: m, certain: true}
	for _, f := range files {
		p.file(f.path, f.user, 0)
	}
	return hex.EncodeToString(p.hash.Sum(nil)), p.certain
}

type printer struct {
	hash    hash.Hash
	m       machine
	files   int
	certain bool
}

func (p *printer) file(path string, user bool, depth int) {
	p.files++
	if !p.certain || depth > maxIncludeDepth || p.files > maxConfigFiles {
		p.certain = false
		return
	}
	text, err := readConfig(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		fmt.Fprintf(p.hash, "%q missing\n", path)
		return
	case err != nil:
		p.certain = false
		return
	}
	fmt.Fprintf(p.hash, "%q %q\n", path, text)
	for line := range strings.Lines(text) {
		keyword, rest, err := splitLine(line)
		if err != nil {
			continue // ssh reports that
		}
		switch keyword {
		case "include":
			p.include(rest, user, depth)
		case "match":
			lower := strings.ToLower(rest)
			if strings.Contains(lower, "exec") || strings.Contains(lower, "localnetwork") {
				p.certain = false
			}
		case "canonicalizehostname":
			p.certain = p.certain && strings.EqualFold(rest, "no")
		}
	}
}

func (p *printer) include(rest string, user bool, depth int) {
	words, err := splitWords(rest)
	if err != nil {
		return
	}
	for _, word := range words {
		paths, err := includePaths(word, user, p.m)
		if err != nil {
			p.certain = false
			return
		}
		for _, path := range paths {
			p.file(path, user, depth+1)
		}
	}
}
