//! Forms: the arguments of a command as fields. The command line describes them, so that there is one description.

/// A command that can be started from a page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Form {
    /// Its name.
    pub command: String,
    /// What it does.
    pub about: String,
    /// Its arguments.
    pub fields: Vec<Field>,
}

/// An argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name in the form.
    pub name: String,
    /// Its option, like `--nodes`; none if it is known by its place.
    pub option: Option<String>,
    /// What it is for.
    pub help: String,
    /// What stands for its value in a description, like `N`.
    pub value_name: String,
    /// Its value if none is given.
    pub default: Option<String>,
    /// What it takes.
    pub takes: Takes,
    /// Whether a value must be given.
    pub is_required: bool,
    /// Whether most who start the command care about it.
    pub is_usual: bool,
}

/// What an argument takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Takes {
    /// Nothing: it is there or not.
    Nothing,
    /// Text.
    Text,
    /// Several texts, one on each line.
    Lines,
    /// One of these.
    Choice(Vec<String>),
    /// The name of a file that exists.
    File,
    /// The command of an engine, or something that goes with one.
    Engine,
}
