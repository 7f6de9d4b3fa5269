// SPDX-License-Identifier: Apache-2.0

package main

import "strings"

const (
	maxIndexDepth  = 4
	maxDescriptors = 1000
)

// descriptor, index and manifest are those of the OCI image specification; Docker's second schema
// has the same fields.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      digest            `json:"digest"`
	Size        int64             `json:"size"`
	Annotations map[string]string `json:"annotations"`
	Platform    *struct {
		OS           string `json:"os"`
		Architecture string `json:"architecture"`
		Variant      string `json:"variant"`
	} `json:"platform"`
}

type manifest struct {
	SchemaVersion int          `json:"schemaVersion"`
	Manifests     []descriptor `json:"manifests"`
	Config        descriptor   `json:"config"`
	Layers        []descriptor `json:"layers"`
}

// candidates lists the images in a layout, else in what docker save wrote.
func candidates(from source) ([]candidate, error) {
	content, err := document(from, "index.json", "")
	if err == errAbsent {
		return savedImages(from)
	}
	if err != nil {
		return nil, err
	}
	var top manifest
	if err := decode("index.json", content, &top); err != nil {
		return nil, err
	}
	var all []candidate
	if err := flatten(from, top.Manifests, nil, 0, &all); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, bad(makeAnew, "the image's index.json names no image")
	}
	return all, nil
}

// flatten follows indexes of indexes; an image in one without a name has that of the index.
func flatten(from source, descriptors []descriptor, names []string, depth int, all *[]candidate) error {
	for _, d := range descriptors {
		if err := d.Digest.check(); err != nil {
			return err
		}
		if depth == maxIndexDepth || len(*all) == maxDescriptors {
			return bad(makeAnew, "the image's index is nested too deeply, or too long")
		}
		d := d
		own := namesOf(d)
		if len(own) == 0 {
			own = names
		}
		if strings.HasSuffix(d.MediaType, ".index.v1+json") || strings.HasSuffix(d.MediaType, ".manifest.list.v2+json") {
			content, err := document(from, d.Digest.file(), d.Digest)
			if err != nil {
				return err
			}
			var inner manifest
			if err := decode(string(d.Digest), content, &inner); err != nil {
				return err
			}
			if err := flatten(from, inner.Manifests, own, depth+1, all); err != nil {
				return err
			}
			continue
		}
		c := candidate{names: own, load: func() (image, error) { return load(from, d, own) }}
		if d.Platform != nil {
			// Builders put their attestations beside images, for a platform that nobody has.
			if d.Platform.OS == "unknown" {
				continue
			}
			c.platform = platformOf(d.Platform.OS, d.Platform.Architecture, d.Platform.Variant)
		}
		*all = append(*all, c)
	}
	return nil
}

func namesOf(d descriptor) []string {
	var names []string
	for _, key := range []string{"io.containerd.image.name", "org.opencontainers.image.ref.name"} {
		if name := d.Annotations[key]; name != "" {
			names = append(names, oneLine(name))
		}
	}
	return names
}

func load(from source, d descriptor, names []string) (image, error) {
	content, err := document(from, d.Digest.file(), d.Digest)
	if err != nil {
		return image{}, err
	}
	var m manifest
	if err := decode(string(d.Digest), content, &m); err != nil {
		return image{}, err
	}
	if m.SchemaVersion != 2 || !(strings.HasSuffix(m.Config.MediaType, ".image.config.v1+json") || strings.HasSuffix(m.Config.MediaType, ".container.image.v1+json")) {
		return image{}, bad("give a container image", "%s is not a container image but another kind of OCI artifact", d.Digest)
	}
	if err := m.Config.Digest.check(); err != nil {
		return image{}, err
	}
	i := image{names: names, id: d.Digest}
	if content, err = document(from, m.Config.Digest.file(), m.Config.Digest); err != nil {
		return image{}, err
	}
	for _, l := range m.Layers {
		if err := l.Digest.check(); err != nil {
			return image{}, err
		}
		i.layers = append(i.layers, layer{file: l.Digest.file(), is: l.Digest, size: l.Size})
	}
	return i, i.configure(content)
}

// configure takes over what the configuration says, of each layer too.
func (i *image) configure(content []byte) error {
	if err := decode("the configuration", content, &i.config); err != nil {
		return err
	}
	i.platform = platformOf(i.config.OS, i.config.Architecture, "")
	ids := i.config.RootFS.DiffIDs
	if len(ids) != len(i.layers) {
		return bad(makeAnew, "the image has %d layers, but its configuration lists %d", len(i.layers), len(ids))
	}
	for n, id := range ids {
		if err := id.check(); err != nil {
			return err
		}
		i.layers[n].holds = id
	}
	return nil
}
