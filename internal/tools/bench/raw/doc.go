// Command raw is what internal/tools/bench compares mcpdbg with where no public tool
// does the same: the least that a client, a server and a pipe can do, with the
// standard library only. It also measures other programs, because the kernel
// counts the memory of the program that starts another one as the other's peak,
// and this one is small.
//
//	raw measure FILE COMMAND...   run COMMAND and write its times and memory to FILE
//	raw list COMMAND...           handshake and tools/list with a server
//	raw ping COUNT COMMAND...     handshake, and COUNT pings one after the other
//	raw trips COUNT COMMAND...    COUNT different requests one after the other
//	raw serve [BYTES]             a tiny server, whose tool returns that much text
//	raw echo                      the same response to every line
//	raw flood COUNT SIZE BLOCK    COUNT notifications of SIZE bytes in writes of BLOCK
//
// If the environment variable BENCH_TOOK names a file, serve, trips and flood
// write to it how many nanoseconds their own work took.
package main
