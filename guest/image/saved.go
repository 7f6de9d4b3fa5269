// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"
)

// savedImage is an entry of the manifest.json that docker save writes. Newer ones write an OCI
// layout too, which goes first.
type savedImage struct {
	Config   string   `json:"Config"`
	RepoTags []string `json:"RepoTags"`
	Layers   []string `json:"Layers"`
}

func savedImages(from source) ([]candidate, error) {
	content, err := document(from, "manifest.json", "")
	if err == errAbsent {
		return nil, bad("give an OCI layout, as a directory or tar archive, or an archive from docker save",
			"not a container image: it has neither index.json nor manifest.json")
	}
	if err != nil {
		return nil, err
	}
	var saved []savedImage
	if err := decode("manifest.json", content, &saved); err != nil {
		return nil, err
	}
	if len(saved) == 0 || len(saved) > maxDescriptors {
		return nil, bad(makeAnew, "the image's manifest.json names no image, or too many")
	}
	var all []candidate
	for _, s := range saved {
		s := s
		var names []string
		for _, name := range s.RepoTags {
			names = append(names, oneLine(name))
		}
		all = append(all, candidate{names: names, load: func() (image, error) { return loadSaved(from, s, names) }})
	}
	return all, nil
}

// loadSaved: the configuration's checksum is its name, and it has those of what the layers hold.
func loadSaved(from source, s savedImage, names []string) (image, error) {
	content, err := document(from, path.Clean(s.Config), "")
	if err == errAbsent {
		return image{}, bad(makeAnew, "%.100q is missing in the image", s.Config)
	}
	if err != nil {
		return image{}, err
	}
	sum := sha256.Sum256(content)
	id := hex.EncodeToString(sum[:])
	if told := strings.TrimSuffix(path.Base(s.Config), ".json"); len(told) == len(id) && told != id {
		return image{}, bad(makeAnew, "%.100q in the image is damaged: its digest does not match", s.Config)
	}
	i := image{names: names, id: digest("sha256:" + id)}
	for _, name := range s.Layers {
		i.layers = append(i.layers, layer{file: path.Clean(name), size: -1})
	}
	return i, i.configure(content)
}
