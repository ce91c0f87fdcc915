//! The keywords of MessagePack become rules, styles, limits and hooks, once.
//!
//! What may surprise: keywords that begin with an underscore are for the compatible faces that are
//! written in Python.

use alloc::boxed::Box;
use alloc::ffi::CString;
use alloc::vec::Vec;
use wire::say;

use crate::args::{
    MAX_DEPTH, by_codecs, choice, count, flag, passthrough, plain_rules, shared_option, wrong_class,
};
use crate::coder::keywords;
use crate::keyword::{Given, Target, by_name, each};
use crate::state::State;
use crate::typing;
use engine::{Hooks, Keys, Order, Quirks, Rules, Texts, Times, sorts};
use msgpack::{Floats, Limits, Style};
use py::{Args, Builtin, Int, Own, Ref, Result, Seen, Word};
use wire::{Error, Input, Source};

/// The application types of our own: vectors/ext-codes.md.
const BIG_INT: i8 = 38;
const NDARRAY: i8 = 43;

/// The least float that is not rounded to an infinity of 32 bits is below this.
const MAX_SINGLE: f64 = f64::from_bits(0x47ef_ffff_efff_ffff);

/// Everything that an encoder is told.
pub(crate) struct Packing {
    pub(crate) rules: Rules,
    pub(crate) style: Style,
}

/// Everything that a decoder is told.
pub(crate) struct Unpacking {
    pub(crate) hooks: Hooks,
    pub(crate) limits: Limits,
    /// Give messages undecoded.
    pub(crate) raw: bool,
    /// The face of another library.
    face: bool,
    /// Application types of ours are read by the table.
    table: bool,
}

/// What reads and writes the application types of ours.
fn table() -> Result<Own> {
    py::import(c"oxwire._clojure")
}

#[inline(never)]
fn wants_table(name: &str, v: Ref<'_>) -> Result<bool> {
    Ok(choice(name, v, "None clojure")? == 1)
}

impl Default for Packing {
    #[inline(never)]
    fn default() -> Self {
        let rules = Rules { model_mode: c"python", ..plain_rules(check_raw) };
        Packing { rules, style: Style::default() }
    }
}

/// Whether bytes are one message, and nothing else.
fn check_raw(bytes: &[u8]) -> core::result::Result<(), Error> {
    check(bytes, false)
}

/// The same where text need not be UTF-8.
fn check_any_raw(bytes: &[u8]) -> core::result::Result<(), Error> {
    check(bytes, true)
}

fn check(bytes: &[u8], any_text: bool) -> core::result::Result<(), Error> {
    // With room for the zero that ends input, or the copy would be copied again for it.
    let mut copy = Vec::with_capacity(bytes.len() + 1);
    copy.extend_from_slice(bytes);
    let limits = Limits { max_depth: usize::MAX, any_text, ..Limits::default() };
    let mut reader = msgpack::Reader::new(Input::new(&mut copy), limits);
    reader.skip()?;
    reader.end()
}

impl Packing {
    /// What keywords say.
    #[inline(never)]
    pub(crate) fn parse(args: &Args<'_>) -> Result<Box<Packing>> {
        let mut p = Box::new(Packing::default());
        let (mut canonical, mut face, mut bounded, mut by_table) = (false, false, false, false);
        each(args, None, &mut |name, v| {
            let Packing { rules, style } = &mut *p;
            bounded |= name == "int_bits" && !v.is_none();
            let to = by_name!(name;
                canonical => Target::Flag(&mut canonical),
                old_spec => Target::Flag(&mut style.old),
                ndarray_ext => Target::Code(&mut rules.array_ext, NDARRAY),
                float32 => {
                    if flag(name, v)? {
                        style.floats = Floats::Single;
                        rules.max_float = MAX_SINGLE;
                    }
                    Target::Done
                },
                datetime_format => {
                    style.timestamps = choice(name, v, "timestamp text")? == 0;
                    Target::Done
                },
                big_int_ext => {
                    let code = ext_code(name, v, BIG_INT)?;
                    rules.big_ints = code.is_some();
                    style.big_int = code.unwrap_or(0);
                    Target::Done
                },
                str_errors => {
                    rules.str_errors = handler(name, v, face, STRICT)?;
                    Target::Done
                },
                ext_table => {
                    by_table = wants_table(name, v)?;
                    Target::Done
                },
                _face => {
                    face = true;
                    face_rules(rules);
                    Target::Done
                },
                _strict_types => {
                    if flag(name, v)? {
                        (rules.quirks.by_base, rules.quirks.exact) = (false, true);
                        rules.quirks.tuple_to_hook = true;
                    }
                    Target::Done
                },
                _ => return shared_option(rules, &mut style.time, name, v),
            );
            to.take(name, v)
        })?;
        by_codecs(&mut p.rules, args)?;
        if by_table {
            p.by_table()?;
        }
        p.rules.big_ints &= !bounded;
        if p.style.old || p.rules.str_errors.is_some() {
            p.rules.check_raw = check_any_raw;
        }
        if canonical {
            p.rules.order = Order::Encoded;
            p.rules.max_float = f64::INFINITY;
            p.style.floats = Floats::Canonical;
        }
        Ok(p)
    }

    /// What the keywords of a call say, or what holds without any.
    #[inline(never)]
    pub(crate) fn given<'a>(state: &'a State, args: &Args<'_>) -> Result<Given<'a, Packing>> {
        Ok(match args.has_names() {
            true => Given::Asked(Self::parse(args)?),
            false => Given::Plain(&state.packing_default),
        })
    }

    #[inline(never)]
    fn by_table(&mut self) -> Result<()> {
        let (rules, table) = (&mut self.rules, table()?);
        let hook = rules.hook.take().unwrap_or_else(py::none);
        rules.hook = Some(py::call_method1(table.as_ref(), c"_Writer", hook.as_ref())?);
        (rules.table, rules.quirks.hook_keys, rules.big_ints) = (true, true, true);
        rules.quirks.hook_declines = true;
        (rules.array_ext, self.style.big_int) = (Some(NDARRAY), BIG_INT);
        passthrough(table.as_ref().attr_named(c"_CLASSES")?.as_ref(), rules)
    }
}

/// The rules of `oxwire.compat.msgpack`: only what is built in is written as what it is.
fn face_rules(rules: &mut Rules) {
    rules.sorts = sorts::NONE.with(sorts::BYTES).with(sorts::EXTS);
    rules.quirks = Quirks {
        by_base: true,
        hook_keys: true,
        same_keys: true,
        hook_once: true,
        big_to_hook: true,
        ..Quirks::default()
    };
}

impl Unpacking {
    /// What is read without a keyword. Application types come as instances of `ext`.
    #[inline(never)]
    pub(crate) fn new(ext: &Own) -> Unpacking {
        let hooks =
            Hooks { max_depth: MAX_DEPTH, guess: true, ext_class: Some(ext.clone()), ..Hooks::default() };
        let limits = Limits { max_depth: MAX_DEPTH, ..Limits::default() };
        Unpacking { hooks, limits, raw: false, face: false, table: false }
    }

    /// What keywords say, and one more.
    #[inline(never)]
    pub(crate) fn parse(
        state: &State,
        args: &Args<'_>,
        more: Option<(&str, Ref<'_>)>,
    ) -> Result<Box<Unpacking>> {
        let mut u = Box::new(Unpacking::new(&state.ext));
        each(args, more, &mut |name, v| u.option(state, name, v))?;
        u.check(state, args)?;
        Ok(u)
    }

    /// What the keywords of a call say, or what holds without any.
    #[inline(never)]
    pub(crate) fn given<'a>(state: &'a State, args: &Args<'_>) -> Result<Given<'a, Unpacking>> {
        Ok(match args.has_names() {
            true => Given::Asked(Self::parse(state, args, None)?),
            false => Given::Plain(&state.unpacking_default),
        })
    }

    /// One keyword; false if it is none of ours.
    pub(crate) fn option(&mut self, state: &State, name: &str, v: Ref<'_>) -> Result<bool> {
        let (hooks, limits) = (&mut self.hooks, &mut self.limits);
        let to = by_name!(name;
            raw => Target::Flag(&mut self.raw),
            use_list => Target::Not(&mut hooks.tuples),
            ext_hook => Target::Hook(&mut hooks.ext),
            object_hook => Target::Hook(&mut hooks.object),
            object_pairs_hook => Target::Hook(&mut hooks.pairs),
            list_hook => Target::Hook(&mut hooks.list),
            big_int_ext => Target::Code(&mut hooks.big_int, BIG_INT),
            ndarray_ext => Target::Code(&mut hooks.array, NDARRAY),
            max_str_len => Target::Limit(&mut limits.max_str),
            max_bin_len => Target::Limit(&mut limits.max_bin),
            max_array_len => Target::Limit(&mut limits.max_array),
            max_map_len => Target::Limit(&mut limits.max_map),
            max_ext_len => Target::Limit(&mut limits.max_ext),
            max_depth => {
                hooks.max_depth = count(name, v)?;
                limits.max_depth = hooks.max_depth;
                Target::Done
            },
            strict => {
                if !v.is_none() {
                    let strict = flag(name, v)?;
                    hooks.lax = !strict;
                    (hooks.strict, limits.strict) = (strict, strict);
                    hooks.unique_keys |= strict;
                }
                Target::Done
            },
            duplicate_keys => {
                hooks.unique_keys |= choice(name, v, "last error")? == 1;
                Target::Done
            },
            str_errors => {
                let texts = match handler(name, v, self.face, STRICT_OR_RAW)? {
                    None => Texts::Strict,
                    Some(errors) if !self.face && errors.as_c_str() == c"raw" => Texts::OrBytes,
                    Some(errors) => Texts::Handler(errors),
                };
                if hooks.texts != Texts::Bytes {
                    hooks.texts = texts;
                }
                Target::Done
            },
            old_spec => {
                if flag(name, v)? {
                    hooks.texts = Texts::Bytes;
                }
                Target::Done
            },
            timestamp => {
                hooks.times = match choice(name, v, "datetime timestamp float ns")? {
                    0 if self.face => Times::Cut,
                    0 => Times::DateTime,
                    1 => Times::Object(state.timestamp.clone()),
                    2 => Times::Float,
                    _ => Times::Nanoseconds,
                };
                Target::Done
            },
            ext_table => {
                self.table = wants_table(name, v)?;
                Target::Done
            },
            // The table has it.
            record_hook => Target::Done,
            _face => {
                self.face = true;
                Target::Done
            },
            _table => {
                self.by_table(v.own());
                Target::Done
            },
            _ext_class => {
                hooks.ext_class = Some(v.own());
                Target::Done
            },
            _map_keys => {
                hooks.keys = match choice(name, v, "any text")? {
                    0 => Keys::Any,
                    _ => Keys::Text,
                };
                Target::Done
            },
            _ => return typing::option(hooks, name, v),
        );
        to.take(name, v)
    }

    #[inline(never)]
    fn by_table(&mut self, table: Own) {
        (self.hooks.ext, self.hooks.table) = (Some(table), true);
        (self.hooks.big_int, self.hooks.array) = (Some(BIG_INT), None);
    }

    /// To be called with the keywords when all of them were said.
    pub(crate) fn check(&mut self, state: &State, args: &Args<'_>) -> Result<()> {
        if self.table {
            // It reads bodies with the same options.
            let options = keywords(args)?;
            self.by_table(py::call_method1(table()?.as_ref(), c"_Reader", options.as_ref())?);
        }
        if self.hooks.object.is_some() && self.hooks.pairs.is_some() {
            return Err(Builtin::Type.raise(say!("`object_hook` and `object_pairs_hook` exclude each other")));
        }
        typing::finish(state, &mut self.hooks, self.raw)?;
        self.limits.any_text = self.hooks.texts != Texts::Strict;
        // A key that is guessed is not looked at, so nothing must be asked of it.
        let l = &self.limits;
        let longest = l.max_str.min(l.max_bin).min(l.max_ext).min(l.max_array);
        self.hooks.guess = self.hooks.texts == Texts::Strict && !l.strict && longest == usize::MAX;
        Ok(())
    }
}

/// The handlers of codecs that have a name here.
const STRICT: &str = "strict surrogateescape";
/// The same to read with.
const STRICT_OR_RAW: &str = "strict surrogateescape raw";

/// A codec error handler out of some words; nothing for the strict handler. Any handler, for a compatible face.
fn handler(name: &str, v: Ref<'_>, any: bool, words: &str) -> Result<Option<CString>> {
    let word = v.as_any_str().and_then(|word| CString::new(word.lossy()).ok());
    if !any || word.is_none() {
        choice(name, v, words)?;
    }
    Ok(word.filter(|word| word.as_c_str() != c"strict"))
}

/// The code of an application type: None and False for none, True for that of our own.
pub(crate) fn ext_code(name: &str, v: Ref<'_>, own: i8) -> Result<Option<i8>> {
    let code = match v.see_cold() {
        Seen::None | Seen::Bool(false) => return Ok(None),
        Seen::Bool(true) => return Ok(Some(own)),
        Seen::Int(i) => match i.get_cold() {
            Int::I64(v) => i8::try_from(v).ok().filter(|&c| c != -1),
            _ => None,
        },
        _ => return Err(wrong_class(say!("`{}` must be an int, a bool or None, got `{}`"), name, v)),
    };
    code.map(Some).ok_or_else(|| {
        Builtin::Value.raise_words(
            say!("`{}` must be from -128 to 127, and not -1, got {}"),
            &[name.into(), Word::Show(v)],
        )
    })
}
