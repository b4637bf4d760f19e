// Command bench compares mcpdbg with public tools and with the least that a client
// or a pipe can do. It runs whole processes in turn, A B A B, and reports the
// ratio of each round: a load that comes and goes slows both.
//
//	go run ./internal/tools/bench                    # measure everything and print it
//	go run ./internal/tools/bench --run 'open|list'  # some cases
//	go run ./internal/tools/bench --check            # fail if a ratio misses its goal by more than the noise
//	go run ./internal/tools/bench --write            # renew the report, the tables and the charts in docs
//	go run ./internal/tools/bench --short            # compare with the committed report, in about a minute
//
// A peer that is not installed is reported with how to install it, and the others
// are measured. --install fetches the pinned ones from their registries.
package main
