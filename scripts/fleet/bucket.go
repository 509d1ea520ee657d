package main

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// bucketName is the first part of every address, as in S3.
const bucketName = "/fleet/"

// pageKeys is how many names S3 lists at a time.
const pageKeys = 1000

// A bucket is object storage in a folder. It answers the requests of S3 that a push and ClickHouse make, and counts
// them, because providers charge for each.
type bucket struct {
	folder, address string

	mu    sync.Mutex
	usage usage
}

// A usage is what providers charge for.
type usage struct {
	writes, reads, lists, deletes int
	received, sent                int64 // bytes
}

func (u usage) String() string {
	if u == (usage{}) {
		return "no requests"
	}
	return fmt.Sprintf("%d writes of %.1f MB, %d reads of %.1f MB, %d lists, %d deletes", u.writes, mb(u.received), u.reads,
		mb(u.sent), u.lists, u.deletes)
}

// serve makes the bucket listen until the program ends.
func (b *bucket) serve() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	b.address = "http://" + listener.Addr().String() + bucketName
	go func() { _ = http.Serve(listener, b) }()
	return os.MkdirAll(b.folder, 0o700)
}

// take returns the usage since the last call.
func (b *bucket) take() usage {
	b.mu.Lock()
	defer b.mu.Unlock()
	u := b.usage
	b.usage = usage{}
	return u
}

func (b *bucket) count(change func(*usage)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(&b.usage)
}

func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	key := strings.TrimPrefix(r.URL.Path, bucketName)
	file := filepath.Join(b.folder, filepath.FromSlash(path.Clean("/"+key)))
	var err error
	switch {
	case r.URL.Query().Has("list-type"):
		b.count(func(u *usage) { u.lists++ })
		err = b.list(w, r)
	case r.Method == http.MethodPut:
		err = b.write(r, file)
	case r.Method == http.MethodDelete:
		b.count(func(u *usage) { u.deletes++ })
		err = os.Remove(file)
	default:
		err = b.read(w, r, file)
	}
	if errors.Is(err, os.ErrNotExist) {
		http.Error(w, "NoSuchKey", http.StatusNotFound)
	} else if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func (b *bucket) write(r *http.Request, file string) error {
	text, err := io.ReadAll(r.Body)
	b.count(func(u *usage) { u.writes, u.received = u.writes+1, u.received+int64(len(text)) })
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

// read answers requests for an object, a part of it, or its size.
func (b *bucket) read(w http.ResponseWriter, r *http.Request, name string) error {
	counter := &countingWriter{ResponseWriter: w}
	defer func() { b.count(func(u *usage) { u.reads, u.sent = u.reads+1, u.sent+counter.sent }) }()
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	w.Header().Set("ETag", strconv.Quote(info.Name()))
	http.ServeContent(counter, r, name, info.ModTime(), file)
	return nil
}

type countingWriter struct {
	http.ResponseWriter
	sent int64
}

func (w *countingWriter) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.sent += int64(n)
	return n, err
}

// A listing is the answer to ListObjectsV2.
type listing struct {
	XMLName               xml.Name `xml:"ListBucketResult"`
	KeyCount              int
	MaxKeys               int
	IsTruncated           bool
	NextContinuationToken string `xml:",omitempty"`
	Contents              []object
}

type object struct {
	Key          string
	LastModified string
	ETag         string
	Size         int64
}

// list writes a page of names that begin with a prefix, in order. A page ends with the token of the next one, which is
// its own last name.
func (b *bucket) list(w io.Writer, r *http.Request) error {
	prefix, after := r.URL.Query().Get("prefix"), r.URL.Query().Get("continuation-token")
	sizes, err := list(filepath.Join(b.folder, filepath.FromSlash(prefix[:strings.LastIndex(prefix, "/")+1])), "")
	if err != nil {
		return err
	}
	page := listing{MaxKeys: pageKeys}
	for file, size := range sizes {
		below, err := filepath.Rel(b.folder, file)
		if key := filepath.ToSlash(below); err == nil && strings.HasPrefix(key, prefix) && key > after {
			page.Contents = append(page.Contents, object{key, "2026-03-01T00:00:00.000Z", strconv.Quote(path.Base(key)), size})
		}
	}
	slices.SortFunc(page.Contents, func(a, b object) int { return cmp.Compare(a.Key, b.Key) })
	if page.IsTruncated = len(page.Contents) > pageKeys; page.IsTruncated {
		page.Contents = page.Contents[:pageKeys]
		page.NextContinuationToken = page.Contents[pageKeys-1].Key
	}
	page.KeyCount = len(page.Contents)
	text, err := xml.Marshal(page)
	_, _ = w.Write(text) // a client that is gone asks again
	return err
}
