"""The command line, as a user runs it: in a process of its own, off a terminal.

What is compared is what a script would see: exit code, standard output, standard error. Nothing is
said of times except that they are printed.
"""

import gzip
import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import oxwire
from oxwire import _bench

VALUE = {"b": [1, 2.5, True, None], "a": {"é": "日本 😀", "e": [], "o": {}}}


def run(*arguments, stdin=b"", code=0, cwd=None):
    done = subprocess.run(
        [sys.executable, "-m", "oxwire", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        check=False,
    )
    assert done.returncode == code, done.stderr.decode()
    return done


def convert(*arguments, stdin=b"", **kwargs):
    return run("convert", *arguments, stdin=stdin, **kwargs).stdout


def failure(*arguments, stdin=b"", code=1, cwd=None):
    done = run("convert", *arguments, stdin=stdin, code=code, cwd=cwd)
    assert done.stdout == b""
    return done.stderr.decode()


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in.json"
    path.write_text(json.dumps(VALUE, ensure_ascii=False), encoding="utf-8")
    return path


# The program


def test_version():
    assert run("--version").stdout.decode().strip() == f"oxwire {oxwire.__version__}"


@pytest.mark.parametrize(
    "arguments", [[], ["fly"], ["convert"], ["convert", "a.json"], ["bench", "--seconds", "x"], ["inspect"]]
)
def test_usage_errors(arguments):
    done = run(*arguments, code=2)
    assert b"usage: oxwire" in done.stderr
    assert done.stdout == b""


@pytest.mark.parametrize(
    "arguments", [["--help"], ["bench", "--help"], ["convert", "--help"], ["inspect", "--help"]]
)
def test_help_is_plain_off_a_terminal(arguments):
    out = run(*arguments).stdout
    assert b"usage: oxwire" in out
    assert b"\x1b" not in out


# convert: layouts


def test_compact_by_default(source):
    assert (
        convert(source, "-") == json.dumps(VALUE, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    )


@pytest.mark.parametrize("indent", ["0", "2", "4", "8", "tab"])
def test_indent(source, indent):
    spaces = "\t" if indent == "tab" else int(indent)
    assert (
        convert(source, "-", "--indent", indent)
        == json.dumps(VALUE, ensure_ascii=False, indent=spaces).encode() + b"\n"
    )


@pytest.mark.parametrize("indent", ["9", "-1", "x", ""])
def test_indent_out_of_range(source, indent):
    assert "0 to 8 spaces" in failure(source, "-", f"--indent={indent}", code=2)


def test_sort(source):
    expected = json.dumps(VALUE, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode() + b"\n"
    assert convert(source, "-", "--sort") == expected


def test_ensure_ascii(source):
    out = convert(source, "-", "--ensure-ascii")
    assert out.isascii()
    assert json.loads(out) == VALUE


def test_canonical_ends_without_a_line_feed():
    assert convert("-", "-", "--canonical", stdin=b'{"b": 1.0, "a": 2}') == b'{"a":2,"b":1}'


@pytest.mark.parametrize("other", ["--indent=2", "--sort", "--ensure-ascii"])
def test_canonical_goes_alone(source, other):
    assert "--canonical" in failure(source, "-", "--canonical", other, code=2)


def test_spelling_stays():
    text = rb'{"a":1.10,"a":1e5,"b":"\u00e9\/","c":12345678901234567890.0000000001}'
    assert convert("-", "-", stdin=text) == text + b"\n"


@pytest.mark.parametrize("option", ["--sort", "--canonical", "--ensure-ascii"])
def test_a_key_that_stands_twice_is_not_lost_in_silence(option):
    assert failure("-", "-", option, stdin=b'{"a":1,"a":2}').startswith("oxwire: -: ")


# convert: formats


def test_array_to_lines_and_back(tmp_path):
    (tmp_path / "in.json").write_bytes(b' \n [ {"a": 1}, [2, 3], "x\\n", null ] ')
    assert convert(tmp_path / "in.json", tmp_path / "out.jsonl") == b""
    lines = (tmp_path / "out.jsonl").read_bytes()
    assert lines == b'{"a":1}\n[2,3]\n"x\\n"\nnull\n'
    assert convert(tmp_path / "out.jsonl", "-") == b'[{"a":1},[2,3],"x\\n",null]\n'


@pytest.mark.parametrize("indent", ["0", "2", "tab"])
def test_lines_to_an_indented_array(indent):
    values = [{"a": [1, {"b": "\n"}]}, [], {}, 5]
    lines = b"\n".join(json.dumps(v).encode() for v in values)
    out = convert("-", "-", "--from=ndjson", "--indent", indent, stdin=lines)
    assert out == json.dumps(values, indent="\t" if indent == "tab" else int(indent)).encode() + b"\n"


@pytest.mark.parametrize("indent", [[], ["--indent=2"]])
def test_no_lines_are_an_empty_array(indent):
    assert convert("-", "-", "--from=jsonl", *indent, stdin=b"\n  \n") == b"[]\n"


def test_an_empty_array_is_no_lines():
    assert convert("-", "-", "--to=ndjson", stdin=b" [ ]") == b""


def test_a_document_that_is_no_array_is_one_line():
    assert convert("-", "-", "--to=ndjson", stdin=b'{\n "a": [1]}') == b'{"a":[1]}\n'


def test_white_space_before_the_array_is_longer_than_a_chunk():
    assert convert("-", "-", "--to=ndjson", stdin=b" \n" * 50_000 + b"[1, 2]") == b"1\n2\n"


def test_lines_with_options():
    lines = b'{"b": 1, "a": "\xc3\xa9"}\n'
    assert convert("-", "-", "--from=jsonl", "--to=jsonl", stdin=lines) == '{"b":1,"a":"é"}\n'.encode()
    assert (
        convert("-", "-", "--from=jsonl", "--to=jsonl", "--sort", stdin=lines) == '{"a":"é","b":1}\n'.encode()
    )
    assert convert("-", "-", "--from=jsonl", "--canonical", stdin=lines) == '[{"a":"é","b":1}]'.encode()
    assert (
        convert("-", "-", "--from=jsonl", "--to=jsonl", "--ensure-ascii", stdin=lines)
        == b'{"b":1,"a":"\\u00e9"}\n'
    )


def test_lines_cannot_be_indented(source):
    assert "one document for each line" in failure(source, "-", "--to", "ndjson", "--indent", "2", code=2)


@pytest.mark.parametrize("name", ["x.yaml", "x.json.zip", "x", "x.gz"])
def test_unknown_endings_are_refused(tmp_path, name):
    (tmp_path / name).write_bytes(b"[]")
    message = failure(tmp_path / name, "-", code=2)
    assert "--from" in message
    assert "ndjson" in message
    assert convert(tmp_path / name, "-", "--from=json", code=1 if name.endswith(".gz") else 0) in (
        b"[]\n",
        b"",
    )


def test_unknown_formats_are_refused(source):
    assert "'toml'" in failure(source, "-", "--to", "toml", code=2)


def test_ending_in_capitals(tmp_path):
    (tmp_path / "IN.JSON").write_bytes(b"[ ]")
    assert convert(tmp_path / "IN.JSON", "-") == b"[]\n"


# convert: files


def test_gzip_both_ways(tmp_path, source):
    assert convert(source, tmp_path / "a.json.gz") == b""
    packed = (tmp_path / "a.json.gz").read_bytes()
    assert json.loads(gzip.decompress(packed)) == VALUE
    assert json.loads(convert(tmp_path / "a.json.gz", "-")) == VALUE
    convert(source, tmp_path / "a.json.gz")
    assert (tmp_path / "a.json.gz").read_bytes() == packed, "the same contents give the same file"


def test_gzip_lines(tmp_path):
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b"1\n2\n"))
    convert(tmp_path / "a.jsonl.gz", tmp_path / "b.ndjson.gz")
    assert gzip.decompress((tmp_path / "b.ndjson.gz").read_bytes()) == b"1\n2\n"


def test_damaged_gzip(tmp_path):
    (tmp_path / "plain.json.gz").write_bytes(b"[1]")
    assert "gzip" in failure(tmp_path / "plain.json.gz", "-")
    (tmp_path / "cut.json.gz").write_bytes(gzip.compress(os.urandom(1000).hex().encode())[:-300])
    assert "gzip" in failure(tmp_path / "cut.json.gz", "-")


def test_in_place(source):
    os.chmod(source, 0o640)
    convert(source, source, "--indent", "2")
    assert source.read_bytes() == json.dumps(VALUE, ensure_ascii=False, indent=2).encode() + b"\n"
    assert stat.S_IMODE(source.stat().st_mode) == 0o640
    assert os.listdir(source.parent) == [source.name]


def test_in_place_by_another_name(tmp_path, source):
    link = tmp_path / "link.json"
    link.symlink_to(source)
    convert(source, link, "--sort")
    assert link.is_symlink()
    assert source.read_bytes().startswith(b'{"a":')


def test_a_failure_leaves_the_old_file(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"1\n2\n[3\n")
    message = failure(path, path)
    assert re.fullmatch(rf"oxwire: {re.escape(str(path))}: .+ \(line 3, column \d+\)\n", message)
    assert path.read_bytes() == b"1\n2\n[3\n"
    assert os.listdir(tmp_path) == ["a.jsonl"]


def test_a_new_file_has_the_usual_mode(tmp_path, source):
    convert(source, tmp_path / "new.json")
    (tmp_path / "usual").write_bytes(b"")
    assert (tmp_path / "new.json").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_device_is_written_and_not_replaced(source):
    assert convert(source, os.devnull, "--to", "json") == b""
    assert not Path(os.devnull).is_file()


@pytest.mark.parametrize("text", [b"", b"[1,]", b"[1] 2", b'{"a":\n  tru}', b"\xff", b"[1", b'"\n"'])
@pytest.mark.parametrize("options", [[], ["--sort"], ["--to=ndjson"]])
def test_malformed_input(text, options):
    if text == b'"\n"':
        text = b'"a\nb"'
    message = run("convert", "-", "-", *options, stdin=text, code=1).stderr.decode()
    assert re.fullmatch(r"oxwire: -: .+ \(line \d+, column \d+\)\n", message), message


def test_the_place_of_an_error_in_an_array_that_streams():
    message = run("convert", "-", "-", "--to=ndjson", stdin=b"\n\n[1,\n 2,\n  x]", code=1).stderr.decode()
    assert message.endswith("(line 5, column 3)\n")


def test_files_that_are_not_there(tmp_path, source):
    missing = tmp_path / "no.json"
    assert failure(missing, tmp_path / "out.json") == f"oxwire: {missing}: No such file or directory\n"
    assert not (tmp_path / "out.json").exists()
    lost = tmp_path / "no" / "out.json"
    assert failure(source, lost) == f"oxwire: {lost}: No such file or directory\n"
    assert "Is a directory" in failure(source, tmp_path, "--to=json")
    assert "Is a directory" in failure(tmp_path, "-", "--from=json")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_is_the_fault_of_out(source):
    assert failure(source, "/dev/full", "--to=json") == "oxwire: /dev/full: No space left on device\n"


# convert: streams

LINE = b'{"id": 123456, "name": "someone", "tags": ["a", "b", "c"], "score": 1.5}\n'


def test_lines_come_out_while_others_go_in():
    command = [sys.executable, "-m", "oxwire", "convert", "-", "-", "--from=ndjson", "--to=ndjson"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        # More than all buffers between together, less than would block both sides.
        process.stdin.write(LINE * 2500)
        process.stdin.flush()
        assert json.loads(process.stdout.readline()) == json.loads(LINE)
        process.stdin.close()
        assert process.stdout.read().count(b"\n") == 2499
    assert process.returncode == 0


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="reads the peak memory from /proc")
@pytest.mark.parametrize(
    ("source", "target"), [("a.jsonl.gz", "b.jsonl"), ("a.jsonl.gz", "b.json"), ("a.json.gz", "b.jsonl")]
)
def test_memory_does_not_grow_with_the_file(tmp_path, source, target):
    code = (
        "import sys; from oxwire._cli import main; code = main(sys.argv[1:]);"
        "print(*[l.split()[1] for l in open('/proc/self/status') if l.startswith('VmHWM')]); sys.exit(code)"
    )
    peaks = []
    for count in (1000, 200_000):
        lines = LINE * count
        data = lines if "jsonl" in source else b"[" + lines[:-1].replace(b"\n", b",") + b"]"
        (tmp_path / source).write_bytes(gzip.compress(data, 1))
        command = [sys.executable, "-c", code, "convert", str(tmp_path / source), str(tmp_path / target)]
        peaks.append(int(subprocess.run(command, capture_output=True, check=True).stdout))
    # The larger file is 15 MB.
    assert peaks[1] - peaks[0] < 4000, f"peak in KiB for the small and the large file: {peaks}"


def test_a_closed_pipe_is_quiet(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(LINE * 20_000)
    command = [sys.executable, "-m", "oxwire", "convert", str(path), "-"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


# bench


def test_bench_of_a_file(source):
    done = run("bench", source, "--seconds", "0.01")
    out = done.stdout.decode()
    assert "round trip exact" in out
    assert re.search(r"^  oxwire +[\d.]+ [mun]s +[\d.]+ [mun]s$", out, re.M)
    for peer in _bench.peers()[1:]:
        assert re.search(rf"^  {peer.name} +[\d.]+ [mun]s +[\d.]+x +[\d.]+ [mun]s +[\d.]+x$", out, re.M)
    assert "\x1b" not in out
    assert done.stderr == b""


def test_bench_wants_a_file():
    assert b"FILE" in run("bench", code=2).stderr


def test_bench_goes_on_after_a_file_that_fails(tmp_path, source):
    (tmp_path / "bad.json").write_bytes(b"[1,\n2")
    done = run("bench", tmp_path / "no.json", tmp_path / "bad.json", source, "--seconds", "0.01", code=1)
    errors = done.stderr.decode().splitlines()
    assert errors[0] == f"oxwire: {tmp_path / 'no.json'}: No such file or directory"
    assert re.fullmatch(rf"oxwire: {re.escape(str(tmp_path))}/bad.json: .+ \(line 2, column 2\)", errors[1])
    assert "round trip exact" in done.stdout.decode()


def test_bench_reads_gzip(tmp_path):
    (tmp_path / "a.json.gz").write_bytes(gzip.compress(b"[1, 2]"))
    assert "6 bytes" in run("bench", tmp_path / "a.json.gz", "--seconds", "0.01").stdout.decode()


def test_bench_says_what_a_peer_cannot_read(tmp_path):
    # More digits than the standard library takes by default.
    path = tmp_path / "a.json"
    path.write_bytes(b"[" + b"7" * 5000 + b"]")
    out = run("bench", path, "--seconds", "0.01").stdout.decode()
    assert "json cannot read it (ValueError" in out
    assert "round trip exact" in out


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf"])
def test_bench_wants_some_time(seconds):
    run("bench", "--seconds", seconds, code=2)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("hidden", ["", "rich rich_argparse"])
def test_bench_at_a_terminal(tmp_path, source, hidden):
    # With rich where it is installed, and as if it were not.
    pty = pytest.importorskip("pty")
    code = f"import sys; sys.modules.update(dict.fromkeys({hidden.split()})); from oxwire._cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, "bench", str(source), str(source), "--seconds", "0.3"]
    parent, child = pty.openpty()
    with subprocess.Popen(
        command, stdin=child, stdout=child, stderr=child, env={**os.environ, "TERM": "xterm"}
    ) as process:
        os.close(child)
        out = b""
        # Linux says that nobody is at the other end with an error.
        try:
            while part := os.read(parent, 4096):
                out += part
        except OSError:
            pass
        os.close(parent)
    assert process.returncode == 0, out
    assert out.count(b"round trip exact") == 2
    assert b"%" in out


# The measuring itself


def test_a_wrong_round_trip_is_found(monkeypatch):
    peers = _bench.peers()
    monkeypatch.setattr(_bench._json, "decode", lambda data: json.loads(data, parse_int=float))
    verdict = _bench.verify(b'{"a":1}', peers[:1] + peers[-1:])
    assert verdict.faults == ["the standard library reads it differently"]
    monkeypatch.setattr(_bench._json, "encode", lambda value: b"[]")
    assert "the round trip is not exact" in _bench.verify(b'{"a":1}', peers[:1]).faults


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1, 1.0),
        (1, True),
        (0.0, -0.0),
        ([1], [1, 2]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ("a", b"a"),
        ([], {}),
    ],
)
def test_identical_tells_apart(a, b):
    assert not _bench.identical(a, b)
    assert not _bench.identical([{"x": a}], [{"x": b}])
    assert _bench.identical([a], [a])


def test_compare_tells_slow_from_fast():
    short, long = list(range(10)), list(range(10_000))
    timings = _bench.compare({"slow": lambda: sum(long), "fast": lambda: sum(short)}, seconds=0.05)
    assert _bench.speeds(timings, "slow")["fast"] > 20
    assert all(t.least <= t.p25 <= t.median and t.slices >= 3 for t in timings.values())
