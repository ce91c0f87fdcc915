//! Keywords become rules, styles, limits and hooks, once. Nobody below sees a keyword.

use crate::state::State;
use crate::typing;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use engine::{Fields, Hooks, Order, Passthrough, Policy, Quirks, Rules, SortSet, quoted, sorts};
use json::{Limits, NonFinite, Style};
use py::{Builtin, Int, Own, Ref, Result, Seen, StrRef, Word};
use wire::time::TimeStyle;
use wire::{Error, Input, Source};

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
    pub(crate) fn parse<'a>(named: impl Iterator<Item = (StrRef<'a>, Ref<'a>)>) -> Result<Encoding> {
        let mut e = Encoding::default();
        let mut canonical = false;
        for (name, v) in named {
            let name = name.word();
            match &*name {
                "canonical" => canonical = flag(&name, v)?,
                "indent" => e.style.indent = indent(v)?,
                "newline" => e.newline = flag(&name, v)?,
                "ensure_ascii" => e.style.ascii = flag(&name, v)?,
                "nan" => e.style.non_finite = non_finite(&name, v)?,
                "decimal_format" => {
                    e.rules.decimal_number = choice(&name, v, &[Some("string"), Some("number")])? == 1;
                }
                _ if shared_option(&mut e.rules, &mut e.style.time, &name, v)? => {}
                _ => return Err(unknown(&name)),
            }
        }
        by_codecs(&mut e.rules)?;
        e.rules.finite = e.style.non_finite == NonFinite::Error;
        e.rules.max_float = if e.rules.finite { f64::MAX } else { f64::INFINITY };
        if canonical {
            e.be_canonical()?;
        }
        Ok(e)
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
        Err(Builtin::Value.raise_words("`canonical` leaves no choice of `{}`", &[clash.into()]))
    }

    /// Every object that is owned, for the collector.
    pub(crate) fn objects(&self) -> impl Iterator<Item = &Own> {
        self.rules.objects()
    }
}

impl Decoding {
    /// What keywords say.
    pub(crate) fn parse<'a>(
        state: &State,
        named: impl Iterator<Item = (StrRef<'a>, Ref<'a>)>,
    ) -> Result<Decoding> {
        let mut d = Decoding::default();
        for (name, v) in named {
            let name = name.word();
            if !d.option(&name, v)? {
                return Err(unknown(&name));
            }
        }
        typing::finish(state, &mut d.hooks, d.raw)?;
        Ok(d)
    }

    /// One keyword; false if it is none of ours.
    pub(crate) fn option(&mut self, name: &str, v: Ref<'_>) -> Result<bool> {
        match name {
            "strict" => self.hooks.lax = !flag(name, v)?,
            "raw" => self.raw = flag(name, v)?,
            "float_hook" => self.hooks.float = hook(name, v)?,
            "nan" => self.limits.non_finite = non_finite(name, v)?,
            "duplicate_keys" => {
                self.hooks.unique_keys = choice(name, v, &[Some("last"), Some("error")])? == 1;
            }
            "int_bits" => {
                if let Some(bits) = int_bits(name, v)? {
                    self.limits.int_bits(bits);
                }
            }
            "max_depth" => {
                self.hooks.max_depth = count(name, v)?;
                self.limits.max_depth = self.hooks.max_depth;
            }
            "max_int_digits" => {
                self.limits.max_int_digits = if v.is_none() { usize::MAX } else { count(name, v)? };
            }
            _ => return typing::option(&mut self.hooks, name, v),
        }
        Ok(true)
    }

    /// One level of nesting is taken by an array around whatever is read.
    pub(crate) fn inside(&mut self) -> Result<()> {
        let Some(depth) = self.limits.max_depth.checked_sub(1) else {
            return Err(Builtin::Value.raise("`max_depth` must leave room for the array"));
        };
        self.limits.max_depth = depth;
        self.hooks.max_depth = depth;
        Ok(())
    }

    /// Every object that is owned, for the collector.
    pub(crate) fn objects(&self) -> impl Iterator<Item = &Own> {
        self.hooks.objects()
    }
}

/// One keyword that every encoder has; false if it is none of them.
pub(crate) fn shared_option(rules: &mut Rules, time: &mut TimeStyle, name: &str, v: Ref<'_>) -> Result<bool> {
    match name {
        "enc_hook" => rules.hook = hook(name, v)?,
        "codecs" => rules.codecs = (!v.is_none()).then(|| v.own()),
        "order" => {
            if choice(name, v, &[None, Some("sorted")])? == 1 {
                rules.order = Order::Sorted;
            }
        }
        "sort" => {
            if flag(name, v)? {
                rules.order = Order::Sorted;
            }
        }
        "naive_utc" => time.naive_utc = flag(name, v)?,
        "utc_z" => time.utc_z = flag(name, v)?,
        "omit_microseconds" => time.omit_microseconds = flag(name, v)?,
        "int_bits" => {
            if let Some(bits) = int_bits(name, v)? {
                rules.int_bits = bits;
                rules.big_ints = false;
                rules.max_int = if bits == 53 { (1 << 53) - 1 } else { u64::MAX };
            }
        }
        "max_depth" => rules.max_depth = count(name, v)?,
        "passthrough" => passthrough(v, rules)?,
        "_fault" => rules.fault = hook(name, v)?,
        "_closed" => closed_rules(rules, choice(name, v, &[Some("stored"), Some("keys"), Some("all")])?),
        _ => {
            if !policy(&mut rules.policy, name, v)? {
                return Ok(false);
            }
            if rules.policy != Policy::default() && rules.quirks.fields == Fields::AsKeys {
                rules.quirks.fields = Fields::Gathered;
            }
        }
    }
    Ok(true)
}

/// One keyword of what is written of instances; false if it is none of them.
#[inline(never)]
pub(crate) fn policy(policy: &mut Policy, name: &str, v: Ref<'_>) -> Result<bool> {
    let on = match name {
        "omit_defaults" => &mut policy.omit_defaults,
        "omit_none" => &mut policy.omit_none,
        "by_name" => &mut policy.by_name,
        _ => return Ok(false),
    };
    *on = flag(name, v)?;
    Ok(true)
}

/// Classes with codecs go to the hook, which knows those; to be called when all keywords are known.
#[inline(never)]
pub(crate) fn by_codecs(rules: &mut Rules) -> Result<()> {
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
    Builtin::Type.raise_words("unexpected keyword argument `{}`", &[name.into()])
}

/// A truth value, and nothing that merely is true.
pub(crate) fn flag(name: &str, v: Ref<'_>) -> Result<bool> {
    match v.see() {
        Seen::Bool(b) => Ok(b),
        _ => Err(Builtin::Type.raise_words("`{}` must be a bool, got `{}`", &[name.into(), Word::Class(v)])),
    }
}

/// A number of things, not negative.
pub(crate) fn count(name: &str, v: Ref<'_>) -> Result<usize> {
    match v.see() {
        Seen::Int(i) => match i.get_cold() {
            Int::I64(n) if n >= 0 => Ok(n as usize),
            Int::U64(_) => Ok(usize::MAX),
            // In little-endian, the sign stands last.
            Int::Big(b) if b.bytes()?.last().is_some_and(|&b| b < 0x80) => Ok(usize::MAX),
            _ => Err(Builtin::Value.raise_words("`{}` must not be negative", &[name.into()])),
        },
        _ => Err(Builtin::Type.raise_words("`{}` must be an int, got `{}`", &[name.into(), Word::Class(v)])),
    }
}

pub(crate) fn hook(name: &str, v: Ref<'_>) -> Result<Option<Own>> {
    if v.is_none() {
        Ok(None)
    } else if v.is_callable() {
        Ok(Some(v.own()))
    } else {
        Err(Builtin::Type
            .raise_words("`{}` must be callable or None, got `{}`", &[name.into(), Word::Class(v)]))
    }
}

/// Which of a few words, `None` standing for None.
pub(crate) fn choice(name: &str, v: Ref<'_>, words: &[Option<&str>]) -> Result<usize> {
    let found = words.iter().position(|w| match w {
        None => v.is_none(),
        Some(w) => v.as_any_str().is_some_and(|s| s.is(w)),
    });
    found.ok_or_else(|| {
        let (mut choices, mut or) = (String::new(), "");
        for w in words {
            choices.push_str(core::mem::replace(&mut or, " or "));
            choices.push_str(&w.map_or("None".into(), quoted));
        }
        let class = if v.as_any_str().is_some() || v.is_none() { Builtin::Value } else { Builtin::Type };
        class.raise_words("`{}` must be {}, got {}", &[name.into(), (&choices).into(), Word::Show(v)])
    })
}

fn non_finite(name: &str, v: Ref<'_>) -> Result<NonFinite> {
    Ok(match choice(name, v, &[Some("error"), Some("null"), Some("literal")])? {
        0 => NonFinite::Error,
        1 => NonFinite::Null,
        _ => NonFinite::Literal,
    })
}

fn int_bits(name: &str, v: Ref<'_>) -> Result<Option<u32>> {
    match v.see() {
        Seen::None => Ok(None),
        Seen::Int(i) => match i.get_cold() {
            Int::I64(53) => Ok(Some(53)),
            Int::I64(64) => Ok(Some(64)),
            _ => Err(Builtin::Value
                .raise_words("`{}` must be None, 53 or 64, got {}", &[name.into(), Word::Show(v)])),
        },
        _ => {
            Err(Builtin::Type
                .raise_words("`{}` must be None, 53 or 64, got {}", &[name.into(), Word::Show(v)]))
        }
    }
}

/// What a level is indented by.
pub(crate) fn indent(v: Ref<'_>) -> Result<Option<Vec<u8>>> {
    match v.see() {
        Seen::None => Ok(None),
        Seen::Int(i) => match i.get_cold() {
            Int::I64(n @ 0..=8) => Ok(Some(vec![b' '; n as usize])),
            _ => Err(Builtin::Value.raise_words("`indent` must be 0 to 8, got {}", &[Word::Show(v)])),
        },
        Seen::Str(s) => {
            let unit = s.lossy().into_bytes();
            if unit.iter().all(|b| matches!(b, b' ' | b'\t')) {
                return Ok(Some(unit));
            }
            Err(Builtin::Value.raise_words("`indent` must be of spaces and tabs, got {}", &[Word::Show(v)]))
        }
        _ => {
            Err(Builtin::Type
                .raise_words("`indent` must be an int, a str or None, got `{}`", &[Word::Class(v)]))
        }
    }
}

/// Classes, and words for whole sorts of classes, that go to the hook.
pub(crate) fn passthrough(v: Ref<'_>, rules: &mut Rules) -> Result<()> {
    if v.is_none() {
        return Ok(());
    }
    if v.as_any_str().is_some() {
        return Err(Builtin::Type.raise("`passthrough` must be an iterable of classes and words, not a str"));
    }
    let items = py::iterate(v).map_err(|e| {
        if !py::pending(Builtin::Type) {
            return e;
        }
        Builtin::Type.raise_words(
            "`passthrough` must be an iterable of classes and words, got `{}`",
            &[Word::Class(v)],
        )
    })?;
    while let Some(item) = py::next(&items)? {
        let o = item.as_ref();
        if let Some(s) = o.as_any_str() {
            let word = s.lossy();
            let set = match word.as_str() {
                "dataclass" => sorts::DATACLASS,
                "attrs" => sorts::ATTRS,
                "enum" => sorts::ENUM,
                "pydantic" => sorts::MODEL,
                "numpy" => sorts::ARRAYS.with(sorts::MASKED),
                "subclass" => sorts::ALL_SUBCLASSES,
                _ => {
                    return Err(
                        Builtin::Value.raise_words("`passthrough` knows no {}", &[(&quoted(&word)).into()])
                    );
                }
            };
            rules.sorts = rules.sorts.without(set);
        } else if let Some(class) = o.as_type() {
            let core = matches!(
                class.tp_name(),
                "str" | "int" | "float" | "bool" | "NoneType" | "list" | "dict" | "tuple"
            );
            if core && class.names().0 == "builtins" {
                let name = class.tp_name();
                return Err(Builtin::Value
                    .raise_words("`{}` is written directly and cannot pass through", &[name.into()]));
            }
            rules.passthrough.add(item);
        } else {
            return Err(
                Builtin::Type.raise_words("`passthrough` takes classes and words, got {}", &[Word::Show(o)])
            );
        }
    }
    Ok(())
}
