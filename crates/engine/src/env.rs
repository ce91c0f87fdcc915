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
use py::{Builtin, Given, Made, MomentTypes, OldTexts, Once, Own, Raised, Ref, Visit};
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
    parts: Once<Own>,
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
    pub(crate) fn part(&self, i: usize) -> Result<Own, Raised> {
        let parts = match self.parts.get() {
            Some(parts) => parts,
            None => self.parts.set(self.helper(c"PARTS")?),
        };
        let parts = parts.as_ref().as_any_tuple().map(|t| t.hold());
        Ok(parts.and_then(|p| p.get(i).map(Ref::own)).unwrap_or_else(py::none))
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
        let Some(parts) = self.parts.get().and_then(|p| p.as_ref().as_any_tuple()) else { return 0 };
        let parts = parts.hold();
        let is = |i| parts.get(i).is_some_and(|part| part.is(class.as_ref()));
        if is(0) {
            takes::UUID
        } else if is(3) {
            takes::DECIMAL
        } else {
            0
        }
    }

    /// A number, or the text of one, as a decimal, exactly; None if it is none.
    #[inline(never)]
    pub(crate) fn decimal(&self, o: Ref<'_>) -> Result<Own, Raised> {
        if o.as_str().is_some() {
            let (class, exact) = (self.part(3)?, self.part(4)?);
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
    pub(crate) fn uuid(&self, bytes: [u8; 16]) -> Result<Own, Raised> {
        let (class, unknown, name) = (self.part(0)?, self.part(1)?, self.part(2)?);
        let Some(class) = class.as_ref().as_type() else {
            return Err(Builtin::Runtime.raise(say!("oxwire: a module is damaged")));
        };
        let made = py::new_object(class)?;
        // One byte more, which is zero: they have no sign.
        let mut number = [0; 17];
        number[1..].copy_from_slice(&bytes);
        made.as_ref().set_plainly(self.names.int.as_ref(), py::int_of_bytes(&number)?.as_ref())?;
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
        visit.maybe(self.parts.get());
    }
}
