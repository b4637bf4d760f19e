#!/usr/bin/env bash
# Re-records the fixtures in this directory, each from a demo server:
#   go build -trimpath -o /tmp/mcpdbg . && session/diagnosis/cause/testdata/record.sh /tmp/mcpdbg
# Times and process ids change with each recording; the tests do not depend on them.
set -uo pipefail
program=$(realpath "$1")
cd "$(dirname "$0")" || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

call() { printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n' "$1" "$2" "$3"; }
echo_in() { call 1 echo '{"text":"hello"}'; }

# record NAME [FLAG...] -- COMMAND...: stdin holds the messages to send, if any.
record() {
	local name=$1
	shift
	cat >"$work/in"
	rm -f "$name.jsonl"
	set -- --record "$name.jsonl" "$@"
	[ -s "$work/in" ] && set -- --in "$work/in" "$@"
	env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/home/dev ${PASS:-} timeout 90 "$program" run "$@" >"$work/out" 2>&1
	sed -i -e "s|$program|mcpdbg|g" "$name.jsonl"
	echo "$name: $(wc -c <"$name.jsonl") bytes"
}
demo() {
	local name=$1 kind=$2
	shift 2
	record "$name" "$@" -- "$program" demo-server --misbehave "$kind"
}

modern='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}'
legacy=(--era legacy)

printf '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"},%s}}\n' "$modern" |
	record healthy -- "$program" demo-server
echo_in | record healthy-legacy "${legacy[@]}" -- "$program" demo-server
demo probe-restart dies-on-probe < <(echo_in)
demo slow-start slow-start:2000 < <(echo_in)
record not-found -- no-such-server </dev/null
record not-executable -- /etc/hostname </dev/null
record no-directory --cwd /no/such/directory -- "$program" demo-server </dev/null
record unreachable --ssh nobody@127.0.0.1:1 -- my-server </dev/null
demo variable dies-at-start </dev/null
PASS="DEMO_API_KEY=x" demo variable-left-out dies-at-start --env-policy client </dev/null
demo exited-early exit-7 </dev/null
record command-missing -- sh -c 'exec no-such-command' </dev/null
demo refused answers-error </dev/null
demo version wrong-version </dev/null
demo crashed crash-mid-call:segv "${legacy[@]}" < <(echo_in)
demo panics crash-mid-call:panic "${legacy[@]}" < <(echo_in)
demo ended no-final-newline "${legacy[@]}" --for 500ms < <(echo_in)
demo lsp-headers lsp-headers --startup-timeout 4s </dev/null
demo multi-line multi-line "${legacy[@]}" --timeout 2s < <(echo_in)
demo bom bom "${legacy[@]}" --timeout 2s < <(echo_in)
demo batch batch "${legacy[@]}" --timeout 2s < <(echo_in)
demo utf8 invalid-utf8 "${legacy[@]}" --timeout 2s < <(echo_in)
demo nul nul "${legacy[@]}" --timeout 2s < <(echo_in)
demo too-deep deep:10001 "${legacy[@]}" --timeout 2s < <(echo_in)
demo too-long huge-answer:20000 "${legacy[@]}" --timeout 2s --line-limit 10000 < <(echo_in)
demo no-newline no-newline-gb:1000 --for 2s </dev/null
demo id-type id-type "${legacy[@]}" --timeout 2s < <(echo_in)
demo orphans orphan-answers "${legacy[@]}" < <(echo_in)
demo duplicates duplicate-answers "${legacy[@]}" < <(echo_in)
demo not-reading not-reading-stdin "${legacy[@]}" --timeout 2s < <(echo_in)
demo held-pipe holds-stdout:3000 "${legacy[@]}" < <(echo_in)
demo held-now holds-stdout-now:1500 "${legacy[@]}" </dev/null
demo buffered buffered --startup-timeout 4s </dev/null
demo never-answers never-answers --startup-timeout 8s "${legacy[@]}" </dev/null
demo junk-only junk-only --startup-timeout 4s </dev/null
demo stray stray-text "${legacy[@]}" < <(echo_in)
demo stubborn ignores-eof-term:20 "${legacy[@]}" < <(echo_in)
demo left-behind daemon:20 "${legacy[@]}" < <(echo_in)
demo closes-stdout closes-stdout "${legacy[@]}" --timeout 2s < <(echo_in)
# Losing output takes ten megabytes: keep only a few lines of it.
demo lost-output flood-now:100000x205 "${legacy[@]}" --overrun drop --collector-delay 20ms </dev/null
awk '!/"k":"stdout"/ || lines++ < 5' lost-output.jsonl >"$work/cut" && cp "$work/cut" lost-output.jsonl
