package source

import (
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"time"
)

// A MediaFile is a file in OpenClaw's folder of media, which holds what was sent and received.
type MediaFile struct {
	Below    string // its path below the place, with slashes
	Name     string // its path below the folder of media
	Modified time.Time
	Bytes    int64
	Limit    int64 // how many bytes are worth a copy
	Open     func() (io.ReadCloser, error)
}

// of completes what is known about the file of an entry.
func (m MediaFile) of(entry fs.DirEntry, open func(path string) (fs.File, error)) MediaFile {
	if info, err := entry.Info(); err == nil {
		m.Modified, m.Bytes = info.ModTime(), info.Size()
	}
	m.Open = func() (io.ReadCloser, error) { return open(filepath.FromSlash(m.Below)) }
	return m
}

// maxMedia is the largest media file that is worth a copy. A larger one may be a hole without an end.
const maxMedia = 4 << 30

const mediaFolder = "media"

// Media lists the media files of a state folder or of a bundle. A place without them has none.
func (p *Listing) Media() (list []MediaFile, err error) {
	if p.root == nil {
		return nil, nil
	}
	entries, err := p.root.readDir(".")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		switch {
		case e.IsDir() && e.Name() == mediaFolder:
			err = p.addMedia(&list, mediaFolder, "", 0)
		case e.IsDir() && p.bundle: // of several state folders
			if info, statErr := p.root.Stat(path.Join(e.Name(), mediaFolder)); statErr == nil && info.IsDir() {
				err = p.addMedia(&list, path.Join(e.Name(), mediaFolder), "", 0)
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// addMedia adds the files below a folder. Links are not followed.
func (p *Listing) addMedia(list *[]MediaFile, folder, below string, depth int) error {
	entries, err := p.root.readDir(filepath.FromSlash(path.Join(folder, below)))
	if err != nil || depth > maxWalkDepth {
		return err
	}
	for _, e := range entries {
		name := path.Join(below, e.Name())
		switch {
		case e.IsDir():
			err = p.addMedia(list, folder, name, depth+1)
		case e.Type().IsRegular():
			*list = append(*list, MediaFile{Below: path.Join(folder, name), Name: name, Limit: maxMedia}.of(e, p.root.open))
		}
		if err != nil {
			return err
		}
	}
	return nil
}
