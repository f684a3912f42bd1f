"""Objects of trainers' classes are the fields that they were saved with."""

from __future__ import annotations

import pytest

from rollscope.formats.containers.pickle import loads, plain


def test_objects_of_a_trainer_are_their_fields_and_nothing_of_theirs_runs() -> None:
    spec = b"cslime.utils.types\nSample\nX\x08\0\0\0SpecInfo\x86R"
    made = b"\x80\x02}X\x01\0\0\0ac__builtin__\ngetattr\n" + spec + b")\x81}X\x01\0\0\0nK\x05sbs."
    assert plain(loads(made)) == {"a": {"n": 5}}
    image = b"\x80\x02cPIL.Image\nImage\n)\x81](}X\x03\0\0\0RGBK\x08K\x04\x86NC\x01xeb."
    assert plain(loads(image)) == "(PIL.Image.Image RGB 8x4)"
    status = b"\x80\x02c__builtin__\ngetattr\nc__builtin__\ngetattr\ncslime.utils.types\nSample\nX\x06\0\0\0Status\x86R"
    assert plain(loads(status + b"X\x09\0\0\0TRUNCATED\x86R.")) == "truncated"
    mask = b"\x80\x02cmiles.utils.sampling_mask\nRolloutSamplingMask\n)\x81}X\x04\0\0\0_idsK\x05sb."
    assert plain(loads(mask)) == {"_ids": 5}  # a class of theirs that nobody has listed
    with pytest.raises(ValueError, match="names slimeball"):
        loads(mask.replace(b"miles.", b"slimeball."))
    with pytest.raises(ValueError, match="not in the list"):
        loads(b"\x80\x02c__builtin__\ngetattr\ncslime.utils.types\nSample\nX\x09\0\0\0__class__\x86R.")
