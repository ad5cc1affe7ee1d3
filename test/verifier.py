"""Checks exports of an audit trail with Python's standard library alone: a second implementation, which shares no code with the other.

python3 test/verifier.py BUNDLE KEY... prints the exit code that it would end with. Without arguments it reads a JSON list
[path, [key, ...], old or null] a line, and answers each with a line.
"""
import base64
import functools
import hashlib
import json
import re
import sys
import zipfile
import zlib


class Invalid(Exception):
    pass


class Unable(Exception):
    pass


# RFC 8032, 5.1.7. Points are (x, y) on the Edwards curve, in extended coordinates.
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def decode(data):
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    if y >= P:
        return None
    x2 = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(x2, (P + 3) // 8, P)
    if (x * x - x2) % P:
        x = x * ROOT % P
    if (x * x - x2) % P or (x == 0 and sign):
        return None
    if x & 1 != sign:
        x = P - x
    return (x, y, 1, x * y % P)


def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]), (p[1] + p[0]) * (q[1] + q[0])
    c, d = 2 * p[3] * q[3] * D, 2 * p[2] * q[2]
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def times(n, p):
    q = (0, 1, 1, 0)
    while n:
        if n & 1:
            q = add(q, p)
        p = add(p, p)
        n >>= 1
    return q


BASE = decode((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


@functools.lru_cache(maxsize=None)
def is_signed(key, message, signature):
    a, r, s = decode(key), decode(signature[:32]), int.from_bytes(signature[32:], "little")
    if len(key) != 32 or len(signature) != 64 or a is None or r is None or s >= L:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % L
    one, other = times(s, BASE), add(r, times(k, a))
    return (one[0] * other[2] - other[0] * one[2]) % P == 0 and (one[1] * other[2] - other[1] * one[2]) % P == 0


def sha(data):
    return hashlib.sha256(data).digest()


def root_of(hashes):
    """RFC 6962, 2.1, as it stands there."""
    if len(hashes) < 2:
        return hashes[0] if hashes else sha(b"")
    k = 1 << (len(hashes) - 1).bit_length() - 1
    return sha(b"\x01" + root_of(hashes[:k]) + root_of(hashes[k:]))


def included(leaf, index, size, proof, root):
    """RFC 9162, 2.1.3.2."""
    fn, sn, r = index, size - 1, leaf
    for p in proof:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            r = sha(b"\x01" + p + r)
            while not fn & 1 and fn:
                fn, sn = fn >> 1, sn >> 1
        else:
            r = sha(b"\x01" + r + p)
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and r == root


def unbase64(text, length=None):
    try:
        data = base64.b64decode(text, validate=True)
    except (ValueError, TypeError):
        return None
    return data if base64.b64encode(data).decode() == text and length in (None, len(data)) else None


def read_key(text):
    found = re.fullmatch(r"([^\s+]+)\+([0-9a-f]{8})\+(\S+)", text.strip())
    if not found:
        raise Unable("no key")
    name, key_id, encoded = found.groups()
    data = unbase64(encoded, 33)
    if data is None or data[0] != 1 or sha(name.encode() + b"\n" + data)[:4].hex() != key_id:
        raise Unable("no key")
    return name, data[1:]


def read_note(note):
    body, mark, signatures = note.rpartition("\n\n")
    if not mark or not signatures.endswith("\n"):
        raise Invalid("no note")
    found = []
    for line in signatures[:-1].split("\n"):
        match = re.fullmatch(r"— ([^\s+]+) (\S+)", line)
        data = unbase64(match[2]) if match else None
        if data is None or len(data) < 5:
            raise Invalid("no note")
        found.append((match[1], data))
    return body + "\n", found


def require_signed(note, name, keys):
    text, signatures = note
    mine = [key for each, key in keys if each == name]
    if not mine:
        raise Unable("no key for " + name)
    for key in mine:
        key_id = sha(name.encode() + b"\n\x01" + key)[:4]
        for signer, data in signatures:
            if signer == name and data[:4] == key_id and is_signed(key, text.encode(), data[4:]):
                return
    raise Invalid("not signed")


def read_checkpoint(text):
    note = read_note(text)
    lines = note[0].split("\n")
    root = unbase64(lines[2], 32) if len(lines) == 4 else None
    if root is None or not lines[0] or not re.fullmatch(r"0|[1-9][0-9]{0,15}", lines[1]):
        raise Invalid("no checkpoint")
    return note, lines[0], int(lines[1]), root


def lines_of(data):
    if data and not data.endswith(b"\n"):
        raise Invalid("no last line")
    for line in data.decode().split("\n")[:-1]:
        value = json.loads(line)
        if not isinstance(value, dict):
            raise Invalid("no object")
        yield value


def is_count(value):
    return type(value) is int and 0 <= value < 2**53


def is_opening(part, commitment):
    salt, opening = part.get("salt"), part.get("opening")
    if not isinstance(salt, str) or not re.fullmatch("[0-9a-f]{32}", salt) or not isinstance(opening, str):
        return False
    return commitment == "sha256:" + sha(b"eqms/v1/redactable\0" + bytes.fromhex(salt) + opening.encode()).hex()


KNOWN = r"README\.txt|keys\.txt|manifest\.json|manifest\.sig|(entries|details|proofs|redactions)\.jsonl|checkpoint-e[1-9][0-9]{0,9}\.txt"


def check(path, keys, old_text):
    keys = [read_key(each) for each in keys]
    if not keys:
        raise Unable("no key")
    old = None
    if old_text is not None:
        try:
            old = read_checkpoint(old_text)
            require_signed(old[0], old[1], keys)
        except Invalid as error:
            raise Unable("no older checkpoint") from error
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError) as error:
        raise Unable("no zip") from error
    with archive:
        infos = archive.infolist()
        if len(infos) != len({each.filename for each in infos}) or not all(re.fullmatch(KNOWN, each.filename) for each in infos):
            raise Invalid("files")
        files = {each.filename: archive.read(each) for each in infos}
    manifest_text = files["manifest.json"]
    manifest = json.loads(manifest_text)
    if not isinstance(manifest["format"], str):
        raise Invalid("format")
    if manifest["format"] != "attest-audit-bundle/1":
        raise Unable("format")

    trees, newest = {}, None
    for each in manifest["checkpoints"]:
        name = f"checkpoint-e{each['epoch']}.txt"
        note, origin, size, root = read_checkpoint(files[name].decode())
        if (origin, size) != (each["origin"], each["size"]) or origin != f"attest/t/{manifest['log_id']}/e{each['epoch']}":
            raise Invalid(name)
        if not is_count(each["first_seq"]) or (newest and newest["first_seq"] + newest["size"] > each["first_seq"]):
            raise Invalid(name)
        if newest and newest["epoch"] >= each["epoch"]:
            raise Invalid(name)
        require_signed(note, origin, keys)
        newest = trees[each["epoch"]] = {**each, "root": root, "hashes": []}
    note = read_note(files["manifest.sig"].decode())
    if note[0] != f"attest-audit-bundle/1\n{sha(manifest_text).hex()}\n":
        raise Invalid("manifest")
    require_signed(note, newest["origin"], keys)

    whole = manifest["whole"] is True
    entries = list(lines_of(files["entries.jsonl"]))
    details = list(lines_of(files["details.jsonl"]))
    proofs = None if whole else list(lines_of(files["proofs.jsonl"]))
    redacted = {}
    for each in lines_of(files["redactions.jsonl"]):
        if each["part"] not in ("person", "detail") or (each["seq"], each["part"]) in redacted:
            raise Invalid("redactions")
        redacted[each["seq"], each["part"]] = False
    sequence = [each["seq"] for each in entries]
    if sequence != [each["seq"] for each in details] or sequence != sorted(set(sequence)):
        raise Invalid("order")
    if whole and sequence != list(range(1, len(entries) + 1)):
        raise Invalid("gaps")
    if [len(entries), *(sequence[:1] + sequence[-1:] or [None, None])] != [manifest[key] for key in ("count", "first_seq", "last_seq")]:
        raise Invalid("count")
    if proofs is not None and sequence != [each["seq"] for each in proofs]:
        raise Invalid("proofs")
    for number, (entry, detail) in enumerate(zip(entries, details)):
        tree = trees.get(entry["epoch"])
        if not is_count(entry["seq"]) or not is_count(entry["index"]) or tree is None:
            raise Invalid("entry")
        if entry["index"] >= tree["size"] or entry["seq"] != tree["first_seq"] + entry["index"]:
            raise Invalid("place")
        leaf = json.loads(entry["leaf"])
        if (leaf["v"], leaf["log"], leaf["tenant"]) != ("1", manifest["log_id"], str(manifest["tenant"]["id"])):
            raise Invalid("log")
        hashed = sha(b"\0" + entry["leaf"].encode())
        if whole:
            tree["hashes"].append(hashed)
            if tree["epoch"] > 1 and entry["index"] == 0 and leaf["action"] != "audit.epoch_started":
                raise Invalid("epoch")
        else:
            proof = [unbase64(each, 32) for each in proofs[number]["proof"]]
            if None in proof or not included(hashed, entry["index"], tree["size"], proof, tree["root"]):
                raise Invalid("proof")
        for part, commitment in (("person", leaf["actor_commit"]), ("detail", leaf["detail_commit"])):
            if detail[part] is None:
                if (entry["seq"], part) not in redacted:
                    raise Invalid("missing")
                redacted[entry["seq"], part] = True
            elif not is_opening(detail[part], commitment):
                raise Invalid("opening")
    if not all(redacted.values()):
        raise Invalid("not redacted")
    unable = False
    if whole:
        for tree in trees.values():
            if len(tree["hashes"]) != tree["size"] or root_of(tree["hashes"]) != tree["root"]:
                raise Invalid("root")
    if old:
        _, origin, size, root = old
        if whole:
            tree = next((each for each in trees.values() if each["origin"] == origin), None)
            if tree is None or size > tree["size"] or root_of(tree["hashes"][:size]) != root:
                raise Invalid("older")
        else:
            unable = True
    listed = {each["name"]: each for each in manifest["files"]}
    if set(listed) | {"manifest.json", "manifest.sig"} != set(files):
        raise Invalid("files")
    for name, each in listed.items():
        if (len(files[name]), sha(files[name]).hex()) != (each["size"], each["sha256"]):
            raise Invalid(name)
    if unable:
        raise Unable("older")


def exit_code(path, keys, old=None):
    try:
        check(path, keys, old)
        return 0
    except Unable:
        return 2
    # What zipfile and json raise on a bundle that somebody damaged, and what a part of the wrong shape does: it is not valid.
    except (
        *(Invalid, KeyError, TypeError, ValueError, AttributeError, RecursionError),
        *(zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError),
    ):
        return 1


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(exit_code(sys.argv[1], sys.argv[2:]))
    else:
        for line in sys.stdin:
            print(exit_code(*json.loads(line)), flush=True)
