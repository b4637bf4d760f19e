// Package methods has the rules for which side may send which method (RPC18, RPC21,
// RPC22). The methods of each revision and extension are those of session/mcp.
package methods
