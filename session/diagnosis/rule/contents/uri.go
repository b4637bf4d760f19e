package contents

import (
	"fmt"
	"strings"

	"mcpdbg/session/diagnosis/message"
)

// maxURI is the longest URI that is checked, in bytes.
const maxURI = 16 << 10

func (s *messageChecker) uri(member string, raw []byte) {
	text, ok := textOf(raw)
	if !ok || len(text) > maxURI {
		return
	}
	if why := notURI(text); why != "" {
		s.found(sch05, member, fmt.Sprintf("%s: %s", why, message.Excerpt(text)))
	}
}

// notURI returns why a text is not a URI of RFC 3986, or "".
func notURI(uri []byte) string {
	scheme := 0
	for scheme < len(uri) && uri[scheme] != ':' {
		c := uri[scheme]
		if c == '/' || c == '?' || c == '#' {
			return "not a URI: no scheme"
		}
		if !isAlphanumeric(c) && c != '+' && c != '-' && c != '.' || scheme == 0 && !isLetter(c) {
			return fmt.Sprintf("not a URI: %q in the scheme", rune(c))
		}
		scheme++
	}
	if scheme == 0 || scheme == len(uri) {
		return "not a URI: no scheme"
	}
	fragment := false
	rest := uri[scheme+1:]
	authority := authorityOf(rest)
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case isAlphanumeric(c), strings.IndexByte("-._~!$&'()*+,;=:@/?", c) >= 0:
		case c == '%':
			if i+2 >= len(rest) || !isHex(rest[i+1]) || !isHex(rest[i+2]) {
				return "not a URI: % without two hexadecimal digits"
			}
		case c == '#':
			if fragment {
				return "not a URI: two #"
			}
			fragment = true
		case (c == '[' || c == ']') && i < authority:
		case c >= 0x80:
			return "not a URI: characters beyond ASCII must be percent-encoded"
		default:
			return fmt.Sprintf("not a URI: %q must be percent-encoded", rune(c))
		}
	}
	return ""
}

// authorityOf returns where the authority ends in what follows the scheme, 0 if there
// is none. Only it may have an address in brackets.
func authorityOf(rest []byte) int {
	if !strings.HasPrefix(string(rest), "//") {
		return 0
	}
	for i := 2; i < len(rest); i++ {
		if rest[i] == '/' || rest[i] == '?' || rest[i] == '#' {
			return i
		}
	}
	return len(rest)
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' }

func (s *messageChecker) template(member string, raw []byte) {
	text, ok := textOf(raw)
	if !ok || len(text) > maxURI {
		return
	}
	if why := notTemplate(string(text)); why != "" {
		s.found(sch05, member, fmt.Sprintf("not a URI template: %s: %s", why, message.Excerpt(text)))
	}
}

// notTemplate returns why a text is not a URI template of RFC 6570, or "".
func notTemplate(template string) string {
	for rest := template; rest != ""; {
		at := strings.IndexAny(rest, "{}")
		literal := rest
		if at >= 0 {
			literal = rest[:at]
		}
		if bad := strings.IndexAny(literal, " \"<>\\^`|"); bad >= 0 {
			return fmt.Sprintf("%q must be percent-encoded", literal[bad])
		}
		switch {
		case at < 0:
			return ""
		case rest[at] == '}':
			return "} without {"
		}
		end := strings.IndexByte(rest[at:], '}')
		if end < 0 {
			return "{ without }"
		}
		if why := notExpression(rest[at+1 : at+end]); why != "" {
			return why
		}
		rest = rest[at+end+1:]
	}
	return ""
}

// notExpression returns why a text is not the inside of an expression, or "".
func notExpression(text string) string {
	whole := text
	if text != "" && strings.IndexByte("+#./;?&", text[0]) >= 0 {
		text = text[1:]
	}
	for variable := range strings.SplitSeq(text, ",") {
		name, prefix, hasPrefix := strings.Cut(strings.TrimSuffix(variable, "*"), ":")
		if hasPrefix && (prefix == "" || len(prefix) > 4 || prefix[0] == '0' || strings.Trim(prefix, "0123456789") != "") {
			return fmt.Sprintf("invalid expression {%s}", message.Excerpt(whole))
		}
		for part := range strings.SplitSeq(name, ".") {
			if part == "" || !only(part, "_%") {
				return fmt.Sprintf("invalid expression {%s}", message.Excerpt(whole))
			}
		}
	}
	return ""
}
