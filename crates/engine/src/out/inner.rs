//! What stands beside the walk's own loop: runs of numbers, and the path of what is wrong.

use alloc::boxed::Box;
use alloc::string::String;

use super::Out;
use super::key_value::shown;
use super::walk::{Cold, Go, Open, Walk};
use crate::fault::{Fault, Path, Stop, What};
use model::Flag;
use py::{Items, NotUtf8, Raised, Seen};
use wire::{Full, Wrote};

impl<O: Out> Walk<'_, O> {
    /// Writes the integers, or the floats, that a long list begins with: what they are is asked only
    /// as far as they can be told from other things.
    #[inline(never)]
    pub(super) fn run_of(&mut self, list: Items<'_>, next: &mut isize) -> Go {
        match list.get(0).as_ref().map(|item| item.as_ref().see()) {
            Some(Seen::Int(_)) => {
                while let Some(item) = list.get(*next as usize)
                    && let Some(i) = item.as_ref().as_int()
                {
                    let Some(v) = i.signed().filter(|v| v.magnitude <= self.rules.max_int) else { break };
                    *next += 1;
                    let w = self.out.signed_item((), item.as_ref(), v);
                    self.wrote(w)?;
                }
            }
            Some(Seen::Float(_)) => {
                while let Some(item) = list.get(*next as usize)
                    && let Some(v) = item.as_ref().as_float()
                    && v.abs() <= self.rules.max_float
                {
                    *next += 1;
                    let w = self.out.f64_item((), item.as_ref(), v);
                    self.wrote(w)?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

impl<O: Out + ?Sized> Walk<'_, O> {
    #[inline(always)]
    pub(crate) fn deeper(&mut self) -> Go {
        if self.depth >= self.rules.max_depth {
            return Err(self.too_deep());
        }
        self.depth += 1;
        Ok(())
    }

    /// Room for so many more levels inside the value that is met now.
    #[inline(always)]
    pub(crate) fn room_for(&mut self, levels: usize) -> Go {
        if self.depth + levels > self.rules.max_depth {
            return Err(self.too_deep());
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn too_deep(&mut self) -> Stop {
        self.stop(What::Depth(self.rules.max_depth))
    }

    #[inline(always)]
    pub(crate) fn wrote(&mut self, w: Wrote) -> Go {
        match w {
            Ok(()) => Ok(()),
            Err(Full) => Err(self.full()),
        }
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn full(&mut self) -> Stop {
        let what = if self.out.too_long() { What::Length } else { What::Memory };
        self.stop(what)
    }

    #[inline(always)]
    pub(crate) fn raised<T>(&mut self, r: Result<T, Raised>) -> Result<T, Stop> {
        match r {
            Ok(v) => Ok(v),
            Err(Raised) => Err(self.stop(What::Raised)),
        }
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn stop(&mut self, what: What) -> Stop {
        self.aside.what = Some(Box::new(what));
        Stop
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn surrogate(&mut self, e: NotUtf8) -> Stop {
        self.stop(What::Surrogate(e.0))
    }
}

impl Cold<'_, '_> {
    /// Remembers where an inner walk was, whose containers stand from `base` on.
    #[cold]
    #[inline(never)]
    pub(super) fn stopped_inside(&mut self, base: usize) -> Stop {
        let path = self.path(base, false);
        self.aside.inside.insert_str(0, &path);
        self.frames.truncate(base);
        Stop
    }

    /// The fault, with the path that the open containers stand for.
    #[cold]
    #[inline(never)]
    pub(super) fn fault(&mut self) -> Box<Fault> {
        let what = self.aside.what.take().map_or(What::Raised, |w| *w);
        if what == What::Raised {
            return Fault::new(what, alloc::string::String::new());
        }
        let mut path = self.path(0, true);
        path.push_str(&self.aside.inside);
        if let What::Key(_, shown) = &what
            && !self.aside.placed
        {
            let mut key = Path::below();
            key.other(shown);
            path.push_str(&key.done());
        }
        Fault::new(what, path)
    }

    /// Writes a dict that need not be held, because nothing is taken from it.
    #[inline(never)]
    pub(super) fn empty_dict(&mut self) -> Go {
        self.no_map_in_keys()?;
        self.room_for(1)?;
        let wrote = self.out.begin_map(0).and_then(|()| self.out.end_map(0));
        self.wrote(wrote)
    }

    /// The path that the containers from `base` on stand for, from the root or from what they are in.
    fn path(&self, base: usize, root: bool) -> String {
        let mut path = if root { Path::new() } else { Path::below() };
        for frame in self.frames.get(base..).unwrap_or_default() {
            match &frame.open {
                Open::Row(_) => path.index((frame.next as usize).saturating_sub(1)),
                Open::Entries => {
                    let at = (frame.next as usize).saturating_sub(1);
                    match (self.gathered.lossy(at), self.gathered.get(at)) {
                        (Some(key), _) => path.key(&key),
                        (None, Some(entry)) => path.other(&shown(entry.key.as_ref())),
                        (None, None) => {}
                    }
                }
                Open::Struct(s) => {
                    let (class, at) = (s.this().shape(), (frame.next as usize).saturating_sub(1));
                    match class.fields.get(at).and_then(|f| f.key.as_ref().as_any_str()) {
                        Some(key) if !class.is(Flag::ArrayLike) => path.key(&key.lossy()),
                        _ => path.index(at + usize::from(class.tag.is_some())),
                    }
                }
                Open::Object(o) => {
                    let name = o.name((frame.next as usize).saturating_sub(1));
                    if let Some(name) = name.and_then(|name| name.as_any_str()) {
                        path.key(&name.lossy());
                    }
                }
                Open::Dict(_) | Open::Ints(_) if frame.left == frame.n => {}
                Open::Dict(dict) | Open::Ints(dict) => {
                    // The dict is walked again to where it was; it may have changed since.
                    let (mut place, mut key) = (0, None);
                    for _ in 0..frame.n - frame.left {
                        key = dict.next_cold(&mut place).map(|(k, _)| k.as_ref().own());
                    }
                    let key = key.as_ref().map(|k| k.as_ref());
                    match key.and_then(|k| k.as_any_str()) {
                        Some(s) => path.key(&s.lossy()),
                        None => match key.and_then(|k| self.plain_int(k)) {
                            Some(v) if self.out.caps().str_keys_only => {
                                path.key(&wire::number::decimal(v.unsigned_abs(), v < 0))
                            }
                            Some(v) => path.other(&wire::number::decimal(v.unsigned_abs(), v < 0)),
                            None => path.other("..."),
                        },
                    }
                }
            }
        }
        path.done()
    }
}
