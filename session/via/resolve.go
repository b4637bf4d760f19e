package via

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"mcpdbg/session/executor"
)

// shortID is how much of a container's id is shown, as docker does.
const shortID = 12

var errUnresolved = errors.New("no reply of the engine within the limit")

// resolve replaces a target that may lead to another place each time by the place that it
// leads to now: a pod of a workload or service, or a container of a service of docker
// compose. All executions of one start lead there.
func (e *Executor) resolve(ctx context.Context, p *prefix) *executor.StartError {
	c := &p.client
	if !p.engine || c.Unknown != "" {
		return nil
	}
	words, name, failure := []string(nil), "", (*executor.StartError)(nil)
	switch kind, _, typed := strings.Cut(c.Target, "/"); {
	case c.Engine == kubectl && c.Verb == "exec" && typed && !has("po pod pods", kind):
		words, name, failure = e.pod(ctx, p)
	case (c.Engine == "docker" && c.Verb == "compose exec" || c.Engine == "docker-compose" && c.Verb == "exec") && c.Target != "":
		words, name, failure = e.container(ctx, p)
	case c.options() == &composeExec, c.Engine == kubectl && c.Verb == "exec" && c.Target == "": // exec -f FILE
		p.unresolved("is not resolved")
		return nil
	default:
		return nil
	}
	if failure != nil && errors.Is(failure, errSudo) { // it is executed nevertheless, and the guard looks for its mark
		p.unresolved("is not resolved, because sudo does not permit that")
		return nil
	}
	if failure != nil {
		return failure
	}
	target, place := c.Target, p.place
	if *p, failure = prefixOf(words, p.host); failure != nil {
		return failure
	}
	p.place = place + " (" + name + ")"
	p.notices = append(p.notices, executor.Notice{Code: "via.resolved", Text: p.name + ": " + target + " is " + name})
	return nil
}

// unresolved notes that the executions of one start may lead to different places.
func (p *prefix) unresolved(what string) {
	p.notices = append(p.notices, executor.Notice{Code: "via.unresolved", Text: fmt.Sprintf("%s %s: %s chooses the place at each execution", p.place, what, p.name)})
}

// told returns the output of a command that must succeed.
func (e *Executor) told(ctx context.Context, p *prefix, words ...string) (string, *executor.StartError) {
	limited, cancel := executor.WithPausableTimeout(ctx, e.opts.StartTimeout, errUnresolved)
	defer cancel()
	permitted, failure := e.sudoPermits(limited, p, words)
	if failure != nil {
		return "", failure
	}
	if !permitted {
		return "", p.fail("resolve", executor.ViaNoPermission, errSudo, "")
	}
	a, err := e.ask(limited, words)
	switch {
	case errors.As(err, &failure):
		return "", failure
	case ctx.Err() != nil:
		return "", executor.StartCancelledBy(ctx, "resolve")
	case limited.Err() != nil:
		return "", p.fail("resolve", executor.StartTimeout, err, "--via-plain asks nothing before the start")
	case err != nil:
		return "", p.fail("resolve", executor.StartFailed, err, "")
	case a.exit == executor.Exit{Kind: executor.ExitCode}:
		return a.out, nil
	}
	code, text, hint := Cause(p.name, a.said, 0)
	if code == "" {
		code, text, hint = executor.StartFailed, "which place that is cannot be resolved", "name a pod or a container instead"
	}
	failure = p.fail("resolve", code, errors.New(text), hint)
	failure.Said, failure.SaidBy = tail([]byte(a.said)), executor.SpeakerVia
	return "", failure
}

// The fields of a pod that decide, in the order of podFields.
const podsPath = `{range .items[*]}{.metadata.name}{"\t"}{.metadata.deletionTimestamp}{"\t"}` +
	`{.status.conditions[?(@.type=="Ready")].status}{"\t"}{.status.conditions[?(@.type=="Ready")].lastTransitionTime}{"\t"}` +
	`{.status.containerStatuses[*].restartCount}{"\t"}{.metadata.creationTimestamp}{"\n"}{end}`

type podFields struct {
	name          string
	ending, ready bool
	since, made   string // RFC 3339
	restarts      int    // of the container with most
}

// pod returns the words that lead to one pod, and its name. It is the pod that kubectl exec
// would choose (podutils.ActivePods), but never one that is being deleted if there is
// another.
func (e *Executor) pod(ctx context.Context, p *prefix) (words []string, name string, failure *executor.StartError) {
	c := &p.client
	global, at := c.behind(p.words)
	get := func(args ...string) (string, *executor.StartError) {
		return e.told(ctx, p, slices.Concat(p.words[:c.At], []string{"get"}, args, global)...)
	}
	out, failure := get(c.Target, "-o", "jsonpath={.kind} {.spec.selector}")
	if failure != nil {
		return nil, "", failure
	}
	kind, text, _ := strings.Cut(out, " ")
	words = slices.Clone(p.words)
	if kind == "Pod" { // such as pods.v1./web
		_, words[at], _ = strings.Cut(c.Target, "/")
		return words, words[at], nil
	}
	selector, err := selectorOf(kind, text)
	if err != nil {
		return nil, "", p.fail("resolve", executor.ViaNoContainer, err, hintPods)
	}
	out, failure = get("pods", "-l", selector, "--field-selector", "status.phase=Running", "-o", "jsonpath="+podsPath)
	if failure != nil {
		return nil, "", failure
	}
	pods := readPods(out)
	if len(pods) == 0 {
		return nil, "", p.fail("resolve", executor.ViaNotRunning, errors.New("none of its pods runs"), "kubectl get pods shows them")
	}
	sort.SliceStable(pods, func(i, j int) bool { return pods[i].before(&pods[j]) })
	words[at] = pods[0].name
	return words, pods[0].name, nil
}

// behind returns the global options behind the verb of kubectl, and the position of its
// target.
func (p *Prefix) behind(words []string) (global []string, target int) {
	for at := p.Insert; at < p.Rest; at++ {
		given, next, _ := p.options().scan(words[:p.Rest], at)
		for _, o := range given {
			if has(kubectlGlobal.flags, o.name) || has(kubectlGlobal.values, o.name) {
				global = append(global, o.words(&kubectlGlobal)...)
			}
		}
		if at = next; target == 0 {
			target = at
		}
		if at < p.Rest && words[at] == dashes {
			break
		}
	}
	return global, target
}

// selectorOf returns the selector of an object's pods, as -l takes it.
func selectorOf(kind, text string) (string, error) {
	var selector struct {
		MatchLabels      map[string]string
		MatchExpressions []struct {
			Key, Operator string
			Values        []string
		}
	}
	var into any = &selector
	switch {
	case has("Service ReplicationController", kind):
		into = &selector.MatchLabels
	case !has("Deployment ReplicaSet StatefulSet DaemonSet Job", kind):
		return "", fmt.Errorf("it is a %s, in which kubectl executes nothing", kind)
	}
	if text != "" && json.Unmarshal([]byte(text), into) != nil {
		return "", fmt.Errorf("its selector cannot be read: %.200s", text)
	}
	var terms []string
	for name, value := range selector.MatchLabels {
		terms = append(terms, name+"="+value)
	}
	slices.Sort(terms)
	for _, m := range selector.MatchExpressions {
		values := " (" + strings.Join(m.Values, ",") + ")"
		switch m.Operator {
		case "In", "NotIn":
			terms = append(terms, m.Key+" "+strings.ToLower(m.Operator)+values)
		case "Exists":
			terms = append(terms, m.Key)
		case "DoesNotExist":
			terms = append(terms, "!"+m.Key)
		default:
			return "", fmt.Errorf("its selector has the unknown operator %q", m.Operator)
		}
	}
	if len(terms) == 0 {
		return "", fmt.Errorf("the %s selects no pods", kind)
	}
	return strings.Join(terms, ","), nil
}

// readPods reads the output for podsPath. An incomplete last line is skipped.
func readPods(out string) (pods []podFields) {
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 6 || !strings.HasSuffix(line, "\n") || f[0] == "" || strings.HasPrefix(f[0], "-") {
			continue
		}
		pod := podFields{name: f[0], ending: f[1] != "", ready: f[2] == "True", since: f[3], made: f[5]}
		for text := range strings.FieldsSeq(f[4]) {
			n, _ := strconv.Atoi(text)
			pod.restarts = max(pod.restarts, n)
		}
		pods = append(pods, pod)
	}
	return pods
}

func (p *podFields) before(other *podFields) bool {
	switch {
	case p.ending != other.ending:
		return other.ending
	case p.ready != other.ready:
		return p.ready
	case p.ready && p.since != other.since:
		return p.since != "" && (other.since == "" || p.since < other.since)
	case p.restarts != other.restarts:
		return p.restarts < other.restarts
	}
	return p.made < other.made
}

// numberLabel is the label with the number of a container in its service.
const numberLabel = "com.docker.compose.container-number"

// container returns the words of docker exec for a container of a service, and the short
// id of it. Without --index it is that with the lowest number, as for docker compose exec.
func (e *Executor) container(ctx context.Context, p *prefix) (words []string, name string, failure *executor.StartError) {
	c := &p.client
	out, failure := e.told(ctx, p, slices.Concat(p.words[:c.Insert-1], []string{"ps", "-q", c.Target})...)
	if failure != nil {
		return nil, "", failure
	}
	docker := p.words[:c.At]
	if c.standsAlone() {
		docker = append(slices.Clone(p.words[:c.Client]), "docker")
	}
	given, _, _ := composeExec.scan(p.words, c.Insert)
	id, index := "", last(given, "--index")
	switch ids := strings.Fields(out); {
	case len(ids) == 1 && index == "":
		id = ids[0]
	case len(ids) > 0:
		out, failure = e.told(ctx, p, slices.Concat(docker, []string{"inspect", "-f", `{{.Id}} {{index .Config.Labels "` + numberLabel + `"}}`}, ids)...)
		if failure != nil {
			return nil, "", failure
		}
		id = numbered(out, index)
	}
	if id == "" || strings.HasPrefix(id, "-") {
		err := errors.New("the service is not running")
		if index != "" {
			err = fmt.Errorf("the service has no running container %s", index)
		}
		return nil, "", p.fail("resolve", executor.ViaNotRunning, err, "docker compose ps shows its containers")
	}
	words = slices.Concat(docker, []string{"exec", "-i"})
	for _, o := range given {
		if !has("-T --no-tty --no-TTY -t --tty -i --interactive --index", o.name) {
			words = append(words, o.words(&composeExec)...)
		}
	}
	return append(words, id), id[:min(len(id), shortID)], nil
}

// numbered returns the id of the container with a number, or with the lowest one, in lines
// of ids and numbers; "" if there is none. An incomplete last line is skipped.
func numbered(lines, index string) string {
	found, lowest := "", 0
	for line := range strings.Lines(lines) {
		id, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		if !strings.HasSuffix(line, "\n") {
			break
		}
		number, _ := strconv.Atoi(text) // 0 without the label
		if index != "" && text == index || index == "" && (found == "" || number < lowest) {
			found, lowest = id, number
		}
	}
	return found
}
