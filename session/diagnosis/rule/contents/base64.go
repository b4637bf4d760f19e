package contents

import "fmt"

// notBase64 returns why a text is not standard base64 with padding (RFC 4648 section
// 4), or "".
func notBase64(text []byte) string {
	body := text
	for range 2 {
		if n := len(body); n > 0 && body[n-1] == '=' {
			body = body[:n-1]
		}
	}
	for i, c := range body {
		switch {
		case isAlphanumeric(c) || c == '+' || c == '/':
		case c == '-' || c == '_':
			return fmt.Sprintf("has %q at byte %d, which is base64url", c, i)
		default:
			return fmt.Sprintf("is not base64 at byte %d: %s", i, excerpt(string(text[i:min(len(text), i+20)])))
		}
	}
	if len(text)%4 != 0 {
		return fmt.Sprintf("has %d characters, which is not a multiple of 4: the padding is missing", len(text))
	}
	return ""
}
