package link

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"mcpdbg/session/executor"
	"mcpdbg/sshexec/sshconfig"
)

// This program supports none of the algorithms that the configuration names for one
// purpose.
type noCommonError struct {
	what             string
	named, available []string
}

func (e *noCommonError) Error() string {
	return fmt.Sprintf("none of the configured %s is supported: %s", e.what, strings.Join(e.named, ", "))
}

// algorithms returns a notice if the host's configuration allows weak algorithms.
func algorithms(h *sshconfig.Host, c *ssh.Config) ([]executor.Notice, error) {
	secure, insecure := ssh.SupportedAlgorithms(), ssh.InsecureAlgorithms()
	var weak []string
	for _, a := range []struct {
		what             string
		named            []string
		secure, insecure []string
		set              *[]string
	}{
		{"key exchange algorithms", h.KexAlgorithms, secure.KeyExchanges, insecure.KeyExchanges, &c.KeyExchanges},
		// x/crypto lists AES-GCM first, which is the fastest by far where the
		// processor has AES.
		{"ciphers", h.Ciphers, secure.Ciphers, insecure.Ciphers, &c.Ciphers},
		{"MACs", h.MACs, secure.MACs, insecure.MACs, &c.MACs},
	} {
		if len(a.named) == 0 {
			*a.set = a.secure
			continue
		}
		for _, name := range a.named {
			switch {
			case slices.Contains(a.secure, name):
			case slices.Contains(a.insecure, name):
				weak = append(weak, name)
			default:
				continue
			}
			*a.set = append(*a.set, name)
		}
		if len(*a.set) == 0 {
			return nil, &noCommonError{what: a.what, named: a.named, available: a.secure}
		}
	}
	for _, name := range h.HostKeyAlgorithms { // knownhosts filters them
		if slices.Contains(insecure.HostKeys, name) {
			weak = append(weak, name)
		}
	}
	c.RekeyThreshold = h.RekeyLimit
	if len(weak) == 0 {
		return nil, nil
	}
	return []executor.Notice{{
		Code: "kex.weak",
		Text: fmt.Sprintf("the ssh configuration of %s allows weak algorithms: %s", h.Alias, strings.Join(weak, ", ")),
		Hint: "remove them from KexAlgorithms, Ciphers, MACs and HostKeyAlgorithms once the server supports better ones",
	}}, nil
}
