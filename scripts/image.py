#!/usr/bin/env python3
"""Makes an OCI image of a binary, without a container engine: `image.py BINARY OUTPUT.tar [TAG]`.

The same binary gives the same bytes. A binary that is not static gets the libraries that it is linked to. Load the archive with
`podman load`, `docker load` or `skopeo copy oci-archive:OUTPUT.tar docker://...`."""

import gzip
import hashlib
import io
import json
import pathlib
import re
import subprocess
import sys
import tarfile

USER = 10001


def libraries(binary):
    """Where the libraries of a binary are; none for a static one."""
    said = subprocess.run(["ldd", binary], capture_output=True, text=True).stdout
    return sorted(set(re.findall(r"(/\S+) \(0x", said)))


def add(archive, path, content=None, mode=0o755):
    """Adds a folder, or a file with this content, that belongs to nobody and has no date."""
    entry = tarfile.TarInfo(path)
    entry.mode = mode
    if content is None:
        entry.type = tarfile.DIRTYPE
        archive.addfile(entry)
    else:
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))


def layer(binary):
    """The one layer, as an uncompressed archive."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        folders = set()
        for library in libraries(binary):
            for folder in reversed(pathlib.PurePath(library).parents[:-1]):
                if folder not in folders:
                    folders.add(folder)
                    add(archive, str(folder)[1:])
            add(archive, library[1:], pathlib.Path(library).resolve().read_bytes())
        add(archive, "nigiri", pathlib.Path(binary).read_bytes())
    return out.getvalue()


def blob(content):
    return hashlib.sha256(content).hexdigest(), content


def image(binary, tag):
    """The files of an OCI layout, by path."""
    plain = layer(binary)
    diff, _ = blob(plain)
    packed = blob(gzip.compress(plain, 9, mtime=0))
    config = blob(json.dumps({
        "architecture": "amd64",
        "os": "linux",
        "config": {
            "User": f"{USER}:{USER}",
            "ExposedPorts": {"7878/tcp": {}},
            "Entrypoint": ["/nigiri"],
            "Cmd": ["dev", "--listen", "0.0.0.0:7878", "--data", "/data"],
        },
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{diff}"]},
    }, sort_keys=True).encode())
    named = lambda kind, one: {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{one[0]}", "size": len(one[1])}
    manifest = blob(json.dumps({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": named("config.v1+json", config),
        "layers": [named("layer.v1.tar+gzip", packed)],
    }, sort_keys=True).encode())
    index = named("manifest.v1+json", manifest) | {"annotations": {"org.opencontainers.image.ref.name": tag}}
    files = {f"blobs/sha256/{digest}": content for digest, content in (packed, config, manifest)}
    files["oci-layout"] = b'{"imageLayoutVersion":"1.0.0"}'
    files["index.json"] = json.dumps({"schemaVersion": 2, "manifests": [index]}, sort_keys=True).encode()
    return files, manifest[0], len(packed[1]), len(plain)


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__.splitlines()[0])
    binary, output = sys.argv[1:3]
    tag = sys.argv[3] if len(sys.argv) == 4 else "nigiri:dev"
    files, digest, packed, plain = image(binary, tag)
    with tarfile.open(output, "w", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(files):
            add(archive, path, files[path], mode=0o644)
    print(f"{output}: {tag}, sha256:{digest}, {packed / 2**20:.1f} MiB packed, {plain / 2**20:.1f} MiB unpacked")


if __name__ == "__main__":
    main()
