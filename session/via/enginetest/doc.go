// Package enginetest is a container engine for tests, as sshtest is an SSH server: the
// command lines of docker, podman, nerdctl and kubectl, and a daemon that behaves like
// docker's. No image, no network and no container engine is needed.
//
//	e := enginetest.New(t, enginetest.Options{})
//	e.Container(t, "web", enginetest.ContainerOptions{})
//	out, err := exec.Command(e.Program("docker"), "exec", "-i", "web", "uname").Output()
//
// All programs are the test binary itself: its TestMain calls Main, and returns if that
// reports true.
//
// # What behaves like the real one
//
// A process in a container is a child of the daemon, and never of the client. If the
// client dies the process lives on, and its standard input stays open: a real engine
// closes it at times, and not at others (kubernetes#89031). If the client closes its own
// standard input, that of the process ends. Output is two streams; the output of a
// process ends at the latest two seconds after it, as docker's does. The client exits
// with the status of the process, 128 more than a signal, 125 for errors of docker itself,
// 126 if the command cannot be invoked, and 127 if it is not found. Arguments, output and
// texts of errors are those of docker 28, podman 5, nerdctl 2, docker compose 2 and
// kubectl 1.32; the daemon speaks the part of docker's API that they need, so that a real
// docker client can use it too.
//
// A container of root has a pid namespace and a mount namespace of its own. Otherwise its
// processes are ordinary ones, and it is only a name for them: see Engine.Isolated.
//
// # Differences
//
// A pod's containers share nothing. There is one user, and one namespace of processes for
// each container; cgroups, networks, volumes and images are names that mean nothing. The
// programs of an image are those of this machine, unless ContainerOptions limits them.
package enginetest
