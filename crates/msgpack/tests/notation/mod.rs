//! The notation of vectors/README.md that all formats have in common: JSON, as much of it as the files use, and bytes.
#![allow(dead_code, missing_docs, unreachable_pub, reason = "each test uses what it needs")]

#[derive(Debug)]
pub enum Json {
    Null,
    Bool(bool),
    Int(i64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// A member of an object.
    pub fn get(&self, name: &str) -> Option<&Json> {
        let Json::Object(members) = self else { return None };
        members.iter().find(|(n, _)| n == name).map(|(_, of)| of)
    }
    pub fn text(&self) -> &str {
        let Json::Text(text) = self else { panic!("no text: {self:?}") };
        text
    }
    pub fn int(&self) -> i64 {
        let Json::Int(v) = self else { panic!("no integer: {self:?}") };
        *v
    }
    pub fn list(&self) -> &[Json] {
        let Json::List(items) = self else { panic!("no array: {self:?}") };
        items
    }
}

/// A cursor over JSON.
pub struct Parser<'a>(pub &'a str);

impl Parser<'_> {
    fn eat(&mut self, word: &str) -> bool {
        self.0 = self.0.trim_start();
        let rest = self.0.strip_prefix(word);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    /// What stands between an opening bracket, just passed, and the closing one.
    fn all<T>(&mut self, close: &str, one: fn(&mut Self) -> T) -> Vec<T> {
        let mut found = Vec::new();
        while !self.eat(close) {
            found.push(one(self));
            self.eat(",");
        }
        found
    }

    pub fn value(&mut self) -> Json {
        if self.eat("null") {
            Json::Null
        } else if self.eat("true") {
            Json::Bool(true)
        } else if self.eat("false") {
            Json::Bool(false)
        } else if self.eat("[") {
            Json::List(self.all("]", Self::value))
        } else if self.eat("{") {
            Json::Object(self.all("}", Self::member))
        } else if self.eat("\"") {
            Json::Text(self.string())
        } else {
            let end = self.0.find(|c: char| c != '-' && !c.is_ascii_digit()).unwrap();
            let (digits, rest) = self.0.split_at(end);
            self.0 = rest;
            Json::Int(digits.parse().unwrap())
        }
    }

    fn member(&mut self) -> (String, Json) {
        assert!(self.eat("\""));
        let name = self.string();
        assert!(self.eat(":"));
        (name, self.value())
    }

    /// The rest of a string whose first quote was just passed. The files are ASCII.
    fn string(&mut self) -> String {
        let mut units = Vec::new();
        let mut chars = self.0.chars();
        loop {
            let c = match chars.next().unwrap() {
                '"' => break,
                '\\' => match chars.next().unwrap() {
                    'u' => {
                        units.push(u16::from_str_radix(&chars.as_str()[..4], 16).unwrap());
                        chars = chars.as_str()[4..].chars();
                        continue;
                    }
                    'b' => '\x08',
                    'f' => '\x0c',
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    c => c,
                },
                c => c,
            };
            units.push(c as u16);
        }
        self.0 = chars.as_str();
        String::from_utf16(&units).unwrap()
    }
}

/// Splits how often a part is repeated from what comes behind.
fn times(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(text.len());
    text.split_at(end)
}

/// The bytes that their notation stands for. `n` is the number of the turn, in a group.
pub fn octets(text: &str, n: u32) -> Vec<u8> {
    let mut out = Vec::new();
    let mut text = text.trim_start();
    while let Some(first) = text.chars().next() {
        let end = match first {
            '(' => 1 + text.find(')').unwrap(),
            '\'' => 2 + text[1..].find('\'').unwrap(),
            _ => 2,
        };
        let part = &text[..end];
        let inner = &text[1..end - 1];
        let (count, rest) = text[end..].strip_prefix('*').map_or(("1", &text[end..]), times);
        text = rest.trim_start();
        let (from, to) = match count.split_once("..") {
            Some((first, last)) => (first.parse().unwrap(), last.parse::<u32>().unwrap() + 1),
            None => (0, count.parse().unwrap()),
        };
        for turn in from..to {
            match first {
                '(' => out.extend(octets(inner, turn)),
                '\'' => out.extend(inner.bytes()),
                '@' => out.extend(&n.to_be_bytes()[4 - part[1..].parse::<usize>().unwrap()..]),
                _ => out.push(u8::from_str_radix(part, 16).unwrap()),
            }
        }
    }
    out
}
