package main

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"time"
)

const (
	home   = "home/mcpdbg/" // the user of the container can write there
	userID = 65532          // as in the distroless images
)

type image struct {
	version, arch string
	files         []file
	at            time.Time
}

// A descriptor refers to a blob, as in the OCI image format.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Platform    map[string]string `json:"platform,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type blobs []file

func (b *blobs) add(mediaType string, data []byte) descriptor {
	digest := digestOf(data)
	*b = append(*b, file{name: "blobs/sha256/" + digest, mode: 0o644, data: data})
	return descriptor{MediaType: mediaType, Digest: "sha256:" + digest, Size: len(data)}
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// writeImage writes an OCI image layout as a tar file, with the manifest.json of docker
// save for older releases of Docker.
func writeImage(out string, i image) error {
	layer, err := tarOf(append([]file{{name: "tmp/", mode: 0o1777}, {name: "home/", mode: 0o755}, {name: home, mode: 0o755}}, i.files...), i.at, tar.FormatUSTAR)
	if err != nil {
		return err
	}
	packed, err := gzipped(layer)
	if err != nil {
		return err
	}
	var all blobs
	layerBlob := all.add("application/vnd.oci.image.layer.v1.tar+gzip", packed)
	config, err := i.config(digestOf(layer))
	if err != nil {
		return err
	}
	configBlob := all.add("application/vnd.oci.image.config.v1+json", config)
	manifest, err := json.Marshal(map[string]any{
		"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": configBlob, "layers": []descriptor{layerBlob},
	})
	if err != nil {
		return err
	}
	manifestBlob := all.add("application/vnd.oci.image.manifest.v1+json", manifest)
	manifestBlob.Platform = map[string]string{"os": "linux", "architecture": i.arch}
	manifestBlob.Annotations = map[string]string{"org.opencontainers.image.ref.name": i.version}
	name := func(d descriptor) string { return "blobs/sha256/" + d.Digest[len("sha256:"):] }
	for path, value := range map[string]any{
		"oci-layout":    map[string]string{"imageLayoutVersion": "1.0.0"},
		"index.json":    map[string]any{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": []descriptor{manifestBlob}},
		"manifest.json": []map[string]any{{"Config": name(configBlob), "RepoTags": []string{"mcpdbg:" + i.version}, "Layers": []string{name(layerBlob)}}},
	} {
		data, err := json.Marshal(value)
		if err != nil {
			return err
		}
		all = append(all, file{name: path, mode: 0o644, data: data})
	}
	data, err := tarOf(sorted(all), i.at, tar.FormatUSTAR)
	if err != nil {
		return err
	}
	return os.WriteFile(out, data, 0o644)
}

// The only layer is given by the digest of its uncompressed tar.
func (i image) config(layer string) ([]byte, error) {
	return json.Marshal(map[string]any{
		"created": i.at.Format(time.RFC3339), "os": "linux", "architecture": i.arch,
		"config": map[string]any{
			"Entrypoint": []string{"/mcpdbg"}, "User": "65532:65532", "WorkingDir": "/" + home, "Env": []string{"HOME=/home/mcpdbg", "PATH=/"},
			"Labels": map[string]string{"org.opencontainers.image.title": "mcpdbg", "org.opencontainers.image.version": i.version, "org.opencontainers.image.licenses": "MIT"},
		},
		"rootfs":  map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + layer}},
		"history": []map[string]any{{"created": i.at.Format(time.RFC3339), "created_by": ".ci/release"}},
	})
}
