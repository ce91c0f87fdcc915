"""Write crates/wire/src/number/powers.rs: the powers of five that reading floats needs, to 128 bits.

`python3 tools/powers.py` writes the file, `--check` only says (by its exit status) whether it is as it
would be written.

What may surprise: the powers from 5^-27 to 5^-1 are rounded up, all others are cut off. The proof that the
algorithm never errs (Daniel Lemire, "Number parsing at a gigabyte per second", 2021; Noble Mushtak and
Daniel Lemire, "Fast number parsing without fallback", 2023) is about just these roundings: with the
few that are rounded up, a product that is exact ends in a low half of 0 or 1.
"""

import pathlib
import sys

TARGET = pathlib.Path(__file__).resolve().parent.parent / "crates" / "wire" / "src" / "number" / "powers.rs"

# Below the first, every 64-bit number times the power of ten rounds to zero; above the last, to infinity.
FIRST = -342
LAST = 308
# From here to 5^-1 the powers are rounded up.
ROUNDED_UP = -27

HEADER = """\
//! The powers of five from 5^{first} to 5^{last}, each as the leading 128 bits of its binary digits.
//!
//! Made by tools/powers.py from exact integers: change that, not this. A table, since the exact
//! powers have up to 800 bits. Those from 5^-27 to 5^-1 are rounded up, all others are cut off.

/// The exponent of the first power.
pub(super) const FIRST: i64 = {first};

/// Upper and lower half of each power, shifted so that the highest bit is set.
#[rustfmt::skip] // One entry in a line would make the file twice as long.
pub(super) static POWERS: [(u64, u64); {count}] = [
"""


def power(exponent):
    """The leading 128 bits of 5**exponent."""
    if exponent >= 0:
        five = 5**exponent
        excess = five.bit_length() - 128
        return five >> excess if excess > 0 else five << -excess
    five = 5**-exponent
    # 5**n is no power of two, so this quotient has 128 bits and is never exact.
    quotient = (1 << (five.bit_length() + 127)) // five
    return quotient + 1 if exponent >= ROUNDED_UP else quotient


def entry(exponent):
    bits = power(exponent)
    return f"(0x{bits >> 64:016x}, 0x{bits & (1 << 64) - 1:016x})"


def text():
    exponents = range(FIRST, LAST + 1)
    entries = [entry(exponent) for exponent in exponents]
    lines = [", ".join(entries[at : at + 2]) for at in range(0, len(entries), 2)]
    header = HEADER.format(first=FIRST, last=LAST, count=len(entries))
    return header + "".join(f"    {line},\n" for line in lines) + "];\n"


def main():
    if sys.argv[1:] == ["--check"]:
        if TARGET.read_text(encoding="utf-8") != text():
            sys.exit(f"{TARGET.name} is not what tools/powers.py writes: run it")
        return
    if sys.argv[1:]:
        sys.exit(__doc__)
    TARGET.write_text(text(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
