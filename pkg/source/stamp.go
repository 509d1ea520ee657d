package source

import (
	"hash/fnv"
	"io/fs"

	"clawctl/pkg/store"
	"clawctl/pkg/store/dbfile"
)

// stampOf makes a stamp from the file system's information about a file.
func stampOf(info fs.FileInfo) store.Stamp {
	if inside, ok := info.(*bundleInfo); ok {
		return inside.stamp()
	}
	device, inode := identity(info)
	return store.Stamp{
		Size: info.Size(), MTime: info.ModTime().UnixNano(), CTime: dbfile.ChangeTime(info), Device: device, Inode: inode,
	}
}

// databaseStamp changes whenever the database of the session, or its log, is written.
func (s *Session) databaseStamp() (store.Stamp, error) {
	h := fnv.New64a()
	h.Write([]byte(dbfile.Fingerprint(s.Path)))
	return store.Stamp{Size: s.Bytes, MTime: int64(h.Sum64() >> 1)}, nil
}
