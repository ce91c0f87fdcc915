//! What reading is told: user code that takes part, and what is refused beyond the grammar. Fixed
//! before a build begins.

use alloc::ffi::CString;

use py::Own;

/// What becomes of text that is not UTF-8.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Texts {
    /// It is refused.
    #[default]
    Strict,
    /// It comes as bytes.
    OrBytes,
    /// All text comes as bytes.
    Bytes,
    /// The codec error handler of this name is asked.
    Handler(CString),
}

/// What moments come as.
#[derive(Clone, Default)]
pub enum Times {
    /// A datetime in UTC; refused if it cannot hold the moment.
    #[default]
    DateTime,
    /// The same, without what is beyond a microsecond.
    Cut,
    /// A number of seconds.
    Float,
    /// A number of nanoseconds.
    Nanoseconds,
    /// What this gives, called with seconds and nanoseconds.
    Object(Own),
}

/// What becomes of keys that are no field's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Unknown {
    /// What their class says.
    #[default]
    AsClass,
    /// They are passed over.
    Ignore,
    /// They are refused.
    Forbid,
    /// They are kept: the program says where.
    Keep,
}

impl Unknown {
    /// Whether they are refused where their class does so, or does not.
    pub(crate) fn forbids(self, class: bool) -> bool {
        match self {
            Unknown::AsClass | Unknown::Keep => class,
            Unknown::Ignore => false,
            Unknown::Forbid => true,
        }
    }
}

/// Which keys are allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Keys {
    /// Whatever the format allows.
    #[default]
    Any,
    /// The same, but no application types.
    Plain,
    /// Text and bytes.
    Text,
    /// Text.
    Str,
}

/// User code that takes part in reading, and what reading refuses beyond the grammar.
#[derive(Default)]
pub struct Hooks {
    /// Called with the text of each number that is not an integer.
    pub float: Option<Own>,
    /// Called with the code and the body of each application type.
    pub ext: Option<Own>,
    /// That hook is a table: it is told how many more containers may nest (times two, and one more in a key),
    /// too, and gives itself for a body that is not what its code says.
    pub table: bool,
    /// The same, where there is no hook: the class of these values.
    pub ext_class: Option<Own>,
    /// Called with each map, as a dict.
    pub object: Option<Own>,
    /// Called with each map, as a list of pairs.
    pub pairs: Option<Own>,
    /// Called with each array.
    pub list: Option<Own>,
    /// Arrays come as tuples.
    pub tuples: bool,
    /// What moments come as.
    pub times: Times,
    /// The application type of integers beyond 64 bits.
    pub big_int: Option<i8>,
    /// The application type of arrays of numbers.
    pub array: Option<i8>,
    /// The bodies of these two must be as short as they can.
    pub strict: bool,
    /// What becomes of text that is not UTF-8.
    pub texts: Texts,
    /// Which keys are allowed.
    pub keys: Keys,
    /// What becomes of keys that are no field's.
    pub unknown: Unknown,
    /// A key that stands twice in one map is an error.
    pub unique_keys: bool,
    /// Keys may be guessed: nothing else is refused than what always is.
    pub guess: bool,
    /// What is to be read, as an instance of `Env::programs`; anything, if this is nothing.
    pub program: Option<Own>,
    /// The keys of fields are their names inside.
    pub by_name: bool,
    /// Codecs by their types, until they are part of that; or false for none, not even our own.
    pub codecs: Option<Own>,
    /// Called with a type and a value, for types that are not ours.
    pub custom: Option<Own>,
    /// Objects are read by their attributes.
    pub attributes: bool,
    /// Types that are not made of text or numbers: they are what the values are.
    pub kept: u32,
    /// Keys of any type may be spelled as text.
    pub text_keys: bool,
    /// Values of another type may become one of the type that is expected.
    pub lax: bool,
    /// All that is wrong with a value is looked for once something is.
    pub all: bool,
    /// What is wrong is written into this list, and reading goes on behind it. Of live objects only.
    pub notes: Option<Own>,
    /// Live objects were bytes of a format that has bytes of its own.
    pub bytes: bool,
    /// How many containers may nest.
    pub max_depth: usize,
    /// Called by the edge with the exception for a fault: gives the one that is raised.
    pub fault: Option<Own>,
}

impl Hooks {
    /// Whether containers become what they always do.
    #[inline(always)]
    pub(crate) fn plain(&self) -> bool {
        !(self.tuples
            || self.unique_keys
            || self.object.is_some()
            || self.pairs.is_some()
            || self.list.is_some())
    }

    /// Whether user code may run: not only classes that are ours.
    pub fn any(&self) -> bool {
        [&self.float, &self.ext, &self.object, &self.pairs, &self.list, &self.custom]
            .into_iter()
            .any(Option::is_some)
    }

    /// Every object that is owned, for the collector.
    pub fn objects(&self) -> impl Iterator<Item = &Own> {
        self.all().into_iter().flatten()
    }

    #[inline(never)]
    fn all(&self) -> [Option<&Own>; 10] {
        let times = match &self.times {
            Times::Object(o) => Some(o),
            _ => None,
        };
        let [float, ext, class] = [&self.float, &self.ext, &self.ext_class].map(Option::as_ref);
        let [object, pairs, list] = [&self.object, &self.pairs, &self.list].map(Option::as_ref);
        let [custom, program, fault] = [&self.custom, &self.program, &self.fault].map(Option::as_ref);
        [float, ext, class, object, pairs, list, custom, program, fault, times]
    }
}
