//! `Raw`: a value that is encoded already.

use alloc::vec;
use alloc::vec::Vec;
use core::ffi::CStr;
use wire::say;

use crate::orjson::Fragment;
use crate::ormsgpack;
use crate::state::State;
use engine::{Splice, Spliced};
use py::{Args, Builtin, Bytes, Class, Data, Made, Method, NotData, Own, Ref, Result, Visit, Word, doc};

/// Bytes of one value: an object of their own, or part of a document that is kept for them.
pub(crate) struct Raw {
    /// A `bytes` object.
    whole: Own,
    from: usize,
    to: usize,
}

impl Raw {
    /// All of a `bytes` object.
    pub(crate) fn of(bytes: &[u8]) -> Result<Raw> {
        Ok(Raw { whole: py::bytes(bytes)?, from: 0, to: bytes.len() })
    }

    /// A part of an object, without a copy if that is `bytes`.
    pub(crate) fn part(of: Ref<'_>, bytes: &[u8], from: usize, to: usize) -> Result<Raw> {
        match of.as_bytes() {
            Some(_) => Ok(Raw { whole: of.own(), from, to }),
            None => Raw::of(bytes.get(from..to).unwrap_or_default()),
        }
    }
}

impl Class<State> for Raw {
    const NAME: &'static CStr = c"oxwire.Raw";
    const DOC: &'static CStr = doc!(c"Raw(data=b'', /)\n--\n\n\
        A value that is already encoded: written as it stands, and given back undecoded where `raw` asks for it.\n\n\
        `data` is bytes, any contiguous buffer (copied), or str. When it is written it is checked to be one\n\
        complete value of the format.");
    const IS_BYTES: bool = true;

    fn new(_: &State, args: &Args<'_>) -> Result<Raw> {
        if args.has_names() || args.positional().len() > 1 {
            return Err(Builtin::Type.raise(say!("Raw() takes at most one positional argument")));
        }
        let Some(&o) = args.positional().first() else { return Raw::of(b"") };
        if let Some(b) = o.as_bytes() {
            return Ok(Raw { whole: o.own(), from: 0, to: b.len() });
        }
        match Data::of(o) {
            Ok(d) => Raw::of(d.input().bytes()),
            Err(NotData::Raised) => Err(py::Raised),
            Err(NotData::NotUtf8(_)) => {
                Err(Builtin::Value.raise(say!("Raw() takes no text with surrogates")))
            }
            Err(NotData::NoBuffer) => Err(Builtin::Type.raise_words(
                say!("Raw() takes bytes, another contiguous buffer, or str, not `{}`"),
                &[Word::Class(o)],
            )),
        }
    }

    fn methods(add: &mut Vec<py::MethodDef>) {
        py::method::<State, Raw, ToBytes>(add);
        py::method::<State, Raw, Copy>(add);
        py::method::<State, Raw, NewArgs>(add);
    }

    fn traverse(&self, visit: &mut Visit<'_>) {
        visit.object(&self.whole);
    }

    fn repr(&self) -> Result<Own> {
        py::text(&py::words(say!("oxwire.Raw({})"), &[Word::Show(py::bytes(self.bytes().0)?.as_ref())]))
    }

    fn bytes(&self) -> Bytes<'_> {
        let all = self.whole.as_ref().as_bytes().unwrap_or_default();
        Bytes(all.get(self.from..self.to).unwrap_or_default())
    }
}

struct ToBytes;
impl Method<State, Raw> for ToBytes {
    const NAME: &'static CStr = c"__bytes__";
    const DOC: &'static CStr = doc!(c"The encoded value.");
    fn call(_: &State, this: &Raw, _: Ref<'_>, _: &Args<'_>) -> Result<Own> {
        py::bytes(this.bytes().0)
    }
}

struct Copy;
impl Method<State, Raw> for Copy {
    const NAME: &'static CStr = c"copy";
    const DOC: &'static CStr = doc!(
        c"copy($self)\n--\n\n\
        A Raw that holds only its own bytes, so that the document it was cut from can be freed."
    );
    fn call(state: &State, this: &Raw, me: Ref<'_>, _: &Args<'_>) -> Result<Own> {
        let whole = this.whole.as_ref().as_bytes().map_or(0, <[u8]>::len);
        if this.to - this.from == whole {
            return Ok(me.own());
        }
        py::new_instance(&state.raw, Raw::of(this.bytes().0)?)
    }
}

struct NewArgs;
impl Method<State, Raw> for NewArgs {
    const NAME: &'static CStr = c"__getnewargs__";
    const DOC: &'static CStr = doc!(c"For pickle.");
    fn call(_: &State, this: &Raw, _: Ref<'_>, _: &Args<'_>) -> Result<Own> {
        py::tuple(&mut vec![py::bytes(this.bytes().0)?], 0)
    }
}

/// The classes whose instances go into the output as they are.
pub(crate) struct Ready {
    pub(crate) raw: Made<Raw>,
    pub(crate) fragment: Made<Fragment>,
    pub(crate) packed: Made<ormsgpack::Fragment>,
    /// Those of `oxwire._msgpack`.
    pub(crate) ext: Own,
    pub(crate) timestamp: Own,
}

impl Spliced for Ready {
    fn classes(&self) -> [&Own; 5] {
        [self.raw.own(), self.fragment.own(), self.packed.own(), &self.ext, &self.timestamp]
    }
    fn raw(&self) -> &Own {
        self.raw.own()
    }
    fn ext(&self) -> &Own {
        &self.ext
    }
    fn splice<'a>(&self, o: Ref<'a>, room: &'a mut Vec<u8>) -> Splice<'a> {
        if let Some(raw) = py::this_of(&self.raw, o) {
            return Splice::Checked(raw.bytes().0);
        }
        if let Some(packed) = py::this_of(&self.packed, o) {
            return Splice::Trusted(packed.bytes());
        }
        match py::this_of(&self.fragment, o) {
            Some(f) => f.splice(room),
            None => Splice::Wrong,
        }
    }
}
