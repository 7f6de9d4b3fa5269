// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"sort"
	"strings"
)

// image is one image for one platform.
type image struct {
	names    []string
	platform string
	id       digest // names all of its content
	config   imageConfig
	layers   []layer
}

// layer is a file that holds changes, as an archive that may be compressed.
type layer struct {
	file  string
	is    digest // of the file; empty where the format has none
	size  int64  // of the file; -1 where the format has none
	holds digest // of the archive in it
}

// imageConfig is what of an image's configuration counts here.
type imageConfig struct {
	OS           string `json:"os"`
	Architecture string `json:"architecture"`
	Variant      string `json:"variant"`
	Config       struct {
		User       string   `json:"User"`
		Env        []string `json:"Env"`
		Entrypoint []string `json:"Entrypoint"`
		Cmd        []string `json:"Cmd"`
		WorkingDir string   `json:"WorkingDir"`
	} `json:"config"`
	RootFS struct {
		DiffIDs []digest `json:"diff_ids"`
	} `json:"rootfs"`
}

func (i image) title() string {
	if len(i.names) == 0 {
		return "an image without a name"
	}
	return i.names[0]
}

// candidate is an image that may be the one that is asked for; only then all of it has to be there.
type candidate struct {
	names    []string
	platform string // empty when only the image itself tells
	load     func() (image, error)
}

// runnable are the platforms whose programs run in a guest.
var runnable = map[string]bool{"linux/amd64": true, "linux/386": true}

const usualPlatform = "linux/amd64"

func choose(from source, o options) (image, error) {
	wanted := o.platform
	if wanted == "" {
		wanted = usualPlatform
	}
	if !runnable[wanted] {
		return image{}, bad("choose linux/amd64 or linux/386", "images for %.60q do not run on this host", wanted)
	}
	all, err := candidates(from)
	if err != nil {
		return image{}, err
	}
	named := all
	if o.tag != "" {
		named = nil
		for _, c := range all {
			if answersTo(c.names, o.tag) {
				named = append(named, c)
			}
		}
		if len(named) == 0 {
			return image{}, bad("the image has: "+list(all), "there is no image named %.100q", o.tag)
		}
	}
	found := map[digest]image{}
	for _, c := range named {
		if c.platform != "" && c.platform != wanted {
			continue
		}
		i, err := c.load()
		if err != nil {
			return image{}, err
		}
		if i.platform == wanted {
			found[i.id] = i
		} else if len(named) == 1 {
			return image{}, bad("use an image for "+wanted, "the image is for %.60s, which does not run on this host", i.platform)
		}
	}
	switch len(found) {
	case 0:
		return image{}, bad("the image has: "+list(named), "there is no image for %s", wanted)
	case 1:
		for _, i := range found {
			return i, nil
		}
	}
	return image{}, bad("choose one with the tag option: "+list(named), "there are %d images for %s", len(found), wanted)
}

// answersTo tells whether one of the names is meant by a tag: all of it, without the registry, or
// what follows the last colon.
func answersTo(names []string, tag string) bool {
	for _, name := range names {
		if name == tag || strings.HasSuffix(name, "/"+tag) || strings.HasSuffix(name, ":"+tag) {
			return true
		}
	}
	return false
}

func list(all []candidate) string {
	const most = 10
	var told []string
	for _, c := range all {
		name, platform := "(no name)", ""
		if len(c.names) > 0 {
			name = c.names[0]
		}
		if c.platform != "" {
			platform = " for " + c.platform
		}
		told = append(told, fmt.Sprintf("%.100s%.60s", name, platform))
	}
	sort.Strings(told)
	if len(told) > most {
		told = append(told[:most], "and others")
	}
	if len(told) == 0 {
		return "none"
	}
	return strings.Join(told, ", ")
}

func platformOf(os, architecture, variant string) string {
	if variant == "" {
		return os + "/" + architecture
	}
	return os + "/" + architecture + "/" + variant
}
