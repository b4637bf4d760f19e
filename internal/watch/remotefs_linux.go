package watch

import "syscall"

// remoteFS names a file system that may change without notifying this system, or returns
// "". The numbers are those of statfs(2).
func remoteFS(folder string) string {
	var st syscall.Statfs_t
	if syscall.Statfs(folder, &st) != nil {
		return ""
	}
	switch uint32(st.Type) {
	case 0x6969:
		return "NFS"
	case 0x517B, 0xFE534D42, 0xFF534D42:
		return "a Windows share"
	case 0x01021997:
		return "9P"
	case 0x65735546:
		return "FUSE"
	case 0x6A656A63:
		return "virtiofs"
	case 0x786F4256:
		return "a VirtualBox shared folder"
	case 0x00C36400:
		return "Ceph"
	case 0x5346414F:
		return "AFS"
	}
	return ""
}
