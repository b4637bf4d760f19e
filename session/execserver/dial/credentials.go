package dial

import (
	"errors"
	"fmt"
	"net/http"
	"net/textproto"
	"strings"
)

// Credentials are what a URL requires. They are sent in the headers of the connection's
// first request only.
type Credentials struct {
	Token   string // sent as "Authorization: Bearer TOKEN"
	Headers http.Header
}

func (c Credentials) empty() bool { return c.Token == "" && len(c.Headers) == 0 }

// header returns the headers to send.
func (c Credentials) header() http.Header {
	h := c.Headers.Clone()
	if h == nil {
		h = http.Header{}
	}
	if c.Token != "" {
		h.Set("Authorization", "Bearer "+c.Token)
	}
	return h
}

// Check reports why credentials must not be sent to a target.
func (t Target) Check(c Credentials) error {
	switch {
	case c.empty():
		return nil
	case t.Kind != WebSocket:
		return errors.New("tokens and headers are for ws:// and wss:// URLs only")
	case !t.encrypted():
		return errors.New("tokens and headers are sent only over wss://, or to this machine: others could read them")
	case c.Token != "" && c.Headers.Get("Authorization") != "":
		return errors.New("both a token and the header Authorization are given")
	}
	return nil
}

// ParseToken returns a token from a variable or file: text without the spaces and line
// breaks around it.
func ParseToken(text string) (string, error) {
	token := strings.TrimSpace(text)
	if token == "" {
		return "", errors.New("empty")
	}
	if !isVisible(token) || strings.Contains(token, " ") {
		return "", errors.New("must be one word of visible ASCII characters")
	}
	return token, nil
}

// ParseHeaders parses lines NAME: VALUE. Empty lines and lines that begin with # are ignored.
// Errors contain no values.
func ParseHeaders(text string) (http.Header, error) {
	h := http.Header{}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok || !isToken(name) {
			return nil, fmt.Errorf("line %d: must be NAME: VALUE", number)
		}
		name = textproto.CanonicalMIMEHeaderKey(name)
		value = strings.TrimSpace(value)
		switch {
		case isReserved(name):
			return nil, fmt.Errorf("line %d: the header %s is set by the connection", number, name)
		case !isVisible(value):
			return nil, fmt.Errorf("line %d: the value of %s must be visible ASCII characters", number, name)
		}
		h.Add(name, value)
	}
	return h, nil
}

func isReserved(name string) bool {
	switch name {
	case "Host", "Connection", "Upgrade", "Content-Length", "Transfer-Encoding":
		return true
	}
	return strings.HasPrefix(name, "Sec-Websocket-")
}

func isVisible(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// isToken reports whether text may be the name of a header: RFC 9110, section 5.6.2.
func isToken(text string) bool {
	for i := range len(text) {
		c := text[i] | 0x20
		if (c < 'a' || c > 'z') && (text[i] < '0' || text[i] > '9') && strings.IndexByte("!#$%&'*+-.^_`|~", text[i]) < 0 {
			return false
		}
	}
	return text != ""
}
