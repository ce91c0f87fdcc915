//! Keywords become rules, styles, limits and hooks, once. Nobody below sees a keyword.

use crate::coder::keywords;
use crate::keyword::{Given, Target, by_name, each, each_word};
use crate::raise::{self, Part};
use crate::state::State;
use crate::typing;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use engine::{Fields, Hooks, Order, Passthrough, Policy, Quirks, Rules, SortSet, sorts};
use json::{Limits, NonFinite, Style};
use py::{Args, Builtin, Int, Own, Ref, Result, Seen, Word};
use wire::say;
use wire::time::TimeStyle;
use wire::{Error, Input, Said, Source};

/// How deep containers may nest unless somebody says otherwise: the same both ways, so that
/// what was read can be written.
pub(crate) const MAX_DEPTH: usize = 1000;

/// Everything that an encoder is told.
pub(crate) struct Encoding {
    pub(crate) rules: Rules,
    pub(crate) style: Style,
    pub(crate) newline: bool,
}

/// Everything that a decoder is told.
pub(crate) struct Decoding {
    pub(crate) hooks: Hooks,
    pub(crate) limits: Limits,
    /// Give documents undecoded.
    pub(crate) raw: bool,
}

impl Default for Encoding {
    #[inline(never)]
    fn default() -> Self {
        let rules = Rules { finite: true, max_float: f64::MAX, big_ints: true, ..plain_rules(check_raw) };
        Encoding { rules, style: Style::default(), newline: false }
    }
}

/// The rules that all formats begin with.
pub(crate) fn plain_rules(check_raw: fn(&[u8]) -> core::result::Result<(), Error>) -> Rules {
    Rules {
        hook: None,
        sorts: SortSet::ALL,
        passthrough: Passthrough::default(),
        max_depth: MAX_DEPTH,
        order: Order::Stored,
        finite: false,
        max_float: f64::INFINITY,
        max_int: u64::MAX,
        int_bits: 64,
        big_ints: false,
        str_errors: None,
        array_ext: None,
        table: false,
        decimal_number: false,
        check_raw,
        model_mode: c"json",
        policy: Policy::default(),
        quirks: Quirks::default(),
        fault: None,
        codecs: None,
        part: None,
    }
}

impl Default for Decoding {
    #[inline(never)]
    fn default() -> Self {
        let limits = Limits { max_depth: MAX_DEPTH, ..Limits::default() };
        let hooks = Hooks { max_depth: MAX_DEPTH, guess: true, ..Hooks::default() };
        Decoding { hooks, limits, raw: false }
    }
}

/// Whether bytes are one value, and nothing else.
fn check_raw(bytes: &[u8]) -> core::result::Result<(), Error> {
    // With room for the zero that ends input, or the copy would be copied again for it.
    let mut copy = Vec::with_capacity(bytes.len() + 1);
    copy.extend_from_slice(bytes);
    let limits = Limits { max_depth: usize::MAX, max_int_digits: usize::MAX, ..Limits::default() };
    let mut reader = json::Reader::new(Input::new(&mut copy), limits);
    reader.skip()?;
    reader.end()
}

impl Encoding {
    /// What keywords say.
    #[inline(never)]
    pub(crate) fn parse(args: &Args<'_>) -> Result<Box<Encoding>> {
        let mut e = Box::new(Encoding::default());
        let mut canonical = false;
        each(args, None, &mut |name, v| {
            let Encoding { rules, style, newline } = &mut *e;
            let to = by_name!(name;
                canonical => Target::Flag(&mut canonical),
                newline => Target::Flag(newline),
                ensure_ascii => Target::Flag(&mut style.ascii),
                indent => {
                    style.indent = indent(v)?;
                    Target::Done
                },
                nan => {
                    style.non_finite = non_finite(name, v)?;
                    Target::Done
                },
                decimal_format => {
                    rules.decimal_number = choice(name, v, "string number")? == 1;
                    Target::Done
                },
                _ => return shared_option(rules, &mut style.time, name, v),
            );
            to.take(name, v)
        })?;
        by_codecs(&mut e.rules, args)?;
        e.rules.finite = e.style.non_finite == NonFinite::Error;
        e.rules.max_float = if e.rules.finite { f64::MAX } else { f64::INFINITY };
        if canonical {
            e.be_canonical()?;
        }
        Ok(e)
    }

    /// What the keywords of a call say, or what holds without any.
    #[inline(never)]
    pub(crate) fn given<'a>(state: &'a State, args: &Args<'_>) -> Result<Given<'a, Encoding>> {
        Ok(if args.has_names() { Given::Asked(Self::parse(args)?) } else { Given::Plain(&state.encoding) })
    }

    /// RFC 8785, which leaves nothing to choose.
    fn be_canonical(&mut self) -> Result<()> {
        let s = &self.style;
        let clash = if s.indent.is_some() {
            "indent"
        } else if s.ascii {
            "ensure_ascii"
        } else if s.non_finite != NonFinite::Error {
            "nan"
        } else if self.rules.decimal_number {
            "decimal_format"
        } else if self.newline {
            "newline"
        } else {
            self.rules.order = Order::Utf16;
            self.style.ecmascript = true;
            self.rules.big_ints = false;
            self.rules.int_bits = 53;
            self.rules.max_int = (1 << 53) - 1;
            return Ok(());
        };
        Err(Builtin::Value.raise_words(say!("`canonical` leaves no choice of `{}`"), &[clash.into()]))
    }
}

impl Decoding {
    /// What keywords say, and one more.
    #[inline(never)]
    pub(crate) fn parse(
        state: &State,
        args: &Args<'_>,
        more: Option<(&str, Ref<'_>)>,
    ) -> Result<Box<Decoding>> {
        let mut d = Box::new(Decoding::default());
        each(args, more, &mut |name, v| d.option(name, v))?;
        typing::finish(state, &mut d.hooks, d.raw)?;
        Ok(d)
    }

    /// What the keywords of a call say, or what holds without any.
    #[inline(never)]
    pub(crate) fn given<'a>(state: &'a State, args: &Args<'_>) -> Result<Given<'a, Decoding>> {
        Ok(match args.has_names() {
            true => Given::Asked(Self::parse(state, args, None)?),
            false => Given::Plain(&state.decoding),
        })
    }

    /// One keyword; false if it is none of ours.
    pub(crate) fn option(&mut self, name: &str, v: Ref<'_>) -> Result<bool> {
        let Decoding { hooks, limits, raw } = self;
        let to = by_name!(name;
            raw => Target::Flag(raw),
            float_hook => Target::Hook(&mut hooks.float),
            max_int_digits => Target::Limit(&mut limits.max_int_digits),
            nan => {
                limits.non_finite = non_finite(name, v)?;
                Target::Done
            },
            duplicate_keys => {
                hooks.unique_keys = choice(name, v, "last error")? == 1;
                Target::Done
            },
            int_bits => {
                if let Some(bits) = int_bits(name, v)? {
                    limits.int_bits(bits);
                }
                Target::Done
            },
            max_depth => {
                hooks.max_depth = count(name, v)?;
                limits.max_depth = hooks.max_depth;
                Target::Done
            },
            _ => return typing::option(hooks, name, v),
        );
        to.take(name, v)
    }

    /// One level of nesting is taken by an array around whatever is read.
    pub(crate) fn inside(&mut self) -> Result<()> {
        let Some(depth) = self.limits.max_depth.checked_sub(1) else {
            return Err(Builtin::Value.raise(say!("`max_depth` must leave room for the array")));
        };
        self.limits.max_depth = depth;
        self.hooks.max_depth = depth;
        Ok(())
    }
}

/// One keyword that every encoder has; false if it is none of them.
pub(crate) fn shared_option(rules: &mut Rules, time: &mut TimeStyle, name: &str, v: Ref<'_>) -> Result<bool> {
    let to = by_name!(name;
        enc_hook => Target::Hook(&mut rules.hook),
        codecs => {
            rules.codecs = (!v.is_none()).then(|| v.own());
            Target::Done
        },
        _fault => Target::Hook(&mut rules.fault),
        max_depth => Target::Count(&mut rules.max_depth),
        naive_utc => Target::Flag(&mut time.naive_utc),
        utc_z => Target::Flag(&mut time.utc_z),
        omit_microseconds => Target::Flag(&mut time.omit_microseconds),
        order => {
            if choice(name, v, "None sorted")? == 1 {
                rules.order = Order::Sorted;
            }
            Target::Done
        },
        sort => {
            if flag(name, v)? {
                rules.order = Order::Sorted;
            }
            Target::Done
        },
        int_bits => {
            if let Some(bits) = int_bits(name, v)? {
                rules.int_bits = bits;
                rules.big_ints = false;
                rules.max_int = if bits == 53 { (1 << 53) - 1 } else { u64::MAX };
            }
            Target::Done
        },
        passthrough => {
            passthrough(v, rules)?;
            Target::Done
        },
        _closed => {
            closed_rules(rules, choice(name, v, "stored keys all")?);
            Target::Done
        },
        _ => {
            // What they say together is made of all keywords, when these are known.
            if matches!(name, "include" | "exclude") {
                rules.part = Some(v.own());
                return Ok(true);
            }
            if !policy(&mut rules.policy, name, v)? {
                return Ok(false);
            }
            if rules.policy != Policy::default() && rules.quirks.fields == Fields::AsKeys {
                rules.quirks.fields = Fields::Gathered;
            }
            Target::Done
        },
    );
    to.take(name, v)
}

/// One keyword of what is written of instances; false if it is none of them.
#[inline(never)]
pub(crate) fn policy(policy: &mut Policy, name: &str, v: Ref<'_>) -> Result<bool> {
    let on = by_name!(name;
        omit_defaults => &mut policy.omit_defaults,
        omit_none => &mut policy.omit_none,
        by_name => &mut policy.by_name,
        _ => return Ok(false),
    );
    Target::Flag(on).take(name, v)
}

/// What is made of several keywords, to be called when all are known: which part is written; and classes with codecs go to
/// the hook, which knows those.
#[inline(never)]
pub(crate) fn by_codecs(rules: &mut Rules, args: &Args<'_>) -> Result<()> {
    if rules.part.is_some() {
        let module = py::import(c"oxwire._parts")?;
        let made = py::call_method1(module.as_ref(), c"chosen", keywords(args)?.as_ref())?;
        rules.part = (!made.as_ref().is_none()).then_some(made);
    }
    let Some(codecs) = rules.codecs.take() else { return Ok(()) };
    let module = py::import(c"oxwire._codecs")?;
    let f = module.as_ref().attr_named(c"hook")?;
    let hook = rules.hook.take().unwrap_or_else(py::none);
    let made = py::call(f.as_ref(), &[codecs.as_ref(), hook.as_ref()])?;
    passthrough(made.as_ref().attr_named(c"classes")?.as_ref(), rules)?;
    (rules.hook, rules.quirks.hook_declines) = (Some(made), true);
    Ok(())
}

/// The rules of `oxwire.compat.msgspec`, with nothing in order, the keys of dicts, or fields too. Where there
/// is an order, sets are the hook's.
fn closed_rules(rules: &mut Rules, order: usize) {
    rules.sorts = SortSet::CLOSED;
    let fields = if order == 1 { Fields::Stored } else { Fields::AsKeys };
    rules.quirks = Quirks {
        same_keys: true,
        hook_keys: true,
        public: sorts::ATTRS,
        text_decimals: true,
        fields,
        ..Quirks::default()
    };
    if order > 0 {
        rules.sorts = rules.sorts.without(SortSet::SET);
        rules.order = Order::Sorted;
    }
}

#[cold]
pub(crate) fn unknown(name: &str) -> py::Raised {
    Builtin::Type.raise_words(say!("unexpected keyword argument `{}`"), &[name.into()])
}

/// The exception for a keyword with a value of a class that it does not take.
#[cold]
#[inline(never)]
pub(crate) fn wrong_class(frame: Said, name: &str, v: Ref<'_>) -> py::Raised {
    Builtin::Type.raise_words(frame, &[name.into(), Word::Class(v)])
}

/// A truth value, and nothing that merely is true.
pub(crate) fn flag(name: &str, v: Ref<'_>) -> Result<bool> {
    match v.see_cold() {
        Seen::Bool(b) => Ok(b),
        _ => Err(wrong_class(say!("`{}` must be a bool, got `{}`"), name, v)),
    }
}

/// A number of things, not negative.
pub(crate) fn count(name: &str, v: Ref<'_>) -> Result<usize> {
    match v.see_cold() {
        Seen::Int(i) => match i.get_cold() {
            Int::I64(n) if n >= 0 => Ok(n as usize),
            Int::U64(_) => Ok(usize::MAX),
            // In little-endian, the sign stands last.
            Int::Big(b) if b.bytes()?.last().is_some_and(|&b| b < 0x80) => Ok(usize::MAX),
            _ => Err(Builtin::Value.raise_words(say!("`{}` must not be negative"), &[name.into()])),
        },
        _ => Err(wrong_class(say!("`{}` must be an int, got `{}`"), name, v)),
    }
}

pub(crate) fn hook(name: &str, v: Ref<'_>) -> Result<Option<Own>> {
    if v.is_none() {
        Ok(None)
    } else if v.is_callable() {
        Ok(Some(v.own()))
    } else {
        Err(wrong_class(say!("`{}` must be callable or None, got `{}`"), name, v))
    }
}

/// Which of a few words with blanks between them, `None` standing for None.
#[inline(never)]
pub(crate) fn choice(name: &str, v: Ref<'_>, words: &str) -> Result<usize> {
    let is = |word: &str| match word {
        "None" => v.is_none(),
        word => v.as_any_str().is_some_and(|s| s.is(word)),
    };
    each_word(words).position(is).ok_or_else(|| {
        let parts = [Part::Text(name), Part::Given(v), Part::Text(words)];
        raise::ask(c"choice", &parts).map_or_else(|r| r, |e| py::raise_object(e.as_ref()))
    })
}

fn non_finite(name: &str, v: Ref<'_>) -> Result<NonFinite> {
    Ok(match choice(name, v, "error null literal")? {
        0 => NonFinite::Error,
        1 => NonFinite::Null,
        _ => NonFinite::Literal,
    })
}

fn int_bits(name: &str, v: Ref<'_>) -> Result<Option<u32>> {
    match v.see_cold() {
        Seen::None => Ok(None),
        Seen::Int(i) => match i.get_cold() {
            Int::I64(53) => Ok(Some(53)),
            Int::I64(64) => Ok(Some(64)),
            _ => Err(Builtin::Value
                .raise_words(say!("`{}` must be None, 53 or 64, got {}"), &[name.into(), Word::Show(v)])),
        },
        _ => Err(Builtin::Type
            .raise_words(say!("`{}` must be None, 53 or 64, got {}"), &[name.into(), Word::Show(v)])),
    }
}

/// What a level is indented by.
pub(crate) fn indent(v: Ref<'_>) -> Result<Option<Vec<u8>>> {
    match v.see_cold() {
        Seen::None => Ok(None),
        Seen::Int(i) => match i.get_cold() {
            Int::I64(n @ 0..=8) => Ok(Some(vec![b' '; n as usize])),
            _ => Err(Builtin::Value.raise_words(say!("`indent` must be 0 to 8, got {}"), &[Word::Show(v)])),
        },
        Seen::Str(s) => {
            let unit = s.lossy().into_bytes();
            if unit.iter().all(|b| matches!(b, b' ' | b'\t')) {
                return Ok(Some(unit));
            }
            Err(Builtin::Value
                .raise_words(say!("`indent` must be of spaces and tabs, got {}"), &[Word::Show(v)]))
        }
        _ => Err(Builtin::Type
            .raise_words(say!("`indent` must be an int, a str or None, got `{}`"), &[Word::Class(v)])),
    }
}

/// Classes, and words for whole sorts of classes, that go to the hook.
pub(crate) fn passthrough(v: Ref<'_>, rules: &mut Rules) -> Result<()> {
    if v.is_none() {
        return Ok(());
    }
    let found = raise::ask(c"passthrough", &[Part::Given(v)])?;
    let Some(found) = found.as_ref().as_any_tuple().map(|t| t.hold()) else {
        return Err(py::raise_object(found.as_ref()));
    };
    // Python knows these by their places.
    let sets = [
        sorts::DATACLASS,
        sorts::ATTRS,
        sorts::ENUM,
        sorts::MODEL,
        sorts::ARRAYS.with(sorts::MASKED),
        sorts::ALL_SUBCLASSES,
    ];
    let bits = found.get(0).map_or(Ok(0), |bits| count("passthrough", bits))?;
    for (i, set) in sets.into_iter().enumerate() {
        if bits >> i & 1 != 0 {
            rules.sorts = rules.sorts.without(set);
        }
    }
    let mut i = 1;
    while let Some(class) = found.get(i) {
        rules.passthrough.add(class.own());
        i += 1;
    }
    Ok(())
}
