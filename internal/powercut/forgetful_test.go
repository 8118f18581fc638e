//go:build linux

package powercut

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// forgetful is a file system in memory, served through FUSE, that forgets at a power cut what nobody synced. Data of
// a file is on its disk once that file was synced; new names, renames, removals and truncations once anything was,
// since journals of file systems keep their order. Of the rest a cut leaves by chance nothing, all, or a part.
type forgetful struct {
	t      *testing.T
	folder string
	root   *node
	left   *node // what the last cut left
	n      int
	server *fuse.Server

	mu      sync.Mutex
	off     bool           // there is no power
	changed map[*node]bool // since anything was synced: directories, and files that were truncated
}

// node is a file or a directory.
type node struct {
	fs.Inode
	disk *forgetful
	mode uint32
	time time.Time

	// Of a directory: what is in it, and what is on the disk.
	names, kept map[string]*node
	// Of a file: the same. From lo to hi they may differ. If the file is among those that changed, what is beyond cut
	// goes from the disk with the next sync of anything.
	data, synced []byte
	lo, hi, cut  int
}

func forgetfulLacks() error {
	f, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("a file system that forgets needs FUSE: %w", err)
	}
	return f.Close()
}

func newForgetful(t *testing.T) disk {
	d := &forgetful{t: t, folder: t.TempDir()}
	d.left = d.newNode(syscall.S_IFDIR | 0o700)
	d.serve()
	t.Cleanup(d.unmount)
	return d
}

func (d *forgetful) at() string  { return filepath.Join(d.folder, fmt.Sprint(d.n)) }
func (d *forgetful) dir() string { return filepath.Join(d.at(), "data") }

// serve mounts what was left.
func (d *forgetful) serve() {
	d.t.Helper()
	if err := os.Mkdir(d.at(), 0o700); err != nil {
		d.t.Fatal(err)
	}
	d.root, d.changed, d.off = d.left, map[*node]bool{}, false
	long := time.Hour // nobody else changes it
	var err error
	d.server, err = fs.Mount(d.at(), d.root, &fs.Options{
		MountOptions: fuse.MountOptions{DirectMountStrict: true, FsName: "forgetful"},
		AttrTimeout:  &long, EntryTimeout: &long,
	})
	if err != nil {
		d.t.Skipf("no FUSE file system can be mounted here: %v", err)
	}
}

// cut comes between any two operations, so a write may be there that was not yet synced. All further ones fail.
func (d *forgetful) cut(*daemon) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.off = true
	d.left = d.root.leave(rand.IntN(2) == 0, map[*node]*node{})
}

func (d *forgetful) mount() {
	d.t.Helper()
	d.unmount()
	d.n++
	d.serve()
}

func (d *forgetful) unmount() {
	if d.server == nil {
		return
	}
	if err := syscall.Unmount(d.at(), syscall.MNT_DETACH); err != nil {
		d.t.Error(err)
	}
	d.server.Wait()
	d.server = nil
}

func (d *forgetful) newNode(mode uint32) *node {
	n := &node{disk: d, mode: mode, time: time.Now()}
	if mode&syscall.S_IFDIR != 0 {
		n.names, n.kept = map[string]*node{}, map[string]*node{}
	}
	return n
}

// leave is what a power cut leaves of a node. Late says whether the journal was
// written at the last moment. Files may have several names.
func (n *node) leave(late bool, done map[*node]*node) *node {
	if l := done[n]; l != nil {
		return l
	}
	l := n.disk.newNode(n.mode)
	done[n] = l
	names := n.kept
	if late {
		names = n.names
	}
	for name, child := range names {
		l.names[name] = child.leave(late, done)
	}
	l.kept = maps.Clone(l.names)
	if late && n.disk.changed[n] {
		n.truncate()
	}
	if n.lo < n.hi {
		switch rand.IntN(3) {
		case 1:
			n.sync(n.hi)
		case 2:
			n.sync(n.lo + rand.IntN(n.hi-n.lo))
		}
	}
	l.data = append([]byte(nil), n.synced...)
	l.synced = append([]byte(nil), n.synced...)
	return l
}

// truncate cuts on the disk what was cut.
func (n *node) truncate() {
	if len(n.synced) > n.cut {
		n.synced = n.synced[:n.cut]
	}
}

// sync writes to the disk what the file has before an offset.
func (n *node) sync(to int) {
	to = min(to, len(n.data))
	if len(n.synced) < to {
		n.synced = append(n.synced, make([]byte, to-len(n.synced))...)
	}
	if n.lo < to {
		copy(n.synced[n.lo:to], n.data[n.lo:to])
	}
	n.lo, n.hi = 0, 0
}

// change notes that bytes of the file are not on the disk.
func (n *node) change(from, to int) {
	if n.lo == n.hi {
		n.lo, n.hi = from, to
	}
	n.lo, n.hi = min(n.lo, from), max(n.hi, to)
	n.time = time.Now()
}

func (n *node) resize(size int) {
	if size < len(n.data) {
		if !n.disk.changed[n] || size < n.cut {
			n.cut = size
		}
		n.data = n.data[:size]
		n.hi = min(n.hi, size)
		n.lo = min(n.lo, n.hi)
		n.disk.changed[n] = true
	} else if size > len(n.data) {
		from := len(n.data)
		n.data = append(n.data, make([]byte, size-from)...)
		n.change(from, size)
	}
}

// OnAdd gives the kernel what was left.
func (n *node) OnAdd(ctx context.Context) {
	for name, child := range n.names {
		inode := child.EmbeddedInode()
		if inode.StableAttr().Ino == 0 {
			inode = n.NewPersistentInode(ctx, child, fs.StableAttr{Mode: child.mode & syscall.S_IFMT})
		}
		n.AddChild(name, inode, true)
	}
}

// locked locks the disk and returns what unlocks it.
func (n *node) locked() func() {
	n.disk.mu.Lock()
	return n.disk.mu.Unlock
}

func (n *node) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	defer n.locked()()
	n.attr(&out.Attr)
	return 0
}

func (n *node) attr(a *fuse.Attr) {
	a.Mode, a.Size, a.Nlink = n.mode, uint64(len(n.data)), 1
	a.SetTimes(&n.time, &n.time, &n.time)
}

func (n *node) Setattr(_ context.Context, _ fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	defer n.locked()()
	if n.disk.off {
		return syscall.EIO
	}
	if mode, ok := in.GetMode(); ok {
		n.mode = n.mode&syscall.S_IFMT | mode&0o7777
	}
	if size, ok := in.GetSize(); ok {
		n.resize(int(size))
	}
	n.attr(&out.Attr)
	return 0
}

// add gives a directory a new node.
func (n *node) add(ctx context.Context, name string, mode uint32, out *fuse.EntryOut) *fs.Inode {
	defer n.locked()()
	child := n.disk.newNode(mode)
	n.names[name] = child
	n.disk.changed[n] = true
	child.attr(&out.Attr)
	return n.NewPersistentInode(ctx, child, fs.StableAttr{Mode: mode & syscall.S_IFMT})
}

func (n *node) Mkdir(ctx context.Context, name string, mode uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	return n.add(ctx, name, syscall.S_IFDIR|mode&0o7777, out), 0
}

func (n *node) Create(ctx context.Context, name string, _, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	return n.add(ctx, name, syscall.S_IFREG|mode&0o7777, out), nil, 0, 0
}

func (n *node) Link(_ context.Context, target fs.InodeEmbedder, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	defer n.locked()()
	child := target.(*node)
	n.names[name] = child
	n.disk.changed[n] = true
	child.attr(&out.Attr)
	return child.EmbeddedInode(), 0
}

func (n *node) Unlink(_ context.Context, name string) syscall.Errno {
	defer n.locked()()
	delete(n.names, name)
	n.disk.changed[n] = true
	return 0
}

func (n *node) Rmdir(ctx context.Context, name string) syscall.Errno {
	n.disk.mu.Lock()
	full := len(n.names[name].names) > 0
	n.disk.mu.Unlock()
	if full {
		return syscall.ENOTEMPTY
	}
	return n.Unlink(ctx, name)
}

func (n *node) Rename(_ context.Context, name string, to fs.InodeEmbedder, newName string, _ uint32) syscall.Errno {
	defer n.locked()()
	child := n.names[name]
	delete(n.names, name)
	to.(*node).names[newName] = child
	n.disk.changed[n], n.disk.changed[to.(*node)] = true, true
	return 0
}

func (n *node) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return nil, fuse.FOPEN_KEEP_CACHE, 0
}

func (n *node) Read(_ context.Context, _ fs.FileHandle, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	defer n.locked()()
	from := min(int(off), len(n.data))
	return fuse.ReadResultData(dest[:copy(dest, n.data[from:])]), 0
}

func (n *node) Write(_ context.Context, _ fs.FileHandle, data []byte, off int64) (uint32, syscall.Errno) {
	defer n.locked()()
	if n.disk.off {
		return 0, syscall.EIO
	}
	from, to := int(off), int(off)+len(data)
	if to > len(n.data) {
		n.resize(to)
	}
	copy(n.data[from:], data)
	n.change(from, to)
	return uint32(len(data)), 0
}

// Fsync is of files and of directories, and comes after each write to a file that was opened with O_SYNC.
func (n *node) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	defer n.locked()()
	if n.disk.off {
		return syscall.EIO
	}
	for c := range n.disk.changed {
		c.truncate()
		c.kept = maps.Clone(c.names)
	}
	clear(n.disk.changed)
	n.sync(n.hi)
	return 0
}

func (n *node) Statfs(_ context.Context, out *fuse.StatfsOut) syscall.Errno {
	*out = fuse.StatfsOut{Bsize: 4096, Frsize: 4096, Blocks: 1 << 20, Bfree: 1 << 20, Bavail: 1 << 20, NameLen: 255}
	return 0
}
