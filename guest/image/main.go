// SPDX-License-Identifier: Apache-2.0

// Command image reads a container image, an OCI layout or what `docker save` writes, and merges its
// layers into what a root file system is made of: numbered files, and commands for debugfs(8) that
// put them where they belong. Nothing in an image names a file of the host: paths are followed in
// memory alone, so neither root nor a container engine is needed and nothing can be led astray.
//
//	image key       prints a name of the image's content and of what was asked of it
//	image unpack    makes DIR/data, DIR/commands and DIR/inodes
package main

import (
	"flag"
	"fmt"
	"os"
	"syscall"
)

type options struct {
	image    string
	platform string
	tag      string
	start    string
	ready    string
	noStart  bool
	out      string
	add      string
	date     int64
	diskMB   int64
}

func parse(arguments []string) (string, options, error) {
	var o options
	if len(arguments) == 0 {
		return "", o, fmt.Errorf("usage: image key|unpack OPTIONS")
	}
	flags := flag.NewFlagSet(arguments[0], flag.ContinueOnError)
	flags.StringVar(&o.image, "image", "", "an OCI layout as a directory or archive, or an archive from docker save")
	flags.StringVar(&o.platform, "platform", "", "the platform to choose if there are several")
	flags.StringVar(&o.tag, "tag", "", "the image to choose if there are several")
	flags.StringVar(&o.start, "start", "", "a shell command to start instead of the image's own")
	flags.StringVar(&o.ready, "ready", "", "a shell command that succeeds once the started command is ready")
	flags.BoolVar(&o.noStart, "no-start", false, "start nothing")
	flags.StringVar(&o.out, "out", "", "where to write")
	flags.StringVar(&o.add, "add", "", "the directory to add as /.ramet")
	flags.Int64Var(&o.date, "date", 0, "modification time of added files")
	flags.Int64Var(&o.diskMB, "disk", 0, "the disk's size in MiB")
	if err := flags.Parse(arguments[1:]); err != nil {
		return "", o, err
	}
	if o.image == "" || flags.NArg() > 0 {
		return "", o, fmt.Errorf("an image is required, and no arguments other than options")
	}
	return arguments[0], o, nil
}

func main() {
	// What started this may be told to stop; then this is of no use either.
	_, _, _ = syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL), 0)
	verb, o, err := parse(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(statusUsage)
	}
	switch verb {
	case "key":
		err = printKey(o)
	case "unpack":
		err = unpack(o)
	default:
		err = fmt.Errorf("unknown command %q", verb)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		if p, ok := err.(*problem); ok {
			fmt.Fprintln(os.Stderr, p.remedy)
		}
		os.Exit(exitStatus(err))
	}
}

func printKey(o options) error {
	from, err := openSource(o.image)
	if err != nil {
		return err
	}
	defer from.Close()
	chosen, err := choose(from, o)
	if err != nil {
		return err
	}
	_, err = fmt.Printf("%s start=%q ready=%q no-start=%v\n", chosen.id, o.start, o.ready, o.noStart)
	return err
}

func unpack(o options) error {
	from, err := openSource(o.image)
	if err != nil {
		return err
	}
	defer from.Close()
	chosen, err := choose(from, o)
	if err != nil {
		return err
	}
	fmt.Printf("%s, %s, %d layers\n", chosen.title(), chosen.id, len(chosen.layers))
	t, err := newTree(o.out+"/data", o.date, o.diskMB<<20)
	if err != nil {
		return err
	}
	if err := merge(t, from, chosen, o); err != nil {
		return err
	}
	inodes := t.inodes()
	if need := t.need(inodes); need > t.limit {
		return t.tooLarge(need)
	}
	fmt.Printf("%d files, %d MiB\n", t.entries, t.used>>20)
	if err := writeScript(t, o.out+"/commands"); err != nil {
		return err
	}
	return os.WriteFile(o.out+"/inodes", []byte(fmt.Sprintf("%d\n", inodes)), 0o644)
}

// merge puts the layers over one another, and over them what makes a guest of it.
func merge(t *tree, from source, chosen image, o options) error {
	for i, l := range chosen.layers {
		fmt.Printf("layer %d of %d\n", i+1, len(chosen.layers))
		t.layer++
		if err := applyLayer(t, from, l, i+1); err != nil {
			return err
		}
	}
	t.layer++
	return addGuest(t, chosen.config, o)
}
