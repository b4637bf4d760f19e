package main

import (
	"fmt"
	"os"
	"strings"
)

type bench struct {
	id, what string
	peer     string // a program of packages gets its version
	program  string // to look up for that, or ""
	goal     Goal
	speed    bool // the ratio is that of speeds, without a goal for it
	short    bool // part of the short form
	rounds   int  // limit; 0: as many as asked for
	bytes    func(*lab) int64
	sides    func(*lab) (ours, peer side, err error)
}

func benches() []bench {
	return append(append(append(startBenches(), streamBenches()...), fileBenches()...), hostBenches()...)
}

// tiny is the command of the tiny server.
func (l *lab) tiny(args ...string) []string { return append([]string{l.raw, "serve"}, args...) }

func (l *lab) with(server []string, args ...string) side {
	return side{argv: append(append(append([]string{l.mcpdbg}, args...), "--"), server...)}
}

// shell is a side that is a pipeline.
func shell(pipeline string) side {
	return side{argv: []string{"sh", "-c", pipeline}}
}

func startBenches() []bench {
	list := func(l *lab) side {
		s := l.with(l.tiny(), "list", "tools")
		s.want = "tool_9"
		return s
	}
	frame := func(l *lab) side {
		s := l.with(l.tiny())
		s.shows, s.keys = "Calls", "\x03"
		return s
	}
	return []bench{
		{id: "start", what: "`version`: the start of the program", peer: "an empty Go program", goal: Goal{AtMost: 4}, short: true,
			sides: func(l *lab) (side, side, error) {
				empty, err := l.empty()
				return side{argv: []string{l.mcpdbg, "version"}, want: "mcpdbg"}, side{argv: []string{empty}}, err
			}},
		{id: "list-raw", what: "`list tools` of a tiny server", peer: "a raw client", goal: Goal{AtMost: 3.5, Memory: 14}, short: true,
			sides: func(l *lab) (side, side, error) {
				return list(l), side{argv: append([]string{l.raw, "list"}, l.tiny()...), want: "tool_9"}, nil
			}},
		{id: "list-sdk", what: "`list tools` of a tiny server", peer: "a client of go-sdk " + sdkVersion,
			sides: func(l *lab) (side, side, error) {
				sdk, err := l.sdkClient()
				return list(l), side{argv: append([]string{sdk}, l.tiny()...), want: "tool_9"}, err
			}},
		{id: "list-inspector", what: "`list tools` of a tiny server", peer: "Inspector " + inspectorVersion + " --cli",
			sides: func(l *lab) (side, side, error) {
				server, err := l.script()
				if err != nil {
					return side{}, side{}, err
				}
				argv, err := l.inspector("--cli", server, "--method", "tools/list")
				return list(l), side{argv: argv, want: "tool_9"}, err
			}},
		{id: "frame-inspector", what: "first frame of the interface", peer: "Inspector " + inspectorVersion + " --tui", goal: Goal{Wall: 25}, short: false,
			sides: func(l *lab) (side, side, error) {
				server, err := l.script()
				if err != nil {
					return side{}, side{}, err
				}
				argv, err := l.inspector("--tui", server)
				return frame(l), side{argv: argv, shows: "Inspector", keys: "\x03"}, err
			}},
		{id: "frame-start", what: "first frame of the interface", peer: "an empty Go program", short: true,
			sides: func(l *lab) (side, side, error) {
				empty, err := l.empty()
				return frame(l), side{argv: []string{empty}}, err
			}},
	}
}

// Sizes of what flows through pipes.
const (
	floodLine  = 205
	singleRuns = 1_000_000 // writes of one message each
	bulkBytes  = 400 << 20
	callBytes  = 100 << 20
	pingCount  = 5_000
	tripCount  = 20_000
)

func streamBenches() []bench {
	flood := func(l *lab, count, block int) []string {
		return []string{l.raw, "flood", fmt.Sprint(count), fmt.Sprint(floodLine), fmt.Sprint(block)}
	}
	recorded := func(l *lab, server []string) side {
		path := l.file("flood.jsonl")
		s := l.with(server, "run", "--raw", "--quiet", "--record", path)
		s.took, s.before = true, remover(path)
		return s
	}
	return []bench{
		{id: "call-local", what: "`call` with a result of 100 MB", peer: "a bare pipe", goal: Goal{AtMost: 2, Memory: 64}, short: true,
			bytes: func(*lab) int64 { return callBytes },
			sides: func(l *lab) (side, side, error) {
				requests, err := l.requests()
				server := strings.Join(l.tiny(fmt.Sprint(callBytes)), " ")
				return shell(l.mcpdbg + " call --quiet --tool tool_0 -- " + server + " | cat >/dev/null"), shell(server + " <" + requests + " | cat >/dev/null"), err
			}},
		{id: "single-writes", what: "recording one write per message of 205 bytes", peer: "cat", program: "cat", goal: Goal{AtLeast: 0.8}, short: true,
			bytes: func(l *lab) int64 { return floodLine * l.scaled(singleRuns) },
			sides: func(l *lab) (side, side, error) {
				server := flood(l, int(l.scaled(singleRuns)), floodLine)
				peer := shell(strings.Join(server, " ") + " | cat >/dev/null")
				peer.took = true
				return recorded(l, server), peer, nil
			}},
		{id: "bulk", what: "recording messages of 205 bytes in writes of 64 KiB", peer: "tee", program: "tee", goal: Goal{AtLeast: 0.9}, short: true,
			bytes: func(l *lab) int64 { return l.scaled(bulkBytes) },
			sides: func(l *lab) (side, side, error) {
				server := flood(l, int(l.scaled(bulkBytes))/floodLine, 64<<10)
				path := l.file("tee.out")
				peer := shell(strings.Join(server, " ") + " | tee " + path + " >/dev/null")
				peer.took, peer.before = true, remover(path)
				return recorded(l, server), peer, nil
			}},
		{id: "ping", what: "round trips of pings, recorded", peer: "bare pipes", goal: Goal{AtLeast: 0.6}, short: true,
			sides: func(l *lab) (side, side, error) {
				n := int(l.scaled(pingCount))
				scenario, err := l.pings(n)
				path := l.file("ping.jsonl")
				ours := l.with(l.tiny(), "run", "--quiet", "--record", path, "--scenario", scenario)
				ours.took, ours.before = true, remover(path)
				return ours, side{argv: append([]string{l.raw, "ping", fmt.Sprint(n)}, l.tiny()...), took: true}, err
			}},
		{id: "mock", what: "`mock`: new requests", peer: "an echo", goal: Goal{AtLeast: 0.8}, short: true,
			sides: func(l *lab) (side, side, error) {
				n := int(l.scaled(tripCount))
				path, err := l.trips(n)
				driver := []string{l.raw, "trips", fmt.Sprint(n)}
				return side{argv: append(driver[:3:3], l.mcpdbg, "mock", path), took: true}, side{argv: append(driver[:3:3], l.raw, "echo"), took: true}, err
			}},
	}
}

func remover(path string) func() error {
	return func() error { return os.RemoveAll(path) }
}

func fileBenches() []bench {
	large := func(l *lab) int64 { return l.size }
	cat := func(l *lab, file string) side {
		return side{argv: []string{l.mcpdbg, "rec", "cat", "--json", "--filter", rareWord, file}, want: rareWord}
	}
	search := func(indexed bool) func(l *lab) (side, side, error) {
		return func(l *lab) (side, side, error) {
			rg, err := program("rg")
			if err != nil {
				return side{}, side{}, err
			}
			file, err := l.recording()
			ours := cat(l, file)
			if !indexed {
				ours.before = remover(l.cache())
			}
			return ours, side{argv: []string{rg, "-c", rareWord, file}}, err
		}
	}
	// The search of a sixteenth of the recording is compared with a program.
	small := func(name string, with func(file string) side) func(l *lab) (side, side, error) {
		return func(l *lab) (side, side, error) {
			path, err := program(name)
			if err != nil {
				return side{}, side{}, err
			}
			file, err := l.small()
			ours, peer := cat(l, file), with(file)
			ours.before = remover(l.cache())
			peer.argv = append([]string{path}, peer.argv...)
			return ours, peer, err
		}
	}
	open := func(indexed bool) func(l *lab) (side, side, error) {
		return func(l *lab) (side, side, error) {
			less, err := program("less")
			if err != nil {
				return side{}, side{}, err
			}
			file, err := l.recording()
			ours := side{argv: []string{l.mcpdbg, "open", file}, shows: lastWord, keys: "\x03"}
			if !indexed {
				ours.before = remover(l.cache())
			} else if err == nil {
				err = l.index(file)
			}
			return ours, side{argv: []string{less, "-n", "+G", file}, shows: lastWord, keys: "q"}, err
		}
	}
	// Reading the whole recording is compared with wc.
	whole := func(codes []int, args ...string) func(l *lab) (side, side, error) {
		return func(l *lab) (side, side, error) {
			file, err := l.calls()
			return side{argv: append(append([]string{l.mcpdbg}, args...), file), before: remover(l.cache()), codes: codes}, side{argv: []string{"wc", "-l", file}}, err
		}
	}
	return []bench{
		{id: "open-less", what: "`open`, until the last message is on the screen", peer: "less", program: "less", goal: Goal{AtMost: 4, Wall: 20}, short: true, sides: open(false)},
		{id: "open-indexed", what: "the same with a stored index", peer: "less", program: "less", goal: Goal{AtMost: 4, Wall: 20}, sides: open(true)},
		{id: "search", what: "`rec cat --json --filter WORD`, not indexed", peer: "rg -c", program: "rg", goal: Goal{AtMost: 2}, short: true, bytes: large, sides: search(false)},
		{id: "search-indexed", what: "`rec cat --json --filter WORD`, indexed", peer: "rg -c", program: "rg", goal: Goal{AtMost: 1.5}, short: true, bytes: large, sides: search(true)},
		{id: "search-jq", what: "`rec cat --json --filter WORD`, a sixteenth of the recording", peer: "jq", program: "jq", rounds: 3,
			sides: small("jq", func(file string) side {
				return side{argv: []string{"-c", `select(.m.params.data? // "" | tostring | contains("` + rareWord + `"))`, file}, want: rareWord}
			})},
		{id: "search-lnav", what: "`rec cat --json --filter WORD`, a sixteenth of the recording", peer: "lnav -n", program: "lnav", rounds: 3,
			sides: small("lnav", func(file string) side { return side{argv: []string{"-n", "-c", ":filter-in " + rareWord, file}} })},
		{id: "info", what: "`rec info`", peer: "wc -l", goal: Goal{Rate: 500}, rounds: 5, short: true, bytes: large, sides: whole(nil, "rec", "info")},
		{id: "verify", what: "`rec verify`", peer: "wc -l", goal: Goal{Rate: 500}, rounds: 5, short: true, bytes: large, sides: whole(nil, "rec", "verify")},
		{id: "check", what: "`check FILE`", peer: "wc -l", goal: Goal{Rate: 60}, rounds: 3, short: true, bytes: large, sides: whole([]int{0, 1}, "check")},
		{id: "python", what: "`read_recording.py`, 256 MiB in lines of 1 KiB", peer: "python3 that decodes the same lines", program: "python3", goal: Goal{Rate: 200}, rounds: 3,
			bytes: func(*lab) int64 { return pythonBytes }, sides: (*lab).python},
	}
}

const pythonBytes = 256 << 20

func (l *lab) python() (side, side, error) {
	python, err := program("python3")
	if err != nil {
		return side{}, side{}, err
	}
	file, err := l.recorded(pythonBytes)
	return side{argv: []string{python, l.root + "/docs/reference/read_recording.py", file}, want: "ok"},
		side{argv: []string{python, "-c", "import json, sys\nfor line in open(sys.argv[1], 'rb'): json.loads(line)", file}}, err
}
