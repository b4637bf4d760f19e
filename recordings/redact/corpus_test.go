package redact

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/framing"
	"mcpdbg/recordings"
	"mcpdbg/session"
	"mcpdbg/session/executor"
	"mcpdbg/session/secret"
)

// fill returns n characters of an alphabet, so that this file contains no real
// tokens.
func fill(alphabet string, n int) string {
	return strings.Repeat(alphabet, n/len(alphabet)+1)[:n]
}

const (
	hexDigits = "0a1b2c3d4e5f6789"
	mixed     = "aB3dE6gH9jK2mN5pQ8"
)

// A bait is a line of a stream with a secret in it.
type bait struct {
	name, line, secret string
}

func baits() []bait {
	result := func(text string) string {
		quoted, _ := json.Marshal(text)
		return `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":` + string(quoted) + `}]}}`
	}
	params := func(text string) string {
		return `{"jsonrpc":"2.0","method":"notifications/message","params":` + text + `}`
	}
	sendgrid := "SG." + fill(mixed, 22) + "." + fill(mixed, 43)
	telegram := "123456789:AA" + fill(mixed, 33)
	discord := "MTIz" + fill(mixed, 20) + "." + fill(mixed, 6) + "." + fill(mixed, 27)
	aws := fill("wJalrXUtnFEMI/K7MDENG+", 40)
	const awsKey = "AKIAIOSFODNN7EXAMPLE"
	azure := fill(mixed, 3) + "8Q~" + fill(mixed, 34)
	list := []bait{
		{"option and value in an array", params(`{"args":["--password","hunter2-array"]}`), "hunter2-array"},
		{"option and value in an array in a string", params(`{"text":"{\"args\":[\"--api-key\",\"hunter2-nested\"]}"}`), "hunter2-nested"},
		{"option and value, one dash", params(`{"cmd":["mysql","-password","hunter2-dash"]}`), "hunter2-dash"},
		{"option and value in a command line", result("run server --token hunter2-line --port 80"), "hunter2-line"},
		{"option and quoted value", result(`run server --client-secret "hunter2 quoted" -v`), "hunter2 quoted"},
		{"option and value as Python prints them", `['server', '--password', 'hunter2-python']`, "hunter2-python"},
		{"option=value", result("run server --password=hunter2-equals"), "hunter2-equals"},
		{"name before value", params(`{"env":[{"name":"password","value":"hunter2-name"}]}`), "hunter2-name"},
		{"value before name", params(`{"env":[{"value":"hunter2-value","name":"DB_PASSWORD"}]}`), "hunter2-value"},
		{"key and value", params(`{"headers":[{"key":"Authorization","value":"hunter2-header"}]}`), "hunter2-header"},
		{"name of an option and value", params(`{"arguments":[{"name":"--api-key","value":"hunter2-option"}]}`), "hunter2-option"},
		{"pass", params(`{"user":"ada","pass":"hunter2-pass"}`), "hunter2-pass"},
		{"pwd", params(`{"pwd":"hunter2-pwd"}`), "hunter2-pwd"},
		{"passwd", params(`{"passwd":"hunter2-passwd"}`), "hunter2-passwd"},
		{"auth", params(`{"auth":{"type":"basic","data":"hunter2-auth"}}`), "hunter2-auth"},
		{"otp", params(`{"otp":"493021"}`), "493021"},
		{"ssn", params(`{"ssn":"078-05-1120"}`), "078-05-1120"},
		{"session_id", params(`{"sessionId":"hunter2-session"}`), "hunter2-session"},
		{"sid", params(`{"sid":"hunter2-sid"}`), "hunter2-sid"},
		{"an ini file", "aws_secret_access_key = " + aws, aws},
		{"SendGrid", result("key " + sendgrid), sendgrid},
		{"Twilio", result("key SK" + fill(hexDigits, 32) + "."), "SK" + fill(hexDigits, 32)},
		{"Telegram", result("https://api.telegram.org/bot" + telegram + "/getMe"), telegram},
		{"Telegram alone", telegram, telegram},
		{"Discord", result(discord), discord},
		{"a Discord webhook", result("https://discord.com/api/webhooks/123456789012345678/" + fill(mixed, 68)), fill(mixed, 68)},
		{"Azure storage", result("DefaultEndpointsProtocol=https;AccountKey=" + fill(mixed, 86) + "=="), fill(mixed, 86)},
		{"Azure client secret", result("secret: " + azure), azure},
		{"Azure SAS", result("https://x.blob.core.windows.net/c?sv=2024&sig=" + fill(mixed, 43) + "%3D"), fill(mixed, 43)},
		{"Databricks", result("dapi" + fill(hexDigits, 32)), "dapi" + fill(hexDigits, 32)},
		{"DigitalOcean", result("dop_v1_" + fill(hexDigits, 64)), fill(hexDigits, 64)},
		{"Vault", result("hvs." + fill(mixed, 90)), fill(mixed, 90)},
		{"Linear", result("lin_api_" + fill(mixed, 40)), "lin_api_" + fill(mixed, 40)},
		{"Notion", result("ntn_" + fill(mixed, 46)), fill(mixed, 46)},
		{"old Notion token", result("secret_" + fill(mixed, 43)), fill(mixed, 43)},
		{"Shopify", result("shpat_" + fill(hexDigits, 32)), fill(hexDigits, 32)},
		{"age", "AGE-SECRET-KEY-1" + fill("QPZRY9X8GF2TVDW0", 58), fill("QPZRY9X8GF2TVDW0", 58)},
		{"AWS secret after its id in a text", result("use " + awsKey + " with " + aws + " please"), aws},
		{"AWS secret after its id in an array", params(`["` + awsKey + `","` + aws + `"]`), aws},
		{"AWS secret after its id in an object", params(`{"first":"` + awsKey + `","second":"` + aws + `"}`), aws},
	}
	return list
}

// lookalikes are lines that only look as if they contained a secret.
func lookalikes(t *testing.T) []string {
	data, err := os.ReadFile("testdata/lookalikes.txt")
	require.NoError(t, err)
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

func TestEveryBaitIsFound(t *testing.T) {
	all := baits()
	require.Len(t, all, 40)
	for _, b := range all {
		t.Run(b.name, func(t *testing.T) {
			require.Contains(t, b.line, b.secret)
			for _, stream := range []string{"stdout", "stderr"} {
				r := record(t)
				if stream == "stdout" {
					r.out(b.line+"\n", 64)
				} else {
					r.err(b.line, false)
				}
				copied, _ := redacted(t, r.close(), Default())
				require.NotContains(t, copied, b.secret, stream)
				require.Contains(t, copied, Mark)
			}
		})
	}
}

func TestNoLookalikeIsRemoved(t *testing.T) {
	all := lookalikes(t)
	require.Len(t, all, 60)
	for _, line := range all {
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
			_, report := redacted(t, r.close(), Default())
			for _, item := range report.Items {
				require.Contains(t, item.Place, "header", "%s: %s: %+v", stream, line, item)
			}
		}
	}
}

// TestGivenValuesAreFound checks values of which the recording has only digests.
func TestGivenValuesAreFound(t *testing.T) {
	const value, short, number = "p:ss w-rd/1", "only7by", "8675309000"
	key, err := secret.EnsureKey(t.TempDir() + "/digest.key")
	require.NoError(t, err)
	given := secret.NewDigests([]executor.EnvVar{{Name: "DB", Value: value}, {Name: "SHORT", Value: short}, {Name: "PIN", Value: number}}, key)
	require.Len(t, given.Digests, 2)
	f, err := recordings.Create(recordings.Options{Path: t.TempDir() + "/in.jsonl",
		Header: session.Header{Placement: "local", Argv: []string{"server"}, Secrets: given}})
	require.NoError(t, err)
	r := &recorder{t: t, f: f, sums: newSums()}
	r.event(session.KindStart, 0, session.StartBody{Process: "mcp-stdio-1"})
	r.out(`{"jsonrpc":"2.0","id":1,"result":{"whole":"`+value+`","part":"db://ada@`+value+`;x","in":"{\"a\":\"`+value+`\"}","n":`+number+`}}`+"\n", 16)
	r.out(`{"jsonrpc":"2.0","id":2,"result":"not `+value+`2, x`+value+` or `+short+`"}`+"\n", 16)
	r.append(session.Entry{Kind: session.KindStderr, Seq: r.seq + 1, Payload: []byte("connected with (" + value + ")"), EOL: framing.LF})
	r.seq++
	path := r.close()

	elsewhere, report := redacted(t, path, Default())
	require.Contains(t, elsewhere, value)
	require.Equal(t, 2, report.GivenUnknown)

	rules := Default()
	rules.DigestKey = key
	copied, report := redacted(t, path, rules)
	require.Zero(t, report.GivenUnknown)
	require.NotContains(t, copied, `"`+value)
	require.NotContains(t, copied, "("+value)
	require.NotContains(t, copied, number)
	require.Contains(t, copied, value+"2", "a part of a longer word")
	require.Contains(t, copied, short, "shorter values must be given as rules")
	require.NotContains(t, copied, `"secrets"`, "the copy has neither salt nor digests")
	require.NotContains(t, copied, `"salt"`)
	counts := map[string]int{}
	for _, item := range report.Items {
		counts[item.Rule] += item.Count
	}
	require.Equal(t, map[string]int{"given DB": 4, "given PIN": 1}, counts)

	plain, _ := redacted(t, path, Rules{Keys: []string{"x"}})
	require.Contains(t, plain, value, "without the default rules they stay")
	require.NotContains(t, plain, `"salt"`)
}
