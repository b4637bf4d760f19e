package session

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"mcpdbg/session/executor"
)

// The client that the executor has started itself is its own matter. A client is named
// once, and not also a shell, sudo or a plugin around it.
func TestContainersOfATree(t *testing.T) {
	tree := []executor.Descendant{
		{PID: 7, Command: "sudo docker exec -i web s"},
		{PID: 8, Command: "docker exec -i web s"},
		{PID: 9, Command: "sh -c docker exec -i db s"},
		{PID: 10, Command: "docker exec -i db s"},
		{PID: 11, Command: "docker compose exec shop s"},
		{PID: 12, Command: "/x/docker-compose compose exec shop s"},
	}
	indirect := []executor.Descendant{{PID: 3, Command: "sh -c docker run -i x; true"}, {PID: 4, Command: "/bin/sh /x/bin/docker run -i x"}}
	places := func(processes []executor.Descendant, own bool, leader int) (list []string) {
		for _, c := range clientsIn(processes, own, leader) {
			list = append(list, fmt.Sprint(c.pid, " ", c.Where))
		}
		return list
	}
	require.Equal(t, []string{"8 docker exec web", "10 docker exec db", "11 docker compose exec shop"}, places(tree, false, 7))
	require.Equal(t, []string{"10 docker exec db", "11 docker compose exec shop"}, places(tree, true, 7))
	require.Equal(t, []string{"4 docker run x"}, places(indirect, false, 3))
	free := []executor.Descendant{{PID: 5, Command: "docker exec -i -e TITLE=My Server web node"}} // "TITLE=My Server"
	require.Equal(t, []string{"5 docker"}, places(free, false, 3))
	require.Equal(t, []string{"6 docker exec web"}, places([]executor.Descendant{{PID: 6, Command: "docker exec -iu 5 web node"}}, false, 3))
}
