"""Files are read by what they hold, and every broken one is named with its record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgym.envs import formats
from memgym.envs.formats import BrokenData, read_rows

RECORDS = [
    {"id": "a", "question": "Where does the mill stand?", "n": 1},
    {"id": "b", "question": "ใครสร้างบ้าน 家 🏠 \u0000 \ud800", "n": 2},
]


def rows(path: Path) -> list[Any]:
    return [row.values for row in read_rows(path)]


def write(folder: Path, text: str, name: str = "data.json") -> Path:
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def lines(records: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.mark.parametrize("indent", [None, 2])
def test_an_array_is_read_whatever_its_name(tmp_path: Path, indent: int | None) -> None:
    assert rows(write(tmp_path, json.dumps(RECORDS, indent=indent), "data.jsonl")) == RECORDS


def test_json_lines_are_read_whatever_their_name(tmp_path: Path) -> None:
    assert rows(write(tmp_path, lines(RECORDS), "data.json")) == RECORDS


def test_json_lines_may_have_blank_lines_windows_ends_and_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + lines(RECORDS).replace("\n", "\r\n\r\n").encode())
    assert rows(path) == RECORDS


def test_an_object_of_columns_is_read_as_records(tmp_path: Path) -> None:
    columns = {key: [record[key] for record in RECORDS] for key in RECORDS[0]}
    assert rows(write(tmp_path, json.dumps(columns))) == RECORDS


def test_columns_of_different_lengths_are_broken(tmp_path: Path) -> None:
    with pytest.raises(BrokenData, match=r"different lengths: .*'b': 1"):
        rows(write(tmp_path, '{"a": [1, 2], "b": [1]}'))


def test_parquet_is_read_whatever_its_name(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    records = [{"id": "a", "context": {"title": ["T"], "sentences": [["One.", " Two."]]}}]
    parquet.write_table(pyarrow.Table.from_pylist(records), tmp_path / "data.json")
    assert rows(tmp_path / "data.json") == records


def test_a_cut_parquet_file_is_broken(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "data.parquet").write_bytes(b"PAR1" + bytes(100))
    with pytest.raises(BrokenData, match=r"data.parquet is not a readable parquet file"):
        rows(tmp_path / "data.parquet")


def test_parquet_without_its_package_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    (tmp_path / "data.parquet").write_bytes(b"PAR1" + bytes(100))
    with pytest.raises(ImportError, match=r'data.parquet needs the package .*pip install "memgym\[data\]"'):
        rows(tmp_path / "data.parquet")


def test_a_cut_line_names_its_record_and_line(tmp_path: Path) -> None:
    text = lines(RECORDS) + '\n{"id": "c", "question": "Who'
    with pytest.raises(BrokenData, match=r"data.json, record 2 \(line 4\) is cut off or malformed"):
        rows(write(tmp_path, text))


def test_a_line_cut_in_the_middle_of_a_file_names_its_record_and_line(tmp_path: Path) -> None:
    text = '{"id": "a"}\n{"id": "b", "question": "Wh\n{"id": "c"}\n'
    with pytest.raises(BrokenData, match=r"record 1 \(line 2\)"):
        rows(write(tmp_path, text))


def test_a_cut_array_names_its_record_and_line(tmp_path: Path) -> None:
    text = json.dumps(RECORDS, indent=1)
    with pytest.raises(BrokenData, match=r"record 1 \(line 7\) is cut off"):
        rows(write(tmp_path, text[:-20]))


def test_an_array_that_ends_after_a_record_is_broken(tmp_path: Path) -> None:
    with pytest.raises(BrokenData, match=r"after record 0: expected ',' or '\]', found the end of the file"):
        rows(write(tmp_path, '[{"id": "a"}'))


def test_text_after_an_array_is_broken(tmp_path: Path) -> None:
    with pytest.raises(BrokenData, match="line 2: text after the end of the array"):
        rows(write(tmp_path, '[{"id": "a"}]\n{"id": "b"}'))


@pytest.mark.parametrize("text", ['["a"]', '{"a": "b"}\n7', "[[1]]", "null"])
def test_a_record_that_is_no_object_is_broken(tmp_path: Path, text: str) -> None:
    with pytest.raises(BrokenData, match="expected a JSON object"):
        rows(write(tmp_path, text))


def test_a_record_nested_too_deeply_is_broken(tmp_path: Path) -> None:
    with pytest.raises(BrokenData, match=r"record 0 \(line 1\) is"):
        rows(write(tmp_path, '{"a": ' * 200_000))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf \n", "is empty"),
        (b"[]", "holds no records"),
        (b"\x1f\x8b\x08rest", "gzip"),
        (b"PK\x03\x04rest", "zip archive"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:1", "Git LFS pointer"),
        (b"\x80\x04\x95rest", "pickle"),
        (b'{"a": "\xff"}', "not UTF-8"),
    ],
)
def test_what_is_no_json_says_what_it_is(tmp_path: Path, content: bytes, why: str) -> None:
    (tmp_path / "data.json").write_bytes(content)
    with pytest.raises(BrokenData, match=f"data.json .*{why}"):
        rows(tmp_path / "data.json")


@given(
    records=st.lists(
        st.dictionaries(st.text(max_size=5), st.text(max_size=20) | st.integers() | st.booleans(), min_size=1),
        min_size=1,
    ),
    as_array=st.booleans(),
    ascii_only=st.booleans(),
    block=st.integers(1, 40),
)
def test_any_records_are_read_whole_whatever_the_block_size(
    tmp_path_factory: pytest.TempPathFactory,
    records: list[dict[str, Any]],
    as_array: bool,
    ascii_only: bool,
    block: int,
) -> None:
    path = tmp_path_factory.getbasetemp() / "blocks.json"
    written = [json.dumps(record, ensure_ascii=ascii_only) for record in records]
    text = f"[{','.join(written)}]" if as_array else "\n".join(written)
    path.write_text(text, "utf-8", errors="surrogatepass")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(formats, "BLOCK", block)
        assert rows(path) == records
