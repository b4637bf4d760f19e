//go:build linux

package enginetest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

var kubeFlags = flags{
	valued: []string{"namespace", "context", "kubeconfig", "cluster", "user", "server", "token", "request-timeout", "v", "as",
		"container", "pod-running-timeout", "filename", "output", "selector", "field-selector"},
	boolean: []string{"stdin", "tty", "quiet", "insecure-skip-tls-verify", "all-namespaces", "no-headers", "ignore-not-found"},
	short: map[string]string{"n": "namespace", "s": "server", "v": "v", "c": "container", "f": "filename", "o": "output", "l": "selector",
		"i": "stdin", "t": "tty", "q": "quiet", "A": "all-namespaces"},
	mixed: true,
}

// A pod is the containers that share its name.
type pod struct {
	name, space string
	containers  []containerSummary
	labels      map[string]string
}

func (p *pod) names() []string {
	var names []string
	for _, c := range p.containers {
		names = append(names, c.Labels[labelInner])
	}
	return names
}

func (p *pod) running() bool {
	return slices.ContainsFunc(p.containers, func(c containerSummary) bool { return c.State == "running" })
}

func (p *pod) phase() string {
	if p.running() {
		return "Running"
	}
	return "Succeeded"
}

// A kube is one call of kubectl.
type kube struct {
	*client
	p     *parsed
	space string
}

func (c *client) kubectl(args []string) error {
	p, err := kubeFlags.parse(args)
	verb := ""
	if p != nil && len(p.args) > 0 && p.dashed != 0 {
		verb = p.args[0]
	}
	switch {
	case err != nil:
		return exitWith(1, "Error: %v\nSee 'kubectl %s--help' for usage.", err, verbOf(args))
	case verb == "":
		return exitWith(1, "error: you must specify a command")
	}
	if name := p.last("context"); name != "" && name != Context {
		return exitWith(1, "error: context %q does not exist", name)
	}
	p.args = p.args[1:]
	p.dashed--
	k := &kube{c, p, cmp.Or(p.last("namespace"), "default")}
	switch verb {
	case "exec":
		return k.exec()
	case "get":
		return k.get()
	}
	return exitWith(1, "Error: unknown command %q for \"kubectl\"", verb)
}

func verbOf(args []string) string {
	for _, arg := range args {
		if arg == "exec" || arg == "get" {
			return arg + " "
		}
	}
	return ""
}

// reach returns the error of a cluster that cannot be used.
func (k *kube) reach(verb, resource, name string) error {
	switch k.fault {
	case NoDaemon:
		now := time.Now()
		for range 5 {
			fmt.Fprintf(os.Stderr, "E%s %7d memcache.go:265] \"Unhandled Error\" err=\"couldn't get current server API group list: Get \\\"http://localhost:8080/api?timeout=32s\\\": dial tcp 127.0.0.1:8080: connect: connection refused\"\n",
				now.Format("0102 15:04:05.000000"), os.Getpid())
		}
		return exitWith(1, "The connection to the server localhost:8080 was refused - did you specify the right host or port?")
	case Denied:
		plural, group, _ := strings.Cut(resource, ".")
		kind := strings.Split(resource, "/")[0]
		return exitWith(1, "Error from server (Forbidden): %s %q is forbidden: User \"system:serviceaccount:default:test\" cannot %s resource %q in API group %q in the namespace %q",
			kind, name, verb, plural, group, k.space)
	}
	return nil
}

// pods returns those of the namespace, by name.
func (k *kube) pods() ([]*pod, error) {
	var list []containerSummary
	filters, err := json.Marshal(map[string]map[string]bool{"label": {labelNamespace + "=" + k.space: true}})
	if err != nil {
		return nil, err
	}
	if err := k.api.call(http.MethodGet, query("/containers/json", "all", "1", "filters", string(filters)), nil, &list); err != nil {
		return nil, err
	}
	byName := map[string]*pod{}
	for _, c := range slices.Backward(list) { // the oldest first, as in the pod
		name := c.Labels[labelPod]
		p := byName[name]
		if p == nil {
			p = &pod{name: name, space: k.space, labels: map[string]string{}}
			byName[name] = p
		}
		p.containers = append(p.containers, c)
		for label, value := range c.Labels {
			if !strings.HasPrefix(label, "io.kubernetes.") {
				p.labels[label] = value
			}
		}
	}
	var pods []*pod
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		pods = append(pods, byName[name])
	}
	return pods, nil
}

// kinds are the names of resources: the first is that of errors, and the last one of
// output.
var kinds = [][]string{
	{"pods", "pod", "po"},
	{"deployments.apps", "deployments", "deployment.apps", "deploy", "deployment"},
	{"services", "svc", "service"},
}

func kindOf(name string) []string {
	for _, kind := range kinds {
		if slices.Contains(kind, strings.ToLower(name)) {
			return kind
		}
	}
	return nil
}

// target returns the pod to use: that of the name, or one of the workload's.
func (k *kube) target(resource string) (*pod, error) {
	kindName, name, typed := strings.Cut(resource, "/")
	if !typed {
		kindName, name = "pod", resource
	}
	kind := kindOf(kindName)
	if kind == nil {
		return nil, exitWith(1, "error: the server doesn't have a resource type %q", kindName)
	}
	pods, err := k.pods()
	if err != nil {
		return nil, err
	}
	var found []*pod
	for _, p := range pods {
		if kind[0] == "pods" && p.name == name || kind[0] != "pods" && p.labels[labelWorkload] == name {
			found = append(found, p)
		}
	}
	if len(found) == 0 {
		return nil, notFound(kind, name)
	}
	if kind[0] == "pods" {
		return found[0], nil
	}
	found = slices.DeleteFunc(found, func(p *pod) bool { return !p.running() })
	if len(found) == 0 {
		return nil, exitWith(1, "error: timed out waiting for the condition") // after a minute
	}
	var turn int
	if err := k.api.call(http.MethodPost, adminPath+"turn", nil, &turn); err != nil {
		return nil, err
	}
	return found[turn%len(found)], nil
}

func notFound(kind []string, name string) error {
	return exitWith(1, "Error from server (NotFound): %s %q not found", kind[0], name)
}

// container returns the one that -c names, or the first one.
func (k *kube) container(p *pod) (containerSummary, error) {
	names := p.names()
	if name := k.p.last("container"); name != "" {
		i := slices.Index(names, name)
		if i < 0 {
			return containerSummary{}, exitWith(1, "error: container %s not found in pod %s", name, p.name)
		}
		return p.containers[i], nil
	}
	if len(names) > 1 {
		if k.o.NameContainers {
			return containerSummary{}, exitWith(1, "error: a container name must be specified for pod %s, choose one of: [%s]", p.name, strings.Join(names, " "))
		}
		if !k.p.set["quiet"] {
			fmt.Fprintf(os.Stderr, "Defaulted container %q out of: %s\n", names[0], strings.Join(names, ", "))
		}
	}
	return p.containers[0], nil
}

func (k *kube) exec() error {
	p := k.p
	switch {
	case len(p.args) == 0 || p.dashed == 0:
		return exitWith(1, "error: pod, type/name or --filename must be specified")
	case len(p.args) > 1 && p.dashed < 0:
		return exitWith(1, "error: exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead\nSee 'kubectl exec -h' for help and examples")
	case len(p.args) < 2:
		return exitWith(1, "error: you must specify at least one command for the container")
	}
	if err := k.reach("create", "pods/exec", p.args[0][strings.LastIndexByte(p.args[0], '/')+1:]); err != nil {
		return err
	}
	target, err := k.target(p.args[0])
	if err != nil {
		return err
	}
	if !target.running() {
		return exitWith(1, "error: cannot exec into a container in a completed pod; current phase is %s", target.phase())
	}
	inner, err := k.container(target)
	if err != nil {
		return err
	}
	tty := p.set["tty"] && p.set["stdin"]
	if tty && !isTerminal(os.Stdin) {
		tty = false
		fmt.Fprintln(os.Stderr, "Unable to use a TTY - input is not a terminal or the right kind of file")
	}
	state, err := k.client.exec(inner.ID, execConfig{AttachStdin: p.set["stdin"], AttachStdout: true, AttachStderr: true, Tty: tty, Cmd: p.args[1:]}, true)
	switch {
	case statusOf(err) != 0:
		return exitWith(1, "error: Internal error occurred: error executing command in container: failed to exec in container: failed to start exec %q: %v", newID(), err)
	case err != nil:
		return err
	case state.ExitCode == nil || *state.ExitCode == 0: // or the stream was lost
		return nil
	}
	return exitWith(*state.ExitCode, "command terminated with exit code %d", *state.ExitCode)
}

// get prints one resource, or the pods of a selector.
func (k *kube) get() error {
	args := k.p.args
	if len(args) == 0 {
		return exitWith(1, "error: Required resource not specified.")
	}
	kindName, name, typed := strings.Cut(args[0], "/")
	if !typed && len(args) > 1 {
		name = args[1]
	}
	kind := kindOf(kindName)
	if kind == nil {
		return exitWith(1, "error: the server doesn't have a resource type %q", kindName)
	}
	verb := "get"
	if name == "" {
		verb = "list"
	}
	if err := k.reach(verb, kind[0], name); err != nil {
		return err
	}
	pods, err := k.pods()
	if err != nil {
		return err
	}
	var items []any
	if kind[0] == "pods" {
		_, phase, _ := strings.Cut(k.p.last("field-selector"), "status.phase=")
		items = podItems(pods, name, k.p.last("selector"), phase)
	} else {
		items = workloadItems(kind, pods, name)
	}
	if name != "" {
		if len(items) == 0 {
			return notFound(kind, name)
		}
		return k.print(kind, items, items[0])
	}
	if len(items) == 0 && !strings.HasPrefix(k.p.last("output"), "json") {
		if k.p.last("output") == "" {
			fmt.Fprintf(os.Stderr, "No resources found in %s namespace.\n", k.space)
		}
		return nil
	}
	return k.print(kind, items, map[string]any{"apiVersion": "v1", "kind": "List", "metadata": map[string]any{"resourceVersion": ""}, "items": items})
}

func podItems(pods []*pod, name, selector, phase string) []any {
	items := []any{}
	for _, p := range pods {
		if name != "" && p.name != name || !selects(selector, p.labels) || phase != "" && p.phase() != phase {
			continue
		}
		made := time.Unix(p.containers[0].Created, 0).UTC().Format(time.RFC3339)
		ready := map[string]any{"type": "Ready", "status": "False", "lastTransitionTime": made}
		if p.running() {
			ready["status"] = "True"
		}
		var specs, statuses []any
		for _, c := range p.containers {
			specs = append(specs, map[string]any{"name": c.Labels[labelInner], "image": c.Image})
			statuses = append(statuses, map[string]any{"name": c.Labels[labelInner], "ready": c.State == "running", "restartCount": 0, "containerID": "containerd://" + c.ID})
		}
		items = append(items, map[string]any{
			"apiVersion": "v1", "kind": "Pod", "metadata": map[string]any{"name": p.name, "namespace": p.space, "labels": p.labels, "creationTimestamp": made},
			"spec": map[string]any{"containers": specs}, "status": map[string]any{"phase": p.phase(), "conditions": []any{ready}, "containerStatuses": statuses},
		})
	}
	return items
}

// selects reports whether a selector of equalities selects labels.
func selects(selector string, labels map[string]string) bool {
	for term := range strings.SplitSeq(selector, ",") {
		name, value, valued := strings.Cut(term, "=")
		if got, ok := labels[name]; name != "" && (!ok || valued && got != strings.TrimPrefix(value, "=")) {
			return false
		}
	}
	return true
}

func workloadItems(kind []string, pods []*pod, name string) []any {
	byName := map[string]int{}
	space := ""
	for _, p := range pods {
		if own := p.labels[labelWorkload]; own != "" && (name == "" || own == name) {
			byName[own]++
			space = p.space
		}
	}
	items := []any{}
	for _, own := range slices.Sorted(maps.Keys(byName)) {
		labels := map[string]any{labelWorkload: own}
		item := map[string]any{"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"name": own, "namespace": space}, "spec": map[string]any{"selector": labels}}
		if kind[0] == "deployments.apps" {
			item["apiVersion"], item["kind"] = "apps/v1", "Deployment"
			item["spec"] = map[string]any{"replicas": byName[own], "selector": map[string]any{"matchLabels": labels}}
		}
		items = append(items, item)
	}
	return items
}

// print prints items: whole is the document of them all.
func (k *kube) print(kind []string, items []any, whole any) error {
	format, template, _ := strings.Cut(k.p.last("output"), "=")
	switch format {
	case "json":
		text, err := json.MarshalIndent(whole, "", "    ")
		fmt.Println(string(text))
		return err
	case "jsonpath":
		text, err := jsonPath(template, decoded(whole))
		fmt.Print(text)
		return err
	case "name":
		for _, item := range items {
			prefix := kind[len(kind)-1]
			switch kind[0] {
			case "pods":
				prefix = "pod"
			case "deployments.apps":
				prefix = "deployment.apps"
			}
			fmt.Printf("%s/%s\n", prefix, field(decoded(item), "metadata.name"))
		}
		return nil
	case "":
		w := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', 0)
		fmt.Fprintln(w, "NAME\tSTATUS\tAGE")
		for _, item := range items {
			status := cmp.Or(fmt.Sprint(field(decoded(item), "status.phase")), "Active")
			fmt.Fprintf(w, "%s\t%s\t1s\n", field(decoded(item), "metadata.name"), status)
		}
		return w.Flush()
	}
	return exitWith(1, "error: unable to match a printer suitable for the output format %q, allowed formats are: json,jsonpath,name", format)
}

var (
	jsonPathRange = regexp.MustCompile(`\{range ([^}]*)\}(.*)\{end\}`)
	jsonPathPart  = regexp.MustCompile(`\{([^}]*)\}`)
	jsonPathStep  = regexp.MustCompile(`\[\?\(@\.(\w+=="[^"]*)"\)\]|\.?([A-Za-z0-9_-]+)|\[(\*|\d+)\]`)
)

// jsonPath replaces paths of names, indexes, [*] and [?(@.NAME=="TEXT")], quoted text, and
// one range.
func jsonPath(template string, root any) (string, error) {
	var failures []error
	template = jsonPathRange.ReplaceAllStringFunc(template, func(whole string) string {
		m := jsonPathRange.FindStringSubmatch(whole)
		var text strings.Builder
		for _, v := range follow(m[1], root) {
			part, err := jsonPath(m[2], v)
			failures = append(failures, err)
			text.WriteString(part)
		}
		return text.String()
	})
	text := jsonPathPart.ReplaceAllStringFunc(template, func(part string) string {
		inner := strings.TrimSpace(part[1 : len(part)-1])
		if strings.HasPrefix(inner, `"`) {
			literal, err := strconv.Unquote(inner)
			failures = append(failures, err)
			return literal
		}
		var words []string
		for _, v := range follow(inner, root) {
			if s, ok := v.(string); ok {
				words = append(words, s)
				continue
			}
			b, err := json.Marshal(v)
			failures = append(failures, err)
			words = append(words, string(b))
		}
		return strings.Join(words, " ")
	})
	return text, errors.Join(failures...)
}

// follow returns the values at a path.
func follow(path string, root any) []any {
	values := []any{root}
	for _, step := range jsonPathStep.FindAllStringSubmatch(strings.TrimPrefix(path, "$"), -1) {
		if name, text, filter := strings.Cut(step[1], `=="`); filter {
			values = slices.DeleteFunc(walk(values, "", "*"), func(v any) bool { return field(v, name) != text })
			continue
		}
		values = walk(values, step[2], step[3])
	}
	return values
}

// walk takes one step from each value: to a name, or to an index or all of a list.
func walk(values []any, name, index string) []any {
	var next []any
	for _, v := range values {
		switch v := v.(type) {
		case map[string]any:
			if inner, ok := v[name]; ok {
				next = append(next, inner)
			}
		case []any:
			if i, err := strconv.Atoi(index); err == nil && i < len(v) {
				next = append(next, v[i])
			} else if index == "*" {
				next = append(next, v...)
			}
		}
	}
	return next
}
