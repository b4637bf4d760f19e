package redact

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// shapes are lines of a log with a secret, written between < and >.
func shapes() map[string]string {
	random := fill(mixed, 24)
	return map[string]string{
		"after a level":               "INFO: password: <hunter2>",
		"after a level and a field":   "INFO: password: <hunter2> user=ada",
		"after a level without colon": "INFO password: <hunter2>",
		"after a place in a program":  "main.go:12: token: <hunter2>",
		"after a time and a level":    "2026-11-24T10:00:00Z debug: api_key: <hunter2>",
		"after a level in brackets":   "[debug] client_secret: <hunter2>",
		"after another field":         "user: ada, password: <hunter2>, host: db",
		"a header after a prefix":     "log: X-Api-Key: <hunter2>",
		"several words of a header":   "log: Authorization: <Digest hunter2 and more>",
		"a header in quotes":          "curl -H 'X-Auth-Token: <hunter2>' https://example.com",
		"a header in double quotes":   `fetch("https://example.com", "Proxy-Authorization: <Negotiate hunter2>")`,
		"without a colon":             "connect with password <" + random + ">",
		"without a colon, in quotes":  `using api_key "<` + random + `>"`,
		"_passwd":                     "FTP_PASSWD=<1234>",
		"_pwd":                        "export DB_PWD=<hunter2>",
		"_auth":                       "NPM_AUTH=<hunter2>",
		"_pat":                        "GITHUB_PAT='<hunter2>'",
		"_key":                        "SIGNING_KEY = <hunter2>",
		"_sig":                        "WEBHOOK_SIG=<hunter2>",
		"_key, not a constant":        `{"method":"x","params":{"signing_key":"<` + random + `>"}}`,
		"_sig, not a constant":        "webhook_sig=<" + random + ">",
		"-auth, an option":            "server --basic-auth <" + random + ">",
		"_pat in JSON in a string":    `{"method":"x","params":{"text":"{\"git_pat\":\"<` + random + `>\"}"}}`,
		"_key without a colon":        "started with signing_key <" + random + ">",
		"below a name with a suffix":  `{"method":"x","params":{"signing_key":{"password":"<hunter2>"}}}`,
		"client-key-data":             "    client-key-data: <LS0tLS1CRUdJTiB>",
		"private_key_id":              `{"method":"x","params":{"private_key_id":"<abc123>"}}`,
		"sig= in a URL":               "GET https://example.com/blob?sv=1&sig=<" + random + ">",
		"X-Amz-Signature":             "GET https://b.s3.amazonaws.com/o?X-Amz-Date=1&X-Amz-Signature=<" + fill(hexDigits, 64) + ">",
		"curl -u":                     "$ curl -s -u ada:<hunter2> https://example.com",
		"curl --user":                 "curl --user=ada:<hunter2> https://example.com",
		"netrc":                       "machine example.com login ada password <hunter2>",
		"Groq":                        "key <gsk_" + fill(mixed, 52) + ">",
		"Perplexity":                  "key <pplx-" + fill(mixed, 48) + ">",
		"Tailscale":                   "key <tskey-auth-k" + fill(mixed, 16) + "-" + fill(mixed, 32) + ">",
		"New Relic":                   "key <NRAK-" + fill("ABCDEF0123456789", 27) + ">",
		"New Relic license":           "key <" + fill(hexDigits, 36) + "NRAL>",
		"Facebook":                    "key <EAA" + fill(mixed, 150) + ">",
		"Docker":                      "key <dckr_pat_" + fill(mixed, 27) + ">",
		"Atlassian":                   "key <ATATT3xFfGF0" + fill(mixed, 170) + "=1A2B3C4D>",
		"Bitbucket":                   "key <ATBB" + fill(mixed, 32) + ">",
		"Pulumi":                      "key <pul-" + fill(hexDigits, 40) + ">",
		"Sentry":                      "key <sntrys_" + fill(mixed, 120) + "=_" + fill(mixed, 43) + ">",
		"Sentry, user":                "key <sntryu_" + fill(hexDigits, 64) + ">",
		"Figma":                       "key <figd_" + fill(mixed, 40) + ">",
	}
}

func TestEveryShapeIsFound(t *testing.T) {
	for name, marked := range shapes() {
		t.Run(name, func(t *testing.T) {
			before, rest, _ := strings.Cut(marked, "<")
			secret, after, found := strings.Cut(rest, ">")
			require.True(t, found)
			line := before + secret + after
			quoted, err := json.Marshal(line)
			require.NoError(t, err)
			for stream, write := range map[string]func(*recorder){
				"stdout": func(r *recorder) { r.out(line+"\n", 64) },
				"stderr": func(r *recorder) { r.err(line, false) },
				"text of a result": func(r *recorder) {
					r.out(`{"id":1,"result":{"content":[{"type":"text","text":`+string(quoted)+"}]}}\n", 64)
				},
			} {
				r := record(t)
				write(r)
				copied, _ := redacted(t, r.close(), Default())
				_, entries, _ := strings.Cut(copied, "\n")
				require.NotContains(t, entries, secret, stream)
				require.Contains(t, entries, Mark, stream)
				if !strings.Contains(after, `"`) {
					require.Contains(t, entries, after, stream)
				}
			}
		})
	}
}

// Blocks span several lines of stderr.
func TestBlocksOverSeveralLines(t *testing.T) {
	for name, lines := range map[string][]string{
		"PEM":         {"-----BEGIN EC PRIVATE KEY-----", "SECRETSECRET", "SECRETSECRET==", "-----END EC PRIVATE KEY-----"},
		"PEM, logged": {"12:00:01 INFO -----BEGIN PRIVATE KEY-----", "12:00:01 INFO SECRETSECRET", "12:00:01 INFO -----END PRIVATE KEY-----"},
		"PGP":         {"-----BEGIN PGP PRIVATE KEY BLOCK-----", "", "SECRETSECRET", "=SECR", "-----END PGP PRIVATE KEY BLOCK-----"},
		"PGP message": {"-----BEGIN PGP MESSAGE-----", "", "SECRETSECRET", "=SECR", "-----END PGP MESSAGE-----"},
		"a long PGP":  append(append([]string{"-----BEGIN PGP PRIVATE KEY BLOCK-----"}, strings.Split(strings.Repeat("SECRETSECRET\n", 900), "\n")...), "-----END PGP PRIVATE KEY BLOCK-----"),
		"netrc":       {"machine example.com", "  login ada", "  password SECRETSECRET"},
	} {
		t.Run(name, func(t *testing.T) {
			r := record(t)
			r.err("before", false)
			for _, line := range lines {
				r.err(line, false)
			}
			r.err("after", false)
			copied, _ := redacted(t, r.close(), Default())
			require.NotContains(t, copied, "SECR")
			require.Contains(t, copied, `"before"`)
			require.Contains(t, copied, `"after"`)
		})
	}
}
