package executor

import "strings"

// ContainersUnknown is the entry of StopReport.CannotTell for a tree with a
// client of a container engine: the processes in its containers were started by
// a service of the engine and are not descendants of the client.
const ContainersUnknown = "container state: cannot tell"

// ContainerClient reports whether program, a path or the first word of a
// command line, is the client of a container engine.
func ContainerClient(program string) bool {
	name := program[strings.LastIndexAny(program, `/\`)+1:]
	switch strings.TrimSuffix(name, ".exe") {
	case "docker", "podman", "nerdctl", "kubectl":
		return true
	}
	return false
}
