#!/bin/sh
# Copies a recording without the secrets of our servers, to share it.
#   redact.sh RECORDING COPY
set -eu

exec mcpdbg rec redact "$1" -o "$2" \
  --home \
  --key 'customer_*' \
  --pointer 'tools/call:/params/arguments/path' \
  --pattern 'ticket-([0-9]{6,})'
