"""Files and streams of oxwire.native whose beginning is missing or unsaid."""

import io

import pytest

from oxwire import native
from oxwire.native import DecodeError


def streamed(data, **options):
    stream = native.StreamDecoder(**options)
    stream.feed(data)
    got = list(stream)
    stream.close()
    return got


def test_streams_without_a_header():
    for checked in (None, False, True):
        for append in (False, True):
            file = io.BytesIO()
            for one in ([1], "x"):
                writer = native.FileWriter(file, header=False, checked=checked, append=append)
                writer.write(one)
                if append:
                    writer.close()
            data = file.getvalue()
            assert streamed(data, header=False, checked=bool(checked)) == [[1], "x"]
            if checked:
                with pytest.raises(DecodeError):
                    streamed(data, header=False)


@pytest.mark.parametrize("n", [0, 1, 9, 10, 11])
@pytest.mark.parametrize("checked", [None, False])
def test_appending_to_what_has_no_header_yet(n, checked):
    whole = io.BytesIO()
    native.FileWriter(whole, checked=checked)
    file = io.BytesIO(whole.getvalue()[:n])
    for one in ([1], "x"):
        # Wherever it stands.
        with native.FileWriter(file, append=True, checked=checked) as writer:
            writer.write(one)
    assert file.getvalue()[:12] == whole.getvalue()
    assert list(native.read(io.BytesIO(file.getvalue()))) == [[1], "x"]


def test_files_have_no_buffers_beside_them(tmp_path):
    path = tmp_path / "file"
    with pytest.raises(ValueError, match="no buffers beside"):
        native.FileWriter(path, collect_buffers=True)
    assert not path.exists()
