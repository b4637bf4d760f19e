package sshconfig

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A reader checks the value of a keyword, in a block that applies or not, and
// returns it in the form that ssh -G prints. It gets the rest of the line, and
// the words in it, of which there is at least one.
type reader func(rest string, words []string) ([]string, error)

// aliases are other names of keywords.
var aliases = map[string]string{
	"challengeresponseauthentication": "kbdinteractiveauthentication",
	"skeyauthentication":              "kbdinteractiveauthentication",
	"tisauthentication":               "kbdinteractiveauthentication",
	"dsaauthentication":               "pubkeyauthentication",
	"pubkeyacceptedkeytypes":          "pubkeyacceptedalgorithms",
	"identityfile2":                   "identityfile",
	"hostbasedkeytypes":               "hostbasedacceptedalgorithms",
}

// cumulative are the keywords of which all values count, and how many there may
// be; ssh has the same limits on files.
var cumulative = map[string]int{
	"identityfile":    100,
	"certificatefile": 100,
	"localforward":    maxForwards,
	"remoteforward":   maxForwards,
	"dynamicforward":  maxForwards,
}

const (
	maxForwards       = 256
	maxKnownHostFiles = 32
)

// keywords are all that ssh knows and this parser can evaluate or leave out.
var keywords = map[string]reader{
	"hostname":     oneWord,
	"user":         oneWord,
	"port":         integer(1, 65535),
	"hostkeyalias": oneWord,

	"identityfile":                 oneWord,
	"certificatefile":              oneWord,
	"identitiesonly":               yesNo,
	"identityagent":                oneWord,
	"pubkeyauthentication":         choice("yes", "true=yes", "no", "false=no", "unbound", "host-bound"),
	"passwordauthentication":       yesNo,
	"preferredauthentications":     oneWord,
	"numberofpasswordprompts":      integer(0, math.MaxInt32),
	"kbdinteractiveauthentication": yesNo,

	"userknownhostsfile":    hostsFiles,
	"globalknownhostsfile":  hostsFiles,
	"hashknownhosts":        yesNo,
	"stricthostkeychecking": choice("yes", "true=yes", "no", "false=no", "off=no", "ask", "accept-new"),

	"proxyjump":    proxyJump,
	"proxycommand": command,

	"connecttimeout":       seconds,
	"serveraliveinterval":  seconds,
	"serveralivecountmax":  integer(0, math.MaxInt32),
	"connectionattempts":   integer(1, math.MaxInt32),
	"addressfamily":        choice("any", "inet", "inet6"),
	"bindaddress":          oneWord,
	"controlpath":          oneWord,
	"canonicalizehostname": choice("yes", "true=yes", "always", "no", "false=no"),

	"kexalgorithms":            algorithmList("kexalgorithms"),
	"ciphers":                  algorithmList("ciphers"),
	"macs":                     algorithmList("macs"),
	"hostkeyalgorithms":        algorithmList("hostkeyalgorithms"),
	"pubkeyacceptedalgorithms": algorithmList("pubkeyacceptedalgorithms"),
	"rekeylimit":               rekeyLimit,

	"sendenv": sendEnv,
	"setenv":  setEnv,

	"localforward":            line,
	"remoteforward":           line,
	"dynamicforward":          line,
	"clearallforwardings":     yesNo,
	"remotecommand":           command,
	"localcommand":            command,
	"permitlocalcommand":      yesNo,
	"knownhostscommand":       command,
	"requesttty":              choice("yes", "true=yes", "no", "false=no", "force", "auto"),
	"sessiontype":             choice("none", "subsystem", "default"),
	"compression":             choice("yes", "no"),
	"forwardagent":            flagOr,
	"forwardx11":              yesNo,
	"tunnel":                  choice("yes=point-to-point", "point-to-point", "ethernet", "no"),
	"bindinterface":           oneWord,
	"proxyusefdpass":          yesNo,
	"requiredrsasize":         integer(0, math.MaxInt32),
	"revokedhostkeys":         oneWord,
	"hostbasedauthentication": yesNo,
	"pkcs11provider":          oneWord,
	"addkeystoagent":          flagOr,
	"batchmode":               yesNo,
	"ignoreunknown":           oneWord,
}

// leftOut are the keywords that change nothing here, and those that ssh itself
// does not look at any more.
var leftOut = set(`
	canonicaldomains canonicalizefallbacklocal canonicalizemaxdots canonicalizepermittedcnames
	casignaturealgorithms channeltimeout checkhostip controlmaster controlpersist enableescapecommandline
	enablesshkeysign escapechar exitonforwardfailure fingerprinthash forkafterauthentication
	forwardx11timeout forwardx11trusted gatewayports gssapiauthentication gssapiclientidentity
	gssapidelegatecredentials gssapikexalgorithms gssapikeyexchange gssapirenewalforcesrekey
	gssapiserveridentity gssapitrustdns hostbasedacceptedalgorithms ipqos kbdinteractivedevices loglevel
	logverbose nohostauthenticationforlocalhost obscurekeystroketiming permitremoteopen
	securitykeyprovider stdinnull streamlocalbindmask streamlocalbindunlink syslogfacility tag tcpkeepalive
	keepalive tunneldevice updatehostkeys verifyhostkeydns versionaddendum visualhostkey warnweakcrypto
	xauthlocation refuseconnection

	afstokenpassing cipher compressionlevel fallbacktorsh globalknownhostsfile2 kerberosauthentication
	kerberostgtpassing protocol rhostsauthentication rhostsrsaauthentication rsaauthentication
	smartcarddevice useprivilegedport userknownhostsfile2 useroaming usersh`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

func oneWord(_ string, words []string) ([]string, error) {
	switch {
	case len(words) > 1:
		return nil, errors.New("more than one value")
	case words[0] == "":
		return nil, errors.New("an empty value")
	}
	return words, nil
}

// line keeps the whole value: it is only ever shown.
func line(_ string, words []string) ([]string, error) {
	return []string{strings.Join(words, " ")}, nil
}

// command keeps the value as it stands, quotes and all.
func command(rest string, _ []string) ([]string, error) {
	rest = strings.TrimLeft(rest, whitespace+"=")
	if rest == "" {
		return nil, errors.New("no command")
	}
	return []string{rest}, nil
}

func choice(of ...string) reader {
	values := map[string]string{}
	for _, v := range of {
		name, value, ok := strings.Cut(v, "=")
		if !ok {
			value = name
		}
		values[name] = value
	}
	return func(rest string, words []string) ([]string, error) {
		words, err := oneWord(rest, words)
		if err != nil {
			return nil, err
		}
		value, ok := values[lowerASCII(words[0])]
		if !ok {
			return nil, fmt.Errorf("bad value %s", printable(words[0]))
		}
		return []string{value}, nil
	}
}

var yesNo = choice("yes", "true=yes", "no", "false=no")

// flagOr is a yes or no, or something else that stands for yes.
func flagOr(rest string, words []string) ([]string, error) {
	if v, err := yesNo(rest, words); err == nil {
		return v, nil
	}
	return line(rest, words)
}

func integer(least, most int) reader {
	return func(rest string, words []string) ([]string, error) {
		words, err := oneWord(rest, words)
		if err != nil {
			return nil, err
		}
		n, err := strconv.ParseUint(words[0], 10, 31)
		if err != nil || int(n) < least || int(n) > most {
			return nil, fmt.Errorf("bad number %s", printable(words[0]))
		}
		return []string{strconv.Itoa(int(n))}, nil
	}
}

// seconds reads a time. With "none" it is as if the line were not there.
func seconds(rest string, words []string) ([]string, error) {
	words, err := oneWord(rest, words)
	if err != nil || words[0] == "none" {
		return nil, err
	}
	n, ok := parseSeconds(words[0])
	if !ok {
		return nil, fmt.Errorf("bad time %s", printable(words[0]))
	}
	return []string{strconv.Itoa(n)}, nil
}

// parseSeconds reads a time such as 90, 90s or 1h30m.
func parseSeconds(s string) (int, bool) {
	total := 0
	for s != "" {
		i := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
		if i < 0 {
			i = len(s)
		}
		n, err := strconv.ParseUint(s[:i], 10, 31)
		if err != nil {
			return 0, false
		}
		unit := uint64(1)
		if s = s[i:]; s != "" {
			switch s[0] {
			case 's', 'S':
			case 'm', 'M':
				unit = 60
			case 'h', 'H':
				unit = 60 * 60
			case 'd', 'D':
				unit = 24 * 60 * 60
			case 'w', 'W':
				unit = 7 * 24 * 60 * 60
			default:
				return 0, false
			}
			s = s[1:]
		}
		sum := uint64(total) + n*unit
		if sum > math.MaxInt32 {
			return 0, false
		}
		total = int(sum)
	}
	return total, true
}

// rekeyLimit reads bytes, with a unit or as "default", and perhaps a time.
func rekeyLimit(_ string, words []string) ([]string, error) {
	if len(words) > 2 {
		return nil, errors.New("more than two values")
	}
	bytes := uint64(0)
	if words[0] != "default" {
		digits := strings.TrimRight(words[0], "kKmMgGtTpPeE")
		n, err := strconv.ParseUint(digits, 10, 63)
		if err != nil || len(words[0])-len(digits) > 1 {
			return nil, fmt.Errorf("bad number %s", printable(words[0]))
		}
		if len(digits) < len(words[0]) {
			shift := 10 * (1 + strings.IndexByte("kmgtpe", lowerASCII(words[0][len(digits):])[0]))
			if n > math.MaxInt64>>shift {
				return nil, fmt.Errorf("bad number %s", printable(words[0]))
			}
			n <<= shift
		}
		if n > 0 && n < 16 {
			return nil, errors.New("less than 16 bytes")
		}
		bytes = n
	}
	if len(words) == 2 {
		if _, err := seconds("", words[1:]); err != nil {
			return nil, err
		}
	}
	return []string{strconv.FormatUint(bytes, 10)}, nil
}

func hostsFiles(_ string, words []string) ([]string, error) {
	if len(words) > maxKnownHostFiles {
		return nil, fmt.Errorf("more than %d files", maxKnownHostFiles)
	}
	for _, w := range words {
		switch {
		case w == "":
			return nil, errors.New("an empty file name")
		case strings.EqualFold(w, "none") && len(words) > 1:
			return nil, errors.New(`"none" must stand alone`)
		}
	}
	return words, nil
}

// proxyJump keeps the chain as it stands, without a comment.
func proxyJump(rest string, _ []string) ([]string, error) {
	rest, _, commented := strings.Cut(strings.TrimLeft(rest, whitespace+"="), "#")
	rest = strings.TrimRight(rest, whitespace)
	if strings.EqualFold(rest, "none") {
		if commented { // OpenSSH 9.2 takes it for the name of a host
			return nil, errors.New(`a comment behind "none"`)
		}
		return []string{"none"}, nil
	}
	if _, err := ParseDestinations(rest); err != nil {
		return nil, err
	}
	return []string{rest}, nil
}

func algorithmList(key string) reader {
	return func(rest string, words []string) ([]string, error) {
		words, err := oneWord(rest, words)
		if err != nil {
			return nil, err
		}
		list, err := algorithms[key].assemble(words[0])
		if err != nil {
			return nil, err
		}
		return []string{strings.Join(list, ",")}, nil
	}
}

func sendEnv(_ string, words []string) ([]string, error) {
	for _, w := range words {
		if w == "" || strings.Contains(w, "=") {
			return nil, fmt.Errorf("bad name %s", printable(w))
		}
	}
	return words, nil
}

// setEnv leaves out what gives a name a value a second time.
func setEnv(_ string, words []string) ([]string, error) {
	var values []string
	seen := map[string]bool{}
	for _, w := range words {
		name, _, ok := strings.Cut(w, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("%s is not NAME=VALUE", printable(name))
		}
		if !seen[name] {
			values = append(values, w)
		}
		seen[name] = true
	}
	return values, nil
}
