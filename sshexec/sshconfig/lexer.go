package sshconfig

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

const (
	// Included files count. The maximum nesting is ssh's own limit.
	maxConfigFile   = 1 << 20
	maxConfigFiles  = 1024
	maxIncludeDepth = 16
	maxConfigLine   = 64 << 10
)

const whitespace = " \t\r\n"

type configFile struct {
	path     string
	user     bool // Include is relative to ~/.ssh, not to /etc/ssh
	required bool // an error if it does not exist
}

// A missing file is an error too.
func readConfig(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil {
		return "", err
	} else if !info.Mode().IsRegular() && path != os.DevNull {
		return "", errors.New("is not a regular file")
	}
	text, err := io.ReadAll(io.LimitReader(f, maxConfigFile+1))
	if err != nil {
		return "", err
	}
	if len(text) > maxConfigFile {
		return "", fmt.Errorf("is longer than %d bytes", maxConfigFile)
	}
	return string(text), nil
}

// splitLine splits a line into its keyword, in lower case, and the rest. The
// keyword of an empty line and of a comment is empty.
//
// As in ssh, one "=" may separate the two, with or without spaces.
func splitLine(line string) (keyword, rest string, err error) {
	switch {
	case len(line) > maxConfigLine:
		return "", "", fmt.Errorf("the line is longer than %d bytes", maxConfigLine)
	case strings.IndexByte(line, 0) >= 0:
		return "", "", errors.New("the line has a zero byte")
	}
	line = strings.Trim(strings.TrimRight(line, whitespace+"\f"), whitespace)
	if line == "" || line[0] == '#' {
		return "", "", nil
	}
	i := strings.IndexAny(line, whitespace+`"=`)
	if i < 0 {
		return "", "", fmt.Errorf("%s has no value", printable(line))
	}
	keyword = strings.ToLower(line[:i])
	if !isKeyword(keyword) || line[i] == '"' {
		return "", "", fmt.Errorf("%s is not a keyword", printable(line[:i+1]))
	}
	rest = strings.TrimLeft(line[i:], whitespace)
	if after, ok := strings.CutPrefix(rest, "="); ok {
		rest = strings.TrimLeft(after, whitespace)
	}
	if rest == "" {
		return "", "", fmt.Errorf("%s has no value", keyword)
	}
	return keyword, rest, nil
}

// splitWords splits as ssh does: with single or double quotes, backslashes before quotes,
// backslashes and spaces, and a comment at the end.
func splitWords(s string) ([]string, error) {
	var words []string
	for i := 0; i < len(s); i++ {
		if s[i] == ' ' || s[i] == '\t' {
			continue
		}
		if s[i] == '#' {
			break
		}
		var word strings.Builder
		quote := byte(0)
		for ; i < len(s); i++ {
			c := s[i]
			switch {
			case c == '\\' && i+1 < len(s) && (strings.IndexByte(`'"\`, s[i+1]) >= 0 || quote == 0 && s[i+1] == ' '):
				i++
				word.WriteByte(s[i])
				continue
			case quote == 0 && (c == '"' || c == '\''):
				quote = c
				continue
			case quote != 0 && c == quote:
				quote = 0
				continue
			}
			if quote == 0 && (c == ' ' || c == '\t') {
				break
			}
			word.WriteByte(c)
		}
		if quote != 0 {
			return nil, errors.New("missing closing quote")
		}
		words = append(words, word.String())
	}
	return words, nil
}
