//! What the engine knows of one interpreter: the classes and names that it looks for.
//!
//! What may surprise: classes of modules that may never be imported (`uuid`, `decimal`, an array
//! library) are not here. They are recognised by name when one of their instances is met, and
//! checked against the module that is loaded by then.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ffi::CStr;

use model::{Classes, Program, takes};
use py::{Builtin, Given, Made, MomentTypes, OldTexts, Once, Own, Pair, Raised, Ref, Type, Visit};
use wire::say;

/// Bytes that go into the output as they are.
pub enum Splice<'a> {
    /// They claim to be one value, which is checked.
    Checked(&'a [u8]),
    /// They are taken on trust.
    Trusted(&'a [u8]),
    /// They are text with a surrogate.
    Surrogate,
    /// They are neither bytes nor text.
    Wrong,
}

/// The classes and names of one interpreter.
pub struct Env {
    pub(crate) moments: MomentTypes,
    pub(crate) enum_meta: Own,
    pub(crate) names: Names,
    pub(crate) spliced: Box<dyn Spliced>,
    /// Classes with fields.
    pub structs: Classes,
    /// The memory of texts that went with their instances.
    pub(crate) texts: Arc<OldTexts>,
    /// The class of programs: what types say, as objects.
    pub programs: Made<Program>,
    /// What stands for a field that is not to be written.
    pub(crate) unset: Own,
    /// The module of what is done in Python, once it is loaded.
    helpers: Once<Own>,
    /// What UUIDs and decimals are made of, likewise: the class of UUIDs, what stands for the safety that nobody knows, and
    /// the name of that; the class of decimals, and the context that changes none.
    parts: Once<[Own; 5]>,
    /// The class of UUIDs, and that of decimals, once an instance was written or read.
    uuids: Once<Pair>,
    decimals: Once<Own>,
}

/// The classes of values that are encoded already.
pub trait Spliced: Send + Sync {
    /// That of values which are checked; of fragments, which are taken on trust; the same for a format of bytes, which
    /// were checked when they were made; of application types (`code` and `data`); and of moments with nanoseconds
    /// (`seconds` and `nanoseconds`).
    fn classes(&self) -> [&Own; 5];
    /// The first of these.
    fn raw(&self) -> &Own;
    /// That of application types.
    fn ext(&self) -> &Own;
    /// What an instance of one of the first three holds.
    fn splice<'a>(&self, o: Ref<'a>, room: &'a mut Vec<u8>) -> Splice<'a>;
}

/// Names that are asked for often.
pub(crate) struct Names {
    pub(crate) value: Own,
    pub(crate) own_value: Own,
    pub(crate) int: Own,
    pub(crate) dict: Own,
    pub(crate) tzinfo: Own,
}

fn helpers() -> Result<Own, Raised> {
    py::import(c"oxwire._scalars")
}

/// A function of what is seldom met, for who does not know the interpreter. Else there is [`Env::help`].
pub(crate) fn helper(name: &CStr) -> Result<Own, Raised> {
    helpers()?.as_ref().attr_named(name)
}

impl Env {
    /// Takes what every call needs.
    #[inline(never)]
    pub fn new(
        spliced: Box<dyn Spliced>,
        structs: Classes,
        programs: Made<Program>,
        given: &mut Given,
    ) -> Env {
        Env {
            moments: MomentTypes::new(given),
            enum_meta: given.take(),
            names: Names {
                value: given.take(),
                own_value: given.take(),
                int: given.take(),
                dict: given.take(),
                tzinfo: given.take(),
            },
            spliced,
            texts: model::old_texts(&structs),
            structs,
            programs,
            unset: given.take(),
            helpers: Once::default(),
            parts: Once::default(),
            uuids: Once::default(),
            decimals: Once::default(),
        }
    }

    fn helper(&self, name: &CStr) -> Result<Own, Raised> {
        let module = match self.helpers.get() {
            Some(module) => module,
            None => self.helpers.set(helpers()?),
        };
        module.as_ref().attr_named(name)
    }

    /// Calls a function of what is seldom met. To ask for a module takes longer than most of its functions do, so it is kept.
    #[inline(never)]
    pub(crate) fn help(&self, name: &CStr, args: &[Ref<'_>]) -> Result<Own, Raised> {
        py::call(self.helper(name)?.as_ref(), args)
    }

    #[inline(never)]
    fn load_parts(&self) -> Result<&[Own; 5], Raised> {
        let parts = self.helper(c"PARTS")?;
        let parts = parts.as_ref().as_any_tuple().map(|t| t.hold());
        let part = |i| parts.as_ref().and_then(|p| p.get(i).map(Ref::own)).unwrap_or_else(py::none);
        let parts = self.parts.set(core::array::from_fn(part));
        if let Some(class) = parts[3].as_ref().as_type() {
            self.meet_decimal(class);
        }
        self.meet_uuid(parts[0].as_ref())?;
        Ok(parts)
    }

    #[inline(always)]
    pub(crate) fn parts(&self) -> Result<&[Own; 5], Raised> {
        match self.parts.get() {
            Some(parts) => Ok(parts),
            None => self.load_parts(),
        }
    }

    /// Keeps the class of UUIDs, which has been looked at.
    #[inline(never)]
    pub(crate) fn meet_uuid(&self, class: Ref<'_>) -> Result<(), Raised> {
        if self.uuids.get().is_none()
            && let Some(class) = class.as_type()
            && let Some(pair) = Pair::of(class, [&self.names.int, &py::intern("is_safe")?])
        {
            self.uuids.set(pair);
        }
        Ok(())
    }

    /// Whether a UUID or a decimal was met, in a program that may have none.
    #[inline(always)]
    pub(crate) fn met_others(&self) -> bool {
        self.uuids.get().is_some() || self.decimals.get().is_some()
    }

    /// The number of a UUID, if it is exactly one and its class was met before.
    #[inline(never)]
    pub(crate) fn plain_uuid(&self, o: Ref<'_>) -> Option<u128> {
        self.uuids.get()?.first(o).and_then(py::unsigned128)
    }

    /// The same of a decimal: whether it is exactly one.
    #[inline(always)]
    pub(crate) fn is_decimal(&self, o: Ref<'_>) -> bool {
        self.decimals.get().is_some_and(|class| o.class().as_ref().is(class.as_ref()))
    }

    /// Keeps the class of decimals, if this is that and no subclass.
    pub(crate) fn meet_decimal(&self, class: Type<'_>) {
        if self.decimals.get().is_none() && class.tp_name() == "decimal.Decimal" {
            self.decimals.set(class.as_ref().own());
        }
    }

    /// The bit of the class of an object that is exactly a moment, bytes, an identifier or a decimal number. The classes of the last
    /// two are not known before any of `PARTS` was needed.
    #[inline(never)]
    pub(crate) fn kind(&self, o: Ref<'_>) -> u32 {
        let class = o.class();
        if let Some(kind) = self.moments.exact(class) {
            return takes::moment(kind);
        }
        if o.is_bytes() {
            return takes::BYTES;
        }
        let Some([uuid, _, _, decimal, _]) = self.parts.get() else { return 0 };
        if class.as_ref().is(uuid.as_ref()) {
            takes::UUID
        } else if class.as_ref().is(decimal.as_ref()) {
            takes::DECIMAL
        } else {
            0
        }
    }

    /// A number, or the text of one, as a decimal, exactly; None if it is none.
    #[inline(never)]
    pub(crate) fn decimal(&self, o: Ref<'_>) -> Result<Own, Raised> {
        if o.as_str().is_some() {
            let [.., class, exact] = self.parts()?;
            if let Ok(made) = py::call(class.as_ref(), &[o, exact.as_ref()]) {
                return Ok(made);
            }
            py::clear();
        }
        self.help(c"decimal", &[o])
    }

    /// The bytes that text spells in base64, as `bytes` or whatever else the bit stands for; None if it spells none.
    #[inline(never)]
    pub(crate) fn base64(&self, bit: u32, text: &[u8]) -> Result<Own, Raised> {
        match wire::base64::bytes(text) {
            Some(bytes) => self.of_bytes(bit, &bytes),
            None => Ok(py::none()),
        }
    }

    /// Bytes as what the bit stands for.
    pub(crate) fn of_bytes(&self, bit: u32, bytes: &[u8]) -> Result<Own, Raised> {
        match bit {
            takes::BYTES => py::bytes(bytes),
            takes::BYTEARRAY => py::bytearray(bytes),
            _ => self.help(c"of_bytes", &[py::bytes(bytes)?.as_ref(), py::int(bit.into())?.as_ref()]),
        }
    }

    /// A UUID, as its class makes them, but for looking at arguments.
    #[inline(never)]
    pub(crate) fn uuid(&self, v: u128) -> Result<Own, Raised> {
        let [class, unknown, name, ..] = self.parts()?;
        let number = py::int128(v)?;
        if let Some(pair) = self.uuids.get() {
            return pair.make([number, unknown.clone()]);
        }
        let Some(class) = class.as_ref().as_type() else {
            return Err(Builtin::Runtime.raise(say!("oxwire: a module is damaged")));
        };
        let made = py::new_object(class)?;
        made.as_ref().set_plainly(self.names.int.as_ref(), number.as_ref())?;
        made.as_ref().set_plainly(name.as_ref(), unknown.as_ref())?;
        Ok(made)
    }

    /// The classes of `datetime`.
    pub fn moments(&self) -> &MomentTypes {
        &self.moments
    }

    /// Shows the objects that could be part of a cycle to the collector: classes know their module.
    pub fn traverse(&self, visit: &mut Visit<'_>) {
        for class in self.spliced.classes() {
            visit.object(class);
        }
        for own in [self.structs.meta(), self.structs.first(), self.programs.own(), &self.unset] {
            visit.object(own);
        }
        visit.maybe(self.helpers.get());
        visit.maybe(self.uuids.get().map(Pair::class));
        for own in self.parts.get().into_iter().flatten().chain(self.decimals.get()) {
            visit.object(own);
        }
    }
}
