package sshconfig

import (
	"os"
	"strings"
)

// What ssh uses without any configuration. The kinds of keys that x/crypto
// cannot use are left out.
var (
	defaultIdentities = []string{
		"~/.ssh/id_rsa", "~/.ssh/id_ecdsa", "~/.ssh/id_ecdsa_sk", "~/.ssh/id_ed25519", "~/.ssh/id_ed25519_sk",
	}
	defaultUserKnownHosts = []string{"~/.ssh/known_hosts ~/.ssh/known_hosts2"}
)

// programDataName is what ssh for Windows prints instead of a folder.
const programDataName = "__PROGRAMDATA__"

const systemKnownHosts = "/etc/ssh/ssh_known_hosts /etc/ssh/ssh_known_hosts2"

// programData puts in the folder of Windows.
func programData(path string) string {
	rest, ok := strings.CutPrefix(path, programDataName)
	if !ok {
		return path
	}
	return os.Getenv("ProgramData") + rest
}
