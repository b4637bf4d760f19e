#!/usr/bin/env python3
"""Rebuilds every stream of every process of a recording and checks its hash,
and that of the whole recording.
Python 3.8 or later, standard library only.

    read_recording.py [--xxh64] FILE [FOLDER]

It checks the CRC-32 of each stream. With --xxh64, or if an older recording has
no CRC-32, it checks XXH64, which takes a second for each MB. With FOLDER each
stream is written to FOLDER/PROCESS.STREAM. Exit status: 0 if all hashes agree,
1 if one does not, 2 if FILE cannot be read.
"""
import base64, json, os, re, sys, zlib

# Most lines: a message with nothing else before it. Its payload needs no decoding.
USUAL = re.compile(rb'\{"n":\d+,"t":\d+,"k":"(stdin|stdout)"(?:,"seq":\d+)?,"m":')

# The member of the header that the sums of the whole recording omit.
SECRETS = re.compile(rb',"secrets":\{.*?\}\]\}|,"secrets":\{[^{}]*\}')

M = (1 << 64) - 1
P1, P2, P3, P4, P5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9,
                      0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)


def xxh64(data):
    """The hash XXH64 with seed 0, as 16 hex digits."""
    rotl = lambda x, r: ((x << r) | (x >> (64 - r))) & M
    mix = lambda acc, word: rotl((acc + word * P2) & M, 31) * P1 & M
    word = lambda at, size: int.from_bytes(data[at:at + size], "little")
    i, n = 0, len(data)
    h = P5
    if n >= 32:
        v = [(P1 + P2) & M, P2, 0, -P1 & M]
        while i <= n - 32:
            v = [mix(v[k], word(i + 8 * k, 8)) for k in range(4)]
            i += 32
        h = sum(rotl(v[k], r) for k, r in enumerate((1, 7, 12, 18))) & M
        for acc in v:
            h = ((h ^ mix(0, acc)) * P1 + P4) & M
    h = (h + n) & M
    while i <= n - 8:
        h, i = (rotl(h ^ mix(0, word(i, 8)), 27) * P1 + P4) & M, i + 8
    if i <= n - 4:
        h, i = (rotl(h ^ (word(i, 4) * P1 & M), 23) * P2 + P3) & M, i + 4
    while i < n:
        h, i = rotl(h ^ (data[i] * P5 & M), 11) * P1 & M, i + 1
    h = (h ^ (h >> 33)) * P2 & M
    h = (h ^ (h >> 29)) * P3 & M
    return "%016x" % (h ^ (h >> 32))


def same(data, want, slow):
    """Whether the stream has the size and the hash that the recorder wrote."""
    if len(data) != want["bytes"]:
        return False
    if slow or "crc32" not in want:
        return xxh64(data) == want["xxh64"]
    return "%08x" % zlib.crc32(data) == want["crc32"]


def payload(line, entry):
    """The exact bytes of a stream entry, including its line end."""
    if "raw" in entry:
        data = entry["raw"].encode()
    elif "b64" in entry:
        data = base64.b64decode(entry["b64"])
    else:  # verbatim: from the first "m": to the closing brace of the entry
        data = line[line.index(b',"m":') + 5:line.rindex(b"}")]
    return data + entry.get("eol", "\n").encode()


def main(path, folder=None, slow=False):
    bad, process, streams, whole = 0, "none", {}, bytearray()
    with open(path, "rb") as file:
        first = file.readline()
        header = json.loads(first)
        if header["mcpdbg"] != 1:
            raise ValueError("unknown version %s of the format" % header["mcpdbg"])
        for line in file:
            if not line.endswith(b"\n"):
                print("the last line is torn: the recorder did not finish")
                break
            whole += line
            usual = USUAL.match(line)
            if usual and line.endswith(b"}}\n"):
                data = streams.setdefault((process, usual[1].decode()), bytearray())
                data += line[usual.end():-2]
                data += b"\n"
                continue
            entry = json.loads(line)
            kind = entry["k"]
            if kind == "start":
                process = entry["process"]
            elif kind in ("stdin", "stdout", "stderr"):
                streams.setdefault((process, kind), bytearray()).extend(payload(line, entry))
            elif kind in ("closed", "failed"):
                for name in ("stdin", "stdout", "stderr"):
                    data, want = streams.setdefault((process, name), bytearray()), entry[name]
                    word = "ok" if same(data, want, slow) else "incomplete" if want.get("complete") is False else "WRONG"
                    bad += word == "WRONG"
                    print("%s %s: %d bytes, %s" % (process, name, len(data), word))
            elif kind == "end" and "whole" in entry and "part" not in header:
                del whole[whole.rindex(b',"whole":'):]
                whole += SECRETS.sub(b"", first, count=1)
                ok = same(whole, entry["whole"], slow)
                bad += not ok
                print("header and entries: %s" % ("ok" if ok else "WRONG"))
    for (process, name), data in (streams if folder else {}).items():
        with open(os.path.join(folder, "%s.%s" % (os.path.basename(process), name)), "wb") as out:
            out.write(data)
    return 1 if bad else 0


if __name__ == "__main__":
    try:
        args = [arg for arg in sys.argv[1:] if arg != "--xxh64"]
        sys.exit(main(*args, slow="--xxh64" in sys.argv))
    except (OSError, TypeError, KeyError, ValueError) as error:
        print("cannot read: %r" % error, file=sys.stderr)
        sys.exit(2)
