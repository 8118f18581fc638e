//go:build linux

package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/swarmspeed/shadowd/internal/bus/bustest"
)

// image is what deploy/Dockerfile makes.
type image struct {
	root            string // the root file system, on this machine
	workdir, volume string
	user            string // UID:GID
	entrypoint      []string
}

// buildImage runs the RUN lines of the Dockerfile in this repository, with a folder
// in the place of /out, which it returns.
func buildImage(t *testing.T) (out string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can change the root of a program")
	}
	out = t.TempDir()
	for _, i := range instructions(readFile(t, filepath.Join(repository, "deploy", "Dockerfile"))) {
		if i[1] != "RUN" {
			continue
		}
		cmd := exec.CommandContext(t.Context(), "sh", "-ec", strings.ReplaceAll(i[2], "/out", out))
		cmd.Dir = repository
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", i[2], err, text)
		}
	}
	return out
}

// instructions are those of a Dockerfile, each with its name and its words.
func instructions(text string) [][]string {
	text = regexp.MustCompile(`(?m)^#.*\n`).ReplaceAllString(text, "")
	return regexp.MustCompile(`(?m)^([A-Z]+) (.+)$`).FindAllStringSubmatch(strings.ReplaceAll(text, "\\\n", ""), -1)
}

// makeImage does what the Dockerfile says, but for the images that it begins with: the last has no program, and so
// its root has nothing but what is copied into it. out is what buildImage returns.
func makeImage(t *testing.T, out string) *image {
	t.Helper()
	im := &image{root: t.TempDir()}
	list := func(text string) (words []string) {
		if err := json.Unmarshal([]byte(text), &words); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		return words
	}
	for _, i := range instructions(readFile(t, filepath.Join(repository, "deploy", "Dockerfile"))) {
		switch name, rest := i[1], i[2]; name {
		case "FROM", "ARG", "LABEL", "RUN", "EXPOSE", "CMD":
		case "COPY":
			im.copy(t, out, strings.Fields(rest))
		case "WORKDIR":
			im.workdir = rest
		case "VOLUME":
			im.volume = rest
		case "USER":
			im.user = rest
		case "ENTRYPOINT":
			im.entrypoint = list(rest)
		default:
			t.Fatalf("this test cannot do what %s asks", name)
		}
	}
	return im
}

// copy does a COPY of the last stage: COPY --from=build [--chown=UID:GID] FROM TO.
func (im *image) copy(t *testing.T, out string, words []string) {
	t.Helper()
	if words[0] != "--from=build" {
		return // into the stage that builds, which is this repository
	}
	uid, gid := 0, 0
	if owner, ok := strings.CutPrefix(words[1], "--chown="); ok {
		uid, gid = ids(t, owner)
	}
	from := strings.Replace(words[len(words)-2], "/out", out, 1)
	im.put(t, from, words[len(words)-1], uid, gid, 0)
}

// put copies a file or a folder into the image. mode is that of the files; 0 keeps what they have.
func (im *image) put(t *testing.T, from, to string, uid, gid int, mode fs.FileMode) {
	t.Helper()
	to = filepath.Join(im.root, to)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(from, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		name := filepath.Join(to, strings.TrimPrefix(file, from))
		perm := info.Mode().Perm() | info.Mode()&fs.ModeSticky
		if entry.IsDir() {
			err = os.Mkdir(name, 0o755)
		} else {
			if mode != 0 {
				perm = mode
			}
			var content []byte
			if content, err = os.ReadFile(file); err == nil {
				err = os.WriteFile(name, content, perm)
			}
		}
		if err == nil {
			err = os.Chmod(name, perm)
		}
		if err == nil {
			err = os.Chown(name, uid, gid)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// write puts a text into the image.
func (im *image) write(t *testing.T, to, text string, uid, gid int) {
	t.Helper()
	file := filepath.Join(t.TempDir(), path.Base(to))
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	im.put(t, file, to, uid, gid, 0o644)
}

// command is a program in the image, as a user.
func (im *image) command(t *testing.T, user string, args ...string) *exec.Cmd {
	t.Helper()
	uid, gid := ids(t, user)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = im.workdir, []string{"PATH=/usr/local/bin"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: im.root, Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	return cmd
}

func ids(t *testing.T, user string) (uid, gid int) {
	t.Helper()
	u, g, _ := strings.Cut(user, ":")
	uid, err := strconv.Atoi(u)
	if err != nil {
		t.Fatal(err)
	}
	if gid, err = strconv.Atoi(g); err != nil {
		t.Fatal(err)
	}
	return uid, gid
}

// healthy waits until a command of the image, shadowd status, is content.
func (im *image) healthy(t *testing.T, user string, args ...string) {
	t.Helper()
	bustest.WaitFor(t, strings.Join(args, " "), func() bool { return im.command(t, user, args...).Run() == nil })
}
