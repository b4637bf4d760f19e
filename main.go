// Command mcpdbg is a terminal debugger for MCP servers that speak over stdio.
package main

import (
	"os"

	"mcpdbg/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:])) }
