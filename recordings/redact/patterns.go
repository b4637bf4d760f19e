package redact

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"sync"
)

// A compilation on first use does not slow down the start of the program. Inlined, each
// call would add 400 bytes to it.
//
//go:noinline
func expression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// A Pattern is a regular expression (RE2) for secrets in text. If it has a group, the
// first one is the secret; otherwise the whole match is.
type Pattern struct {
	Name string
	Expr string
	// Anchors are texts, in any case, of which every match of Expr contains one. If
	// empty, they are derived from Expr; an expression without any runs on every
	// text, which is slow.
	Anchors []string
}

// They have few false positives: tokens with a prefix chosen by their issuer, or at a
// place where only secrets occur.
func defaultPatterns() []Pattern {
	return []Pattern{
		{Name: "aws-key", Expr: `\b((?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16})\b`},
		{Name: awsPattern, Expr: `\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}[^0-9A-Za-z/+](?:[^\n]{0,100}?[^0-9A-Za-z/+])?([0-9A-Za-z/+]{40})(?:[^0-9A-Za-z/+=]|$)`,
			Anchors: []string{"AKIA", "ASIA", "ABIA", "ACCA"}},
		{Name: "age", Expr: `\b(AGE-SECRET-KEY-1[0-9A-Z]{58})\b`},
		{Name: "azure-storage", Expr: `\b(?:AccountKey|SharedAccessKey)=([0-9A-Za-z+/]{43,86}={0,2})`, Anchors: []string{"AccountKey=", "SharedAccessKey="}},
		{Name: "azure-client", Expr: `(?:^|[^0-9A-Za-z_.~-])([0-9A-Za-z_.~-]{3}[0-9]Q~[0-9A-Za-z_.~-]{31,34})(?:[^0-9A-Za-z_.~-]|$)`, Anchors: []string{"Q~"}},
		{Name: "url-signature", Expr: `(?i)[?&](?:sig|x-amz-signature|x-amz-security-token|x-goog-signature)=([0-9a-z%+/_-]{16,}={0,2})`,
			Anchors: []string{"?sig=", "&sig=", "-signature=", "-security-token="}},
		{Name: "atlassian", Expr: `\b(AT(?:[AC]TT3|BB)[0-9A-Za-z_=-]{28,400})`, Anchors: []string{"ATATT3", "ATCTT3", "ATBB"}},
		{Name: "databricks", Expr: `\b(dapi[0-9a-f]{32}(?:-[0-9])?)\b`},
		{Name: "digitalocean", Expr: `\b(do[opr]_v1_[0-9a-f]{64})\b`, Anchors: []string{"doo_v1_", "dop_v1_", "dor_v1_"}},
		{Name: "discord", Expr: `\b([MNO][0-9A-Za-z_-]{23,25}\.[0-9A-Za-z_-]{6}\.[0-9A-Za-z_-]{27,38})`, Anchors: discordAnchors()},
		{Name: "discord-hook", Expr: `\bdiscord(?:app)?\.com/api/webhooks/[0-9]{17,20}/([0-9A-Za-z_-]{60,100})`},
		{Name: "docker", Expr: `\b(dckr_[po]at_[0-9A-Za-z_-]{20,100})`, Anchors: []string{"dckr_pat_", "dckr_oat_"}},
		{Name: "facebook", Expr: `(?:^|[^0-9A-Za-z+/_-])(EAA[0-9A-Za-z]{60,400})(?:[^0-9A-Za-z+/_-]|$)`, Anchors: []string{"EAA"}},
		{Name: "figma", Expr: `\b(fig[dou]_[0-9A-Za-z_-]{36,100})`, Anchors: []string{"figd_", "figo_", "figu_"}},
		{Name: "groq", Expr: `\b(gsk_[0-9A-Za-z]{40,100})\b`},
		{Name: "linear", Expr: `\b(lin_(?:api|oauth)_[0-9A-Za-z]{32,64})\b`, Anchors: []string{"lin_api_", "lin_oauth_"}},
		{Name: "new-relic", Expr: `\b((?:NR(?:AK|II|BR|RA)-[0-9A-Za-z_-]{20,64}|[0-9a-f]{36}NRAL))\b`, Anchors: []string{"NRAK-", "NRII-", "NRBR-", "NRRA-", "NRAL"}},
		{Name: "perplexity", Expr: `\b(pplx-[0-9A-Za-z]{40,100})\b`},
		{Name: "pulumi", Expr: `\b(pul-[0-9a-f]{40})\b`},
		{Name: "sentry", Expr: `\b(sntry[us]_[0-9A-Za-z+/=_-]{40,600})`, Anchors: []string{"sntryu_", "sntrys_"}},
		{Name: "tailscale", Expr: `\b(tskey-[a-z]{2,20}-[0-9A-Za-z_-]{12,200})`},
		{Name: "notion", Expr: `\b((?:secret_[0-9A-Za-z]{43}|ntn_[0-9A-Za-z]{40,60}))\b`, Anchors: []string{"secret_", "ntn_"}},
		{Name: "sendgrid", Expr: `\b(SG\.[0-9A-Za-z_-]{16,32}\.[0-9A-Za-z_-]{32,64})`},
		{Name: "shopify", Expr: `\b(shp(?:at|ca|pa|ss)_[0-9A-Fa-f]{32})\b`, Anchors: []string{"shpat_", "shpca_", "shppa_", "shpss_"}},
		{Name: "telegram", Expr: `(?:\bbot|\b)([0-9]{8,10}:AA[0-9A-Za-z_-]{33})(?:[^0-9A-Za-z_-]|$)`, Anchors: []string{":AA"}},
		{Name: "twilio", Expr: `\b(SK[0-9a-f]{32})\b`, Anchors: twilioAnchors()},
		{Name: "vault", Expr: `\b(hv[sbr]\.[0-9A-Za-z_-]{24,300})`, Anchors: []string{"hvs.", "hvb.", "hvr."}},
		{Name: "github", Expr: `\b(gh[pousr]_[0-9A-Za-z]{36,255})\b`, Anchors: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}},
		{Name: "github-pat", Expr: `\b(github_pat_[0-9A-Za-z_]{22,255})\b`},
		{Name: "gitlab", Expr: `\b(gl(?:pat|dt|rt|cbt|ptt|ft|oas)-[0-9A-Za-z_.-]{20,300})`,
			Anchors: []string{"glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "gloas-"}},
		{Name: "slack", Expr: `\b(xox[abposre]-[0-9A-Za-z-]{10,300})`,
			Anchors: []string{"xoxa-", "xoxb-", "xoxp-", "xoxo-", "xoxs-", "xoxr-", "xoxe-"}},
		{Name: "slack-hook", Expr: `\bhooks\.slack\.com/(?:services|workflows|triggers)/([0-9A-Za-z_/-]{20,200})`},
		{Name: "sk-key", Expr: `\b(sk-[0-9A-Za-z][0-9A-Za-z_-]{18,300})`},
		{Name: "stripe", Expr: `\b((?:sk|rk|pk)_(?:live|test)_[0-9A-Za-z]{10,200})`, Anchors: []string{"k_live_", "k_test_"}},
		{Name: "google", Expr: `\b(AIza[0-9A-Za-z_-]{35})`},
		{Name: "google-oauth", Expr: `\b(ya29\.[0-9A-Za-z_-]{20,1000})`},
		{Name: "npm", Expr: `\b(npm_[0-9A-Za-z]{36})\b`},
		{Name: "pypi", Expr: `\b(pypi-[0-9A-Za-z_-]{50,1000})`},
		{Name: "huggingface", Expr: `\b(hf_[0-9A-Za-z]{30,100})\b`},
		{Name: "jwt", Expr: `\b(eyJ[0-9A-Za-z_-]{8,}\.eyJ[0-9A-Za-z_-]{8,}\.[0-9A-Za-z_-]*)`},
		{Name: "private-key", Expr: `-----BEGIN (?:(?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?|PGP MESSAGE)-----(?s:.*?)(?:-----END (?:(?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?|PGP MESSAGE)-----|\z)`,
			Anchors: []string{"PRIVATE KEY", "PGP MESSAGE"}},
		{Name: "bearer", Expr: `(?i)\bbearer[ +]+([0-9A-Za-z._~+/-]{16,}=*)`, Anchors: []string{"bearer"}},
		{Name: "basic", Expr: `(?i)\bauthorization["']?\s*[:=]\s*["']?basic\s+([0-9A-Za-z+/]{6,}=*)`, Anchors: []string{"authorization"}},
		{Name: "curl-user", Expr: `\bcurl\s(?:[^\n]{0,1000}\s)?(?:-u|--user)[= ]*["']?[^\s:"']+:([^\s"']+)`, Anchors: []string{"curl"}},
		{Name: netrcPattern, Expr: `(?:^|\s)(?:machine\s+\S+|default)\s+login\s+\S+\s+(?:account\s+\S+\s+)?password\s+(\S+)`, Anchors: []string{"password"}},
		{Name: "url-password", Expr: `\b[A-Za-z][0-9A-Za-z+.-]*://[^\s/:@"'<>\\]*:([^\s/@"'<>\\]+)@`, Anchors: []string{"://"}},
		{Name: "url-token", Expr: `\b[A-Za-z][0-9A-Za-z+.-]*://([0-9A-Za-z_.~-]{20,})@`, Anchors: []string{"://"}},
	}
}

// netrcPattern is the pattern of inNetrc.
const netrcPattern = "netrc"

// discordAnchors are the beginnings of bot tokens: three digits of the id in base64.
func discordAnchors() (anchors []string) {
	for n := range 1000 {
		anchors = append(anchors, base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "%03d", n)))
	}
	return anchors
}

// twilioAnchors are the beginnings of API key SIDs.
func twilioAnchors() (anchors []string) {
	for n := range 16 {
		anchors = append(anchors, fmt.Sprintf("SK%x", n))
	}
	return anchors
}

// See Rules.Keys.
func defaultKeys() []string {
	return []string{
		"authorization", "proxy_authorization", "cookie", "set_cookie",
		"password", "passwd", "passphrase", "*_password", "secret", "*_secret",
		"token", "access_token", "refresh_token", "id_token", "auth_token", "bearer_token", "session_token", "bot_token",
		"*_access_token", "*_auth_token", "github_token", "gitlab_token", "slack_token", "npm_token", "hf_token",
		"api_key", "x_api_key", "*_api_key", "api_token", "*_api_token", "api_secret",
		"client_key_data", "private_key_id", "client_secret", "secret_key", "private_key", "access_key", "secret_access_key", "*_access_key", "*_secret_key", "*_private_key",
		"credentials", "otp", "ssn", "session_id", "sid",
	}
}

// See Rules.Suffixes.
func defaultSuffixes() []string { return []string{"passwd", "pwd", "auth", "pat", "key", "sig"} }

// See Rules.Words.
func defaultWords() []string { return []string{"auth", "pass", "pwd"} }
