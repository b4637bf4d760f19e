package diagnosis

// Severity is the severity of a problem or a cause. The zero value is Info.
type Severity uint8

// The severities.
const (
	Info    Severity = iota // worth knowing for compatibility
	Warning                 // violates a SHOULD, or is risky
	Error                   // violates a MUST, or breaks known clients or servers
)

var severityNames = [...]string{"info", "warning", "error"}

// String returns "info", "warning" or "error".
func (s Severity) String() string {
	if int(s) < len(severityNames) {
		return severityNames[s]
	}
	return "unknown"
}

// Letter returns I, W or E, where space is short.
func (s Severity) Letter() string {
	return string("IWE?"[min(int(s), 3)])
}

// Side is the side whose behavior a rule checks.
type Side uint8

// The sides.
const (
	Server  Side = iota // what the server writes
	Client              // what the client writes: this program, or the client it records
	Both                // either side
	Process             // the lifecycle of the process
)

var sideNames = [...]string{"server", "client", "both", "process"}

// String returns "server", "client", "both" or "process".
func (s Side) String() string {
	if int(s) < len(sideNames) {
		return sideNames[s]
	}
	return "unknown"
}
