//go:build linux

package enginetest

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// ImageOptions describe an image, or the insides of a container.
type ImageOptions struct {
	// Entrypoint and Cmd are the program of docker run; Cmd is its default.
	Entrypoint, Cmd []string
	Env             []string
	// Root is a folder that becomes the root; "" is that of this machine.
	Root string
	// NoShell takes all programs away, and with them the shell. A program can be started
	// by its path if that is not a folder of system programs.
	NoShell bool
	// Busybox leaves only busybox, with all its applets. It requires an isolated engine.
	Busybox bool
}

// ContainerOptions are those of a container that runs before the test begins.
type ContainerOptions struct {
	ImageOptions
	Labels  map[string]string
	Service string // of docker compose
	Number  int    // in the service; 0 means 1
	Stopped bool   // it is not running
}

// PodOptions are those of a pod. Each of its containers is like Options.
type PodOptions struct {
	Options    ContainerOptions
	Namespace  string   // "default" if empty
	Containers []string // "app" if empty
	// Workload is the name of a deployment and of a service that the pod belongs to: both
	// select the label app with that value.
	Workload string
}

// Container makes a container, and returns its id.
func (e *Engine) Container(t testing.TB, name string, o ContainerOptions) string {
	t.Helper()
	require.True(t, e.Isolated || !o.Busybox && o.Root == "", "only root can make such a container")
	labels := maps.Clone(o.Labels)
	if o.Service != "" {
		labels = with(with(labels, labelService, o.Service), labelNumber, strconv.Itoa(max(o.Number, 1)))
	}
	var reply created
	require.NoError(t, e.admin("container", newContainer{Name: name, Image: o.ImageOptions, Labels: labels, Stopped: o.Stopped}, &reply))
	return reply.ID
}

// Pod makes a pod, and returns the ids of its containers.
func (e *Engine) Pod(t testing.TB, name string, o PodOptions) []string {
	t.Helper()
	var ids []string
	space := cmp.Or(o.Namespace, "default")
	names := o.Containers
	if len(names) == 0 {
		names = []string{"app"}
	}
	for _, inner := range names {
		own := o.Options
		own.Labels = with(with(with(own.Labels, labelPod, name), labelNamespace, space), labelInner, inner)
		if o.Workload != "" {
			own.Labels = with(own.Labels, labelWorkload, o.Workload)
		}
		ids = append(ids, e.Container(t, strings.Join([]string{"k8s", inner, name, space}, "_"), own))
	}
	return ids
}

// Image makes an image for docker run.
func (e *Engine) Image(t testing.TB, name string, o ImageOptions) {
	t.Helper()
	require.NoError(t, e.admin("image", map[string]ImageOptions{withTag(name): o}, nil))
}

// with returns a copy of labels with one more.
func with(labels map[string]string, name, value string) map[string]string {
	all := map[string]string{name: value}
	for _, other := range slices.Sorted(maps.Keys(labels)) {
		if other != name {
			all[other] = labels[other]
		}
	}
	return all
}
